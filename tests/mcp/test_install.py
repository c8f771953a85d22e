"""`recollect install` and `uninstall`: only our entry changes in a client's settings, and uninstall leaves nothing behind."""

from __future__ import annotations

import io
import json
import stat
import tomllib
from pathlib import Path

import pytest

from recollect.adapters.clients.change import plan_install, plan_uninstall
from recollect.adapters.clients.client import CLIENTS
from recollect.errors import SettingsError
from recollect.serve.cli.main import main

ENTRY = {"command": "recollect", "args": ["mcp"]}
FILES = {
    "claude-code": '{\n  "numStartups": 7,\n  "mcpServers": {\n    "other": {\n      "command": "x"\n    }\n  },\n  "a": {}\n}\n',
    "codex": 'model = "o5" # x\n\n[mcp_servers.other]\ncommand = "x"\nargs = ["[mcp_servers.recollect]"]\n\n[tui]\nbell = true\n',
    "cursor": '{"mcpServers": {"other": {"command": "x"}}}',
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
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return tmp_path


def settings_of(client: str, home: Path) -> Path:
    return home / {"claude-code": ".claude.json", "codex": ".codex/config.toml", "cursor": ".cursor/mcp.json"}[client]


def entry_in(client: str, text: str) -> dict[str, object]:
    if client == "codex":
        return tomllib.loads(text)["mcp_servers"]["recollect"]
    return json.loads(text)["mcpServers"]["recollect"]


@pytest.mark.parametrize("client", CLIENTS)
def test_an_entry_goes_in_beside_the_others_and_out_again_to_the_byte(client: str, home: Path) -> None:
    path = settings_of(client, home)
    path.parent.mkdir(exist_ok=True)
    path.write_text(FILES[client])
    path.chmod(0o600)
    assert main(["install", client, "--yes"]) == 0
    installed = path.read_text()
    entry = entry_in(client, installed)
    assert entry["args"] == ["mcp"]
    assert Path(str(entry["command"])).name.startswith("recollect")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for line in FILES[client].splitlines():
        assert line.rstrip("} ,") in installed
    assert main(["install", client, "--yes"]) == 0
    assert path.read_text() == installed, "installed twice is installed once"
    assert main(["uninstall", client, "--yes"]) == 0
    assert path.read_text() == FILES[client]
    assert sorted(path.parent.glob(f"{path.name}*")) == [path], "no copy stays behind"
    assert main(["uninstall", client, "--yes"]) == 0


@pytest.mark.parametrize("client", CLIENTS)
def test_where_there_was_no_file_there_is_none_afterwards(client: str, home: Path) -> None:
    before = sorted(home.rglob("*"))
    assert main(["install", client, "--yes"]) == 0
    assert entry_in(client, settings_of(client, home).read_text())
    assert main(["uninstall", client, "--yes"]) == 0
    assert sorted(home.rglob("*")) == before


@pytest.mark.parametrize("client", CLIENTS)
def test_what_was_changed_since_stays_when_our_entry_goes(client: str, home: Path) -> None:
    path = settings_of(client, home)
    path.parent.mkdir(exist_ok=True)
    path.write_text(FILES[client])
    assert main(["install", client, "--yes"]) == 0
    edited = path.read_text().replace('"x"', '"changed"')
    path.write_text(edited)
    assert main(["uninstall", client, "--yes"]) == 0
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
    path.parent.mkdir(exist_ok=True)
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
