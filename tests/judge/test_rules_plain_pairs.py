"""Plain statements in pairs, as people tell them to an agent, in five languages: what may become of the first of two.

The similarity of each pair is unknown here, so a promise that hides nothing holds at any of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.judge.rules import compare
from recollect.values.outcome import CONFLICTING

Pair = tuple[str, str]
SIMILARITIES = (0.3, 0.6, 0.9, 0.99)
# A table begins with "# <language> <kind>".
LANGUAGES = ("en", "de", "es", "fr", "zh")


def _pairs(*kinds: str, languages: tuple[str, ...] = LANGUAGES) -> list[Pair]:
    return [pair for language, kind, pair in _table() if kind in kinds and language in languages]


def _table() -> Iterator[tuple[str, str, Pair]]:
    language = kind = ""
    for line in Path(__file__).with_name("plain_pairs.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            _, language, kind = line.split()
        elif line:
            old, new = line.split(" | ")
            yield language, kind, (old, new)


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_what_stays_true_is_neither_hidden_nor_merged_in_either_order(similarity: float) -> None:
    both = _pairs("both", "other_subject")
    assert len(both) > 400
    either = [*both, *((new, old) for old, new in both)]
    assert [pair for pair in either if compare(*pair, similarity).relation in ("changed", "same")] == []


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_nearly_the_same_words_are_never_merged(similarity: float) -> None:
    distinct = _pairs("distinct", "update", "other_subject")
    assert len(distinct) > 250
    either = [*distinct, *((new, old) for old, new in distinct)]
    assert [pair for pair in either if compare(*pair, similarity).relation == "same"] == []


def test_a_change_of_another_subject_contradicts_nothing() -> None:
    others = _pairs("other_subject")
    assert [pair for pair in others if compare(*pair, 0.5).relation in CONFLICTING] == []


@pytest.mark.parametrize(
    ("language", "told", "conflicting"), [("en", 0.95, 0.8), ("de", 0.8, 0.8), ("es", 0.8, 0.8), ("fr", 0.8, 0.6)]
)
def test_updates_are_told_and_mostly_as_a_conflict_which_ranks_the_current_one_first(
    language: str, told: float, conflicting: float
) -> None:
    found = [compare(*pair, 0.6).relation for pair in _pairs("update", languages=(language,))]
    assert sum(relation != "different" for relation in found) >= told * len(found)
    assert sum(relation in CONFLICTING for relation in found) >= conflicting * len(found)


def test_most_rewordings_are_the_same() -> None:
    found = [compare(*pair, 0.95).relation for pair in _pairs("reworded", languages=("en",))]
    assert sum(relation == "same" for relation in found) >= 0.8 * len(found)
