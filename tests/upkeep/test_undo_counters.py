"""Undo takes back what one operation did to a counter, and leaves what others did to it since."""

import pytest


@pytest.mark.parametrize("undone", [0, 1])
def test_undo_of_one_vote_leaves_the_other(memory, clock, undone) -> None:
    kept = memory.remember("The vault is in Bern").memory
    for _ in range(2):
        clock.advance(60)
        memory.reinforce(kept.id)
    votes = [event.operation for event in memory.history(kept.id) if event.kind not in ("remember", "embed")]
    memory.undo(votes[undone])
    assert memory.get(kept.id).score == kept.score + 3


def test_undo_of_a_repetition_leaves_the_later_ones(memory, clock) -> None:
    kept = memory.remember("The vault is in Bern").memory
    for _ in range(3):
        clock.advance(60)
        assert memory.remember("The vault is in Bern").kind == "reinforced"
    strength = memory.get(kept.id).strength
    first = next(event.operation for event in memory.history(kept.id) if event.kind not in ("remember", "embed"))
    memory.undo(first)
    assert memory.get(kept.id).strength == strength - 1
