"""Relevance: which memories bear on a topic, for a text that must not flicker. Before: the topic. After: layers.

It ranks as hybrid does, but only by what the viewer sees: what is stored elsewhere in the account, or how often something was
read, cannot change the answer.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from recollect.ports import Calibrated, Reader
from recollect.recall.hybrid import Hybrid
from recollect.recall.query import Query
from recollect.recall.sight import Sight, behold
from recollect.values.search import Candidates, Floats, Search

# A memory bears on the topic when it is nearly like it or holds half of its telling words, and is not far behind the best.
_NEAR, _TOLD, _BEHIND = 0.75, 0.5, 0.35
# Rarer than this, a word is counted among what the viewer sees; commoner, the count of the whole account serves, rounded.
_COMMON, _ROUNDED = 500, 4


def relevant(
    reader: Reader, search: Search, query: Query, profile: Hybrid, calibration: Calibrated | None, floor: float
) -> list[int]:
    """The rows that bear on a topic, best first."""
    found = reader.candidates(search)
    if len(found) == 0:
        return []
    sight = _steady(query, replace(found, idf=_rarity(reader, search, found)), calibration)
    total = np.round(replace(profile, faded=0.0).score(sight).total, 4)
    rows, created = sight.found.rows, sight.columns.created
    near = sight.similarity >= _NEAR * floor if sight.embedded else sight.coverage > 0
    best = float(np.nan_to_num(total, nan=0.0).max(initial=0.0))
    bears = found.selected & (near | (sight.coverage >= _TOLD)) & (total >= _BEHIND * best)
    places = np.flatnonzero(bears)
    order = np.lexsort((rows[places], created[places], -total[places]))
    return [int(row) for row in rows[places[order]]]


def _rarity(reader: Reader, search: Search, found: Candidates) -> Floats:
    """How telling each word of the topic is, by how few of the visible memories hold it; nothing when none does."""
    held = reader.holding(search, [(term,) for term in search.terms], _COMMON) if search.terms else []
    common = np.where((found.matches > 0).any(axis=0), np.round(found.idf * _ROUNDED) / _ROUNDED, 0.0)
    own = [math.log1p((found.visible - len(rows) + 0.5) / (len(rows) + 0.5)) for rows in held]
    return np.where([bool(rows) for rows in held], own, common).astype(np.float32)


def _steady(query: Query, found: Candidates, calibration: Calibrated | None) -> Sight:
    """The sight with every measure of the whole account replaced by one of what is seen."""
    sight = behold(query, found, calibration)
    length = 2.0 ** round(math.log2(max(float(found.columns.length.mean()), 1.0)))
    likeness = np.where(np.isnan(found.cosine), np.float32(np.nan), sight.similarity)
    own = replace(found, cosine=likeness, mean_cosine=0.0, mean_length=length, considered=found.visible)
    return replace(sight, found=own)
