"""What hides a true statement, merges two, or stores the same twice: counted over tables of plain statements."""

from __future__ import annotations

import pytest
from tests.judge.statements import BOTH_TRUE, DISTINCT

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
