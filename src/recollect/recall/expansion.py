"""Expansion: memories that share a rare name with the best hits, although the query itself does not have that name.

A query that needs two memories ("the city south of the beach where …") names only the first; the first names the second.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from recollect.recall.features import Features, extract_features
from recollect.recall.ranking import rank
from recollect.recall.state import RecallState
from recollect.values.memory import Record
from recollect.values.search import ASSISTANT
from recollect.values.terms import terms_of

_BEST = 2
_START = 1500
_MOST_NAMES = 24
# Capitalised words inside a sentence; the first word of a sentence is always capitalised.
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b([A-Z][\w'’-]+(?:\s+(?:of|the|de|van|and|&)?\s*[A-Z][\w'’-]+)*)")


def expand_by_names(state: RecallState) -> None:
    """Stage: follow the names in the best hits to further memories, and score again."""
    if not state.request.profile.needs.shared_names or not state.ranking.records or state.request.named:
        return
    bonus = _bonus(state)
    if bonus:
        state.ranking = rank(state, _with_bonus(state, bonus))


def names_in(record: Record, known: Sequence[str]) -> list[tuple[str, ...]]:
    """The names a memory mentions, as terms, without those whose terms are all known already."""
    found = (tuple(terms_of(match.group(1))) for match in _NAME.finditer(record.content[:_START]))
    fresh = dict.fromkeys(name for name in found if name and not set(name) <= set(known))
    return list(fresh)[:_MOST_NAMES]


def _bonus(state: RecallState) -> dict[int, float]:
    """By row, how strongly a memory shares a name with one of the best hits: more, the rarer the name is."""
    ranking, bonus = state.ranking, dict[int, float]()
    features, scores = ranking.features, ranking.scores.total
    total = max(features.candidates.considered, 2)
    top = max(float(scores[ranking.best[0]]), 1e-9)
    best = list(zip(ranking.best, ranking.records, strict=True))[:_BEST]
    named = [names_in(record, features.query.terms) for _, record in best]
    every = [name for names in named for name in names]
    # One lookup for all names: a server answers it in one round trip.
    found = iter(state.reader.rows_with_terms(state.search, every, max(3, total // 100)) if every else ())
    for (index, _), names in zip(best, named, strict=True):
        row, share = int(features.candidates.rows[index]), max(float(scores[index]), 0.0) / top
        for rows in (next(found) for _ in names):
            others = [other for other in rows if other != row]
            value = share * math.log(total / max(len(others), 1)) / math.log(total)
            for other in others:
                bonus[other] = max(bonus.get(other, 0.0), value)
    return bonus


def _with_bonus(state: RecallState, bonus: dict[int, float]) -> Features:
    features = state.ranking.features
    if not bonus.keys() <= set(features.candidates.rows.tolist()):
        # Those that are candidates already too: on a server, their memories come with the answer and need no round trip later.
        candidates = features.candidates.joined(state.reader.candidates(state.search.for_rows(tuple(bonus))))
        reached = features.reached
        features = extract_features(state.prepared.query, candidates, state.prepared.calibration)
        features = replace(features, reached=reached)
    shared = np.array([bonus.get(row, 0.0) for row in features.candidates.rows.tolist()], np.float32)
    return replace(features, shared_names=np.where(features.columns.role == ASSISTANT, np.float32(0), shared))
