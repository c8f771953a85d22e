"""Pools: shared data with versions, grants and an end; what one may not read is not there."""

import json
import sqlite3
from datetime import timedelta

import pytest

import recollect
from recollect import InvalidInput, NotFound, ReadOnly, StaleVersion
from recollect.values.tiers import Grants

SECRET = "AKIAQYLPMN5HFIQR7XYA"


@pytest.fixture
def pools(memory):
    """The pools of an identity without an agent."""
    return memory.pools


@pytest.fixture
def ada(memory):
    return memory.with_identity(agent="ada").pools


@pytest.fixture
def bob(memory):
    return memory.with_identity(agent="bob").pools


def test_a_pool_keeps_what_was_written(pools) -> None:
    made = pools.create("plan", data={"step": 1})
    assert (made.version, made.data, made.type, made.scope, made.owner) == (1, {"step": 1}, "shared", "global", None)
    assert pools.write("plan", {"step": 2, "done": [1]}).version == 2
    assert pools.read("plan") == {"step": 2, "done": [1]}
    assert pools.read("plan", "step") == pools.read(made.id, "step") == 2
    assert pools.read("plan", "nothing", default=None) is None
    with pytest.raises(NotFound, match="nothing"):
        pools.read("plan", "nothing")


def test_what_a_caller_does_with_the_data_changes_no_pool(pools) -> None:
    given = {"list": [1]}
    pools.create("plan", data=given)
    given["list"].append(2)
    pools.get("plan").data["list"].append(3)
    assert pools.read("plan") == {"list": [1]}


def test_merging_goes_into_objects_replaces_lists_and_keeps_none(pools) -> None:
    pools.create("plan", data={"a": {"b": 1, "c": {"d": 2}}, "list": [1, 2], "x": 1})
    merged = pools.merge("plan", {"a": {"c": {"e": 3}}, "list": [9], "x": None, "new": {}})
    assert merged.data == {"a": {"b": 1, "c": {"d": 2, "e": 3}}, "list": [9], "x": None, "new": {}}
    assert pools.merge("plan", {"a": 5}).data["a"] == 5


def test_one_key_is_written_and_removed(pools) -> None:
    pools.create("plan", data={"a": 1})
    assert pools.write_key("plan", "b", [True, None]).data == {"a": 1, "b": [True, None]}
    assert pools.remove_key("plan", "a").data == {"b": [True, None]}
    with pytest.raises(NotFound, match="key a"):
        pools.remove_key("plan", "a")
    assert pools.get("plan").version == 3


@pytest.mark.parametrize("verb", ["write", "merge", "write_key", "remove_key"])
def test_a_stale_version_changes_nothing_and_tells_what_is_there(pools, verb) -> None:
    pools.create("plan", data={"a": 1})
    pools.write("plan", {"a": 2})
    given = {"write": ({"a": 3},), "merge": ({"a": 3},), "write_key": ("a", 3), "remove_key": ("a",)}[verb]
    with pytest.raises(StaleVersion, match="version 2") as stale:
        getattr(pools, verb)("plan", *given, expected_version=1)
    assert (stale.value.version, stale.value.data, stale.value.expected) == (2, {"a": 2}, 1)
    assert pools.get("plan").version == 2
    assert getattr(pools, verb)("plan", *given, expected_version=2).version == 3


def test_a_version_is_never_given_twice_even_after_an_undo(memory, pools) -> None:
    pools.create("plan", data={"a": 1})
    pools.write("plan", {"a": 2})
    memory.undo()
    assert (pools.get("plan").version, pools.read("plan")) == (1, {"a": 1})
    assert pools.write("plan", {"a": 3}).version == 3
    with pytest.raises(StaleVersion):
        pools.write("plan", {"a": 4}, expected_version=2)


def test_reading_does_not_stand_in_the_way_of_undo(memory, pools) -> None:
    pools.create("plan", data={"a": 1})
    pools.merge("plan", {"b": 2})
    pools.read("plan")
    memory.undo()
    assert pools.read("plan") == {"a": 1}
    memory.undo(memory.log(limit=1)[0].operation)
    assert pools.read("plan") == {"a": 1, "b": 2}


