"""Currency: what is current stands above what is stale. The set of hits stays the same, only their order changes.

Of two that contradict each other the newer stands first, in every profile; in hybrid also of two that say nearly the same
with a close score.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import cache

from recollect.values.memory import Record
from recollect.values.terms import STOP_WORDS, terms_of

SAME, CLOSE, FIRST = 0.4, 0.15, 10
_START = 400
_WORD = re.compile(r"\w+")


def current_first(records: Sequence[Record], order: list[int]) -> list[int]:
    """The order with every newer side of an unsettled contradiction above its older side."""
    disputed = [(one, records[one].contradicts) for one in order if records[one].links]
    found = [
        (one, other)
        for one, opposed in disputed
        for other in order
        if records[other].id in opposed and _age(records[one]) != _age(records[other])
    ]
    order = list(order)
    for pair in found:
        newer, older = sorted(pair, key=lambda which: _age(records[which]), reverse=True)
        high, low = order.index(newer), order.index(older)
        if high > low:
            order.insert(low, order.pop(high))
    return order


def _age(record: Record) -> datetime:
    return record.occurred_at or record.created_at


def newest_first(records: Sequence[Record], scores: Sequence[float]) -> list[int]:
    """The order in which to show hits that come best first."""
    order = list(range(len(records)))
    seen = min(FIRST, len(records))
    words = cache(lambda which: _words(records[which].content[:_START]))
    age = [_age(record) for record in records]
    for one in range(seen):
        for two in range(one + 1, seen):
            older, newer = order[one], order[two]
            if age[newer] <= age[older] or scores[older] - scores[newer] > CLOSE:
                continue
            if _alike(words(older), words(newer)):
                order[one], order[two] = newer, older
    return order


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    shared = len(one & other)
    return shared >= SAME * (len(one) + len(other) - shared)


def _words(text: str) -> frozenset[str]:
    """The telling words of a text; plain English needs no folding, which costs ten times as much."""
    if text.isascii():
        return frozenset(_WORD.findall(text.lower())) - STOP_WORDS
    return frozenset(terms_of(text))
