"""Second look: memories that share a rare name with the best hits, which the question itself did not name.

A question that needs two memories ("the city south of the beach where …") names only the first; the first names the second.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

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


@dataclass(frozen=True, slots=True)
class Best:
    """What the first look found: places among the candidates, best first, their memories, and all scores."""

    places: Sequence[int]
    records: Sequence[Record]
    scores: Scores


def look_again(
    reader: Reader, search: Search, sight: Sight, best: Best, calibration: Calibrated | None
) -> Sight | None:
    """The sight with what the best hits lead to; None when they name nothing new."""
    bonus: dict[int, float] = {}
    total = max(sight.found.considered, 2)
    top = max(float(best.scores.total[best.places[0]]), 1e-9)
    for place, record in list(zip(best.places, best.records, strict=True))[:_BEST]:
        row, share = int(sight.found.rows[place]), max(float(best.scores.total[place]), 0.0) / top
        phrases = names_in(record, sight.query.terms)
        for members in reader.holding(search, phrases, max(3, total // 100)) if phrases else ():
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