def test_every_change_is_in_the_log_of_those_who_reach_it(memory, ada) -> None:
    ada.create("plan")
    ada.write("plan", {"a": 1})
    ada.grant("plan", "bob", "read")
    ada.drop("plan")
    told = [(event.kind, event.reason, event.actor) for event in memory.with_identity(agent="ada").log()]
    assert told == [("pool", reason, "ada") for reason in ("drop", "grant read to bob", "write", "create")]
    assert [event.kind for event in memory.with_identity(agent="eve").log()] == []


def test_a_drop_can_be_undone(memory, pools) -> None:
    pools.create("plan", data={"a": 1})
    pools.drop("plan")
    with pytest.raises(NotFound):
        pools.get("plan")
    memory.undo()
    assert pools.read("plan") == {"a": 1}


def test_without_a_grant_a_pool_is_not_there(ada, bob, pools) -> None:
    ada.create("plan", data={"a": 1})
    for other in (bob, pools):
        for call in (
            lambda o: o.get("plan"),
            lambda o: o.read("plan"),
            lambda o: o.write("plan", {}),
            lambda o: o.merge("plan", {}),
            lambda o: o.drop("plan"),
            lambda o: o.grant("plan", "bob", "write"),
            lambda o: o.revoke("plan", "ada"),
            lambda o: o.extend("plan", 5),
            lambda o: o.statistics("plan"),
            lambda o: o.accessible_by("plan", "bob"),
        ):
            with pytest.raises(NotFound):
                call(other)
        assert other.list() == []


def test_a_grant_to_read_does_not_let_write_and_one_to_write_lets_read(memory, ada, bob) -> None:
    ada.create("plan", data={"a": 1})
    ada.grant("plan", "bob", "read")
    assert bob.read("plan") == {"a": 1}
    for call in (lambda: bob.write("plan", {}), lambda: bob.merge("plan", {}), lambda: bob.remove_key("plan", "a")):
        with pytest.raises(ReadOnly, match="ask ada"):
            call()
    ada.grant("plan", "eve", "write")
    eve = memory.with_identity(agent="eve").pools
    assert eve.merge("plan", {"b": 2}).data == eve.read("plan") == {"a": 1, "b": 2}
    for call in (lambda: eve.grant("plan", "x", "read"), lambda: eve.drop("plan"), lambda: eve.revoke("plan", "bob")):
        with pytest.raises(ReadOnly, match="ask ada"):
            call()


def test_a_grant_is_revoked_and_undone(memory, ada, bob) -> None:
    ada.create("plan", access={"read": ["bob"], "write": ["bob"]})
    assert ada.revoke("plan", "bob", "write").access == Grants(read=("bob",))
    assert (bob.accessible_by("plan", "bob"), ada.accessible_by("plan", "bob", "write")) == (True, False)
    ada.revoke("plan", "bob")
    with pytest.raises(NotFound):
        bob.read("plan")
    memory.with_identity(agent="ada").undo()
    assert bob.read("plan") == {}
    with pytest.raises(NotFound, match="grant"):
        ada.revoke("plan", "zoe")


def test_who_may_is_told(ada) -> None:
    ada.create("plan", access={"read": ["bob"], "write": ["eve"]})
    told = {
        (agent, level): ada.accessible_by("plan", agent, level)
        for agent in ("ada", "bob", "eve", "zoe")
        for level in ("read", "write")
    }
    assert {key for key, yes in told.items() if yes} == {
        ("ada", "read"), ("ada", "write"), ("bob", "read"), ("eve", "read"), ("eve", "write"),
    }  # fmt: skip


def test_public_read_lets_the_account_read_and_nobody_else(memory, ada, bob, pools) -> None:
    ada.create("news", data={"a": 1}, access={"public_read": True})
    assert bob.read("news") == pools.read("news") == {"a": 1}
    with pytest.raises(ReadOnly):
        bob.write("news", {})
    with pytest.raises(NotFound):
        memory.with_identity(account="other", agent="ada").pools.read("news")


def test_without_an_agent_one_owns_what_was_made_without_an_agent(memory, pools, bob) -> None:
    pools.create("plan")
    assert memory.with_identity().pools.write("plan", {"a": 1}).owner is None
    with pytest.raises(NotFound):
        bob.read("plan")
    pools.grant("plan", "bob", "write")
    assert bob.read("plan") == {"a": 1}


