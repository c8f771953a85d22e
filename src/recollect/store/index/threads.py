"""Turns: which rows were said just before and after others, in the same session of the same place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from recollect.store.index.columns import Array, ColumnTable
from recollect.store.index.visibility_mask import Mask
from recollect.values.search import PERSON

_TAIL = 4096
Spots = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Sorted:
    """Turns in sorted order with the row of each; rows from `until` on are not in it."""

    until: int
    keys: NDArray[np.int64]
    spots: NDArray[np.intp]

    def find(self, wanted: NDArray[np.int64]) -> NDArray[np.intp]:
        # Several memories may be of one turn.
        first, last = self.keys.searchsorted(wanted), self.keys.searchsorted(wanted, "right")
        many = last - first
        found: NDArray[np.intp] = self.spots[np.repeat(last - np.cumsum(many), many) + np.arange(int(many.sum()))]
        return found


class Turns:
    """The turns of one index."""

    def __init__(self, table: ColumnTable) -> None:
        self._table = table
        self._sorted: _Sorted | None = None
        self._newest: _Sorted | None = None

    def fork(self, table: ColumnTable) -> Turns:
        """The same turns for a fork of the table."""
        made = Turns(table)
        made._sorted, made._newest = self._sorted, self._newest
        return made

    def forget(self) -> None:
        """A row moved to another turn."""
        self._sorted = self._newest = None

    def beside(self, spots: Spots, reach: int, allowed: Mask) -> Spots:
        """Where people talk, the turns just before and after some rows."""
        if not reach or len(spots) == 0:
            return spots[:0]
        table = self._table
        said = spots[table["role"][spots] == PERSON]
        own = turn_keys(table["thread"][said], table["position"][said])
        own = own[own >= 0]
        if len(own) == 0:
            return spots[:0]
        around = (own + _steps(reach)).ravel()
        found = np.concatenate([part.find(around) for part in self._sorted_turns()])
        kept: Spots = found[allowed[found] & (table["role"][found] == PERSON)]
        return kept

    def _sorted_turns(self) -> tuple[_Sorted, ...]:
        """All turns sorted; the newest rows apart, which are sorted anew as more come, until they are many."""
        size = self._table.size
        if self._sorted is None or size - self._sorted.until > _TAIL:
            self._sorted, self._newest = self._from(0), None
        if self._sorted.until == size:
            return (self._sorted,)
        if self._newest is None or self._newest.until < size:
            self._newest = self._from(self._sorted.until)
        return self._sorted, self._newest

    def _from(self, first: int) -> _Sorted:
        keys = turn_keys(self._table["thread"][first:], self._table["position"][first:])
        order = keys.argsort(kind="stable")
        order = order[keys[order] >= 0]
        return _Sorted(self._table.size, keys[order], order + first)


@cache
def _steps(reach: int) -> NDArray[np.int64]:
    """How far away the turns before and after are, as a column."""
    return np.array([[step] for step in range(-reach, reach + 1) if step])


def turn_keys(thread: Array, position: Array) -> NDArray[np.int64]:
    """One number for a turn of a session; negative when either is unknown."""
    key = thread.astype(np.int64) << 32 | position.astype(np.int64) & 0xFFFFFFFF
    return np.where((thread < 0) | (position < 0), -1, key)
