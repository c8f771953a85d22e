"""working, session, pool, contexts, narrative and tiers: every tier from a shell, for people and as JSON."""

import json
import shlex

import click
import pytest

from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.main import recollect as group

FAMILIES = ("working", "session", "pool", "contexts", "narrative", "tiers")


def verbs() -> list[tuple[str, str]]:
    found = ((family, group.get_command(None, family)) for family in FAMILIES)  # type: ignore[arg-type]
    return [(family, name) for family, command in found for name in command.list_commands(None)]  # type: ignore[union-attr]


class TestHelp:
    @pytest.mark.parametrize("family", FAMILIES)
    def test_a_family_alone_shows_its_verbs(self, run, family) -> None:
        alone = run(family)
        assert (alone.code, alone.out) == (0, run(family, "--help").out)
        assert "Commands:" in alone.out

    @pytest.mark.parametrize(("family", "name"), verbs(), ids=" ".join)
    def test_every_verb_has_an_example_that_parses_and_takes_json(self, run, family, name) -> None:
        shown = run(family, name, "--help")
        assert shown.code == 0
        assert "--json" in shown.out
        verb = group.get_command(None, family).get_command(None, name)  # type: ignore[union-attr,arg-type]
        assert isinstance(verb, MemoryCommand)
        assert verb.examples
        for example in verb.examples:
            words = shlex.split(example)
            assert words[words.index(family) + 1] == name, example
            with click.Context(group) as top:
                verb.make_context(name, words[words.index(family) + 2 :], parent=top)

    def test_an_unknown_verb_is_wrong_use(self, run) -> None:
        done = run("pool", "paint")
        assert done.code == 2
        assert "paint" in done.err


class TestWorking:
    def test_set_get_and_remove(self, run) -> None:
        assert run("working", "set", "branch", "fix/login").out == "✓ set  branch  fix/login\n"
        assert run("working", "get", "branch").out == "fix/login\n"
        assert run("working", "keys").out.splitlines()[1].split() == ["branch", "fix/login"]
        assert run("working", "remove", "branch").code == 0
        gone = run("working", "get", "branch", "--json")
        assert (gone.code, gone.error["type"]) == (2, "NotFound")
        assert run("working", "remove", "branch").code == 2

    @pytest.mark.parametrize(
        ("typed", "value"),
        [(["8080"], 8080), (["8080", "--text"], "8080"), (['{"a": [1]}'], {"a": [1]}), (["two", "words"], "two words")],
    )
    def test_what_reads_as_json_is_json(self, run, typed, value) -> None:
        assert run("working", "set", "it", *typed, "--json").json == {"key": "it", "value": value}
        assert run("working", "get", "it", "--json").json == {"key": "it", "value": value}

    def test_a_value_from_stdin(self, run) -> None:
        run("working", "set", "it", "-", stdin='{"a": 1}\n')
        assert run("working", "get", "it", "--json").json["value"] == {"a": 1}

    def test_a_room_of_its_own_for_each_task_run_and_agent(self, run) -> None:
        rooms = ([], ["--task", "t"], ["--run", "r"])
        for number, room in enumerate(rooms):
            run("working", "set", "it", str(number), *room)
        assert [run("working", "get", "it", *room, "--json").json["value"] for room in rooms] == [0, 1, 2]
        assert run("--agent", "ada", "working", "keys", "--json").json == {}
        assert run("working", "clear", "--task", "t", "--json").json == {"cleared": 1}
        assert run("working", "keys", "--json").json == {"it": 0}
        assert run("working", "keys", "--task", "t", "--run", "r").code == 2

    def test_shared_with_one_agent(self, run) -> None:
        run("--agent", "ada", "working", "share", "eve", "handover", "look", "here")
        assert run("--agent", "eve", "working", "shared", "ada", "handover").out == "look here\n"
        assert run("--agent", "bob", "working", "shared", "ada", "handover").code == 2

    def test_carried_over(self, run) -> None:
        run("working", "set", "it", "1")
        assert run("working", "persist", "--json").json == {"persisted": 1}
        run("working", "clear")
        assert run("working", "load", "--json").json == {"loaded": 1}
        assert run("working", "keys", "--json").json == {"it": 1}

    def test_too_long_a_life(self, run) -> None:
        done = run("working", "set", "it", "1", "--ttl", "2d", "--json")
        assert (done.code, done.error["field"]) == (2, "ttl")

    def test_the_past_has_none(self, run) -> None:
        assert run("--as-of", "1h", "working", "keys").code == 2


