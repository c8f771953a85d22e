"""Reranking: a model that reads the question and each text together puts the best hits in a new order.

It works after the view is closed, on redacted hits, so it sees nothing that the viewer may not see, and nobody waits for the store
meanwhile. It changes the order and nothing else: a hit keeps its score and its relevance, and the newer side of a contradiction
stays above the older. If it fails or is late, the hits keep their order and a note says why.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from recollect.errors import RecollectError, RerankerError
from recollect.log import warning
from recollect.ports import Reranker
from recollect.recall.explain import MOVED_UP
from recollect.recall.pipeline import RecallAnswer
from recollect.recall.ranking import current_first, moved_up
from recollect.recall.state import RecallRequest
from recollect.values.recalled import RERANKER, Hit, Signal

RERANKED = "comes before higher scores: the reranker put it there"
# More than the models read (512 tokens), and little enough to send fifty of them.
_LONGEST = 4_000


def rerank(reranker: Reranker, request: RecallRequest, answer: RecallAnswer, *, most: int) -> RecallAnswer:
    """The answer with its best hits in the order of the reranker, cut to the limit. What triggers put first stays first."""
    hits = answer.recalled.hits
    first = next((place for place, hit in enumerate(hits) if hit.trigger is None), len(hits))
    candidates = hits[first : first + most]
    if len(candidates) < 2 or first >= request.limit:
        return _cut(answer, range(len(hits)), request.limit)
    started = time.perf_counter()
    try:
        texts = [hit.memory.content[:_LONGEST] for hit in candidates]
        scores = _checked(reranker(request.text[:_LONGEST], texts), len(texts))
    except Exception as error:  # foreign code may raise anything, and the answer is there without it
        warning("not reranked: %s", type(error).__name__)
        problem = str(error) if isinstance(error, RecollectError) else f"{type(error).__name__}: {error}"
        failed = _with_cost(answer, started, 0, f"not reranked: {problem}")
        return _cut(failed, range(len(hits)), request.limit)
    order, moved = _new_order(candidates, scores)
    explained = [_explained(hit, score) for hit, score in zip(candidates, scores.tolist(), strict=True)]
    answer = _with_cost(answer, started, len(candidates))
    answer = replace(answer, recalled=replace(answer.recalled, hits=(*hits[:first], *explained, *hits[first + most :])))
    places = [*range(first), *(first + place for place in order), *range(first + len(candidates), len(hits))]
    ordered = _with_reasons(_cut(answer, places, len(places)), {candidates[place].memory.id for place in moved})
    return _cut(ordered, range(len(places)), request.limit)


def _checked(scores: Sequence[float], count: int) -> NDArray[np.float64]:
    try:
        made = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise RerankerError(f"the reranker did not answer one number per text: {error}") from error
    if made.shape != (count,):
        raise RerankerError(f"the reranker answered an array of shape {made.shape} to {count} texts")
    if not np.isfinite(made).all():
        raise RerankerError("the reranker answered a score that is not a finite number")
    return made


def _new_order(hits: Sequence[Hit], scores: NDArray[np.float64]) -> tuple[list[int], list[int]]:
    """The places of the hits, best first, with the newer side of a contradiction above the older; and those this moved up."""
    best: list[int] = np.argsort(-scores, kind="stable").tolist()
    records = [hits[place].memory for place in best]
    current = current_first(records, [hits[place].score for place in best], list(range(len(best))))
    return [best[rank] for rank in current], [best[rank] for rank in moved_up(current)]


def _explained(hit: Hit, score: float) -> Hit:
    """The hit with the reranker's score among its signals. It adds nothing to the score, which stays the sum of its parts."""
    if hit.explain is None:
        return hit
    signals = (*hit.explain.signals, Signal(RERANKER, round(score, 6), 0.0, 0.0))
    notes = tuple(note for note in hit.explain.notes if note != MOVED_UP)
    return replace(hit, explain=replace(hit.explain, signals=signals, notes=notes))


def _with_reasons(answer: RecallAnswer, newer: set[str]) -> RecallAnswer:
    """Say of each reranked hit that comes before a higher score why it does; `newer` are those that contradict another."""
    hits = list(answer.recalled.hits)
    for place, hit in enumerate(hits):
        before_higher = any(later.score > hit.score for later in hits[place + 1 :])
        if hit.explain is not None and hit.explain.signals[-1].name == RERANKER and before_higher:
            reason = MOVED_UP if hit.memory.id in newer else RERANKED
            hits[place] = replace(hit, explain=replace(hit.explain, notes=(*hit.explain.notes, reason)))
    return replace(answer, recalled=replace(answer.recalled, hits=tuple(hits)))


def _cut(answer: RecallAnswer, places: Sequence[int], limit: int) -> RecallAnswer:
    """The answer with the hits in this order, up to the limit."""
    kept, recalled = places[:limit], answer.recalled
    hits = tuple(recalled.hits[place] for place in kept)
    answered = recalled.answered
    if len(hits) < len(recalled.hits):
        answered = any(hit.trigger is not None or hit.relevance >= answer.bar for hit in hits)
    rows = tuple(answer.rows[place] for place in kept)
    return replace(answer, recalled=replace(recalled, hits=hits, answered=answered), rows=rows)


def _with_cost(answer: RecallAnswer, started: float, reranked: int, *notes: str) -> RecallAnswer:
    """The answer with what the reranker cost, and what there is to say about it."""
    recalled, spent = answer.recalled, round((time.perf_counter() - started) * 1000, 1)
    trace = replace(recalled.trace, reranked=reranked, milliseconds=(*recalled.trace.milliseconds, ("rerank", spent)))
    return replace(answer, recalled=replace(recalled, notes=(*recalled.notes, *notes), trace=trace))