def test_a_private_pool_is_its_agents_and_takes_no_grant(ada, bob) -> None:
    made = ada.create("notes", type="agent_private", data={"a": 1})
    assert made.scope == "agent"
    bob.create("notes", type="agent_private", data={"b": 2})
    assert (ada.read("notes"), bob.read("notes")) == ({"a": 1}, {"b": 2})
    with pytest.raises(NotFound):
        bob.read(made.id)
    with pytest.raises(InvalidInput, match="its agent alone"):
        ada.grant("notes", "bob", "read")
    with pytest.raises(InvalidInput, match="its agent alone"):
        ada.create("more", type="agent_private", access={"public_read": True})
    with pytest.raises(InvalidInput, match="scope"):
        ada.create("more", type="agent_private", scope="global")


def test_a_private_pool_needs_an_agent(pools) -> None:
    with pytest.raises(InvalidInput, match="agent: is missing"):
        pools.create("notes", type="agent_private")


def test_a_teams_pool_is_read_and_written_by_its_members_only(memory, bob) -> None:
    ada = memory.with_identity(agent="ada", teams=["core"]).pools
    eve = memory.with_identity(agent="eve", teams=["core", "other"]).pools
    ada.create("board", type="team_shared", data={"a": 1})
    assert eve.merge("board", {"b": 2}).data == ada.read("board") == {"a": 1, "b": 2}
    assert eve.accessible_by("board", "eve", "write")
    with pytest.raises(NotFound):
        bob.read("board")
    with pytest.raises(InvalidInput, match="members of its team"):
        ada.grant("board", "bob", "read")
    with pytest.raises(InvalidInput, match="you are not in"):
        ada.create("more", scope="team", team="other")
    with pytest.raises(InvalidInput, match="team: is missing"):
        eve.create("more", scope="team")
    assert eve.create("more", scope="team", team="other").scope == "team"


def test_the_narrowest_pool_of_a_name_answers(ada) -> None:
    ada.create("notes", data={"wide": 1})
    ada.create("notes", scope="agent", data={"mine": 1})
    assert ada.read("notes") == {"mine": 1}
    ada.create("both", scope="task", task="t1")
    ada.create("both", scope="task", task="t2")
    with pytest.raises(InvalidInput, match="fits 2 pools"):
        ada.read("both")


def test_a_projects_pool_is_off_with_its_project(memory) -> None:
    pools = memory.pools
    pools.create("plan", scope="project", project="shop")
    memory.disable("shop")
    assert pools.list() == []
    with pytest.raises(Exception, match="memory is off for shop"):
        pools.read("plan")
    with pytest.raises(Exception, match="memory is off for shop"):
        pools.create("more", scope="project", project="shop")


def test_a_pool_ends_at_its_moment(pools, clock) -> None:
    pools.create("cache", type="tool_cache", ttl=60, data={"a": 1})
    clock.advance(timedelta(seconds=60) - timedelta(microseconds=1))
    assert pools.read("cache") == {"a": 1}
    clock.advance(timedelta(microseconds=1))
    for call in (lambda: pools.read("cache"), lambda: pools.write("cache", {}), lambda: pools.extend("cache", 5)):
        with pytest.raises(NotFound):
            call()
    assert pools.list() == []
    assert pools.create("cache", data={"b": 2}).data == {"b": 2}


def test_a_pools_life_is_extended_from_now_and_swept_when_over(pools, clock) -> None:
    pools.create("cache", ttl=60)
    clock.advance(50)
    assert pools.extend("cache", 60).expires_at == clock() + timedelta(seconds=60)
    clock.advance(59)
    assert pools.read("cache") == {}
    assert pools.sweep() == 0
    clock.advance(1)
    assert (pools.sweep(), pools.sweep()) == (1, 0)