class TestSession:
    def test_kept_counted_and_removed(self, run) -> None:
        stored = run("session", "store", "s1", "port", "on", "8080", "--type", "observation", "--ttl", "2h")
        assert stored.out.startswith("✓ stored  port  on 8080  expires in ")
        assert run("session", "get", "s1", "port", "--json").json["access_count"] == 1
        assert run("session", "get", "s1", "port", "--peek", "--json").json["access_count"] == 1
        head, line = run("session", "list").out.splitlines()
        assert head.split() == ["session", "key", "type", "reads", "expires", "value"]
        assert line.split()[:4] == ["s1", "port", "observation", "1"]
        assert run("session", "list", "s2", "--json").json == []
        assert run("session", "refresh", "s1", "port", "--ttl", "3d", "--json").json["ttl"] == 3 * 86_400
        assert run("session", "remove", "s1", "port", "--json").json["removed"]
        assert run("session", "remove", "s1", "port").code == 2
        assert run("session", "cleanup", "--json").json == {"removed": 0}

    def test_what_is_read_often_becomes_a_memory(self, run) -> None:
        run("session", "store", "s1", "port", "The gateway listens on port 8080")
        run("session", "store", "s1", "rest", "Something nobody asks for")
        for _ in range(3):
            run("session", "get", "s1", "port")
        done = run("tiers", "consolidate", "s1")
        assert done.out.splitlines()[0] == "✓ 1 memory created  1 entry left"
        assert run("list", "--json").json[0]["content"] == "The gateway listens on port 8080"


