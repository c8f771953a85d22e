"""Before anything is stored: commands that read say so, and leave nothing behind."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from recollect.serve.cli.command_table import SECTIONS

# A command that reads or changes what there is, as it is typed. `{here}` is a folder with an empty file of notes in it.
WITHOUT_A_STORE = (
    "recall deploy", "recall deploy --explain", "search deploy", "search deploy --mode lexical", "context", "context deploy",
    "preview deploy", "get 3f9a1c22", "list", "list --user ada", "--as-of yesterday list", "update 3f9a1c22 --content new",
    "supersede 3f9a1c22 8b01d4e7", "forget 3f9a1c22", "archive 3f9a1c22", "unarchive 3f9a1c22",
    "move 3f9a1c22 --to-scope global", "erase-user ada --dry-run", "erase-user ada --yes", "purge 3f9a1c22 --yes",
    "link 3f9a1c22 8b01d4e7",
    "unlink 3f9a1c22 8b01d4e7", "related 3f9a1c22", "provenance 3f9a1c22", "graph deploy", "tag 3f9a1c22 x", "untag 3f9a1c22 x",
    "tags", "tags describe x y", "clusters", "clusters --refresh", "reinforce 3f9a1c22", "demote 3f9a1c22",
    "feedback 3f9a1c22 --helpful", "confirm 3f9a1c22", "contradictions", "contradictions --scan",
    "resolve 3f9a1c22 8b01d4e7 keep_both", "gaps", "turns", "working get x", "working keys", "working clear", "working load",
    "session get s1 x", "session list",
    "session cleanup", "pool list", "pool show x", "pool read x", "pool stats x", "contexts list",
    "contexts show x", "contexts search x y", "narrative latest", "narrative list", "narrative search x", "tiers read x",
    "tiers search x", "tiers stats", "tiers consolidate s1", "undo", "restore 3f9a1c22", "history 3f9a1c22", "log",
    "export {here}/out.jsonl", "stats", "doctor", "judge test", "judge usage",
    "reembed", "vacuum", "enable",
)  # fmt: skip
# These store something, serve, or need no store.
MAKES_OR_NEEDS_NONE = {
    "remember",
    "import",
    "import-from",
    "extract",
    "mcp",
    "install",
    "uninstall",
    "copy",
    "migrate",
    "disable",
    "config",
}


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run) -> Path:
    """A home without a store, settings or cache."""
    home = tmp_path / "home"
    (home / "notes").mkdir(parents=True)
    (home / "notes" / "MEMORY.md").write_text("- We deploy with make ship\n")
    for name in ("CONFIG", "DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    monkeypatch.delenv("RECOLLECT_DB")
    return home


@pytest.mark.parametrize("words", WITHOUT_A_STORE)
def test_there_is_no_memory_yet_and_still_none_afterwards(words: str, nowhere: Path, run) -> None:
    before = sorted(nowhere.rglob("*"))
    done = run(*words.format(here=nowhere).split())
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith(
        f"error: no memory here yet: {nowhere / 'data' / 'recollect' / 'memory.db'} does not exist"
    )
    assert "`recollect remember`" in done.err
    assert sorted(nowhere.rglob("*")) == before


def test_every_command_is_in_the_table() -> None:
    typed = {words.removeprefix("--as-of yesterday ").split()[0] for words in WITHOUT_A_STORE}
    commands = {name for section in SECTIONS.values() for name in section}
    assert typed | MAKES_OR_NEEDS_NONE == commands


def test_programs_are_told_in_json(nowhere: Path, run) -> None:
    done = run("recall", "deploy", "--json")
    assert done.error["type"] == "NoStoreYet"


def test_a_typed_path_of_no_store_is_told(nowhere: Path, run) -> None:
    done = run("--db", str(nowhere / "memroy.db"), "list")
    assert (done.code, "memroy.db does not exist" in done.err) == (2, True)


@pytest.mark.parametrize("words", ["import {here}/notes --dry-run", "import-from memory-files {here}/notes --dry-run"])
def test_a_dry_run_shows_what_would_come_and_leaves_nothing_behind(words: str, nowhere: Path, run) -> None:
    before = sorted(nowhere.rglob("*"))
    done = run(*words.format(here=nowhere).split())
    assert (done.code, "1 would be stored" in done.out or "1 stored" in done.out) == (0, True)
    assert sorted(nowhere.rglob("*")) == before


@pytest.mark.parametrize("words", ["import {here}/absent.jsonl", "import-from mem0 {here}/absent"])
def test_an_import_of_what_does_not_exist_makes_no_store(words: str, nowhere: Path, run) -> None:
    done = run(*words.format(here=nowhere).split())
    assert (done.code, "absent" in done.err) == (2, True)
    assert not (nowhere / "data" / "recollect" / "memory.db").exists()


@pytest.mark.parametrize(
    "words",
    [
        "remember hello-world",
        "working set x 1",
        "session store s1 x 1",
        "pool create board",
        "pool run nightly-7",
        "contexts create notes --type knowledge_base",
        "tiers write x 1 --session s1",
        "narrative add --session s1 text",
        "import-from memory-files {here}/notes",
        "disable",
    ],
)
def test_what_stores_makes_the_store(words: str, nowhere: Path, run) -> None:
    done = run(*words.format(here=nowhere).split())
    assert (done.code, done.err) == (0, "")
    assert (nowhere / "data" / "recollect" / "memory.db").exists()


SYNONYMS = {
    "add": "remember", "save": "remember", "store": "remember", "delete": "forget", "rm": "forget", "remove": "forget",
    "show": "get",
    "cat": "get", "find": "recall", "query": "recall", "ls": "list", "edit": "update", "revert": "undo", "ADD": "remember",
    "recal": "recall", "remembr": "remember", "contradiction": "contradictions",
}  # fmt: skip


@pytest.mark.parametrize(("typed", "meant"), SYNONYMS.items())
def test_what_is_called_otherwise_elsewhere_is_understood(typed: str, meant: str, run) -> None:
    done = run(typed, "anything")
    assert done.code == 2
    assert done.err.startswith(f"error: there is no command {typed!r}; did you mean `recollect {meant}`")


@pytest.mark.parametrize(("typed", "hint"), [(("pool", "lst"), "`recollect pool list`"), (("xyzzy",), "")])
def test_only_what_may_be_meant_is_offered(typed: tuple[str, ...], hint: str, run) -> None:
    done = run(*typed)
    assert (done.code, "did you mean" in done.err) == (2, bool(hint))
    assert hint in done.err


def test_every_synonym_leads_to_a_command_and_hides_none() -> None:
    from recollect.serve.cli.command_table import SYNONYMS as table

    commands = {name for section in SECTIONS.values() for name in section}
    assert {name for meant in table.values() for name in meant} <= commands | {"--help"}
    assert not table.keys() & commands


class TestWhoAsks:
    """--user, --team, --agent and --account before and after a command."""

    @pytest.fixture
    def kept(self, run) -> None:
        for words in (
            "--user ada remember tea-without-milk",
            "--team core remember the-release-is-ours --scope team --team core",
            "--agent eve remember my-own-note --scope agent",
            "--account acme remember another-firm",
        ):
            assert run(*words.split()).code == 0

    @pytest.mark.parametrize(
        ("who", "seen"),
        [
            ("--user ada", "tea-without-milk"),
            ("--team core", "the-release-is-ours"),
            ("--team web --team core", "the-release-is-ours"),
            ("--agent eve", "my-own-note"),
            ("--account acme", "another-firm"),
            ("--user bob", None),
            ("--team web", None),
            ("", None),
        ],
    )
    def test_each_sees_its_own(self, who: str, seen: str | None, kept, run) -> None:
        expected = [seen] if seen else []
        for words in ([*who.split(), "list", "--json"], ["list", *who.split(), "--json"]):
            assert [memory["content"] for memory in run(*words).json] == expected
        for command in ("recall", "search", "export"):
            shown = run(*who.split(), command, *(["note tea release firm"] if command != "export" else ["-"])).out
            assert all((text in shown) == (text in expected) for text in (
                "tea-without-milk", "the-release-is-ours", "my-own-note", "another-firm",
            ))  # fmt: skip

    def test_the_environment_says_it_too(self, kept, run, monkeypatch) -> None:
        monkeypatch.setenv("RECOLLECT_USER", "ada")
        monkeypatch.setenv("RECOLLECT_TEAMS", "core")
        assert {memory["content"] for memory in run("list", "--json").json} == {
            "tea-without-milk",
            "the-release-is-ours",
        }

    def test_what_is_remembered_for_a_user_is_private_to_them(self, run) -> None:
        done = run("remember", "tea without milk", "--user", "ada", "--json").json["memory"]
        assert (done["scope"], done["user"]) == ("user", "ada")
        assert "user ada" in run("get", done["short_id"], "--user", "ada").out
        assert run("get", done["short_id"]).code == 2

    def test_every_command_takes_them(self) -> None:
        from recollect.serve.cli.main import recollect as group

        def commands(found: click.Command) -> list[click.Command]:
            return [found, *(inner for each in getattr(found, "commands", {}).values() for inner in commands(each))]

        for name in (name for section in SECTIONS.values() for name in section):
            for each in commands(group.get_command(None, name)):  # type: ignore[arg-type]
                options = {option for param in each.params for option in param.opts}
                assert {"--json", "--db", "--project", "--account", "--agent", "--user", "--team"} <= options, each.name


class TestMetadata:
    def test_it_is_set_merged_replaced_and_filtered_by(self, run) -> None:
        short = run("remember", "The office is in Porto", "--meta", "team=core", "--meta", "score=3", "--json").json[
            "memory"
        ]["short_id"]
        steps = [
            ((), {"team": "core", "score": 3}),
            (("--meta", "score=4", "--meta", "team="), {"score": 4}),
            (("--replace-meta", "--meta", 'id="7"', "--meta", "ok=true"), {"id": "7", "ok": True}),
            (("--replace-meta",), {}),
        ]
        for options, expected in steps:
            if options:
                assert run("update", short, *options).code == 0
            assert run("get", short, "--json").json["metadata"] == expected
        run("update", short, "--meta", "score=4")
        assert len(run("list", "--meta", "score>=4", "--json").json) == 1
        assert run("list", "--meta", "score>4", "--json").json == []

    @pytest.mark.parametrize("given", ["team", "=core", ""])
    def test_a_wrong_form_is_told(self, given: str, run) -> None:
        done = run("remember", "The office is in Porto", "--meta", given)
        assert (done.code, "--meta team=core" in done.err) == (2, True)


def test_a_long_text_is_cut_in_lists_and_whole_elsewhere(run, keep) -> None:
    long = "word " * 60 + "end"
    short = keep(long)
    for command in (["list"], ["contradictions"], ["log"]):
        assert max(map(len, run(*command).out.splitlines())) < 260
        assert "end" not in run(*command).out
    assert long in run("get", short).out
    assert long in run("recall", "word").out
    assert run("list", "--json").json[0]["content"] == long


def test_without_its_model_a_memory_says_how_it_gets_a_vector(run, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "arctic-embed-s")
    monkeypatch.setenv("RECOLLECT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("RECOLLECT_OFFLINE", "true")
    done = run("remember", "The office is in Porto")
    assert done.code == 0
    assert (
        "stored without a vector, found by its words; `recollect reembed` adds it when the model is there" in done.out
    )
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")
    assert "vector" not in run("remember", "Maria owns billing").out


def test_reembed_asks_the_network_again(run, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "arctic-embed-s")
    monkeypatch.setenv("RECOLLECT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("RECOLLECT_OFFLINE", "true")
    folder = tmp_path / "cache" / "models" / "arctic-embed-s-int8"
    folder.mkdir(parents=True)
    (folder / "unreachable").write_text("")
    run("recall", "anything")
    assert (folder / "unreachable").exists()
    run("reembed")
    assert not (folder / "unreachable").exists()
