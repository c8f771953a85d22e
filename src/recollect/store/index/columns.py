"""Growing arrays: named numpy columns that append in amortised constant time and can start from a mapped file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.values.enums import DELIVERIES, MEMORY_TYPES, PROVENANCE_KINDS, SCOPES, STATUSES
from recollect.values.memory import Record
from recollect.values.passages import is_named, is_question, is_standing_instruction
from recollect.values.search import Columns, role_of
from recollect.values.terms import terms_of

Array = NDArray[Any]


class ColumnTable:
    """A table of equally long columns; `self[name]` is the live part of one of them."""

    def __init__(self, kinds: Mapping[str, np.dtype[np.generic]], arrays: Mapping[str, Array] | None = None) -> None:
        self._kinds = dict(kinds)
        self._arrays: dict[str, Array] = dict(arrays) if arrays else {n: np.empty(0, k) for n, k in kinds.items()}
        self.size = len(next(iter(self._arrays.values())))
        self._room = 0  # how many rows fit before the columns must be copied
        self._shared: set[str] = set()  # columns whose cells another table reads too

    def fork(self) -> ColumnTable:
        """A table with the same rows that can change on its own.

        Both share their arrays until one of them changes a cell. Only the fork may append in place: the room behind the last row
        is its own from now on.
        """
        made = ColumnTable(self._kinds, self._arrays)
        made.size, made._room, self._room = self.size, self._room, 0
        self._shared, made._shared = set(self._kinds), set(self._kinds)
        return made

    def __getitem__(self, name: str) -> Array:
        return self._arrays[name][: self.size]

    def append(self, rows: Sequence[Mapping[str, float]]) -> int:
        """Add rows, each given by its cells; returns the number of the first."""
        first, self.size = self.size, self.size + len(rows)
        if self.size > self._room:
            self._arrays = {
                name: _grown(self._arrays[name], first, self.size, kind) for name, kind in self._kinds.items()
            }
            self._room = min(map(len, self._arrays.values()))
            self._shared.clear()
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
        """A column to change cells of; one that is shared, or still a read-only map, is copied first."""
        array = self._arrays[name]
        if name in self._shared or not array.flags.writeable:
            array = self._arrays[name] = np.array(array)
            self._shared.discard(name)
        return array

    def live(self) -> dict[str, Array]:
        """Every column, cut to its rows, for writing a snapshot."""
        return {name: self[name] for name in self._kinds}


class ColumnSlice:
    """The rows of a table from one of them on, seen like a table."""

    def __init__(self, table: ColumnTable, first: int) -> None:
        self._table, self._first = table, first
        self.size = table.size - first

    def __getitem__(self, name: str) -> Array:
        return self._table[name][self._first :]


def _grown(array: Array, used: int, size: int, kind: np.dtype[np.generic]) -> Array:
    grown = np.empty(max(size, used + used // 2, 64), kind)
    grown[:used] = array[:used]
    return grown


_KINDS: dict[str, type] = {
    "row": np.int64, "text": np.int64, "supersedes": np.int64,
    "place": np.int32, "project": np.int32, "session": np.int32, "position": np.int32, "thread": np.int32, "length": np.int32,
    "season": np.int32, "speaker": np.int32, "vector": np.int32, "vectors": np.int32,
    "status": np.uint8, "type": np.uint8, "scope": np.uint8, "source": np.uint8, "role": np.uint8, "delivery": np.uint8,
    "standing": np.bool_, "asks": np.bool_,
    "importance": np.float32, "weight": np.float32, "confidence": np.float32, "trust": np.float32, "score": np.float32,
    "strength": np.float32, "access_count": np.float32,
    "created": np.float64, "updated": np.float64, "accessed": np.float64, "hit": np.float64, "occurred": np.float64,
    "valid_from": np.float64, "valid_until": np.float64, "expires": np.float64,
}  # fmt: skip
KINDS = {name: np.dtype(kind) for name, kind in _KINDS.items()}
NO_POSITION = -1
SCORED = ("row", "vector", "vectors", *Columns.__slots__)


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One stored memory on its way into the index: its row in the store, and that of the memory it supersedes."""

    row: int
    memory: Record
    vectors: NDArray[np.float16] | None
    supersedes: int = 0

    @property
    def count(self) -> int:
        return 0 if self.vectors is None else len(self.vectors)