class TestPool:
    @pytest.fixture
    def board(self, run) -> None:
        run("--agent", "ada", "pool", "create", "board", '{"todo": ["login"]}', "--read", "eve")

    def test_read_whole_or_by_key(self, run, board) -> None:
        assert json.loads(run("--agent", "eve", "pool", "read", "board").out) == {"todo": ["login"]}
        assert run("--agent", "eve", "pool", "read", "board", "todo", "--json").json == ["login"]
        assert run("--agent", "bob", "pool", "read", "board").code == 2

    def test_write_set_merge_and_unset(self, run, board) -> None:
        ada = ("--agent", "ada", "pool")
        assert run(*ada, "set", "board", "owner", "ada", "--json").json["version"] == 2
        assert run(*ada, "merge", "board", '{"done": {"a": 1}}', "--json").json["version"] == 3
        assert run(*ada, "unset", "board", "todo", "--json").json["data"] == {"owner": "ada", "done": {"a": 1}}
        assert run(*ada, "write", "board", "{}", "--expect", "4", "--json").json["data"] == {}

    def test_a_stale_write_says_where_the_pool_is(self, run, board) -> None:
        run("--agent", "ada", "pool", "set", "board", "owner", "ada")
        done = run("--agent", "ada", "pool", "write", "board", "{}", "--expect", "1", "--json")
        assert (done.code, done.error["type"], done.error["field"]) == (2, "StaleVersion", "expected_version")
        assert "version 2" in done.error["message"]

    @pytest.mark.parametrize("data", ["[1]", "{", '"text"'])
    def test_data_that_is_no_object(self, run, board, data) -> None:
        done = run("--agent", "ada", "pool", "write", "board", data, "--json")
        assert (done.code, done.error["field"]) == (2, "data")

    def test_grant_and_revoke(self, run, board) -> None:
        assert run("--agent", "eve", "pool", "set", "board", "k", "1").code == 2
        run("--agent", "ada", "pool", "grant", "board", "eve", "write")
        assert run("--agent", "eve", "pool", "set", "board", "k", "1").code == 0
        assert "may write" in run("--agent", "ada", "pool", "show", "board").out
        run("--agent", "ada", "pool", "revoke", "board", "eve")
        assert run("--agent", "eve", "pool", "read", "board").code == 2

    def test_two_of_one_name_by_their_owners(self, run, board) -> None:
        run("--agent", "bob", "pool", "create", "board", "--read", "eve")
        assert run("--agent", "eve", "pool", "read", "board").code == 2
        assert run("--agent", "eve", "pool", "read", "ada/board", "todo", "--json").json == ["login"]

    def test_listed_counted_extended_and_dropped(self, run, board) -> None:
        run("--agent", "eve", "pool", "read", "board")
        head, line = run("--agent", "ada", "pool", "list").out.splitlines()
        assert head.split() == ["name", "type", "owner", "version", "age", "keys"]
        assert line.split()[:4] == ["board", "shared", "ada", "1"]
        stats = run("--agent", "ada", "pool", "stats", "board", "--json").json
        assert (stats["reads"], stats["readers"], stats["writes"]) == (1, ["eve"], 1)
        assert "reads" in run("--agent", "ada", "pool", "stats", "board").out
        assert run("--agent", "ada", "pool", "extend", "board", "--ttl", "2d", "--json").json["expires_at"]
        assert run("--agent", "ada", "pool", "drop", "board").code == 0
        assert run("--agent", "ada", "pool", "list", "--json").json == []
        assert "board: created" in run("--agent", "ada", "undo").out
        assert run("--agent", "ada", "pool", "list", "--json").json[0]["name"] == "board"
        assert "board: drop" in run("--agent", "ada", "log").out

    def test_of_a_run(self, run) -> None:
        made = run("--agent", "ada", "pool", "run", "nightly", "blackboard", "--json").json
        run("--agent", "eve", "pool", "set", made["name"], "k", "1")
        assert run("--agent", "ada", "pool", "list", "--run", "nightly", "--json").json[0]["data"] == {"k": 1}


class TestContexts:
    @pytest.fixture
    def entry(self, run) -> str:
        run("contexts", "create", "handbook", "--type", "knowledge_base", "--about", "how we work")
        added = run("contexts", "add", "handbook", "Releases are cut on Tuesdays", "-t", "release", "--json")
        short: str = added.json["memory"]["short_id"]
        return short

    def test_its_entries_are_found_through_it(self, run, entry) -> None:
        assert [line.split()[0] for line in run("contexts", "list").out.splitlines()] == ["name", "handbook"]
        shown = run("contexts", "show", "handbook").out
        assert "how we work" in shown
        assert "Releases are cut on Tuesdays" in shown
        assert run("contexts", "show", "handbook", "--json").json["entries"][0]["short_id"] == entry
        assert (
            run("contexts", "search", "handbook", "releases", "--json").json["hits"][0]["memory"]["short_id"] == entry
        )
        assert run("recall", "releases", "--json").json["hits"] == []

    def test_versions_snapshots_and_the_way_back(self, run, entry) -> None:
        assert run("contexts", "snapshot", "handbook", "before", "it").out == "✓ before it  1 entry\n"
        run("contexts", "edit", "handbook", entry, "Releases are cut on Mondays")
        texts = [found["content"] for found in run("contexts", "history", "handbook", entry, "--json").json]
        assert texts == ["Releases are cut on Mondays", "Releases are cut on Tuesdays"]
        changed = run("contexts", "diff", "handbook", "before it").out
        assert "content: Releases are cut on Tuesdays → Releases are cut on Mondays" in changed
        assert run("contexts", "snapshots", "handbook", "--json").json[0]["name"] == "before it"
        assert run("contexts", "restore", "handbook", "before it").code == 0
        assert run("contexts", "diff", "handbook", "before it").out == "no changes\n"

    def test_who_used_it(self, run, entry) -> None:
        run("contexts", "show", "handbook")
        actions = [access["action"] for access in run("contexts", "log", "handbook", "--json").json]
        assert actions[-1] == "add"
        assert "read" in actions
        assert run("contexts", "log", "handbook").out.splitlines()[0].split() == ["age", "agent", "action", "entry"]

    def test_put_away_and_taken_out(self, run, entry) -> None:
        run("contexts", "archive", "handbook")
        assert run("contexts", "list", "--json").json == []
        assert run("contexts", "add", "handbook", "Something else about geese").code == 2
        run("contexts", "archive", "handbook", "--back")
        assert run("contexts", "remove", "handbook", entry).code == 0
        assert run("contexts", "show", "handbook", "--json").json["entries"] == []

    def test_grants(self, run, entry) -> None:
        assert run("--agent", "eve", "contexts", "show", "handbook").code == 2
        assert "may read" in run("contexts", "grant", "handbook", "eve", "read").out
        assert run("--agent", "eve", "contexts", "show", "handbook").code == 0
        run("contexts", "revoke", "handbook", "eve")
        assert run("--agent", "eve", "contexts", "show", "handbook").code == 2


