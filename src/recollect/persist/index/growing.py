"""Growing arrays: named numpy columns that append in amortised constant time and can start from a mapped file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Growing:
    """A table of equally long columns; `self[name]` is the live part of one of them."""

    def __init__(self, kinds: Mapping[str, np.dtype[np.generic]], arrays: Mapping[str, Array] | None = None) -> None:
        self._kinds = dict(kinds)
        self._arrays: dict[str, Array] = dict(arrays) if arrays else {n: np.empty(0, k) for n, k in kinds.items()}
        self.size = len(next(iter(self._arrays.values())))
        self._room = 0  # for so many rows every column has room and may be changed

    def __getitem__(self, name: str) -> Array:
        return self._arrays[name][: self.size]

    def append(self, rows: Sequence[Mapping[str, float]]) -> int:
        """Add rows, each given by its cells; returns the number of the first."""
        first, self.size = self.size, self.size + len(rows)
        if self.size > self._room:
            self._arrays = {name: _grown(self._arrays[name], self.size, kind) for name, kind in self._kinds.items()}
            self._room = min(map(len, self._arrays.values()))
        if len(rows) == 1:  # as for every single memory; a list of one takes ten times as long
            for name, array in self._arrays.items():
                array[first] = rows[0][name]
        else:
            for name, array in self._arrays.items():
                array[first : self.size] = [row[name] for row in rows]
        return first

    def set(self, name: str, row: int, value: float) -> None:
        """Change one cell."""
        self.writable(name)[row] = value

    def writable(self, name: str) -> Array:
        """A column to change cells of; one that is still a read-only map becomes a copy first."""
        array = self._arrays[name]
        if not array.flags.writeable:
            array = self._arrays[name] = np.array(array)
        return array

    def live(self) -> dict[str, Array]:
        """Every column, cut to its rows, for writing a snapshot."""
        return {name: self[name] for name in self._kinds}


class Part:
    """The rows of a table from one of them on, seen like a table."""

    def __init__(self, table: Growing, first: int) -> None:
        self._table, self._first = table, first
        self.size = table.size - first

    def __getitem__(self, name: str) -> Array:
        return self._table[name][self._first :]


def _grown(array: Array, size: int, kind: np.dtype[np.generic]) -> Array:
    if size <= len(array) and array.flags.writeable:
        return array
    grown = np.empty(max(size, len(array) + len(array) // 2, 64), kind)
    grown[: len(array)] = array
    return grown
