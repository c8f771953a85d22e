"""Ranking: score the candidates, put current memories above stale ones, and choose the answers.

Reordering keeps the set of hits and the score of each. In every profile the newer of two memories that contradict each other comes
first; in profiles that need `newest_first`, also the newer of two that say nearly the same with nearly the same score. What
somebody judged comes before what is newer: a memory is not moved above one that has more weight or was reinforced more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from itertools import accumulate

import numpy as np

from recollect.recall.features import Features
from recollect.recall.relevance import relevance
from recollect.recall.state import Ranking, RecallState
from recollect.values.enums import STATUSES
from recollect.values.memory import Record
from recollect.values.search import Floats
from recollect.values.terms import STOP_WORDS, terms_of

# Two memories say nearly the same when they share this part of their words, and have nearly the same score within this
# distance; only so many of the best hits are compared with each other.
SAME_WORDS, CLOSE_SCORE, REORDERED = 0.4, 0.15, 10
# The newer side of a contradiction answers the question, too, if it has this part of the score of the older side.
ANSWERING = 0.25
_START = 400
_WORD = re.compile(r"\w+")


def rank_candidates(state: RecallState) -> None:
    """Stage: score the candidates by the profile."""
    state.ranking = rank(state, state.features)


def rank(state: RecallState, features: Features) -> Ranking:
    """The candidates scored, with the memories of the best."""
    scores = state.request.profile.score(features)
    best = _best(scores.total, features, max(state.request.limit, REORDERED))
    return Ranking(features, scores, best, _fetch(state, features, best))


def reorder(state: RecallState) -> None:
    """Stage: the order in which to show the ranked memories."""
    ranking = state.ranking
    order, scores = list(range(len(ranking.records))), ranking.scores.total[ranking.best].tolist()
    if state.request.profile.needs.newest_first:
        order = newest_first(ranking.records, scores)
    state.order = current_first(ranking.records, scores, order)


def judge_relevance(state: RecallState) -> None:
    """Stage: how likely each candidate answers the query, whatever its score."""
    state.relevance = relevance(state.ranking.features)


def select_answers(state: RecallState) -> None:
    """Stage: what triggers matched comes first, then the ranked memories in their order, up to the limit."""
    ranking, order = state.ranking, state.order
    surfaced, rows = _triggered(state), ranking.rows
    records = dict(zip(rows, ranking.records, strict=True))
    missing = [row for row in surfaced if row not in records]
    if missing:
        records |= dict(zip(missing, state.reader.fetch(state.request.viewer.account, missing), strict=True))
    others = [ranking.best[position] for position in order if rows[position] not in surfaced]
    if state.request.floor > 0:
        others = [index for index in others if state.relevance[index] >= state.request.floor]
    state.answers = [*surfaced.values(), *others][: state.request.limit]
    state.surfaced = min(len(surfaced), len(state.answers))
    state.moved = {ranking.best[position] for position in moved_up(order)}
    state.records = records


def _triggered(state: RecallState) -> dict[int, int]:
    """The indexes of the candidates whose triggers matched, by row: the most important first, then the newest."""
    patterns, features = state.triggered.patterns, state.ranking.features
    if not patterns:
        return {}
    found = {row: index for index, row in enumerate(features.candidates.rows.tolist()) if row in patterns}
    importance = features.columns.importance
    return dict(sorted(found.items(), key=lambda item: (-float(importance[item[1]]), -item[0])))


def _best(total: Floats, features: Features, limit: int) -> list[int]:
    """The candidates with the highest scores; between equals the newer memory, then the later row."""
    scored = (~np.isnan(total)).nonzero()[0]
    rows, created = features.candidates.rows[scored], features.columns.created[scored]
    best: list[int] = scored[np.lexsort((-rows, -created, -total[scored]))[:limit]].tolist()
    return best


def _fetch(state: RecallState, features: Features, indexes: list[int]) -> list[Record]:
    """The memories of some candidates, each with its status for this viewer."""
    reader, account = state.reader, state.request.viewer.account
    records = reader.fetch(account, features.candidates.rows[indexes].tolist())
    statuses = [STATUSES[code] for code in features.columns.status[indexes].tolist()]
    if "superseded" not in statuses:
        return records
    known = reader.get(account, [record.id for record in records])
    successors = [None if record is None else record.superseded_by for record in known]
    return [
        record.with_(status=status, superseded_by=successor) if status == "superseded" else record
        for record, status, successor in zip(records, statuses, successors, strict=True)
    ]


def current_first(records: Sequence[Record], scores: Sequence[float], order: list[int]) -> list[int]:
    """The order with the newer side of every open contradiction above its older side, where both answer the question."""
    disputed = [(one, records[one].contradicts) for one in order if records[one].links]
    pairs = [
        (one, other)
        for one, opposed in disputed
        for other in order
        if records[other].id in opposed and _time_of(records[one]) != _time_of(records[other])
    ]
    order = list(order)
    for pair in pairs:
        newer, older = sorted(pair, key=lambda position: _time_of(records[position]), reverse=True)
        place, target = order.index(newer), order.index(older)
        answers = scores[newer] >= ANSWERING * scores[older]
        if place > target and answers and not _judged_lower(records[newer], records[older]):
            order.insert(target, order.pop(place))
    return order


def newer_sides(records: Sequence[Record]) -> dict[str, str]:
    """By the id of each memory with an open contradiction to a newer one among these: the id of the newer one."""
    known = {record.id: record for record in records}
    pairs = [(record, known[other]) for record in records for other in record.contradicts if other in known]
    sides = [(one, other) if _time_of(one) >= _time_of(other) else (other, one) for one, other in pairs]
    return {older.id: newer.id for newer, older in sides}


def newest_first(records: Sequence[Record], scores: Sequence[float]) -> list[int]:
    """The order of memories that come best first, with the newer of two similar ones above the older."""
    order = list(range(len(records)))
    compared = min(REORDERED, len(records))
    words = cache(lambda position: _words(records[position].content[:_START]))
    times = [_time_of(record) for record in records]
    for one in range(compared):
        for two in range(one + 1, compared):
            older, newer = order[one], order[two]
            if times[newer] <= times[older] or scores[older] - scores[newer] > CLOSE_SCORE:
                continue
            if _judged_lower(records[newer], records[older]):
                continue
            if _similar_words(words(older), words(newer)):
                order.insert(one, order.pop(two))
    return order


def _judged_lower(newer: Record, older: Record) -> bool:
    """Whether somebody gave the newer one less weight, or reinforced it less or demoted it more."""
    return newer.weight < older.weight or newer.score < older.score


def moved_up(order: Sequence[int]) -> list[int]:
    """The positions that come before an earlier one, and so before a higher score."""
    lowest = [*accumulate(reversed(order), min)][::-1]
    return [position for position, least in zip(order, lowest, strict=True) if position > least]


def _time_of(record: Record) -> datetime:
    return record.occurred_at or record.created_at


def _similar_words(one: frozenset[str], other: frozenset[str]) -> bool:
    shared = len(one & other)
    return shared >= SAME_WORDS * (len(one) + len(other) - shared)


def _words(text: str) -> frozenset[str]:
    """The words of a text without stop words. ASCII text needs no Unicode folding, which costs ten times as much."""
    if text.isascii():
        return frozenset(_WORD.findall(text.lower())) - STOP_WORDS
    return frozenset(terms_of(text))
