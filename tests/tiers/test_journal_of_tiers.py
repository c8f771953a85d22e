"""The journal of pools and contexts: seen by those who may read them, taken back by those who may write them."""

import json

import pytest

from recollect import InvalidInput, NotFound, ReadOnly


@pytest.fixture
def ada(memory):
    return memory.with_identity(agent="ada")


@pytest.fixture
def bob(memory):
    return memory.with_identity(agent="bob")


def test_entries_are_in_the_journal_of_those_who_may_read_the_context(ada, bob) -> None:
    ada.contexts.create("base", type="knowledge_base")
    ada.contexts.add("base", "Builds run nightly")
    assert [event.kind for event in ada.log()] == ["remember", "context"]
    assert bob.log() == []
    ada.contexts.grant("base", "bob", "read")
    assert [event.kind for event in bob.log()] == ["context", "remember", "context"]


def test_what_was_done_to_entries_can_be_undone(ada, clock) -> None:
    contexts = ada.contexts
    contexts.create("base", type="knowledge_base")
    entry = contexts.add("base", "Builds run nightly").memory
    clock.advance(1)
    contexts.update_content("base", entry.id, "Builds run hourly")
    contexts.remove_entry("base", entry.id)
    assert contexts.entries("base") == []
    ada.undo()
    assert [each.content for each in contexts.entries("base")] == ["Builds run hourly"]
    ada.undo()
    assert [each.content for each in contexts.entries("base")] == ["Builds run nightly"]
    ada.undo()
    assert contexts.entries("base") == []
    contexts.snapshot("base", "first")
    ada.undo()
    assert contexts.snapshots("base") == []


def test_who_may_not_write_a_pool_cannot_undo_a_write(ada, bob) -> None:
    ada.pools.create("plan", data={"a": 1}, access={"read": ["bob"], "write": ["eve"]})
    ada.pools.write("plan", {"a": 2})
    with pytest.raises(ReadOnly, match="ask ada"):
        bob.undo(bob.log()[0].operation)
    ada.pools.grant("plan", "bob", "write")
    with pytest.raises(ReadOnly, match="ask ada"):
        bob.undo(bob.log()[0].operation)
    assert ada.pools.read("plan") == {"a": 2}
    ada.undo()
    ada.undo()
    assert ada.pools.read("plan") == {"a": 1}


def test_who_may_not_write_a_context_cannot_undo_there(ada, bob) -> None:
    ada.contexts.create("base", type="knowledge_base", access={"read": ["bob"]})
    ada.contexts.add("base", "Builds run nightly")
    with pytest.raises(ReadOnly, match="ask ada"):
        bob.undo(bob.log()[0].operation)
    ada.contexts.snapshot("base", "first")
    with pytest.raises(ReadOnly, match="ask ada"):
        bob.undo(bob.log()[0].operation)
    with pytest.raises(NotFound):
        ada.with_identity(agent="eve").undo()
    assert len(ada.contexts.entries("base")) == 1


def test_an_earlier_moment_shows_the_entries_of_that_time(ada, bob, clock) -> None:
    ada.contexts.create("base", type="knowledge_base")
    entry = ada.contexts.add("base", "Builds run nightly").memory
    then = clock()
    clock.advance(60)
    ada.contexts.update_content("base", entry.id, "Builds run hourly")
    past = ada.as_of(then).contexts
    assert [each.content for each in past.entries("base")] == ["Builds run nightly"]
    assert past.search("base", "builds")[0].memory.content == "Builds run nightly"
    with pytest.raises(NotFound):
        bob.as_of(then).contexts.entries("base")


def test_looking_back_does_not_outlive_a_grant(ada, bob, clock) -> None:
    ada.pools.create("plan", data={"a": 1}, access={"read": ["bob"]})
    then = clock()
    clock.advance(60)
    assert bob.as_of(then).pools.read("plan") == {"a": 1}
    ada.pools.revoke("plan", "bob")
    clock.advance(60)
    with pytest.raises(NotFound):
        bob.as_of(then).pools.read("plan")
    assert ada.as_of(then).pools.read("plan") == {"a": 1}


WRITES = (
    lambda pools: pools.merge("plan", {"a": {"x": 1}, "big": "word " * 2000}),
    lambda pools: pools.write_key("plan", "a", None),
    lambda pools: pools.remove_key("plan", "a"),
    lambda pools: pools.write_key("plan", "one", 1),
    lambda pools: pools.write_key("plan", "one", True),
    lambda pools: pools.grant("plan", "bob", "read"),
    lambda pools: pools.write("plan", {"other": []}),
    lambda pools: pools.write("plan", {}),
    lambda pools: pools.merge("plan", {"a": {"y": 2}}),
)


def told(pool):
    """What a pool holds, as JSON: to Python, 1 and True are equal."""
    return json.dumps(pool.data, sort_keys=True), pool.version, pool.access, pool.owner, pool.updated_at


def test_every_write_of_a_pool_can_be_looked_back_at_and_taken_back(ada, clock) -> None:
    states = [ada.pools.create("plan", data={"first": [1, 2]})]
    moments = []
    for write in WRITES:
        moments.append(clock())
        clock.advance(1)
        states.append(write(ada.pools))
    moments.append(clock())
    for moment, state in zip(moments, states, strict=True):
        clock.advance(1)
        with ada.as_of(moment) as then:
            assert told(then.pools.get("plan")) == told(state)
    for state in reversed(states[:-1]):
        clock.advance(1)
        ada.undo()
        assert told(ada.pools.get("plan")) == told(state)


def test_a_small_write_of_a_large_pool_is_a_small_event(ada) -> None:
    ada.pools.create("plan", data={f"k{number}": "word " * 200 for number in range(50)})
    ada.pools.write_key("plan", "k7", "changed")
    event = ada.log(limit=1)[0]
    assert event.before["body"]["data"] == {"k7": "word " * 200}
    assert event.after["body"]["data"] == {"k7": "changed"}


def test_a_write_before_a_later_one_is_not_taken_back_alone(ada) -> None:
    ada.pools.create("plan", data={"a": 1})
    ada.pools.write_key("plan", "a", 2)
    first = ada.log(limit=1)[0].operation
    ada.pools.write_key("plan", "b", 3)
    with pytest.raises(InvalidInput, match="changed again later"):
        ada.undo(first)
    assert ada.pools.read("plan") == {"a": 2, "b": 3}
