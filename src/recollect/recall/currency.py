"""Currency: of two hits that say nearly the same with a close score, the newer stands first. The set of hits stays the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.values.memory import Record
from recollect.values.terms import STOP_WORDS, terms_of

SAME, CLOSE, FIRST = 0.4, 0.15, 10
_START = 400
_WORD = re.compile(r"\w+")


def newest_first(records: Sequence[Record], scores: Sequence[float]) -> list[int]:
    """The order in which to show hits that come best first."""
    order = list(range(len(records)))
    seen = min(FIRST, len(records))
    words: dict[int, frozenset[str]] = {}
    age = [record.occurred_at or record.created_at for record in records]
    for one in range(seen):
        for two in range(one + 1, seen):
            older, newer = order[one], order[two]
            if age[newer] <= age[older] or scores[older] - scores[newer] > CLOSE:
                continue
            for which in {older, newer} - words.keys():
                words[which] = _words(records[which].content[:_START])
            if len(words[older] & words[newer]) >= SAME * len(words[older] | words[newer]):
                order[one], order[two] = newer, older
    return order


def _words(text: str) -> frozenset[str]:
    """The telling words of a text; plain English needs no folding, which costs ten times as much."""
    if text.isascii():
        return frozenset(_WORD.findall(text.lower())) - STOP_WORDS
    return frozenset(terms_of(text))
