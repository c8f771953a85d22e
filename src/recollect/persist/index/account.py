"""AccountIndex: everything derived for one account, kept in step with the store by journal sequence, and its search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.persist.index.growing import Growing
from recollect.persist.index.mask import DEAD, SUPERSEDED, Mask
from recollect.persist.index.masks import Masks
from recollect.persist.index.postings import OPEN_ROWS, Postings
from recollect.persist.index.rows import (
    KINDS,
    NO_POSITION,
    SCORED,
    Entry,
    Names,
    as_columns,
    cells,
    lexical_key,
    lexical_terms,
    scoring_columns,
)
from recollect.persist.index.turns import Turns
from recollect.persist.index.vectors import EXACT, VectorIndex, distinct, top_of
from recollect.values.search import IN_WINDOW, STANDING, TALKING, Candidates, Search

_NO_ROWS = np.empty(0, np.int64)


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
        self._version = 0
        self._spots: dict[int, int] | None = None
        self._turns = Turns(self.table)
        self._mean: NDArray[np.float32] | None = None
        self._mean_age = 0
        self._scored: tuple[object, NDArray[np.float32], NDArray[np.float32]] | None = None
        self._masks = Masks(self.table, self.names, self._where)
        self._words = int(self.table["length"].sum())
        self._held = int((self.table["status"] != DEAD).sum())

    @property
    def wasted(self) -> float:
        """The share of rows that only a rebuild would free."""
        return 1 - self._held / self.table.size if self.table.size else 0.0

    def upsert(self, entries: Sequence[Entry]) -> None:
        """Bring stored memories in: new rows are appended, changed ones set in place where words and vectors allow."""
        fresh = [entry for entry in entries if not self._set_in_place(entry)]
        if len(fresh) < len(entries):
            self._masks.forget()
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
        gates = self._masks.of(search)
        allowed = self._visible(search, tagged)
        bm25, idf = self._scores(search.terms)
        window = self._window(search, allowed)
        legs = self._legs(search, allowed, bm25)
        more = self._extra_legs(search, allowed, bm25, window)
        chosen = distinct(np.concatenate([self._named(search.rows, allowed), *legs, *more]))
        talking = np.concatenate([_NO_ROWS, *(leg[:TALKING] for leg in legs)])
        beside = self._turns.beside(talking, search.neighbours, allowed)
        spots = distinct(np.concatenate((chosen, beside))) if len(beside) else chosen
        spots = spots[np.argsort(self.table["row"][spots], kind="stable")]
        selected = np.isin(spots, chosen) if len(spots) > len(chosen) else np.ones(len(spots), np.bool_)
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
        if self._scored is None or self._scored[0] != (terms, self._version):
            made = self.postings.scores(terms, self.table["length"], self._held, self._mean_length)
            self._scored = ((terms, self._version), *made)
        return self._scored[1], self._scored[2]

    def holding(
        self, search: Search, tagged: NDArray[np.int64] | None, phrases: Sequence[Sequence[str]], most: int
    ) -> list[list[int]]:
        """For each phrase, the visible rows that hold all its words; none when they are more than `most`."""
        allowed = self._visible(search, tagged)
        found = (self.postings.holding(phrase, most) for phrase in phrases)
        return [self.table["row"][spots[allowed[spots]]].tolist() if spots is not None else [] for spots in found]

    def _visible(self, search: Search, tagged: NDArray[np.int64] | None) -> Mask:
        allowed = self._masks.of(search).allowed
        return allowed if tagged is None else allowed & np.isin(self.table["row"], tagged)

    @property
    def _mean_length(self) -> float:
        return self._words / max(self._held, 1)

    def _legs(self, search: Search, allowed: Mask, bm25: NDArray[np.float32]) -> list[NDArray[np.int64]]:
        """What meaning and words bring, each best first."""
        if search.depth == 0:
            return []
        legs = [_leading(bm25, allowed, search.depth)] if search.terms else []
        if search.vector is not None:
            legs.append(self._nearest(search.vector, allowed, search.depth))
        return legs

    def _extra_legs(
        self, search: Search, allowed: Mask, bm25: NDArray[np.float32], window: NDArray[np.int64]
    ) -> list[NDArray[np.int64]]:
        """What the time asked about and standing instructions bring."""
        legs: list[NDArray[np.int64]] = []
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
        embedded = allowed & (self.table["vectors"] > 0)
        many = np.count_nonzero(embedded) > EXACT
        held = self.vectors.likely(query, embedded, count) if many else np.flatnonzero(embedded)
        near = self.vectors.nearness(query, self.table["vector"][held], self.table["vectors"][held], rough=True)
        top = top_of(near, count)
        return held[top[np.argsort(-near[top], kind="stable")]]

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
        if not search.mean or search.vector is None or self.vectors.size == 0:
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
            self._turns.forget()
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
        self.table.append(as_columns(made))
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
        self._masks.forget()
        self.table.set("status", spot, DEAD)
        self._words -= int(self.table["length"][spot])
        self._held -= 1
        self.table.set("length", spot, 0)
        self.table.set("position", spot, NO_POSITION)
        self.postings.drop(spot)
        self._turns.forget()

    def _stale(self, count: int) -> None:
        self.changes += count
        self._version += 1
        # The mean moves slowly; it is taken anew once a per cent of the rows changed.
        self._mean_age += count
        if self._mean_age > self.table.size // 100:
            self._mean, self._mean_age = None, 0


def _leading(scores: NDArray[np.float32], allowed: Mask, depth: int) -> NDArray[np.int64]:
    met = np.flatnonzero((scores > 0) & allowed)
    top = met[top_of(scores[met], depth)]
    return top[np.argsort(-scores[top], kind="stable")]
