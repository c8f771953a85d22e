"""Columns: arrays between numpy and the server in binary, without a Python object a value.

Loaders are for the binary format only, so that cursors which ask for text still get lists. No array may hold a NULL.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format

from recollect.values.words import STATUSES

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.abc import Buffer, PyFormat

Array = NDArray[Any]

# By type: the number of the element type, the number of the array type, and how the wire spells an element.
_KINDS: dict[str, tuple[int, int, str]] = {
    "bool": (16, 1000, "?"),
    "int16": (21, 1005, ">i2"),
    "int32": (23, 1007, ">i4"),
    "int64": (20, 1016, ">i8"),
    "float32": (700, 1021, ">f4"),
    "float64": (701, 1022, ">f8"),
}
_TEXT = 25
_TID, _TIDS = 27, 1010
_TID_CELL = np.dtype([("size", ">i4"), ("block", ">u4"), ("line", ">u2")])
_HEAD = struct.Struct(">iiIii")
WORDS_HEAD = _HEAD.size


class Dense:
    """A vector on its way to the server; the statement says `::vector` or `::halfvec`."""

    __slots__ = ("vector",)

    def __init__(self, vector: NDArray[np.float32]) -> None:
        self.vector = vector


class Half(Dense):
    """The same in half precision, as the server stores it: it would round it again for every row it compares."""

    __slots__ = ()


class Texts:
    """Some texts on their way to the server, a `text[]` there; the driver's own lists cost twenty times as much."""

    __slots__ = ("texts",)

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(texts)


class Spots:
    """Where some rows stand on the pages of their table, on their way to the server: `tid[]` there, one number each here."""

    __slots__ = ("spots",)

    def __init__(self, spots: NDArray[np.int64]) -> None:
        self.spots = spots


class _SpotsDumper(Dumper):
    format = Format.BINARY
    oid = _TIDS

    def dump(self, obj: Spots) -> Buffer:
        spots = obj.spots
        if len(spots) == 0:
            return struct.pack(">iiI", 0, 0, _TID)
        cells = np.empty(len(spots), _TID_CELL)
        cells["size"], cells["block"], cells["line"] = 6, spots >> 16, spots & 0xFFFF
        return _HEAD.pack(1, 0, _TID, len(spots), 1) + cells.tobytes()


class _SpotsLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> Array:
        if len(data) <= WORDS_HEAD:
            return np.empty(0, np.int64)
        cells = np.frombuffer(data, _TID_CELL, offset=WORDS_HEAD)
        spots: Array = cells["block"].astype(np.int64) << 16 | cells["line"]
        return spots


class _TextsDumper(Dumper):
    format = Format.BINARY
    oid = 1009

    def dump(self, obj: Texts) -> Buffer:
        return _spelled(obj.texts)


@lru_cache(maxsize=1024)
def _spelled(texts: tuple[str, ...]) -> bytes:
    if not texts:
        return struct.pack(">iiI", 0, 0, _TEXT)
    spelled = [text.encode() for text in texts]
    return _HEAD.pack(1, 0, _TEXT, len(texts), 1) + b"".join(struct.pack(">i", len(one)) + one for one in spelled)


class _DenseDumper(Dumper):
    format = Format.BINARY
    oid = 0  # the statement's own cast tells the type: the extension's numbers differ from database to database

    def dump(self, obj: Dense) -> Buffer:
        return struct.pack(">hh", len(obj.vector), 0) + obj.vector.astype(">f4").tobytes()


class _HalfDumper(_DenseDumper):
    def dump(self, obj: Dense) -> Buffer:
        return struct.pack(">hh", len(obj.vector), 0) + obj.vector.astype(">f2").tobytes()


class _ArrayDumper(Dumper):
    format = Format.BINARY
    element, wire = 0, ""

    def get_key(self, obj: Array, format: PyFormat) -> Any:  # noqa: ARG002  (the library's names)
        return (np.ndarray, obj.dtype.str)

    def upgrade(self, obj: Array, format: PyFormat) -> Dumper:  # noqa: ARG002
        return _DUMPERS[obj.dtype.str](np.ndarray)

    def dump(self, obj: Array) -> Buffer:
        element, wire = self.element, self.wire
        if len(obj) == 0:
            return struct.pack(">iiI", 0, 0, element)
        width = obj.dtype.itemsize
        cells = np.empty(len(obj), [("size", ">i4"), ("value", wire)])
        cells["size"], cells["value"] = width, obj
        return _HEAD.pack(1, 0, element, len(obj), 1) + cells.tobytes()


def values_in(raw: Buffer, wire: str) -> Array:
    """The values of an array as the wire spells it."""
    if len(raw) <= WORDS_HEAD:
        return np.empty(0, np.dtype(wire).newbyteorder("="))
    cells = np.frombuffer(raw, [("size", ">i4"), ("value", wire)], offset=WORDS_HEAD)
    return cells["value"].astype(np.dtype(wire).newbyteorder("="))


class _ArrayLoader(Loader):
    format = Format.BINARY
    wire = "?"

    def load(self, data: Buffer) -> Array:
        return values_in(data, self.wire)


# By how numpy spells a type: its name is worked out anew each time it is asked for.
_DUMPERS: dict[str, type[Dumper]] = {
    np.dtype(name).str: type(f"_{name}", (_ArrayDumper,), {"oid": array, "element": element, "wire": wire})
    for name, (element, array, wire) in _KINDS.items()
}


def register(connection: Connection[Any]) -> None:
    """Teach a new connection arrays and vectors."""
    adapters = connection.adapters
    adapters.register_dumper(np.ndarray, _ArrayDumper)
    adapters.register_dumper(Dense, _DenseDumper)
    adapters.register_dumper(Half, _HalfDumper)
    adapters.register_dumper(Texts, _TextsDumper)
    adapters.register_dumper(Spots, _SpotsDumper)
    adapters.register_loader(_TIDS, _SpotsLoader)
    for name, (_, array, wire) in _KINDS.items():
        adapters.register_loader(array, type(f"_{name}_loader", (_ArrayLoader,), {"wire": wire}))


@cache
def in_codes(statement: str) -> str:
    """A statement with the statuses written in, so that they come back as their numbers."""
    return statement.replace("{statuses}", f"'{{{','.join(STATUSES)}}}'::text[]")