def test_what_is_used_how_often_is_told_and_is_no_event(memory, ada, clock) -> None:
    ada.create("plan", access={"write": ["bob"]}, data={"a": "ü", "b": 2})
    bob = memory.with_identity(agent="bob").pools
    clock.advance(5)
    bob.merge("plan", {"b": 3})
    clock.advance(5)
    ada.read("plan", "a")
    bob.get("plan")
    assert ada.statistics("plan") == {
        "entries": 2,
        "bytes": len(json.dumps({"a": "ü", "b": 3}, ensure_ascii=False).encode()),
        "version": 2,
        "reads": 2,
        "writes": 2,
        "readers": ["ada", "bob"],
        "writers": ["ada", "bob"],
        "last_read_at": clock(),
        "last_written_at": clock() - timedelta(seconds=5),
    }
    assert len(memory.with_identity(agent="ada").log()) == 2


def test_a_runs_pool_is_made_once_and_open_to_all_who_name_the_run(memory, ada, bob) -> None:
    one, two = ada.workflow("run-7"), bob.workflow("run-7")
    assert (one.id, one.type, one.run) == (two.id, "workflow", "run-7")
    bob.write_key(one.name, "node", "b")
    assert ada.workflow("run-7").data == {"node": "b"}
    assert ada.workflow("run-7", "blackboard").data == ada.workflow("run-8").data == {}
    assert ada.workflow("run-7", "tool_cache").type == "tool_cache"
    assert [pool.run for pool in bob.list()] == []
    assert len(bob.list(run="run-7")) == 3
    assert memory.with_identity(account="other").pools.workflow("run-7").id != one.id
    with pytest.raises(InvalidInput, match="kind"):
        ada.workflow("run-7", "nonsense")
    with pytest.raises(InvalidInput, match="workflow"):
        ada.create("run:run-9:blackboard")


def test_pools_are_listed_by_type_and_scope(memory) -> None:
    pools = memory.with_identity(agent="ada").pools
    pools.create("b", type="blackboard")
    pools.create("a", type="tool_cache")
    pools.create("c", type="agent_private")
    assert [pool.name for pool in pools.list()] == ["a", "b", "c"]
    assert [pool.name for pool in pools.list(type="blackboard")] == ["b"]
    assert [pool.name for pool in pools.list(scope="agent")] == ["c"]
    with pytest.raises(InvalidInput, match="type"):
        pools.list(type="nonsense")


def nested(depth: int):
    value = 1
    for _ in range(depth):
        value = [value]
    return value


def endless():
    value: dict = {}
    value["self"] = value
    return value


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"a": float("nan")}, "data.a: nan is not JSON"),
        ({"a": [1, float("inf")]}, r"data.a\[1\]: inf is not JSON"),
        ({"a": b"bytes"}, "bytes is not JSON"),
        ({"a": {1, 2}}, "set is not JSON"),
        ({"a": {1: 2}}, "use strings as keys"),
        ({"a": "\ud800"}, "lone surrogate"),
        ({"a": 10**40}, "64 bits"),
        ({"a": nested(100)}, "100 deep"),
        (endless(), "100 deep"),
        ({"a": "x" * 1_000_000}, "1,000,000 bytes"),
        ({"a": "ü" * 500_000}, "1,000,000 bytes"),
        ([1], "list is not an object"),
        ("text", "str is not an object"),
        ({"note": f"the key is {SECRET}"}, "secret"),
        ({"note": f"line\n{SECRET}"}, "secret"),
        ({f"{SECRET}": 1}, "secret"),
        ({"deep": [{"card": "4111 1111 1111 1111"}]}, "payment_card"),
        ({"note": "my card\n4111 1111 1111 1111"}, "payment_card"),
        ({"note": ["account\tDE89370400440532013000"]}, "bank_account"),
    ],
)
def test_what_is_not_json_or_must_not_be_kept_is_refused_and_changes_nothing(memory, pools, data, problem) -> None:
    pools.create("plan", data={"a": 1})
    before = memory.log()
    for call in (
        lambda: pools.write("plan", data),
        lambda: pools.merge("plan", data),
        lambda: pools.create("other", data=data),
    ):
        with pytest.raises(InvalidInput, match=problem.replace("data", "(data|changes)")):
            call()
    assert (pools.read("plan"), memory.log()) == ({"a": 1}, before)


