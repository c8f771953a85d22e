"""Masks: the masks of recent searches, kept while they stay true and extended when rows are only added.

A mask is good until a row changes in place or a memory's time comes or runs out; most calls in between only append.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from recollect.persist.index.growing import Growing, Part
from recollect.persist.index.mask import DEAD, Composed, Gates, Spots, compose
from recollect.persist.index.rows import Names
from recollect.values.search import Search

_REMEMBERED = 16


@dataclass(frozen=True, slots=True)
class _Kept:
    """What was decided, for how many rows, and the span of time in which it stays true."""

    since: float
    until: float
    size: int
    gates: Composed


class Masks:
    """The masks of one index; `where` tells in which row of it a stored memory is."""

    def __init__(self, table: Growing, names: Names, where: Callable[[], Mapping[int, int]]) -> None:
        self._table, self._names, self._where = table, names, where
        self._kept: OrderedDict[object, _Kept] = OrderedDict()

    def forget(self) -> None:
        """A row changed in place: nothing that was decided can be trusted."""
        self._kept.clear()

    def of(self, search: Search) -> Composed:
        """The decisions for one search."""
        key = (search.viewer.places(), search.filter, search.explain, search.past)
        kept = self._kept.get(key)
        if kept is None or search.past or not kept.since <= search.now < kept.until:
            kept = self._decided(search)
        elif kept.size < self._table.size:
            kept = self._extended(search, kept)
        self._kept[key] = kept
        if len(self._kept) > _REMEMBERED:
            self._kept.popitem(last=False)
        return kept.gates

    def _decided(self, search: Search) -> _Kept:
        whole = Part(self._table, 0)
        gates = compose(Gates(whole, self._names, search, self._replacements()), search.filter)
        return _Kept(search.now, _next_turning(whole, search.now), self._table.size, gates)

    def _extended(self, search: Search, kept: _Kept) -> _Kept:
        tail = Part(self._table, kept.size)
        if search.explain or tail["supersedes"].any():
            return self._decided(search)
        none = np.empty(0, np.intp)
        more = compose(Gates(tail, self._names, search, (none, none)), search.filter)
        until = min(kept.until, _next_turning(tail, search.now))
        return _Kept(kept.since, until, self._table.size, kept.gates.extended(more))

    def _replacements(self) -> tuple[Spots, Spots]:
        """Which rows replace which, as two columns of row numbers."""
        sources = np.flatnonzero((self._table["supersedes"] != 0) & (self._table["status"] != DEAD))
        if len(sources) == 0:
            return sources, sources
        where = self._where()
        found = np.array([where.get(row, -1) for row in self._table["supersedes"][sources].tolist()], np.intp)
        return sources[found >= 0], found[found >= 0]


def _next_turning(table: Part, now: float) -> float:
    """When the first memory after `now` expires or begins or ceases to hold."""
    times = [table[name] for name in ("expires", "valid_until", "valid_from")]
    ahead = [later for part in times if len(later := part[part > now])]
    return min((float(later.min()) for later in ahead), default=np.inf)
