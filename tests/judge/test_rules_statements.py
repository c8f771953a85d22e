"""What hides a true statement, merges two, or stores the same twice: counted over tables of plain statements."""

from __future__ import annotations

import pytest
from tests.judge.statements import BOTH_TRUE, DISTINCT, REWORDED, UPDATES

from recollect.judge.rules import compare

SIMILARITIES = (0.5, 0.8, 0.99)


@pytest.mark.parametrize(("old", "new"), BOTH_TRUE)
@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_what_stays_true_is_neither_hidden_nor_merged(old: str, new: str, similarity: float) -> None:
    assert compare(old, new, similarity).relation not in ("changed", "same")


@pytest.mark.parametrize(("old", "new"), DISTINCT)
@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_one_other_name_number_negation_role_or_qualifier_is_never_the_same(
    old: str, new: str, similarity: float
) -> None:
    assert compare(old, new, similarity).relation != "same"
    assert compare(new, old, similarity).relation != "same"


def test_updates_are_told_or_supersede() -> None:
    assert [
        pair for pair in UPDATES if compare(pair[0], pair[1], 0.6).relation in ("same", "extends", "different")
    ] == []


def test_most_rewordings_are_the_same() -> None:
    found = [compare(old, new, 0.95).relation for old, new in REWORDED]
    assert sum(relation == "same" for relation in found) >= 0.75 * len(found)
