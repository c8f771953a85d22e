"""The rules of visibility, one memory at a time: whether it is current, and whether something in force supersedes it.

`store/visibility.py` says the same for masks and SQL; where they differ from this file, they are wrong.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from recollect.testing.in_memory.state import ModelInUse, StoredMemory
from recollect.values.enums import MEMORY_TYPES, PROVENANCE_KINDS, SCOPES, STATUSES, Status
from recollect.values.memory import Record, covers
from recollect.values.metadata import entries_of
from recollect.values.passages import is_question, is_standing_instruction
from recollect.values.scope import Place, Visit, reaches
from recollect.values.search import (
    IN_WINDOW,
    PERSON,
    STANDING,
    TALKING,
    Candidates,
    Columns,
    DeliveryQuery,
    EntryTest,
    Filter,
    Near,
    Search,
    role_of,
)
from recollect.values.terms import BM25_B as B
from recollect.values.terms import BM25_K1 as K1

Counts = Callable[[Record, Record], bool]


def expired(memory: Record, now: datetime) -> bool:
    """From its last moment on."""
    return memory.expires_at is not None and memory.expires_at <= now


def valid(memory: Record, now: datetime) -> bool:
    """From `valid_from` on, and until just before `valid_until`."""
    begun = memory.valid_from is None or memory.valid_from <= now
    ended = memory.valid_until is not None and memory.valid_until <= now
    return begun and not ended


def in_force(memory: Record, now: datetime | None) -> bool:
    """Whether it may replace another one; without a moment only its status counts."""
    return memory.status == "active" and (now is None or (valid(memory, now) and not expired(memory, now)))


def successors(memories: Iterable[Record], counts: Counts, now: datetime | None) -> dict[str, str]:
    """For each replaced memory, the one in force that replaces it, directly or through a chain of replaced ones.

    `counts` says of a replacing and a replaced memory whether that replacement matters to who asks.
    """
    known = {memory.id: memory for memory in memories}
    links = [
        memory
        for memory in known.values()
        if memory.supersedes is not None and memory.supersedes in known and counts(memory, known[memory.supersedes])
    ]
    found = {str(memory.supersedes): memory.id for memory in links if in_force(memory, now)}
    while True:
        further = {
            str(memory.supersedes): found[memory.id]
            for memory in links
            if memory.id in found and memory.supersedes not in found
        }
        if not further:
            return found
        found |= further


def anywhere(new: Record, old: Record) -> bool:
    """For one who asks from nowhere in particular: it counts where whoever sees the old one also sees the new."""
    return covers(new.place, old.place)


def standing(memory: Record, replaced: dict[str, str]) -> Record:
    """The memory as it is shown: superseded when it is active and something in force replaces it."""
    if memory.status != "active" or memory.id not in replaced:
        return memory
    return memory.with_(status="superseded", superseded_by=replaced[memory.id])


def narrowed(memory: Record, wanted: Filter, status: Status, *, gone: bool = False) -> bool:
    """The caller's own conditions, the statuses of the whole filter aside.

    `status` is what the memory stands as, `gone` whether it is active and has expired, which only lists of all still show.
    """
    when = memory.occurred_at or memory.created_at
    return (
        (not wanted.types or memory.type in wanted.types)
        and (not wanted.scopes or memory.scope in wanted.scopes)
        and (not wanted.sources or memory.provenance.kind in wanted.sources)
        and (wanted.project is None or memory.project == wanted.project)
        and (wanted.session is None or memory.session == wanted.session)
        and (wanted.since is None or when >= wanted.since)
        and (wanted.until is None or when < wanted.until)
        and (wanted.created_since is None or memory.created_at >= wanted.created_since)
        and (wanted.created_until is None or memory.created_at < wanted.created_until)
        and (wanted.updated_since is None or memory.updated_at >= wanted.updated_since)
        and (wanted.updated_until is None or memory.updated_at < wanted.updated_until)
        and (not wanted.speakers or memory.speaker in wanted.speakers)
        and set(wanted.tags) <= set(memory.tags)
        and (not wanted.any_tags or bool(set(wanted.any_tags) & set(memory.tags)))
        and all(_passes(memory, test) for test in wanted.metadata)
        and all(_inside(memory, part, status, gone=gone) for part in wanted.all_of)
        and all(any(_inside(memory, part, status, gone=gone) for part in group) for group in wanted.any_of)
        and not any(_inside(memory, part, status, gone=gone) for part in wanted.none_of)
        and memory.trust >= wanted.min_trust
        and memory.project not in wanted.without
        and (wanted.visit is None or memory.scope not in ("session", "task") or _visited(memory, wanted.visit))
    )


def _visited(memory: Record, visit: Visit) -> bool:
    return memory.place[1] == (visit[0] if memory.scope == "session" else visit[1])


def _inside(memory: Record, part: Filter, status: Status, *, gone: bool) -> bool:
    """Whether it passes a filter inside another one."""
    shown = not part.statuses or (status in part.statuses and not (gone and "superseded" not in part.statuses))
    return shown and narrowed(memory, part, status, gone=gone)


def _passes(memory: Record, test: EntryTest) -> bool:
    """Whether its metadata has a value in one of the spans, or none of them."""
    values = [value for path, value in entries_of(memory.metadata) if path == test.path]
    if test.span is None:
        return test.absent != any(value in test.values for value in values)
    least, below = test.span
    return test.absent != any(least <= value < below for value in values)


Thread = tuple[Place, str]
_NAN = float("nan")


def search_all(account: Sequence[StoredMemory], search: Search, model: ModelInUse) -> Candidates:
    """The candidates of one search over all memories of an account."""
    gates = _Gates(account, search)
    allowed = [held for held in account if gates.lets(held.memory)]
    signals = _Signals(account, search, model)
    window = [held for held in allowed if _within(held.memory, search)]
    chosen = {held.row for held in allowed if held.row in search.rows}
    legs = [*_legs(allowed, window, search, signals)]
    chosen |= {held.row for leg in ([allowed] if len(allowed) <= search.every else legs) for held in leg}
    talking = [held for leg in legs[:2] for held in leg[:TALKING]]
    turns = {turn for held in talking if (turn := _turn(held.memory)) is not None}
    found = [held for held in allowed if held.row in chosen or _beside(held.memory, turns, search.neighbours)]
    return Candidates(
        rows=np.array([held.row for held in found], np.int64),
        cosine=np.array([signals.nearness[held.row] for held in found], np.float32),
        bm25=np.array([signals.bm25[held.row] for held in found], np.float32),
        matches=_matches(found, search.terms),
        selected=np.array([held.row in chosen for held in found], np.bool_),
        columns=_columns(found, account, gates, search),
        considered=len(gates.counted),
        visible=len(allowed),
        hidden=gates.held_back() if search.explain else (),
        idf=np.array(signals.idf, np.float32),
        mean_cosine=_mean_cosine(account, search, model),
        mean_length=signals.mean_length,
        in_window=len(window),
        holders=_holders(account, search),
    )


def near_all(account: Sequence[StoredMemory], search: Search, model: ModelInUse) -> Near:
    """The nearest rows of one vector, nearest first."""
    found = search_all(account, search, model)
    order = np.argsort(-np.nan_to_num(found.cosine, nan=-2.0), kind="stable")
    order = order[~np.isnan(found.cosine[order])][: search.depth]
    return Near(found.rows[order], found.cosine[order], found.columns.status[order])


def among_all(account: Sequence[StoredMemory], search: Search, rows: Sequence[int]) -> list[int]:
    """Those of some rows that a search may return."""
    gates = _Gates(account, search)
    seen = {held.row for held in account if gates.lets(held.memory)}
    return [row for row in rows if row in seen]


def standing_all(account: Sequence[StoredMemory], search: Search, query: DeliveryQuery) -> list[int]:
    """Visible rows by delivery and type: the most important first, or from a time on the latest first."""
    gates = _Gates(account, search)
    held = [
        (_moment(held.memory, query.since), held.row)
        for held in account
        if gates.lets(held.memory)
        and (not query.deliveries or held.memory.delivery in query.deliveries)
        and (not query.types or held.memory.type in query.types)
        and (query.rows is None or held.row in query.rows)
    ]
    return [row for moment, row in sorted(held, reverse=True) if query.since is None or moment[0] >= query.since]


def _moment(memory: Record, since: float | None) -> tuple[float, float]:
    """How important and how new it is, or when it was last stored or confirmed."""
    created = memory.created_at.timestamp()
    if since is None:
        # As the columns keep it: what they do not tell apart is equally important.
        return float(np.float32(memory.importance)), created
    return max(created, created if memory.hit_at is None else memory.hit_at.timestamp()), 0.0


def _holders(account: Sequence[StoredMemory], search: Search) -> NDArray[np.int64]:
    """How many visible rows have each term, where the search asks for it."""
    phrases = [(term,) for term in search.terms] if search.holders else []
    return np.array([len(rows) for rows in holding_all(account, search, phrases, search.holders)], np.int64)


def holding_all(
    account: Sequence[StoredMemory], search: Search, phrases: Sequence[Sequence[str]], most: int
) -> list[list[int]]:
    """For each phrase, the visible rows that hold all its words; none when the account has more than `most` of them."""
    gates = _Gates(account, search)
    answers = []
    for phrase in phrases:
        held_by = [held for held in account if phrase and set(phrase) <= set(held.terms)]
        answers.append([held.row for held in held_by if gates.lets(held.memory)] if len(held_by) <= most else [])
    return answers


class _Signals:
    """Nearness and BM25 of every memory of the account, visible or not, by row."""

    def __init__(self, account: Sequence[StoredMemory], search: Search, model: ModelInUse) -> None:
        self.idf = [_idf(term, account) for term in search.terms]
        self.mean_length = sum(len(held.terms) for held in account) / max(len(account), 1)
        self.nearness = {held.row: _nearness(held, search, model) for held in account}
        self.bm25 = {held.row: _bm25(held, search.terms, self.idf, self.mean_length) for held in account}

    def nearest(self, some: Sequence[StoredMemory], count: int) -> list[StoredMemory]:
        return sorted(some, key=lambda held: np.nan_to_num(self.nearness[held.row], nan=-1.0), reverse=True)[:count]

    def wordiest(self, some: Sequence[StoredMemory], count: int) -> list[StoredMemory]:
        return sorted(some, key=lambda held: self.bm25[held.row], reverse=True)[:count]


def _legs(
    allowed: Sequence[StoredMemory], window: Sequence[StoredMemory], search: Search, signals: _Signals
) -> Iterator[Sequence[StoredMemory]]:
    """What each way of looking brings: meaning, words, the time asked about, standing instructions."""
    yield signals.nearest([held for held in allowed if not math.isnan(signals.nearness[held.row])], search.depth)
    yield signals.wordiest([held for held in allowed if signals.bm25[held.row] > 0], search.depth)
    standing = [held for held in allowed if search.standing and is_standing_instruction(held.memory)]
    for part, count in ((window, IN_WINDOW), (standing, STANDING)):
        if len(part) <= count:
            yield part
        else:
            yield signals.nearest(part, count)
            yield signals.wordiest(part, count)


def _within(memory: Record, search: Search) -> bool:
    """Whether it is of a time the question asks about."""
    when = (memory.occurred_at or memory.created_at).timestamp()
    return any(since <= when < until for since, until in search.windows)


class _Gates:
    """Which memories one search may return."""

    def __init__(self, account: Sequence[StoredMemory], search: Search) -> None:
        self._all = [held.memory for held in account]
        # What lies behind a wall is not even counted.
        self.counted = [memory for memory in self._all if reaches(search.viewer.identity, memory.place)]
        self._wanted = search.filter
        self._viewer, self._places = search.viewer, search.viewer.places()
        self._now = datetime.fromtimestamp(search.now, UTC)
        self._past = search.past
        self._replaced = successors(map(self._dated, self._all), lambda new, _: self._reached(new), self._now)

    def lets(self, memory: Record) -> bool:
        return (
            self._reached(memory)
            and self.standing(memory).status in self._wanted.statuses
            and (memory.status != "active" or self._current(memory))
            and narrowed(memory, self._wanted, self.standing(memory).status)
        )

    def standing(self, memory: Record) -> Record:
        return standing(memory, self._replaced)

    def held_back(self) -> tuple[tuple[str, int], ...]:
        """How many memories each gate held back; one may be counted at several."""
        reached = [memory for memory in self._all if self._reached(memory)]
        current = [memory for memory in reached if self._current(memory)]
        return (
            ("other scope", len(self.counted) - len(reached)),
            ("expired or not yet valid", len(reached) - len(current)),
            ("superseded", sum(memory.id in self._replaced for memory in current)),
            ("forgotten or archived", sum(memory.status in ("forgotten", "archived") for memory in reached)),
            ("filter", sum(not narrowed(memory, self._wanted, self.standing(memory).status) for memory in reached)),
        )

    def _reached(self, memory: Record) -> bool:
        if self._viewer.everywhere:
            return reaches(self._viewer.identity, memory.place)
        return memory.place in self._places

    def _current(self, memory: Record) -> bool:
        return valid(self._dated(memory), self._now) and not expired(memory, self._now)

    def _dated(self, memory: Record) -> Record:
        """Asked about the past, a memory that does not say since when it holds does so since it happened or was stored."""
        if not self._past or memory.valid_from is not None:
            return memory
        return memory.with_(valid_from=memory.occurred_at or memory.created_at)


def _nearness(held: StoredMemory, search: Search, model: ModelInUse) -> float:
    """Half the cosine of its whole text (its first vector), half that of its best; NaN without a vector of this model."""
    if search.vector is None or held.embedding is None or held.embedding.model != model:
        return _NAN
    cosines = held.embedding.vectors.astype(np.float32) @ search.vector
    return float((cosines[0] + cosines.max()) / 2)


def _mean_cosine(account: Sequence[StoredMemory], search: Search, model: ModelInUse) -> float:
    """The cosine of the query with the mean of all memories: what an unrelated memory has."""
    embeddings = [held.embedding for held in account if held.embedding is not None and held.embedding.model == model]
    if not search.mean or search.vector is None or not embeddings:
        return 0.0
    wholes = np.stack([embedding.vectors[0] for embedding in embeddings]).astype(np.float32)
    return float(wholes.mean(axis=0) @ search.vector)


def _idf(term: str, account: Sequence[StoredMemory]) -> float:
    found = sum(term in held.terms for held in account)
    return math.log1p((len(account) - found + 0.5) / (found + 0.5)) if found else 0.0


def _bm25(held: StoredMemory, terms: Sequence[str], idf: Sequence[float], mean: float) -> float:
    counts = Counter(held.terms)
    norm = K1 * (1 - B + B * len(held.terms) / max(mean, 1.0))
    return sum(
        weight * (K1 + 1) * min(counts[term], 255) / (min(counts[term], 255) + norm)
        for term, weight in zip(terms, idf, strict=True)
    )


def _matches(found: Sequence[StoredMemory], terms: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    table = np.zeros((len(found), len(terms)), np.uint8)
    for place, held in enumerate(found):
        table[place] = [min(held.terms.count(term), 255) for term in terms]
    return table


def _thread(memory: Record) -> Thread | None:
    """A session in one place: what follows each other there was said to the same people."""
    return None if memory.session is None else (memory.place, memory.session)


def _turn(memory: Record) -> tuple[Thread, int] | None:
    """Where it stands in a talk between people; an assistant's long answers stand next to everything and tell nothing."""
    thread = _thread(memory)
    if thread is None or memory.position is None or role_of(memory.speaker) != PERSON:
        return None
    return thread, memory.position