def test_a_value_is_screened_under_its_key(pools) -> None:
    pools.create("plan")
    with pytest.raises(InvalidInput, match="secret"):
        pools.write_key("plan", "password", "hunter2-Correct-Horse-9!")
    assert pools.read("plan") == {}


def test_a_pool_does_not_grow_past_its_limit_by_merging(pools) -> None:
    pools.create("plan", data={"a": "x" * 600_000})
    with pytest.raises(InvalidInput, match="1,000,000 bytes"):
        pools.merge("plan", {"b": "x" * 600_000})
    assert pools.get("plan").version == 1


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda p: p.create(""), "name"),
        (lambda p: p.create("plan"), "taken"),
        (lambda p: p.create("x", type="nonsense"), "shared, agent_private"),
        (lambda p: p.create("x", type="workflow"), "pools.workflow"),
        (lambda p: p.create("x", scope="nonsense"), "global, team"),
        (lambda p: p.create("x", scope="session"), "session: is missing"),
        (lambda p: p.create("x", session="s"), "the scope is 'global'"),
        (lambda p: p.create("x", ttl=0), "time to live"),
        (lambda p: p.create("x", colour="red"), "not a field"),
        (lambda p: p.create("x", access={"admin": ["a"]}), "access"),
        (lambda p: p.create("x", access={"read": "ada"}), "list of agents"),
        (lambda p: p.create("x", access={"read": [""]}), "access.read: is empty"),
        (lambda p: p.create("x", access={"public_read": "yes"}), "true or false"),
        (lambda p: p.create(f"plan {SECRET}"), "secret"),
        (lambda p: p.grant("plan", "", "read"), "agent: is empty"),
        (lambda p: p.grant("plan", None, "read"), "agent: is missing"),
        (lambda p: p.grant("plan", "bob", "admin"), "read, write"),
        (lambda p: p.grant("plan", "bob", None), "level: is missing"),
        (lambda p: p.revoke("plan", "bob", "admin"), "read, write"),
        (lambda p: p.accessible_by("plan", "bob", "admin"), "read, write"),
        (lambda p: p.write("plan", {}, expected_version="1"), "expected_version"),
        (lambda p: p.extend("plan", -1), "time to live"),
        (lambda p: p.extend("plan", None), "ttl"),
        (lambda p: p.write_key("plan", "", 1), "key: is empty"),
        (lambda p: p.workflow(""), "run_id"),
    ],
)
def test_a_wrong_call_says_what_to_do_and_changes_nothing(memory, pools, call, problem) -> None:
    pools.create("plan")
    before = memory.log()
    with pytest.raises(InvalidInput, match=problem):
        call(pools)
    assert memory.log() == before


@pytest.mark.parametrize("verb", ["get", "read", "drop", "statistics"])
def test_an_unknown_pool_is_not_found(pools, verb) -> None:
    with pytest.raises(NotFound, match="no pool nothing here"):
        getattr(pools, verb)("nothing")
    with pytest.raises(NotFound):
        pools.grant("nothing", "bob", "read")


def test_an_earlier_moment_shows_the_pool_of_that_time(memory, pools, clock) -> None:
    pools.create("plan", data={"a": 1})
    then = clock()
    clock.advance(60)
    pools.write("plan", {"a": 2})
    clock.advance(60)
    past = memory.as_of(then).pools
    assert past.read("plan") == {"a": 1}
    with pytest.raises(ReadOnly):
        past.write("plan", {"a": 9})


def test_a_read_does_not_wait_for_the_disk_and_is_counted_all_the_same(tmp_path) -> None:
    path = tmp_path / "memory.db"
    with recollect.open(path, embedder="none") as memory:
        memory.pools.create("board", data={"k": 1})
        other = sqlite3.connect(path)
        try:
            before = other.execute("PRAGMA data_version").fetchone()
            for _ in range(20):
                memory.with_identity(agent="ada").pools.list()
                memory.pools.read("board")
            assert other.execute("PRAGMA data_version").fetchone() == before
            assert memory.pools.statistics("board")["reads"] == 20
            assert other.execute("PRAGMA data_version").fetchone() != before
        finally:
            other.close()
        memory.pools.read("board")
    with recollect.open(path, embedder="none") as memory:
        assert memory.pools.statistics("board")["reads"] == 21