class Interned:
    """Strings (or places) as small numbers, in the order they were first seen."""

    def __init__(self, known: Sequence[object] = ()) -> None:
        self.known: list[object] = list(known)
        self._numbers = {value: number for number, value in enumerate(self.known)}

    def number(self, value: object) -> int:
        found = self._numbers.get(value)
        if found is None:
            found = self._numbers[value] = len(self.known)
            self.known.append(value)
        return found

    def seen(self, value: object) -> int:
        """The number of a value, or one that no row has when it never occurred (-1 is: no value)."""
        return self._numbers.get(value, -2)


class InternedNames:
    """The interned strings of one index."""

    def __init__(
        self, places: Sequence[object] = (), strings: Sequence[object] = (), threads: Sequence[object] = ()
    ) -> None:
        self.places = Interned(places)
        self.strings = Interned(strings)
        self.threads = Interned(threads)


@cache
def _codes(words: tuple[str, ...]) -> dict[str, int]:
    return {word: number for number, word in enumerate(words)}


def lexical_terms(memory: Record) -> list[str]:
    """Every term a memory is found by: its words, those its tags add to them, and who said it."""
    terms = terms_of(memory.content)
    if memory.tags:
        said = set(terms)
        terms += [term for tag in memory.tags for term in terms_of(tag) if term not in said]
    return terms + (terms_of(memory.speaker) if memory.speaker and is_named(memory.speaker) else [])


def lexical_key(memory: Record) -> int:
    """Changes exactly when the terms of a memory may have changed."""
    parts = (memory.content, *memory.tags, memory.speaker or "")
    digest = hashlib.blake2b("\x00".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def cells(entry: IndexEntry, names: InternedNames, length: int, vector: int) -> dict[str, float]:
    """The cells of one index row; its terms and its vectors were placed before."""
    m = entry.memory
    none, place = -1, names.places.number(m.place)
    return {
        "row": entry.row,
        "text": lexical_key(m),
        "supersedes": entry.supersedes,
        "place": place,
        "project": none if m.project is None else names.strings.number(m.project),
        "session": none if m.session is None else names.strings.number(m.session),
        "position": NO_POSITION if m.position is None else m.position,
        "thread": none if m.session is None else names.threads.number((place, m.session)),
        "length": length,
        "speaker": none if m.speaker is None else names.strings.number(m.speaker),
        "season": none if m.season is None else names.strings.number(m.season),
        "vector": vector,
        "vectors": entry.count,
        "status": _codes(STATUSES)[m.status],
        "type": _codes(MEMORY_TYPES)[m.type],
        "scope": _codes(SCOPES)[m.scope],
        "source": _codes(PROVENANCE_KINDS)[m.provenance.kind],
        "role": role_of(m.speaker),
        "delivery": _codes(DELIVERIES)[m.delivery],
        "standing": is_standing_instruction(m),
        "asks": is_question(m),
        "importance": m.importance,
        "weight": m.weight,
        "confidence": m.confidence,
        "trust": m.trust,
        "score": m.score,
        "strength": m.strength,
        "access_count": m.access_count,
        "created": m.created_at.timestamp(),
        "updated": m.updated_at.timestamp(),
        "accessed": m.accessed_at.timestamp(),
        "hit": _seconds(m.hit_at),
        "occurred": _seconds(m.occurred_at),
        "valid_from": _seconds(m.valid_from),
        "valid_until": _seconds(m.valid_until),
        "expires": _seconds(m.expires_at),
    }


def scoring_columns(table: dict[str, Array]) -> Columns:
    """The columns the scorer may see."""
    return Columns(*[table[name] for name in Columns.__slots__])


def _seconds(time: datetime | None) -> float:
    return float("nan") if time is None else time.timestamp()