def _beside(memory: Record, turns: set[tuple[Thread, int]], reach: int) -> bool:
    """Whether it was said at most `reach` turns before or after one of these turns, in the same thread."""
    turn = _turn(memory)
    if turn is None:
        return False
    return any((turn[0], turn[1] + step) in turns for step in range(-reach, reach + 1) if step)


def _in_season(memory: Record, search: Search) -> int:
    if memory.season is None:
        return 0
    return 1 if memory.season in search.seasons else -1


def _columns(found: Sequence[StoredMemory], account: Sequence[StoredMemory], gates: _Gates, search: Search) -> Columns:
    memories = [held.memory for held in found]
    threads = list(dict.fromkeys(thread for held in account if (thread := _thread(held.memory)) is not None))

    def plain(name: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        return np.array([getattr(memory, name) for memory in memories], np.float32)

    def times(name: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        moments = (getattr(memory, name) for memory in memories)
        return np.array([_NAN if moment is None else moment.timestamp() for moment in moments], np.float64)

    return Columns(
        importance=plain("importance"),
        weight=plain("weight"),
        confidence=plain("confidence"),
        trust=plain("trust"),
        score=plain("score"),
        strength=plain("strength"),
        access_count=plain("access_count"),
        created=times("created_at"),
        updated=times("updated_at"),
        accessed=times("accessed_at"),
        hit=times("hit_at"),
        occurred=times("occurred_at"),
        status=np.array([STATUSES.index(gates.standing(memory).status) for memory in memories], np.uint8),
        type=np.array([MEMORY_TYPES.index(memory.type) for memory in memories], np.uint8),
        scope=np.array([SCOPES.index(memory.scope) for memory in memories], np.uint8),
        source=np.array([PROVENANCE_KINDS.index(memory.provenance.kind) for memory in memories], np.uint8),
        role=np.array([role_of(memory.speaker) for memory in memories], np.uint8),
        season=np.array([_in_season(memory, search) for memory in memories], np.int8),
        standing=np.array([is_standing_instruction(memory) for memory in memories], np.bool_),
        asks=np.array([is_question(memory) for memory in memories], np.bool_),
        thread=np.array([threads.index(t) if (t := _thread(memory)) else -1 for memory in memories], np.int32),
        position=np.array([-1 if memory.position is None else memory.position for memory in memories], np.int32),
        length=np.array([len(held.terms) for held in found], np.int32),
    )
