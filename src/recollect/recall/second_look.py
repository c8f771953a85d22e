"""Second look: memories that share a rare name with the best hits, which the question itself did not name.

A question that needs two memories ("the city south of the beach where …") names only the first; the first names the second.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from recollect.ports import Calibrated, Reader
from recollect.recall.profiles import Scores
from recollect.recall.sight import Sight, behold
from recollect.values.memory import Record
from recollect.values.search import ASSISTANT, Search
from recollect.values.terms import terms_of

_BEST = 2
_START = 1500
_MOST_PHRASES = 24
# Capitalised words inside a sentence; the first word of one is capitalised whatever it is.
_NAMED = re.compile(r"(?<![.!?]\s)(?<!^)\b([A-Z][\w'’-]+(?:\s+(?:of|the|de|van|and|&)?\s*[A-Z][\w'’-]+)*)")


def look_again(
    reader: Reader, search: Search, sight: Sight, scores: Scores, calibration: Calibrated | None
) -> Sight | None:
    """The sight with what the best hits lead to; None when they name nothing new."""
    order = np.argsort(-np.nan_to_num(scores.total, nan=-np.inf), kind="stable")[:_BEST].tolist()
    rows = [int(sight.found.rows[place]) for place in order]
    bonus: dict[int, float] = {}
    total = max(sight.found.considered, 2)
    top = max(float(scores.total[order[0]]), 1e-9)
    for row, place, record in zip(rows, order, reader.fetch(search.viewer.account, rows), strict=False):
        phrases = names_in(record, sight.query.terms)
        share = max(float(scores.total[place]), 0.0) / top
        for members in reader.holding(search, phrases, max(3, total // 100)):
            others = [member for member in members if member != row]
            worth = share * math.log(total / max(len(others), 1)) / math.log(total)
            for member in others:
                bonus[member] = max(bonus.get(member, 0.0), worth)
    if not bonus:
        return None
    return _with_bonus(reader, search, sight, bonus, calibration)


def names_in(record: Record, known: Sequence[str]) -> list[tuple[str, ...]]:
    """The names a text mentions, as terms, without those the question already has."""
    found = (tuple(terms_of(match.group(1))) for match in _NAMED.finditer(record.content[:_START]))
    fresh = dict.fromkeys(phrase for phrase in found if phrase and not set(phrase) <= set(known))
    return list(fresh)[:_MOST_PHRASES]


def _with_bonus(
    reader: Reader, search: Search, sight: Sight, bonus: dict[int, float], calibration: Calibrated | None
) -> Sight:
    missing = tuple(set(bonus) - set(sight.found.rows.tolist()))
    if missing:
        alone = replace(search, rows=missing, depth=0, neighbours=0, windows=(), standing=False)
        found = sight.found.joined(reader.candidates(alone))
        sight = replace(behold(sight.query, found, calibration), reached=sight.reached)
    linked = np.array([bonus.get(row, 0.0) for row in sight.found.rows.tolist()], np.float32)
    return replace(sight, linked=np.where(sight.columns.role == ASSISTANT, np.float32(0), linked))
