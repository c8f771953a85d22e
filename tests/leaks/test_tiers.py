"""The tiers beside long-term memory: what an agent keeps there is not there for anybody it did not give it to.

A tier is one row of `KEPT`: how its owner plants a word, and every way to read it. To cover a new one, add a row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

import recollect
from recollect.errors import RecollectError
from recollect.values.scope import Identity

OWNER = Identity("default", "eve", ("ops",))
STRANGERS = (
    Identity("default", "ada", ("core",)),
    Identity("default"),
    Identity("other", "eve", ("ops",)),
    Identity("other"),
)
MANY = 500


@dataclass(frozen=True, slots=True)
class Kept:
    """How a word gets into a tier, and what is read of it; each read is one call."""

    plant: Callable[[Any, str], Any]
    reads: tuple[Callable[[Any], Any], ...]


def _task(memory, word):
    task = memory.working.task("t1")
    task.store("plan", word)
    task.store_task_state({"at": word})
    task.store_intermediate_result("first", word)
    task.append_to_conversation({"said": word})
    task.store_tool_state("shell", word)
    task.append_to_scratch_pad(word)


def _persisted(memory, word):
    memory.working.task("t2").store("plan", word)
    memory.working.task("t2").persist_to_database()


def _dropped(memory, word):
    memory.pools.create("attic", data={"k": word})
    memory.pools.drop("attic")


def _context(scope):
    def plant(memory, word):
        memory.contexts.create(f"notes {scope}", type="agent_memory", scope=scope, description=f"about {word}")
        memory.contexts.add(f"notes {scope}", f"The harbour ledger lists {word}", tags=[word], triggers=[word])
        memory.contexts.snapshot(f"notes {scope}", f"on {word}")

    return plant


def _read_context(scope):
    name = f"notes {scope}"
    return (
        lambda m: m.contexts.list(),
        lambda m: m.contexts.list(archived=True),
        lambda m: m.contexts.get(name),
        lambda m: m.contexts.entries(name),
        lambda m: m.contexts.search(name, "the harbour ledger"),
        lambda m: m.contexts.snapshots(name),
        lambda m: m.contexts.diff(name, m._runtime.clock() - timedelta(minutes=1)),
        lambda m: m.contexts.access_log(name),
        lambda m: m.contexts.accessible_by(name, "eve"),
        lambda m: m.contexts.add(name, "Something about geese"),
        lambda m: m.contexts.grant(name, "ada", "read"),
        lambda m: m.contexts.archive(name),
        lambda m: m.contexts.restore(name, m._runtime.clock()),
    )


def _read_pool(name):
    return (
        lambda m: m.pools.list(),
        lambda m: m.pools.get(name),
        lambda m: m.pools.read(name),
        lambda m: m.pools.read(name, "k"),
        lambda m: m.pools.statistics(name),
        lambda m: m.pools.accessible_by(name, "eve"),
        lambda m: m.pools.write(name, {"mine": 1}, expected_version=99),
        lambda m: m.pools.merge(name, {"mine": 1}),
        lambda m: m.pools.remove_key(name, "k"),
        lambda m: m.pools.grant(name, "ada", "write"),
        lambda m: m.pools.extend(name, 60),
        lambda m: m.pools.drop(name),
    )


def _block(memory, **more):
    verbs = recollect.Memory(memory._runtime, memory._viewer.identity, None)
    return verbs.context("the harbour ledger", start=True, **more), verbs.preview("the harbour ledger", **more)


KEPT = {
    "working memory": Kept(
        lambda m, word: m.working.store("plan", word),
        (
            lambda m: m.working.keys(),
            lambda m: m.working.retrieve("plan"),
            lambda m: m.working.exists("plan") or None,
            lambda m: m.working.remove("plan") or None,
            lambda m: m.working.load_from_database(),
        ),
    ),
    "a task": Kept(
        _task,
        tuple(
            lambda m, read=read: read(m.working.task("t1"))
            for read in (
                lambda w: w.keys(),
                lambda w: w.retrieve("plan"),
                lambda w: w.task_state(),
                lambda w: w.intermediate_results(),
                lambda w: w.conversation_context(),
                lambda w: w.tool_state("shell"),
                lambda w: w.scratch_pad(),
                lambda w: w.clear(),
            )
        ),
    ),
    "what is persisted": Kept(
        _persisted, (lambda m: (m.working.task("t2").load_from_database(), m.working.task("t2").retrieve("plan")),)
    ),
    "what is given to another": Kept(
        lambda m, word: m.working.share_with_agent("bob", "gift", word),
        (lambda m: m.working.retrieve_shared("eve", "gift"), lambda m: m.working.keys()),
    ),
    "short-term memory": Kept(
        lambda m, word: m.short_term.write("seen", {"it": word}, session="s1"),
        (
            lambda m: m.short_term.entries(),
            lambda m: m.short_term.entries("s1"),
            lambda m: m.short_term.sessions(),
            lambda m: m.short_term.peek("seen", "s1"),
            lambda m: m.short_term.read("seen", "s1"),
            lambda m: m.short_term.touch("seen", "s1"),
            lambda m: m.short_term.refresh_ttl("seen", "s1"),
            lambda m: m.short_term.exists("seen", "s1") or None,
            lambda m: m.short_term.remove("seen", "s1") or None,
        ),
    ),
    "an agent's pool": Kept(
        lambda m, word: m.pools.create("board", type="agent_private", data={"k": word}), _read_pool("board")
    ),
    "a team's pool": Kept(
        lambda m, word: m.pools.create("table", type="team_shared", data={"k": word}), _read_pool("table")
    ),
    "a pool granted to nobody": Kept(lambda m, word: m.pools.create("ledger", data={"k": word}), _read_pool("ledger")),
    "a pool that was dropped": Kept(_dropped, _read_pool("attic")),
    **{
        f"a context of scope {scope}": Kept(_context(scope), _read_context(scope))
        for scope in ("agent", "team", "global")
    },
    "a narrative": Kept(
        lambda m, word: m.narratives.write(f"We counted {word} in the harbour ledger", session="s1", scope="agent"),
        (
            lambda m: m.narratives.latest(),
            lambda m: m.narratives.chain(),
            lambda m: m.narratives.search("the harbour ledger"),
        ),
    ),
    "a memory, in a block": Kept(
        lambda m, word: m.remember(f"The harbour ledger counts {word}", scope="agent", delivery="pinned"),
        (_block, lambda m: _block(m, project="atlas", session="s1", task="t1"), lambda m: _block(m, budget=300)),
    ),
    "the router": Kept(
        lambda m, word: m.router.write("routed", word, tier="working"),
        (
            lambda m: m.router.read("routed", session="s1"),
            lambda m: m.router.read("ledger", session="s1"),
            lambda m: m.router.read("seen", session="s1"),
            lambda m: m.router.read("plan"),
            lambda m: m.router.semantic_search("the harbour ledger seen plan k", session="s1", limit=MANY),
            lambda m: m.router.delete("routed", session="s1"),
            lambda m: m.router.stats(),
        ),
    ),
}
# What long-term verbs and the journal tell while all tiers are full.
AROUND = {
    "log": lambda m: m.log(limit=MANY),
    "list": lambda m: m.list(limit=MANY, status="all"),
    "recall": lambda m: m.recall("the harbour ledger lists", limit=MANY, explain=True, session="s1", task="t1"),
    "search": lambda m: m.search("the harbour ledger lists", mode="lexical", limit=MANY),
    "tags": lambda m: m.tags(),
    "gaps": lambda m: m.gaps(answered=True),
    "contradictions": lambda m: m.contradictions(scan=True),
    "clusters": lambda m: m.clusters(refresh=True),
    "graph": lambda m: m.graph(limit=MANY, depth=2),
    "stats": lambda m: m.stats(),
    "doctor": lambda m: m.doctor(),
}


def _tried(read, memory):
    try:
        return read(memory)
    except RecollectError as error:
        return error


@pytest.fixture(scope="module")
def full(request, small_world):
    """Every tier, filled by one owner; and the word it put into each."""
    world, owner = small_world, small_world.with_identity(OWNER)
    words = {}
    for name, kept in KEPT.items():
        words[name] = world.watch(OWNER)
        kept.plant(owner, words[name])
        world.clock.advance(1)
    owner.flush()
    return world, words


@pytest.fixture(params=STRANGERS, ids=lambda who: f"{who.account}-{who.agent}")
def stranger(request, full):
    return full[0].with_identity(request.param)


@pytest.mark.parametrize("name", KEPT)
def test_nothing_of_a_tier_is_told_to_a_stranger(full, stranger, name) -> None:
    world, _ = full
    for read in KEPT[name].reads:
        assert world.found(_tried(read, stranger)) == []


@pytest.mark.parametrize("name", AROUND)
def test_no_other_verb_tells_a_stranger_what_the_tiers_hold(full, stranger, name) -> None:
    assert full[0].found(AROUND[name](stranger)) == []


def test_looking_back_tells_a_stranger_nothing_of_the_tiers(full, stranger) -> None:
    world, _ = full
    with stranger.as_of(world.clock() - timedelta(seconds=1)) as then:
        for read in (*AROUND.values(), *(read for kept in KEPT.values() for read in kept.reads)):
            assert world.found(_tried(read, then)) == []


@pytest.mark.parametrize(
    "name", [name for name in KEPT if name.startswith(("a pool", "an agent's", "a team's", "a context"))]
)
def test_what_is_not_within_reach_is_not_found(full, stranger, name) -> None:
    told = {type(found).__name__ for read in KEPT[name].reads for found in [_tried(read, stranger)] if found != []}
    assert told == {"NotFound"}


# Last: by now every stranger has tried everything.
@pytest.mark.parametrize("name", KEPT)
def test_its_owner_still_reads_it(full, name) -> None:
    world, words = full
    owner = world.with_identity(Identity("default", "bob") if name == "what is given to another" else OWNER)
    if name == "a pool that was dropped":
        owner.undo(next(event.operation for event in owner.log(limit=MANY) if event.reason == "drop"))
    safe = [_tried(read, owner) for read in KEPT[name].reads[:3]]
    assert words[name] in {word for plant in world.found(safe) for word in plant.told}
