"""Verification: a configured judge reads the best hits and drops those that do not help with the question.

It works after the view is closed, on redacted hits. What it keeps gains confidence and what it rejects loses some, written with the
other deferred writes. If the judge fails, the hits are returned as they are, with a note.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from recollect.errors import RecollectError
from recollect.log import warning
from recollect.ports import Decider, Transaction
from recollect.recall.pipeline import RecallAnswer
from recollect.recall.state import RecallRequest
from recollect.unit_of_work import UnitOfWork
from recollect.values.judging import REJECTED, VERIFIED, Decision, Evidence, IsRelevant
from recollect.values.recalled import Hit

NO_JUDGE = "not verified: no judge is configured (set `judge`)"
# How many hits are read for each one that is wanted, and at most.
_OVER_FETCH, _MOST_READ = 2, 20


def widened(request: RecallRequest) -> RecallRequest:
    """The request for as many hits as the judge reads."""
    return replace(request, limit=max(request.limit, min(_OVER_FETCH * request.limit, _MOST_READ)))


def verify(uow: UnitOfWork, request: RecallRequest, answer: RecallAnswer) -> RecallAnswer:
    """The answer without the hits that the judge rejects, cut to the limit. What triggers put first is not asked about."""
    judge = uow.runtime.text_judge(uow.viewer.account)
    if judge is None:
        return _kept(answer, range(len(answer.recalled)), request.limit, NO_JUDGE)
    hits, started = answer.recalled.hits, time.perf_counter()
    asked = [place for place, hit in enumerate(hits) if hit.trigger is None][:_MOST_READ]
    try:
        decisions = _decide(judge, request, [hits[place] for place in asked])
    except Exception as error:  # foreign code may raise anything, and the answer is there without it
        warning("not verified: %s", type(error).__name__)
        problem = str(error) if isinstance(error, RecollectError) else f"{type(error).__name__}: {error}"
        return _kept(answer, range(len(hits)), request.limit, f"not verified: {problem}")
    said = {place: decision for place, decision in zip(asked, decisions, strict=True) if decision is not None}
    rejected = {place for place, decision in said.items() if decision.answer is False}
    places = [place for place in range(len(hits)) if place not in rejected]
    spent = round((time.perf_counter() - started) * 1000, 1)
    kept = _timed(_kept(answer, places, request.limit, *_note(len(rejected))), spent)
    shown = {hit.memory.id for hit in kept.recalled}
    helped = {hits[place].memory.id: decision for place, decision in said.items() if place not in rejected}
    _defer(
        uow,
        {one: decision for one, decision in helped.items() if one in shown},
        {hits[place].memory.id: said[place] for place in rejected},
    )
    if shown & helped.keys():
        return replace(kept, recalled=replace(kept.recalled, answered=True))
    return kept


def _decide(judge: Decider, request: RecallRequest, hits: Sequence[Hit]) -> list[Decision | None]:
    if not hits:
        return []
    context = f"{request.text}\n{request.working_on}".strip()
    memories = [
        Evidence(hit.memory.content, hit.memory.id, hit.memory.occurred_at or hit.memory.created_at) for hit in hits
    ]
    return judge.decide([IsRelevant(context, memory) for memory in memories])


def _kept(answer: RecallAnswer, places: Sequence[int], limit: int, *notes: str) -> RecallAnswer:
    """The answer with some of its hits, up to the limit."""
    recalled, kept = answer.recalled, places[:limit]
    hits = tuple(recalled.hits[place] for place in kept)
    answered = recalled.answered
    if len(hits) < len(recalled.hits):
        answered = any(hit.trigger is not None or hit.relevance >= answer.bar for hit in hits)
    rows = tuple(answer.rows[place] for place in kept)
    return replace(
        answer,
        recalled=replace(recalled, hits=hits, answered=answered, notes=(*recalled.notes, *notes)),
        rows=rows,
    )


def _note(rejected: int) -> list[str]:
    return [f"the judge rejected {rejected} {'hit' if rejected == 1 else 'hits'}"] if rejected else []


def _timed(answer: RecallAnswer, milliseconds: float) -> RecallAnswer:
    trace = answer.recalled.trace
    timed = replace(trace, milliseconds=(*trace.milliseconds, ("verify", milliseconds)))
    return replace(answer, recalled=replace(answer.recalled, trace=timed))


def _defer(uow: UnitOfWork, helped: dict[str, Decision], rejected: dict[str, Decision]) -> None:
    """Change the confidence of what was verified and of what was rejected, in the background."""
    runtime, account = uow.runtime, uow.viewer.account
    if (helped or rejected) and runtime.store.writable:
        now = runtime.clock()
        write = partial(_write, account=account, helped=helped, rejected=rejected, at=now)
        runtime.deferred.defer_for("judge", account, now, write)


def _write(
    tx: Transaction, account: str, helped: dict[str, Decision], rejected: dict[str, Decision], at: datetime
) -> None:
    for said, by, kind in ((helped, VERIFIED, "confirm"), (rejected, REJECTED, "reject")):
        for record in tx.get(account, list(said)):
            if record is None or record.status != "active":
                continue
            confidence = min(1.0, max(0.0, round(record.confidence + by, 6)))
            changed = record.with_(confidence=confidence, **({"hit_at": at} if by > 0 else {}))
            tx.change(
                record, changed, "confirm" if kind == "confirm" else "reject", reason=f"judged by {said[record.id].by}"
            )
