"""IndexSearch: one search over the arrays of an account. Every leg under the mask, their neighbours, and the signals of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.store.index.account_index import AccountIndex
from recollect.store.index.columns import SCORED, scoring_columns
from recollect.store.index.vectors import EXACT, distinct, top_of
from recollect.store.index.visibility_mask import SUPERSEDED, BeyondColumns, LookUp, Mask, one_of
from recollect.values.enums import DELIVERIES, MEMORY_TYPES
from recollect.values.search import IN_WINDOW, STANDING, TALKING, Candidates, DeliveryQuery, Near, Search

_NO_ROWS = np.empty(0, np.int64)
Spots = NDArray[np.int64]


class IndexSearch:
    """An index seen through one search: what it may return is decided first, then what is worth returning."""

    def __init__(self, index: AccountIndex, search: Search, look_up: LookUp) -> None:
        self._index, self._search, self._table = index, search, index.table
        self._gates = index.masks.of(search, BeyondColumns(index.where, look_up))
        self._allowed = self._gates.allowed

    def candidates(self) -> Candidates:
        """The rows worth scoring."""
        index, search = self._index, self._search
        bm25, idf = index.scores(search.terms)
        window = self._window()
        legs = self._legs(bm25)
        if 0 < self._gates.visible <= search.every:
            chosen = self._allowed.nonzero()[0]
        else:
            chosen = distinct(np.concatenate([self._named(), *legs, *self._extra_legs(bm25, window)]))
        talking = np.concatenate([_NO_ROWS, *(leg[:TALKING] for leg in legs)])
        beside = index.turns.beside(talking, search.neighbours, self._allowed)
        spots = distinct(np.concatenate((chosen, beside))) if len(beside) else chosen
        spots = spots[self._table["row"][spots].argsort(kind="stable")]
        selected = _among(spots, chosen)
        taken = {name: self._table[name][spots] for name in SCORED}
        taken["status"], taken["season"] = self._standing(spots), self._in_season(taken["season"])
        return Candidates(
            rows=taken["row"],
            cosine=self._nearness(search.vector, spots),
            bm25=bm25[spots],
            matches=index.postings.matches(search.terms, spots),
            selected=selected,
            columns=scoring_columns(taken),
            considered=self._gates.considered,
            visible=self._gates.visible,
            hidden=tuple(self._gates.left_out.items()),
            idf=idf,
            mean_cosine=index.mean_cosine(search),
            mean_length=index.mean_length,
            in_window=len(window),
            holders=self._holders(),
        )

    def near(self, vectors: Sequence[NDArray[np.float32]]) -> list[Near]:
        """The nearest rows of each of several vectors."""
        found = []
        for vector in vectors:
            leg, near = self._nearest(vector)
            found.append(Near(self._table["row"][leg], near, self._standing(leg)))
        return found

    def rows_with_terms(self, phrases: Sequence[Sequence[str]], most: int) -> list[list[int]]:
        """For each phrase, the visible rows that hold all its words; none when they are more than `most`."""
        found = (self._index.postings.rows_with_terms(phrase, most) for phrase in phrases)
        rows = self._table["row"]
        return [rows[spots[self._allowed[spots]]].tolist() if spots is not None else [] for spots in found]

    def _holders(self) -> NDArray[np.int64]:
        """How many visible rows have each term, where the search asks for it."""
        search = self._search
        found = self.rows_with_terms([(term,) for term in search.terms], search.holders) if search.holders else []
        return np.array([len(rows) for rows in found], np.int64)

    def filter_visible(self, rows: Sequence[int]) -> list[int]:
        """Those of some rows that may be returned."""
        where = self._index.where()
        return [row for row in rows if (spot := where.get(row)) is not None and self._allowed[spot]]

    def list_by_delivery(self, query: DeliveryQuery) -> list[int]:
        """Visible rows by delivery and type: the most important first, or from a time on the latest first."""
        table, mask = self._table, self._allowed
        for name, wanted, words in (("delivery", query.deliveries, DELIVERIES), ("type", query.types, MEMORY_TYPES)):
            if wanted:
                mask = mask & one_of(table[name], wanted, words)
        keys = [table["importance"], table["created"]]
        if query.since is not None:
            keys = [np.fmax(table["created"], table["hit"])]
            mask = mask & (keys[0] >= query.since)
        if query.rows is not None:
            mask = mask & np.isin(table["row"], query.rows)
        first = leading(np.flatnonzero(mask), [*keys, table["row"]], query.limit)
        return [int(row) for row in table["row"][first]]

    def _standing(self, spots: Spots) -> NDArray[np.uint8]:
        """The status of rows for this viewer."""
        status: NDArray[np.uint8] = np.where(self._gates.superseded[spots], SUPERSEDED, self._table["status"][spots])
        return status

    def _in_season(self, labels: NDArray[np.int32]) -> NDArray[np.int8]:
        """1 for the seasons asked about, -1 for others, 0 where a memory has none."""
        if not (labels >= 0).any():
            return np.zeros(len(labels), np.int8)
        strings = self._index.names.strings
        asked = [strings.seen(season) for season in self._search.seasons]
        found = np.where(np.isin(labels, asked), 1, -1) if asked else np.full(len(labels), -1)
        return np.where(labels < 0, 0, found).astype(np.int8)

    def _legs(self, bm25: NDArray[np.float32]) -> list[Spots]:
        """What meaning and words bring, each best first."""
        search = self._search
        if search.depth == 0:
            return []
        legs = [self._leading(bm25)] if search.terms else []
        if search.vector is not None:
            legs.append(self._nearest(search.vector)[0])
        return legs

    def _leading(self, scores: NDArray[np.float32]) -> Spots:
        met = ((scores > 0) & self._allowed).nonzero()[0]
        # Sorted first, so that of equal scores the earlier row comes first, whatever order the partition left.
        top = np.sort(met[top_of(scores[met], self._search.depth)])
        return top[(-scores[top]).argsort(kind="stable")]

    def _extra_legs(self, bm25: NDArray[np.float32], window: Spots) -> list[Spots]:
        """What the time asked about and standing instructions bring."""
        legs: list[Spots] = []
        standing = np.flatnonzero(self._table["standing"] & self._allowed) if self._search.standing else _NO_ROWS
        for part, count in ((window, IN_WINDOW), (standing, STANDING)):
            if len(part) > count:
                legs += [self._nearest_of(part, count), part[top_of(bm25[part], count)]]
            else:
                legs.append(part)
        return legs

    def _nearest_of(self, part: Spots, count: int) -> Spots:
        """The nearest of some rows. Of many, only those that sign bits say are likely are compared."""
        vector = self._search.vector
        if vector is not None and len(part) > EXACT:
            among = np.zeros(len(self._allowed), np.bool_)
            among[part] = True
            part, near = self._likely(vector, among & self._gates.embedded, count)
        else:
            near = np.nan_to_num(self._nearness(vector, part), nan=-1.0)
        return part[top_of(near, count)]

    def _window(self) -> Spots:
        """Rows of the time the question asks about."""
        if not self._search.windows:
            return _NO_ROWS
        when = np.where(np.isnan(self._table["occurred"]), self._table["created"], self._table["occurred"])
        inside = np.logical_or.reduce([(when >= since) & (when < until) for since, until in self._search.windows])
        return np.flatnonzero(inside & self._allowed)

    def _nearest(self, vector: NDArray[np.float32]) -> tuple[Spots, NDArray[np.float32]]:
        """The rows nearest to a vector, best first, and how near they are."""
        count = self._search.depth
        if self._gates.comparable > EXACT:
            held, near = self._likely(vector, self._gates.embedded, count)
        else:
            held, spans = self._index.comparable(self._gates)
            near = self._index.vectors.nearness(vector, spans)
        top = top_of(near, count)
        top = top[(-near[top]).argsort(kind="stable")]
        return held[top], near[top]

    def _likely(self, vector: NDArray[np.float32], among: Mask, count: int) -> tuple[Spots, NDArray[np.float32]]:
        """Rows that are among the nearest of some, in their order, and how near they are."""
        held, near = self._index.vectors.likely(vector, among, count)
        return held, self._nearness(vector, held) if near is None else near

    def _nearness(self, vector: NDArray[np.float32] | None, spots: Spots) -> NDArray[np.float32]:
        if vector is None:
            return np.full(len(spots), np.nan, np.float32)
        return self._index.vectors.nearness(vector, self._index.spans(spots))

    def _named(self) -> Spots:
        """Rows asked for by number, as far as they may be seen."""
        where = self._index.where() if self._search.rows else {}
        return np.array([where[row] for row in self.filter_visible(self._search.rows)], np.int64)


def _among(spots: Spots, chosen: Spots) -> Mask:
    """Which of some spots are among the chosen, which are sorted and some of them."""
    if len(spots) == len(chosen):
        return np.ones(len(spots), np.bool_)
    place = chosen.searchsorted(spots)
    place[place == len(chosen)] = 0
    return np.asarray(chosen[place] == spots) if len(chosen) else np.zeros(len(spots), np.bool_)


def leading(spots: Spots, keys: Sequence[NDArray[Any]], count: int) -> Spots:
    """The first of some spots by several keys, the largest first; only ties go to the next key, so few are sorted."""
    if len(spots) > count and keys:
        values = keys[0][spots]
        bound = np.partition(values, len(values) - count)[len(values) - count]
        above = spots[values > bound]
        spots = np.concatenate((above, leading(spots[values == bound], keys[1:], count - len(above))))
    order = np.lexsort([-key[spots] for key in reversed(keys)]) if keys else np.arange(len(spots))
    return spots[order][:count]
