"""One recall from verb to answer: build the request, read in one view, redact, rerank, count accesses, record a miss as a gap."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, TypedDict

from recollect.filters import filter_from
from recollect.ports import Reader, Vectors
from recollect.recall.pipeline import RecallAnswer
from recollect.recall.profiles import Profile
from recollect.recall.rerank import rerank
from recollect.recall.state import PreparedQuery, RecallRequest
from recollect.recall.verify import verify, widened
from recollect.redaction import redact
from recollect.runtime import Runtime, ServedRecall
from recollect.unit_of_work import UnitOfWork
from recollect.validation import (
    check_number,
    clean_limit,
    clean_season,
    clean_time,
    clean_working_on,
    one_of,
)
from recollect.values.gap import Miss
from recollect.values.ids import new_id
from recollect.values.recalled import Recalled
from recollect.values.search import Filter

MOST_HITS = 1000


class RecallOptions(TypedDict, total=False):
    """The keyword arguments of recall that are not filters."""

    explain: bool
    now: datetime | str | None
    working_on: str | None
    true_at: datetime | str | None
    season: str | None
    named: bool
    floor: float | None
    verify: bool


def profile_named(uow: UnitOfWork, name: str | None) -> Profile:
    """A ranking profile by name; the one from the settings by default."""
    one_of("profile", name, ("", *uow.runtime.profiles))
    chosen = name or uow.runtime.settings.profile
    one_of("profile", chosen, tuple(uow.runtime.profiles))
    return uow.runtime.profiles[chosen]


def build_request(
    uow: UnitOfWork,
    query: str,
    profile: Profile,
    limit: int | None,
    options: RecallOptions,
    filters: Mapping[str, Any],
) -> RecallRequest:
    """A request from validated arguments."""
    now, working_on = clean_time("now", options.get("now")), options.get("working_on")
    check_number("floor", options.get("floor"), 0, 1)
    return RecallRequest(
        query,
        uow.viewer,
        filter_from(filters),
        now or uow.runtime.clock(),
        profile,
        clean_limit(limit, uow.runtime.settings.limit, MOST_HITS),
        explain=bool(options.get("explain")),
        exact=now is not None,
        working_on="" if working_on is None else clean_working_on(working_on),
        true_at=clean_time("true_at", options.get("true_at")),
        season=clean_season(options.get("season")),
        named=bool(options.get("named")),
        floor=options.get("floor") or 0.0,
        verify=bool(options.get("verify")),
    )


def run(uow: UnitOfWork, request: RecallRequest, in_view: Callable[[Reader], RecallRequest] | None = None) -> Recalled:
    """Answer one request. Every hit is counted as accessed; a query that no hit answers is recorded as a gap.

    `in_view` is called in the same view before the search; it may check or read more, and returns the request, perhaps with
    another viewer.
    """
    runtime = uow.runtime
    prepared = runtime.recall.prepare(_widened(runtime, request))
    with runtime.store.view() as reader:
        uow.require_enabled(reader, request.viewer.project)
        if in_view is not None:
            request = in_view(reader)
            prepared = replace(prepared, search=replace(prepared.search, viewer=request.viewer))
        answer = answer_in_view(uow, reader, _widened(runtime, request), prepared)
    wanted = widened(request) if request.verify else request
    if runtime.reranker is not None:
        answer = rerank(runtime.reranker, wanted, answer, most=runtime.settings.rerank_candidates)
    if request.verify:
        answer = verify(uow, request, answer)
    answer = replace(answer, recalled=replace(answer.recalled, id=new_id(request.now)))
    record_recall(uow, request, prepared, answer)
    return answer.recalled


def _widened(runtime: Runtime, request: RecallRequest) -> RecallRequest:
    """The request for as many hits as the judge and the reranker read."""
    if request.verify:
        request = widened(request)
    if runtime.reranker is None:
        return request
    return replace(request, limit=max(request.limit, runtime.settings.rerank_candidates))


def answer_in_view(uow: UnitOfWork, reader: Reader, request: RecallRequest, prepared: PreparedQuery) -> RecallAnswer:
    """The answer to a request that was prepared before the view was opened, as the viewer may see it."""
    answer = uow.runtime.recall.answer(reader, request, prepared)
    return replace(answer, recalled=redact(reader, request.viewer, answer.recalled))


def record_recall(uow: UnitOfWork, request: RecallRequest, prepared: PreparedQuery, answer: RecallAnswer) -> None:
    """Count the hits as accessed, and record a query that none of them answers as a gap; after the view."""
    runtime, recalled = uow.runtime, answer.recalled
    runtime.recent_recalls.add(request.viewer.identity, [hit.memory.content for hit in recalled])
    hits = frozenset(hit.memory.id for hit in recalled)
    runtime.recent_recalls.note_served(ServedRecall(recalled.id, request.viewer.identity, prepared.query.text, hits))
    count_accesses(uow, {hit.memory.id: row for hit, row in zip(recalled, answer.rows, strict=True)})
    # With a filter, other memories may well answer the query.
    unrestricted = request.filter == Filter() and not request.named
    if runtime.store.writable and runtime.settings.gaps and answer.missed and unrestricted:
        # A vector of a script that the model does not know would say that any text in it answers the gap.
        vector = None if prepared.query.foreign else answer.vector
        _record_miss(uow, request, prepared.query.terms, vector)


def count_accesses(uow: UnitOfWork, rows: Mapping[str, int]) -> None:
    """Count an access of some memories, given as rows by id; it is written in the background."""
    runtime, account, now = uow.runtime, uow.viewer.account, uow.runtime.clock()
    runtime.deferred.recalled(account, list(rows), now)
    if runtime.store.writable and runtime.settings.touch and rows:
        runtime.deferred.touch(account, [(row, memory_id) for memory_id, row in rows.items()], now)
    runtime.refresh_due_clusters()


def _record_miss(uow: UnitOfWork, request: RecallRequest, terms: tuple[str, ...], vector: Vectors | None) -> None:
    """Record an unanswered query, unless it contains something the gate would not store."""
    question = request.text.strip()
    if uow.runtime.gate.accepts(question):
        uow.runtime.deferred.miss(Miss(question, terms, vector, request.viewer, request.now))
