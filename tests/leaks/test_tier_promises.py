"""What tiers give away at their edges: names that are taken, what is promoted, and what the journal says of runs."""

from __future__ import annotations

import pytest

from recollect import InvalidInput, NotFound


def test_the_name_of_a_hidden_pool_or_context_is_free(memory) -> None:
    eve, ada = memory.with_identity(agent="eve"), memory.with_identity(agent="ada")
    for made in (lambda m: m.pools.create("board"), lambda m: m.contexts.create("notes", type="agent_memory")):
        made(eve)
        made(ada)


@pytest.mark.parametrize("kind", ["pools", "contexts"])
def test_of_two_that_bear_one_name_each_finds_its_own(memory, kind) -> None:
    def within(view):
        return getattr(view, kind)

    fields = {} if kind == "pools" else {"type": "agent_memory"}
    eve, ada, bob = (memory.with_identity(agent=name) for name in ("eve", "ada", "bob"))
    first, second = (within(view).create("board", **fields) for view in (eve, ada))
    for owner in (eve, ada):
        within(owner).grant("board", "bob", "read")
    within(eve).grant("board", "ada", "write")
    assert [within(view).get("board").id for view in (eve, ada)] == [first.id, second.id]
    assert [within(ada).get(name).id for name in (first.id, "eve/board", "ada/board")] == [
        first.id, first.id, second.id,
    ]  # fmt: skip
    with pytest.raises(InvalidInput, match="owner/name"):
        within(bob).get("board")
    with pytest.raises(NotFound):
        within(ada).get("bob/board")
    assert {found.id for found in within(bob).list()} == {first.id, second.id}


@pytest.mark.parametrize("kind", ["pools", "contexts"])
def test_a_name_one_can_see_is_taken(memory, kind) -> None:
    fields = {} if kind == "pools" else {"type": "agent_memory"}
    eve, ada = (getattr(memory.with_identity(agent=name), kind) for name in ("eve", "ada"))
    eve.create("board", **fields)
    eve.grant("board", "ada", "read")
    for view in (eve, ada):
        with pytest.raises(InvalidInput, match="taken"):
            view.create("board", **fields)


def test_no_grant_takes_the_place_of_ones_own(memory) -> None:
    eve, ada = (memory.with_identity(agent=name) for name in ("eve", "ada"))
    own = ada.pools.create("board")
    eve.pools.create("board", scope="task", task="t1", access={"write": ["ada"], "public_read": True})
    assert ada.pools.merge("board", {"plan": "mine"}).id == own.id


def test_a_key_that_another_uses_too_still_leads_to_ones_own(memory) -> None:
    eve, ada = (memory.with_identity(agent=name) for name in ("eve", "ada"))
    eve.remember("Eve sells the green boat", scope="agent", key="plan")
    mine = ada.remember("Ada counts penguins in winter", scope="agent", key="plan").memory
    assert ada.router.read("plan").memory.id == mine.id


def test_what_is_promoted_stays_with_its_agent(memory) -> None:
    eve, ada = memory.with_identity(agent="eve"), memory.with_identity(agent="ada")
    eve.short_term.write("plan", "Eve plans to sell the green boat", session="s1")
    for _ in range(10):
        eve.short_term.read("plan", "s1")
    assert eve.router.consolidate("s1").promoted
    assert ada.list() == []


@pytest.mark.parametrize("tier", ["pools", "working"])
def test_the_log_does_not_name_a_run_one_did_not_name(memory, tier) -> None:
    eve, ada = memory.with_identity(agent="eve"), memory.with_identity(agent="ada")
    if tier == "pools":
        eve.pools.merge(eve.pools.workflow("zanzibar").name, {"k": "marzipan"})
    else:
        run = eve.working.workflow("zanzibar")
        run.store("k", "marzipan")
        run.persist_to_database()
    told = repr(ada.log())
    assert "zanzibar" not in told
    assert "marzipan" not in told


def test_the_working_memory_of_nobody_in_particular_is_not_an_agents(memory) -> None:
    memory.working.store("plan", "marzipan")
    memory.working.persist_to_database()
    assert "marzipan" not in repr(memory.with_identity(agent="ada").log())


def test_sweeping_tells_how_many_of_ones_own_expired(memory, clock) -> None:
    eve, ada = memory.with_identity(agent="eve"), memory.with_identity(agent="ada")
    for view in (eve, ada, eve):
        view.pools.create(f"board {view is ada}{len(view.pools.list())}", ttl=60)
        view.short_term.write(f"plan {len(view.short_term.entries())}", "marzipan", session="s1", ttl=60)
    clock.advance(61)
    assert (ada.pools.sweep(), ada.short_term.cleanup_expired()) == (1, 1)
    assert (eve.pools.sweep(), eve.short_term.cleanup_expired()) == (0, 0)
