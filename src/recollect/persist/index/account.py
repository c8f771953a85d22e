"""AccountIndex: everything derived for one account, kept in step with the store by journal sequence, and its search."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recollect.persist.index.growing import Array, Growing
from recollect.persist.index.mask import DEAD, SUPERSEDED, Composed, Gates, Mask, compose
from recollect.persist.index.postings import OPEN_ROWS, Postings
from recollect.persist.index.rows import (
    KINDS,
    NO_POSITION,
    SCORED,
    Entry,
    Names,
    as_arrays,
    cells,
    lexical_key,
    lexical_terms,
    scoring_columns,
)
from recollect.persist.index.vectors import EXACT, VectorIndex, distinct, top_of
from recollect.values.search import IN_WINDOW, PERSON, STANDING, Candidates, Search

_REMEMBERED_MASKS = 16
_TAIL = 4096


@dataclass(frozen=True, slots=True)
class _Kept:
    """A mask and the span of time in which it stays true."""

    since: float
    until: float
    gates: Composed


@dataclass(frozen=True, slots=True)
class _Turns:
    """Turns of sessions in sorted order, with the index row of each; rows from `until` on are not in it."""

    until: int
    keys: NDArray[np.int64]
    spots: NDArray[np.intp]

    def find(self, wanted: NDArray[np.int64]) -> NDArray[np.intp]:
        if len(self.keys) == 0:
            return np.empty(0, np.intp)
        place = np.searchsorted(self.keys, wanted)
        place[place == len(self.keys)] = 0
        found: NDArray[np.intp] = self.spots[place[self.keys[place] == wanted]]
        return found


class AccountIndex:
    """Arrays of one account. Not thread-safe: the store holds its lock around every call."""

    def __init__(
        self,
        dimensions: int,
        *,
        table: Growing | None = None,
        names: Names | None = None,
        vectors: VectorIndex | None = None,
        postings: Postings | None = None,
        seq: int = 0,
    ) -> None:
        self.table = table or Growing(KINDS)
        self.names = names or Names()
        self.vectors = vectors or VectorIndex(dimensions)
        self.postings = postings or Postings()
        self.seq = seq
        self.changes = 0
        self._spots: dict[int, int] | None = None
        self._turns: _Turns | None = None
        self._mean: NDArray[np.float32] | None = None
        self._mean_age = 0
        self._scored: tuple[object, NDArray[np.float32], NDArray[np.float32]] | None = None
        self._masks: OrderedDict[object, _Kept] = OrderedDict()
        self._words = int(self.table["length"].sum())
        self._held = int((self.table["status"] != DEAD).sum())

    @property
    def wasted(self) -> float:
        """The share of rows that only a rebuild would free."""
        return 1 - self._held / self.table.size if self.table.size else 0.0

    def upsert(self, entries: Sequence[Entry]) -> None:
        """Bring stored memories in: new rows are appended, changed ones set in place where words and vectors allow."""
        fresh = [entry for entry in entries if not self._set_in_place(entry)]
        if fresh:
            self._append(fresh)
        self._stale(len(entries))

    def drop(self, rows: Iterable[int]) -> None:
        """Take memories out whose rows are gone from the store."""
        for row in rows:
            spot = self._where().pop(row, None)
            if spot is not None:
                self._kill(spot)
        self._stale(1)

    def touch(self, counts: Mapping[int, int], at: float) -> None:
        """Count accesses in place; not a change of the index."""
        for row, count in counts.items():
            spot = self._where().get(row)
            if spot is not None:
                self.table.set("access_count", spot, self.table["access_count"][spot] + count)
                self.table.set("accessed", spot, max(at, float(self.table["accessed"][spot])))

    def set_access(self, row: int, count: int, at: float) -> None:
        """Take over what the store counted."""
        spot = self._where().get(row)
        if spot is not None:
            self.table.set("access_count", spot, count)
            self.table.set("accessed", spot, at)

    def search(self, search: Search, tagged: NDArray[np.int64] | None = None) -> Candidates:
        """The candidates of one search: every leg under the mask, their neighbours, and the signals of each."""
        gates = self._gates(search)
        allowed = self._visible(search, tagged)
        bm25, idf = self._scores(search.terms)
        window = self._window(search, allowed)
        chosen = distinct(
            np.concatenate([self._named(search.rows, allowed), *self._legs(search, allowed, bm25, window)])
        )
        spots = self._with_neighbours(chosen, search.neighbours, allowed)
        spots = spots[np.argsort(self.table["row"][spots], kind="stable")]
        selected = np.isin(spots, chosen)
        taken = {name: self.table[name][spots] for name in SCORED}
        taken["status"] = np.where(gates.superseded[spots], SUPERSEDED, taken["status"])
        return Candidates(
            rows=taken["row"],
            cosine=self._cosines(search, spots, selected),
            bm25=bm25[spots],
            matches=self.postings.matches(search.terms, spots),
            selected=selected,
            columns=scoring_columns(taken),
            considered=self._held,
            visible=int(np.count_nonzero(allowed)),
            hidden=tuple(gates.held.items()),
            idf=idf,
            mean_cosine=self._mean_cosine(search),
            mean_length=self._mean_length,
            in_window=len(window),
        )

    def _scores(self, terms: tuple[str, ...]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """BM25 of every row; remembered for the second look of the same question."""
        if self._scored is None or self._scored[0] != (terms, self.changes):
            made = self.postings.scores(terms, self.table["length"], self._held, self._mean_length)
            self._scored = ((terms, self.changes), *made)
        return self._scored[1], self._scored[2]

    def holding(
        self, search: Search, tagged: NDArray[np.int64] | None, phrases: Sequence[Sequence[str]], most: int
    ) -> list[list[int]]:
        """For each phrase, the visible rows that hold all its words; none when they are more than `most`."""
        allowed = self._visible(search, tagged)
        found = (self.postings.holding(phrase, most) for phrase in phrases)
        return [self.table["row"][spots[allowed[spots]]].tolist() if spots is not None else [] for spots in found]

    def _visible(self, search: Search, tagged: NDArray[np.int64] | None) -> Mask:
        allowed = self._gates(search).allowed
        return allowed if tagged is None else allowed & np.isin(self.table["row"], tagged)

    @property
    def _mean_length(self) -> float:
        return self._words / max(self._held, 1)

    def _legs(
        self, search: Search, allowed: Mask, bm25: NDArray[np.float32], window: NDArray[np.int64]
    ) -> list[NDArray[np.int64]]:
        """What each way of looking brings: meaning, words, the time asked about, standing instructions."""
        if search.depth == 0:
            return []
        legs = [_leading(bm25, allowed, search.depth)] if search.terms else []
        if search.vector is not None:
            legs.append(self._nearest(search.vector, allowed, search.depth))
        standing = np.flatnonzero(self.table["standing"] & allowed) if search.standing else np.empty(0, np.int64)
        for part, count in ((window, IN_WINDOW), (standing, STANDING)):
            if len(part) > count:
                near = np.nan_to_num(self._nearness(search, part), nan=-1.0)
                legs += [part[top_of(near, count)], part[top_of(bm25[part], count)]]
            else:
                legs.append(part)
        return legs

    def _window(self, search: Search, allowed: Mask) -> NDArray[np.int64]:
        """Rows of the time the question asks about."""
        if not search.windows:
            return np.empty(0, np.int64)
        when = np.where(np.isnan(self.table["occurred"]), self.table["created"], self.table["occurred"])
        inside = np.logical_or.reduce([(when >= since) & (when < until) for since, until in search.windows])
        return np.flatnonzero(inside & allowed)

    def _nearest(self, query: NDArray[np.float32], allowed: Mask, count: int) -> NDArray[np.int64]:
        held = np.flatnonzero(allowed & (self.table["vectors"] > 0))
        if len(held) > EXACT:
            held = self.vectors.likely(query, allowed, count)
        near = self.vectors.nearness(query, self.table["vector"][held], self.table["vectors"][held], rough=True)
        return held[top_of(near, count)]

    def _cosines(self, search: Search, spots: NDArray[np.int64], selected: Mask) -> NDArray[np.float32]:
        """Exact for what a leg brought; for neighbours, who only lend, nearly so."""
        found = self._nearness(search, spots, rough=True) if not selected.all() else np.empty(len(spots), np.float32)
        found[selected] = self._nearness(search, spots[selected])
        return found

    def _nearness(self, search: Search, spots: NDArray[np.int64], *, rough: bool = False) -> NDArray[np.float32]:
        if search.vector is None:
            return np.full(len(spots), np.nan, np.float32)
        starts, counts = self.table["vector"][spots], self.table["vectors"][spots]
        return self.vectors.nearness(search.vector, starts, counts, rough=rough)

    def _mean_cosine(self, search: Search) -> float:
        """The cosine of the query with the mean of all memories: what an unrelated memory has."""
        if search.vector is None or self.vectors.size == 0:
            return 0.0
        if self._mean is None:
            held = np.flatnonzero((self.table["vectors"] > 0) & (self.table["status"] != DEAD))
            if len(held) == 0:
                return 0.0
            self._mean = self.vectors.mean_of(self.table["vector"][held])
        return float(self._mean @ search.vector)

    def _named(self, rows: Sequence[int], allowed: Mask) -> NDArray[np.int64]:
        """Rows asked for by number, as far as they may be seen."""
        spots = [spot for row in rows if (spot := self._where().get(row)) is not None and allowed[spot]]
        return np.array(spots, np.int64)

    def _gates(self, search: Search) -> Composed:
        """The mask of a search, remembered until the index changes or a memory's time comes or runs out."""
        key = (search.viewer.places(), search.filter, search.explain)
        kept = self._masks.get(key)
        if kept is not None and kept.since <= search.now < kept.until:
            return kept.gates
        gates = compose(Gates(self.table, self.names, search, self._replacements()), search.filter)
        self._masks[key] = _Kept(search.now, self._next_turning(search.now), gates)
        if len(self._masks) > _REMEMBERED_MASKS:
            self._masks.popitem(last=False)
        return gates

    def _next_turning(self, now: float) -> float:
        """When the first memory after `now` expires or begins or ceases to hold."""
        soonest = float("inf")
        for name in ("expires", "valid_until", "valid_from"):
            times: NDArray[np.float64] = self.table[name]
            soonest = min(soonest, float(np.min(times, initial=np.inf, where=times > now)))
        return soonest

    def _replacements(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Which rows replace which, as two columns of row numbers."""
        sources = np.flatnonzero((self.table["supersedes"] != 0) & (self.table["status"] != DEAD))
        if len(sources) == 0:
            return sources, sources
        targets = [self._where().get(row, -1) for row in self.table["supersedes"][sources].tolist()]
        found = np.array(targets, np.intp)
        return sources[found >= 0], found[found >= 0]

    def _with_neighbours(self, spots: NDArray[np.int64], reach: int, allowed: Mask) -> NDArray[np.int64]:
        """The rows themselves and, where people talk, the turns just before and after them in the same session."""
        if not reach or len(spots) == 0:
            return spots
        said = spots[self.table["role"][spots] == PERSON]
        own = _turn(self.table["thread"][said], self.table["position"][said])
        own = own[own >= 0]
        if len(own) == 0:
            return spots
        around = np.concatenate([own + step for step in range(-reach, reach + 1) if step])
        found = np.concatenate([turns.find(around) for turns in self._all_turns()])
        found = found[allowed[found] & (self.table["role"][found] == PERSON)]
        return distinct(np.concatenate((spots, found)))

    def _all_turns(self) -> tuple[_Turns, _Turns]:
        """Every turn sorted, but for the newest rows, which are sorted anew each time until they are many."""
        if self._turns is None or self.table.size - self._turns.until > _TAIL:
            self._turns = self._sorted_turns(0)
        return self._turns, self._sorted_turns(self._turns.until)

    def _sorted_turns(self, first: int) -> _Turns:
        keys = _turn(self.table["thread"][first:], self.table["position"][first:])
        order = np.argsort(keys, kind="stable")
        order = order[keys[order] >= 0]
        return _Turns(self.table.size, keys[order], order + first)

    def _where(self) -> dict[int, int]:
        if self._spots is None:
            alive = np.flatnonzero(self.table["status"] != DEAD)
            self._spots = dict(zip(self.table["row"][alive].tolist(), alive.tolist(), strict=True))
        return self._spots

    def _set_in_place(self, entry: Entry) -> bool:
        spot = self._where().get(entry.row)
        if spot is None:
            return False
        if self.table["text"][spot] != lexical_key(entry.memory):
            self._kill(spot)
            return False
        start, length = int(self.table["vector"][spot]), int(self.table["length"][spot])
        if entry.vectors is not None:
            if int(self.table["vectors"][spot]) == entry.count:
                self.vectors.replace(start, entry.vectors)
            else:
                start = self.vectors.append(entry.vectors, np.full(entry.count, spot, np.int32))
        turn = (self.table["thread"][spot], self.table["position"][spot])
        for name, value in cells(entry, self.names, length, start).items():
            self.table.set(name, spot, value)
        if turn != (self.table["thread"][spot], self.table["position"][spot]):
            self._turns = None
        return True

    def _append(self, entries: Sequence[Entry]) -> None:
        documents = [lexical_terms(entry.memory) for entry in entries]
        first, place = self.table.size, self.vectors.size
        counts = [entry.count for entry in entries]
        held = [entry.vectors for entry in entries if entry.vectors is not None]
        if held:
            owners = np.repeat(np.arange(first, first + len(entries), dtype=np.int32), counts)
            self.vectors.append(np.concatenate(held), owners)
        starts = place + np.cumsum([0, *counts[:-1]])
        made = [
            cells(entry, self.names, len(terms), start)
            for entry, terms, start in zip(entries, documents, starts.tolist(), strict=True)
        ]
        self.table.append(as_arrays(made))
        if len(entries) > OPEN_ROWS:
            self.postings.extend(first, documents)
        else:
            for spot, terms in enumerate(documents, first):
                self.postings.add(spot, terms)
        if self._spots is not None:
            self._spots.update((entry.row, spot) for spot, entry in enumerate(entries, first))
        self._words += sum(map(len, documents))
        self._held += len(entries)

    def _kill(self, spot: int) -> None:
        self.table.set("status", spot, DEAD)
        self._words -= int(self.table["length"][spot])
        self._held -= 1
        self.table.set("length", spot, 0)
        self.table.set("position", spot, NO_POSITION)
        self.postings.drop(spot)
        self._turns = None

    def _stale(self, count: int) -> None:
        self.changes += count
        self._masks.clear()
        # The mean moves slowly; it is taken anew once a per cent of the rows changed.
        self._mean_age += count
        if self._mean_age > self.table.size // 100:
            self._mean, self._mean_age = None, 0


def _leading(scores: NDArray[np.float32], allowed: Mask, depth: int) -> NDArray[np.int64]:
    met = np.flatnonzero((scores > 0) & allowed)
    return met[top_of(scores[met], depth)]


def _turn(session: Array, position: Array) -> NDArray[np.int64]:
    """One number for a turn of a session; negative when either is unknown."""
    key = session.astype(np.int64) << 32 | position.astype(np.int64) & 0xFFFFFFFF
    return np.where((session < 0) | (position < 0), -1, key)