class TestNarrative:
    def test_told_found_and_linked(self, run, keep) -> None:
        memory = keep("The gateway listens on port 8080")
        assert run("narrative", "latest").code == 2
        told = run("narrative", "add", "We found the port", "--session", "s1", "--memory", memory, "--json").json
        assert run("narrative", "latest", "--json").json["id"] == told["id"]
        assert "We found the port" in run("narrative", "latest").out
        assert [found["id"] for found in run("narrative", "list", "--json").json] == [told["id"]]
        assert run("narrative", "search", "port", "--json").json["hits"][0]["memory"]["id"] == told["id"]
        assert run("narrative", "memories", told["short_id"], "--json").json[0]["short_id"] == memory
        assert run("narrative", "of", memory, "--json").json[0]["id"] == told["id"]


class TestTiers:
    def test_the_first_tier_that_has_it_answers(self, run) -> None:
        run("tiers", "write", "port", "8080", "--session", "s1")
        assert run("tiers", "read", "port", "--session", "s1", "--json").json["tier"] == "short_term"
        run("tiers", "write", "port", "9090", "--tier", "working")
        assert run("tiers", "read", "port", "--session", "s1").out.splitlines() == ["port  working", "  9090"]
        found = run("tiers", "search", "port", "--session", "s1", "--json").json
        assert {met["tier"] for met in found} == {"working", "short_term"}
        assert run("tiers", "delete", "port", "--session", "s1", "--json").json["tiers"] == ["working", "short_term"]
        assert run("tiers", "read", "port", "--session", "s1").code == 2

    def test_into_a_pool_and_into_memory(self, run) -> None:
        run("pool", "create", "board")
        run("tiers", "write", "owner", "ada", "--tier", "shared", "--pool", "board")
        assert run("tiers", "read", "owner", "--json").json == {
            "tier": "shared", "key": "owner", "value": "ada", "memory": None,
        }  # fmt: skip
        kept = run("tiers", "write", "where", "The vault is in Lisbon", "--tier", "long_term")
        assert kept.out.startswith("✓ stored")
        assert run("tiers", "read", "where", "--json").json["memory"]["content"] == "The vault is in Lisbon"

    def test_how_much_each_holds(self, run) -> None:
        run("working", "set", "it", "1")
        assert run("tiers", "stats").out.splitlines()[0].split() == ["working", "1", "key"]
        assert run("tiers", "stats", "--json").json["short_term"] == {"entries": 0, "sessions": 0}


@pytest.mark.parametrize(
    ("typed", "hint"),
    [("pool read board", "recollect pool list"), ("contexts show notes", "recollect contexts list")],
)
def test_what_is_not_there_is_told_with_the_command_that_lists(run, keep, typed: str, hint: str) -> None:
    keep("The mill grinds at dawn")
    done = run(*typed.split())
    assert (done.code, f"`{hint}` shows which there are" in done.err) == (2, True)
