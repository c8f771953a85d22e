"""`recollect install` and `uninstall`: only our entry changes in a client's settings, and uninstall leaves nothing behind."""

from __future__ import annotations

import io
import json
import os
import re
import stat
import sys
import tomllib
from pathlib import Path

import pytest

from recollect.adapters.clients.change import plan_install, plan_uninstall
from recollect.adapters.clients.client import CLIENTS
from recollect.adapters.clients.json_entry import JsonEntry
from recollect.adapters.clients.trial import count_tools
from recollect.advice import install_command
from recollect.errors import InvalidInput, SettingsError
from recollect.serve.cli.main import main

ENTRY = {"command": "recollect", "args": ["mcp"]}
FILES = {
    "claude-code": '{\n  "numStartups": 7,\n  "mcpServers": {\n    "other": {\n      "command": "x"\n    }\n  },\n  "a": {}\n}\n',
    "codex": 'model = "o5" # x\n\n[mcp_servers.other]\ncommand = "x"\nargs = ["[mcp_servers.recollect]"]\n\n[tui]\nbell = true\n',
    "cursor": '{"mcpServers": {"other": {"command": "x"}}}',
    "claude-desktop": '{\n  "globalShortcut": "",\n  "mcpServers": {\n    "other": {\n      "command": "x"\n    }\n  }\n}\n',
    "vscode": '{\n\t// ours\n\t"servers": {\n\t\t"other": {"command": "x"}, // "}"\n\t},\n\t"inputs": [],\n}\n',
    "windsurf": '{"mcpServers": {"other": {"command": "x"}}}\n',
    "gemini-cli": '{\n  /* theme */\n  "theme": "x",\n  "mcpServers": {"other": {"command": "x"}}\n}\n',
}
PLACES = {
    "claude-code": ".claude.json",
    "codex": ".codex/config.toml",
    "cursor": ".cursor/mcp.json",
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "vscode": ".config/Code/User/mcp.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
    "gemini-cli": ".gemini/settings.json",
}
ODD_JSON = [
    "{}",
    "{ }\n",
    "",
    '{\n\t"mcpServers": {\n\t}\n}',
    '{\r\n  "a": 1\r\n}\r\n',
    '\ufeff{"a": "é ü 🦀"}',
    '{"a": {"mcpServers": {"recollect": 1}}, "b": "}{,:\\""}',
    '{\n    "mcpServers": {\n        "z": {},\n        "recollect": {"command": "old"},\n        "y": {}\n    }\n}\n',
]
ODD_TOML = [
    "",
    "# only a comment",
    'text = """\n[mcp_servers.recollect]\n"""\n',
    '[mcp_servers.recollect]\ncommand = "old"\n[mcp_servers.recollect.env]\nA = "1"\n\n[tui]\nx = 1\n',
    '[mcp_servers."other.one"]\ncommand = "x"\r\n',
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.delenv("CODEX_HOME", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return tmp_path


def settings_of(client: str, home: Path) -> Path:
    return home / PLACES[client]


def install(client: str, home: Path) -> None:
    """What the command does once the server has answered."""
    chosen = CLIENTS[client]
    entry = chosen.entry("/usr/bin/recollect", ["mcp"])
    plan_install(chosen, chosen.path("user", home, home, os.environ, "linux"), entry).apply()


def uninstall(client: str, home: Path) -> None:
    chosen = CLIENTS[client]
    plan_uninstall(chosen, chosen.path("user", home, home, os.environ, "linux")).apply()


def strict(text: str) -> str:
    """JSON without the comments and trailing commas of the files here."""
    return re.sub(r",(\s*[}\]])", r"\1", re.sub(r'/\*.*?\*/|(?<!")//.*', "", text))


def entry_in(client: str, text: str) -> dict[str, object]:
    if client == "codex":
        return tomllib.loads(text)["mcp_servers"]["recollect"]
    group = "servers" if client == "vscode" else "mcpServers"
    return json.loads(strict(text))[group]["recollect"]


@pytest.mark.parametrize("client", CLIENTS)
def test_an_entry_goes_in_beside_the_others_and_out_again_to_the_byte(client: str, home: Path) -> None:
    path = settings_of(client, home)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(FILES[client])
    path.chmod(0o600)
    install(client, home)
    installed = path.read_text()
    entry = entry_in(client, installed)
    assert entry["args"] == ["mcp"]
    assert Path(str(entry["command"])).name.startswith("recollect")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for line in FILES[client].splitlines():
        assert line.rstrip("} ,") in installed, line
    install(client, home)
    assert path.read_text() == installed, "installed twice is installed once"
    uninstall(client, home)
    assert path.read_text() == FILES[client]
    assert sorted(path.parent.glob(f"{path.name}*")) == [path], "no copy stays behind"
    uninstall(client, home)


@pytest.mark.parametrize("client", CLIENTS)
def test_where_there_was_no_file_there_is_none_afterwards(client: str, home: Path) -> None:
    (home / ".config").mkdir()
    before = sorted(home.rglob("*"))
    install(client, home)
    assert entry_in(client, settings_of(client, home).read_text())
    uninstall(client, home)
    assert sorted(home.rglob("*")) == before


@pytest.mark.parametrize("client", CLIENTS)
def test_what_was_changed_since_stays_when_our_entry_goes(client: str, home: Path) -> None:
    path = settings_of(client, home)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(FILES[client])
    install(client, home)
    edited = path.read_text().replace('"x"', '"changed"')
    path.write_text(edited)
    uninstall(client, home)
    left = path.read_text()
    assert left.rstrip() == FILES[client].replace('"x"', '"changed"').rstrip()


@pytest.mark.parametrize("text", ODD_JSON)
def test_json_of_any_layout_is_edited_in_place(text: str, tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(text.encode())
    known = json.loads(text.removeprefix("\ufeff") or "{}")
    plan_install(CLIENTS["cursor"], path, ENTRY).apply()
    made = json.loads(path.read_text("utf-8-sig"))
    assert made == {**known, "mcpServers": {**known.get("mcpServers", {}), "recollect": ENTRY}}
    assert list(made.get("mcpServers", {}))[: len(known.get("mcpServers", {}))] == list(known.get("mcpServers", {}))
    plan_uninstall(CLIENTS["cursor"], path).apply()
    assert path.read_bytes() == text.encode()


@pytest.mark.parametrize("text", ODD_TOML)
def test_toml_of_any_layout_is_edited_in_place(text: str, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(text.encode())
    known = tomllib.loads(text)
    plan_install(CLIENTS["codex"], path, ENTRY).apply()
    made = tomllib.loads(path.read_bytes().decode())
    assert made == {**known, "mcp_servers": {**known.get("mcp_servers", {}), "recollect": ENTRY}}
    plan_uninstall(CLIENTS["codex"], path).apply()
    assert path.read_bytes() == text.encode()


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("cursor", "{broken"),
        ("cursor", "[]"),
        ("cursor", '{"mcpServers": []}'),
        ("cursor", "{} trailing"),
        ("codex", "a = "),
        ("codex", 'mcp_servers = { other = { command = "x" } }'),
        ("claude-code", '{"a": 1,}'),
    ],
)
def test_a_file_that_cannot_be_understood_is_an_error_and_stays_as_it_is(
    client: str, text: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = settings_of(client, home)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    assert main(["install", client, "--yes"]) == 2
    said = capsys.readouterr().err
    assert str(path) in said
    assert "Traceback" not in said
    assert path.read_text() == text
    assert sorted(path.parent.glob(f"{path.name}*")) == [path]


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(b"\xff\xfe{")
    with pytest.raises(SettingsError, match="UTF-8"):
        plan_install(CLIENTS["cursor"], path, ENTRY)


def test_a_change_is_shown_and_made_only_with_a_yes(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = settings_of("cursor", home)
    assert main(["install", "cursor", "--dry-run"]) == 0
    assert '+    "recollect": {' in capsys.readouterr().out
    assert not path.exists()
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["install", "cursor"]) == 2
    assert '+    "recollect": {' in capsys.readouterr().err
    assert not path.exists()


def test_what_another_program_wrote_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text("{}")
    planned = plan_install(CLIENTS["cursor"], path, ENTRY)
    path.write_text('{"mine": 1}')
    with pytest.raises(SettingsError, match="in the meantime"):
        planned.apply()
    assert path.read_text() == '{"mine": 1}'


def test_the_folder_of_a_project_stays_however_empty_it_is(tmp_path: Path) -> None:
    for client in (one for one in CLIENTS.values() if one.project_path):
        root = tmp_path / client.name
        root.mkdir()
        path = client.path("project", tmp_path, root, {})
        plan_install(client, path, ENTRY).apply()
        plan_uninstall(client, path).apply()
        assert list(root.iterdir()) == []


def test_a_project_entry_names_no_folder_of_whoever_wrote_it(home: Path) -> None:
    (home / "shop" / ".git").mkdir()
    (home / "shop" / "src").mkdir()
    assert (
        main(["--agent", "reviewer", "install", "claude-code", "--scope", "project", "--tools", "koshi", "--yes"]) == 0
    )
    entry = entry_in("claude-code", (home / "shop" / ".mcp.json").read_text())
    assert entry == {
        "type": "stdio",
        "command": "recollect",
        "args": ["--agent", "reviewer", "mcp", "--tools", "koshi"],
    }


def test_new_options_replace_the_old_entry_and_the_first_copy_is_what_comes_back(home: Path) -> None:
    path = settings_of("cursor", home)
    path.parent.mkdir()
    path.write_text(FILES["cursor"])
    assert main(["install", "cursor", "--yes"]) == 0
    assert main(["install", "cursor", "--tools", "jcode", "--yes"]) == 0
    assert entry_in("cursor", path.read_text())["args"] == ["mcp", "--tools", "jcode"]
    assert main(["uninstall", "cursor", "--yes"]) == 0
    assert path.read_text() == FILES["cursor"]


def test_settings_behind_a_link_are_changed_where_they_are(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}\n")
    link = tmp_path / "mcp.json"
    link.symlink_to(real)
    plan_install(CLIENTS["cursor"], link, ENTRY).apply()
    assert link.is_symlink()
    assert entry_in("cursor", real.read_text()) == ENTRY


@pytest.mark.parametrize(
    ("client", "platform", "place"),
    [
        ("claude-desktop", "darwin", "Library/Application Support/Claude/claude_desktop_config.json"),
        ("claude-desktop", "win32", "AppData/Roaming/Claude/claude_desktop_config.json"),
        ("claude-desktop", "linux", ".config/Claude/claude_desktop_config.json"),
        ("vscode", "darwin", "Library/Application Support/Code/User/mcp.json"),
        ("vscode", "win32", "AppData/Roaming/Code/User/mcp.json"),
        ("vscode", "linux", ".config/Code/User/mcp.json"),
        ("windsurf", "win32", ".codeium/windsurf/mcp_config.json"),
        ("gemini-cli", "darwin", ".gemini/settings.json"),
        ("cursor", "darwin", ".cursor/mcp.json"),
    ],
)
def test_each_system_has_its_place(client: str, platform: str, place: str, tmp_path: Path) -> None:
    assert CLIENTS[client].path("user", tmp_path, tmp_path, {}, platform) == tmp_path / place


def test_the_environment_moves_the_place(tmp_path: Path) -> None:
    seen = {"APPDATA": "/app", "XDG_CONFIG_HOME": "/xdg"}
    assert CLIENTS["vscode"].path("user", tmp_path, tmp_path, seen, "win32") == Path("/app/Code/User/mcp.json")
    assert CLIENTS["vscode"].path("user", tmp_path, tmp_path, seen, "linux") == Path("/xdg/Code/User/mcp.json")


@pytest.mark.parametrize("client", ["claude-desktop", "windsurf"])
def test_a_client_without_settings_for_a_project_says_so(client: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no settings for a project"):
        CLIENTS[client].path("project", tmp_path, tmp_path, {})


COMMENTED = [
    "// nothing yet\n",
    "// nothing yet\n{}\n",
    "{ // why\n}\n",
    '{\n  // servers\n  "servers": {\n    // none\n  }\n}\n',
    '{\n  "servers": {\n    "a": {"args": ["//", "/*"]}, // first\n    /* second */ "b": {}\n    // last\n  }\n}\n',
    '{\n  "servers": {\n    "a": {},\n    "b": {}, // trailing\n  }, /* more */\n  "inputs": [1, 2,],\n}\n',
    '{"servers": {"a": {"x": 1,},},}',
    '{\r\n  "servers": {\r\n    "a": {} // one\r\n  }\r\n}\r\n',
    '{\n  "servers": {\n    "a": {},\n    "recollect": {"old": true}, // mine\n    // b is next\n    "b": {}\n  }\n}\n',
]


@pytest.mark.parametrize("text", COMMENTED)
def test_comments_and_what_others_wrote_stay_where_they_are(text: str) -> None:
    editor = JsonEntry("servers", "recollect", comments=True)
    before = editor._strict(text)
    known = json.loads(before) if before.strip() else {}
    added = editor.add(text, ENTRY, "mcp.json")
    made = json.loads(editor._strict(added))
    assert made == {**known, "servers": {**known.get("servers", {}), "recollect": ENTRY}}
    for line in text.splitlines():
        for comment in re.findall(r"(?:^|[ \t])(//.*|/\*.*?\*/)", line):
            assert comment in added
    for name in ("a", "b"):  # a comment behind a value stays behind that value
        found = re.search(rf'"{name}": {{.*?}},? //.*', text)
        assert found is None or found[0].replace(",", "") in added.replace(",", "")
    gone = editor.remove(added, "mcp.json")
    others = {name: value for name, value in known.get("servers", {}).items() if name != "recollect"}
    assert json.loads(editor._strict(gone)) == {**known, "servers": others}
    for line in text.splitlines():
        for comment in re.findall(r"(?:^|[ \t])(//.*|/\*.*?\*/)", line):
            assert comment in gone


class TestTheServerIsTried:
    """Before anything is written, the server is started once as the client would start it."""

    def test_it_answers_with_its_tools(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["install", "cursor", "--yes"]) == 0
        assert re.search(r"the server starts and offers \d+ tools", capsys.readouterr().err)
        assert sorted(path.name for path in home.rglob("*") if path.is_file()) == ["mcp.json"], (
            "no store is made for a trial"
        )

    @pytest.mark.parametrize(
        ("script", "said"),
        [
            ("import sys; sys.exit('error: mcp: the MCP SDK is not installed')", "the MCP SDK is not installed"),
            ("import sys; sys.exit(7)", "it ended with code 7"),
            ("print('hello')", "it ended with code 0"),
            ("import time; time.sleep(60)", "it did not answer within 1 s"),
            ("import recollect_of_this_shell", "No module named 'recollect_of_this_shell'"),
        ],
    )
    def test_what_keeps_it_from_starting_is_told(self, script: str, said: str, tmp_path: Path) -> None:
        (tmp_path / "recollect_of_this_shell.py").write_text("")
        seen = {"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path)}
        with pytest.raises(SettingsError, match=re.escape(said)) as raised:
            count_tools(sys.executable, ["-c", script], seen, seconds=1.0 if "sleep" in script else 60.0)
        assert "nothing was written" in str(raised.value)

    @pytest.mark.parametrize("options", [["--scope", "project"], []], ids=["no command", "no store"])
    def test_nothing_is_written_then(
        self, options: list[str], home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        if "project" in options:
            monkeypatch.setenv("PATH", "/nowhere")
            assert main(["install", "cursor", *options, "--yes"]) == 2
            assert "there is no command 'recollect' on PATH; nothing was written" in capsys.readouterr().err
        else:
            (home / "notes.txt").write_text("no store")
            assert main(["--db", str(home / "notes.txt"), "install", "cursor", "--yes"]) == 3
            assert "notes.txt" in capsys.readouterr().err
        assert not list(home.rglob("mcp.json"))

    def test_a_dry_run_starts_nothing(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", "/nowhere")
        assert main(["install", "cursor", "--scope", "project", "--dry-run"]) == 0


def test_the_hint_for_an_extra_is_a_command_that_works_here() -> None:
    root = Path(__file__).resolve().parents[2]
    assert install_command("mcp").endswith(f"-e '{root}[mcp]'")
    assert sys.executable in install_command("mcp")
