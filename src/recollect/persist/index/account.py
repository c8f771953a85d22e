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
    Entry,
    Names,
    as_arrays,
    cells,
    lexical_key,
    lexical_terms,
    scoring_columns,
)
from recollect.persist.index.vectors import VectorIndex, top_of
from recollect.values.search import Candidates, Search

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
                self.table.set("accessed", spot, at)

    def search(self, search: Search, tagged: NDArray[np.int64] | None = None) -> Candidates:
        """The candidates of one search: both legs under the mask, their neighbours, and the signals of each."""
        gates = self._gates(search)
        allowed = gates.allowed if tagged is None else gates.allowed & np.isin(self.table["row"], tagged)
        legs = [self._named(search.rows, allowed)]
        bm25 = np.zeros(self.table.size, np.float32)
        idf = np.zeros(len(search.terms), np.float32)
        if search.vector is not None:
            legs.append(self.vectors.nearest(search.vector, allowed, search.depth))
        if search.terms:
            lengths: NDArray[np.int32] = self.table["length"]
            bm25, idf = self.postings.scores(search.terms, lengths, self._held, self._words / max(self._held, 1))
            legs.append(_leading(bm25, allowed, search.depth))
        chosen = np.unique(np.concatenate(legs))
        spots = self._with_neighbours(chosen, search.neighbours, allowed)
        taken = {name: self.table[name][spots] for name in KINDS}
        taken["status"] = np.where(gates.superseded[spots], SUPERSEDED, taken["status"])
        missing = np.full(len(spots), np.nan, np.float32)
        return Candidates(
            rows=taken["row"],
            cosine=missing
            if search.vector is None
            else self.vectors.cosines(search.vector, taken["vector"], taken["vectors"]),
            bm25=bm25[spots],
            matches=self.postings.matches(search.terms, spots),
            selected=np.isin(spots, chosen),
            columns=scoring_columns(taken),
            considered=self._held,
            visible=int(np.count_nonzero(allowed)),
            hidden=tuple(gates.held.items()),
            idf=idf,
            speakers=self._speakers(taken["speaker"]),
        )

    def _named(self, rows: Sequence[int], allowed: Mask) -> NDArray[np.int64]:
        """Rows asked for by number, as far as they may be seen."""
        spots = [spot for row in rows if (spot := self._where().get(row)) is not None and allowed[spot]]
        return np.array(spots, np.int64)

    def _speakers(self, numbers: Array) -> dict[int, str]:
        """The names behind the speaker column."""
        return {n: str(self.names.strings.known[n]) for n in np.unique(numbers).tolist() if n >= 0}

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
        """The rows themselves and the turns said just before and after them in the same session."""
        if not reach or len(spots) == 0:
            return spots
        own = _turn(self.table["session"][spots], self.table["position"][spots])
        around = np.concatenate([own[own >= 0] + step for step in range(-reach, reach + 1) if step])
        found = np.concatenate([turns.find(around) for turns in self._all_turns()])
        return np.unique(np.concatenate((spots, found[allowed[found]])))

    def _all_turns(self) -> tuple[_Turns, _Turns]:
        """Every turn sorted, but for the newest rows, which are sorted anew each time until they are many."""
        if self._turns is None or self.table.size - self._turns.until > _TAIL:
            self._turns = self._sorted_turns(0)
        return self._turns, self._sorted_turns(self._turns.until)

    def _sorted_turns(self, first: int) -> _Turns:
        keys = _turn(self.table["session"][first:], self.table["position"][first:])
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
        for name, value in cells(entry, self.names, length, start).items():
            self.table.set(name, spot, value)
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


def _leading(scores: NDArray[np.float32], allowed: Mask, depth: int) -> NDArray[np.int64]:
    masked = np.where(allowed, scores, np.float32(0))
    top = top_of(masked, depth)
    return top[masked[top] > 0].astype(np.int64)


def _turn(session: Array, position: Array) -> NDArray[np.int64]:
    """One number for a turn of a session; negative when either is unknown."""
    key = session.astype(np.int64) << 32 | position.astype(np.int64) & 0xFFFFFFFF
    return np.where((session < 0) | (position < 0), -1, key)
