"""What tiers give away at their edges: names that are taken, what is promoted, and what the journal says of runs."""

from __future__ import annotations

import pytest

from recollect.errors import RecollectError


@pytest.mark.xfail(raises=RecollectError, reason="a name is unique in a place, for those too who see nothing there")
def test_the_name_of_a_hidden_pool_or_context_is_free(memory) -> None:
    eve, ada = memory.as_(agent="eve"), memory.as_(agent="ada")
    for made in (lambda m: m.pools.create("board"), lambda m: m.contexts.create("notes", type="agent_memory")):
        made(eve)
        made(ada)


def test_what_is_promoted_stays_with_its_agent(memory) -> None:
    eve, ada = memory.as_(agent="eve"), memory.as_(agent="ada")
    eve.short_term.write("plan", "Eve plans to sell the green boat", session="s1")
    for _ in range(10):
        eve.short_term.read("plan", "s1")
    assert eve.router.consolidate("s1").promoted
    assert ada.list() == []


@pytest.mark.parametrize("tier", ["pools", "working"])
def test_the_log_does_not_name_a_run_one_did_not_name(memory, tier) -> None:
    eve, ada = memory.as_(agent="eve"), memory.as_(agent="ada")
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
    assert "marzipan" not in repr(memory.as_(agent="ada").log())
