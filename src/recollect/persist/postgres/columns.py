"""Columns: arrays between numpy and the server in binary, without a Python object a value, and the scorer's columns from them.

Loaders are for the binary format only, so that cursors which ask for text still get lists. No array may hold a NULL.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format

from recollect.values.search import Columns
from recollect.values.words import MEMORY_TYPES, PROVENANCE_KINDS, SCOPES, STATUSES

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
_HEAD = struct.Struct(">iiIii")
WORDS_HEAD = _HEAD.size
_WORDS = {"statuses": STATUSES, "types": MEMORY_TYPES, "scopes": SCOPES, "sources": PROVENANCE_KINDS}
_NARROW = {
    **dict.fromkeys(("status", "type", "scope", "source", "role"), np.uint8),
    **dict.fromkeys(("season",), np.int8),
    **dict.fromkeys(("score", "strength", "access_count"), np.float32),
}


class Dense:
    """A vector on its way to the server; the statement says `::vector` or `::halfvec`."""

    __slots__ = ("vector",)

    def __init__(self, vector: NDArray[np.float32]) -> None:
        self.vector = vector


class Texts:
    """Some texts on their way to the server, a `text[]` there; the driver's own lists cost twenty times as much."""

    __slots__ = ("texts",)

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(texts)


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


class _ArrayDumper(Dumper):
    format = Format.BINARY

    def get_key(self, obj: Array, format: PyFormat) -> Any:  # noqa: ARG002  (the library's names)
        return (np.ndarray, obj.dtype.name)

    def upgrade(self, obj: Array, format: PyFormat) -> Dumper:  # noqa: ARG002
        return _DUMPERS[obj.dtype.name](np.ndarray)

    def dump(self, obj: Array) -> Buffer:
        element, _, wire = _KINDS[obj.dtype.name]
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


_DUMPERS: dict[str, type[Dumper]] = {
    name: type(f"_{name}", (_ArrayDumper,), {"oid": array}) for name, (_, array, _) in _KINDS.items()
}


def register(connection: Connection[Any]) -> None:
    """Teach a new connection arrays and vectors."""
    adapters = connection.adapters
    adapters.register_dumper(np.ndarray, _ArrayDumper)
    adapters.register_dumper(Dense, _DenseDumper)
    adapters.register_dumper(Texts, _TextsDumper)
    for name, (_, array, wire) in _KINDS.items():
        adapters.register_loader(array, type(f"_{name}_loader", (_ArrayLoader,), {"wire": wire}))


def scoring_columns(found: Mapping[str, Array], status: NDArray[np.uint8], lengths: NDArray[np.int32]) -> Columns:
    """The columns the scorer may see, from the arrays of the columns statement."""
    taken = {name: found[name] for name in Columns.__slots__ if name in found}
    taken |= {name: found[name].astype(kind) for name, kind in _NARROW.items() if name in found}
    return Columns(**{**taken, "status": status, "length": lengths})


@cache
def in_codes(statement: str) -> str:
    """A statement with our own closed lists of words written in, so that words come back as their numbers."""
    for name, words in _WORDS.items():
        statement = statement.replace(f"{{{name}}}", f"'{{{','.join(words)}}}'::text[]")
    return statement


def no_columns() -> Columns:
    """The columns of no rows."""
    kinds = {
        **dict.fromkeys(("importance", "weight", "confidence", "trust"), np.float32),
        **dict.fromkeys(("created", "updated", "accessed", "hit", "occurred"), np.float64),
        **dict.fromkeys(("standing", "asks"), np.bool_),
        **dict.fromkeys(("thread", "position", "length"), np.int32),
        **_NARROW,
    }
    return Columns(**{name: np.empty(0, kind) for name, kind in kinds.items()})


def words_in(raw: bytes | None) -> NDArray[np.int32]:
    """The words of many rows, one row after the other, as the statements send them."""
    if not raw:
        return np.empty(0, np.int32)
    cells = np.frombuffer(raw, [("size", ">i4"), ("value", ">i4")])
    return cells["value"].astype(np.int32)
