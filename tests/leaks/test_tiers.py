"""The tiers beside long-term memory: what an agent keeps there is not there for anybody it did not give it to, and what it keeps
for one user is not there when it serves another.

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
    Identity("default", user="ulla"),
    Identity("default"),
    Identity("other", "eve", ("ops",)),
    Identity("other"),
)
# In an account of its own: what a stranger to it does must not reach what the same agent keeps without a user.
SERVING = Identity("desk", "eve", ("ops",), user="uwe")
STRANGERS_OF_A_USER = (
    Identity("desk", "eve", ("core",)),
    Identity("desk", "eve", ("core",), user="ulla"),
    Identity("desk", user="ulla"),
    Identity("desk"),
    Identity("other", "eve", ("ops",), user="uwe"),
)
PAIRS = [
    *((OWNER, stranger) for stranger in STRANGERS),
    *((SERVING, stranger) for stranger in STRANGERS_OF_A_USER),
]
MANY = 500


@dataclass(frozen=True, slots=True)
class Kept:
    """How a word gets into a tier, and what is read of it; each read is one call."""

    plant: Callable[[Any, str], Any]
    reads: tuple[Callable[[Any], Any], ...]


def _private(memory, scope="agent"):
    """The scope, or that of the user who is served; of the team there is only one."""
    return "user" if memory._viewer.identity.user and scope != "team" else scope


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
        about, where = f"about {word}", _private(memory, scope)
        memory.contexts.create(f"notes {scope}", type="agent_memory", scope=where, description=about)
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
        lambda m, word: m.pools.create("board", scope=_private(m), data={"k": word}), _read_pool("board")
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
        lambda m, word: m.narratives.write(f"We counted {word} in the harbour ledger", session="s1", scope=_private(m)),
        (
            lambda m: m.narratives.latest(),
            lambda m: m.narratives.chain(),
            lambda m: m.narratives.search("the harbour ledger"),
        ),
    ),
    "a memory, in a block": Kept(
        lambda m, word: m.remember(f"The harbour ledger counts {word}", scope=_private(m), delivery="pinned"),
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
    """Every tier, filled by each owner; and the words it put into each."""
    world, words = small_world, {}
    for owner in (OWNER, SERVING):
        view = world.with_identity(owner)
        for name, kept in KEPT.items():
            words[owner.user, name] = world.watch(owner)
            kept.plant(view, words[owner.user, name])
            world.clock.advance(1)
        view.flush()
    return world, words


@pytest.fixture(
    params=PAIRS, ids=lambda pair: "-".join(str(part) for who in pair for part in (who.account, who.agent, who.user))
)
def stranger(request, full):
    """A stranger's view, and what it is told of its owner's words."""
    (owner, who), (world, words) = request.param, full
    hidden = {word for (user, _), word in words.items() if user == owner.user}

    def leaked(answer):
        return [plant for plant in world.found(answer) if hidden & set(plant.told)]

    return world.with_identity(who), leaked


@pytest.mark.parametrize("name", KEPT)
def test_nothing_of_a_tier_is_told_to_a_stranger(stranger, name) -> None:
    view, leaked = stranger
    for read in KEPT[name].reads:
        assert leaked(_tried(read, view)) == []


@pytest.mark.parametrize("name", AROUND)
def test_no_other_verb_tells_a_stranger_what_the_tiers_hold(stranger, name) -> None:
    view, leaked = stranger
    assert leaked(AROUND[name](view)) == []


def test_looking_back_tells_a_stranger_nothing_of_the_tiers(full, stranger) -> None:
    (world, _), (view, leaked) = full, stranger
    with view.as_of(world.clock() - timedelta(seconds=1)) as then:
        for read in (*AROUND.values(), *(read for kept in KEPT.values() for read in kept.reads)):
            assert leaked(_tried(read, then)) == []


@pytest.mark.parametrize(
    "name", [name for name in KEPT if name.startswith(("a pool", "an agent's", "a team's", "a context"))]
)
def test_what_is_not_within_reach_is_not_found(stranger, name) -> None:
    view, _ = stranger
    told = {type(found).__name__ for read in KEPT[name].reads for found in [_tried(read, view)] if found != []}
    assert told == {"NotFound"}


# Last: by now every stranger has tried everything.
@pytest.mark.parametrize("owner", [OWNER, SERVING], ids=lambda owner: f"{owner.agent}-{owner.user}")
@pytest.mark.parametrize("name", KEPT)
def test_its_owner_still_reads_it(full, name, owner) -> None:
    world, words = full
    view = world.with_identity(
        Identity(owner.account, "bob", user=owner.user) if name == "what is given to another" else owner
    )
    if name == "a pool that was dropped":
        dropped = (event.operation for event in view.log(limit=MANY) if event.reason == "drop")
        view.undo(next(iter(dropped)))
    safe = [_tried(read, view) for read in KEPT[name].reads[:3]]
    assert words[owner.user, name] in {word for plant in world.found(safe) for word in plant.told}
