"""The companion of a session: what comes up, when, how often, and what never does."""

from __future__ import annotations

import recollect


def observed(companion, *messages) -> None:
    companion.observe(list(messages))
    assert companion.wait(10)


def test_what_a_turn_made_relevant_is_there_at_the_next_one(memory: recollect.Memory) -> None:
    memory.remember("The staging gateway listens on port 8080")
    memory.remember("Kestrels nest on the church tower in spring")
    companion = memory.companion(session="s1")
    assert not companion.pending()
    observed(companion, {"role": "user", "content": "Which port does the staging gateway listen on?"})
    found = companion.pending()
    assert [one.content for one in found.memories] == ["The staging gateway listens on port 8080"]
    assert "[2026-01-01]" in found.text
    assert found.text.splitlines()[1].startswith("<recalled-memories-")
    assert not companion.pending()
