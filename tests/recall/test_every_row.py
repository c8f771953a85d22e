"""composite, hebbian and belief rank everything visible: what the formula puts first is found, however unlike the question."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

import recollect
from recollect.engine import Memory

QUESTION = "Which colour has the kite of the harbour festival?"
# More than any leg of a search returns.
ALIKE = [f"The kite number {n} of the harbour festival has a colour" for n in range(150)]
APART = "Invoices of the festival are paid within ten days"


@pytest.fixture(params=["file", "postgres"])
def memory(request, tmp_path, clock, embedder) -> Iterator[Memory]:
    place = tmp_path / "memory.db" if request.param == "file" else request.getfixturevalue("empty_database")
    with recollect.open(place, embedder=embedder, clock=clock) as opened:
        yield opened


def first(memory, profile) -> str:
    return memory.recall(QUESTION, profile=profile, limit=3)[0].memory.content


def test_composite_finds_what_is_important_and_fresh(memory, clock) -> None:
    memory.remember_many([{"content": text, "importance": 0.0} for text in ALIKE], verbatim=True)
    clock.advance(timedelta(days=365))
    memory.remember_many([{"content": APART, "importance": 1.0}], verbatim=True)
    assert first(memory, "composite") == APART


def test_hebbian_finds_what_was_reinforced(memory) -> None:
    memory.remember_many(ALIKE, verbatim=True)
    (made,) = memory.remember_many([APART], verbatim=True)
    assert first(memory, "hebbian") != APART
    for _ in range(10):
        memory.reinforce(made.memory.id)
    assert first(memory, "hebbian") == APART


def test_belief_finds_what_has_weight_and_is_fresh(memory, clock) -> None:
    memory.remember_many([{"content": text, "weight": 0.1} for text in ALIKE], verbatim=True)
    clock.advance(timedelta(days=365))
    memory.remember_many([APART], verbatim=True)
    assert first(memory, "belief") == APART
