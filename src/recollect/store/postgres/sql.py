"""The SQL of this package, parsed once, and numpy arrays and vectors as its parameters and results.

Arrays go in the binary format, without a Python object per value. Loaders are for the binary format only, so that cursors which ask
for text still get lists. No array may contain a NULL.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format

from recollect.store.sql import named_queries, numbered_upgrades, script

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.abc import Buffer, PyFormat

queries = cache(partial(named_queries, __package__))
migrations = cache(partial(numbered_upgrades, __package__))
text_of = partial(script, __package__)

Array = NDArray[Any]

# By numpy type: the oid of the element type, the oid of the array type, and the binary format of an element.
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
_HEAD_SIZE = _HEAD.size


class FullVector:
    """A vector as a parameter; the statement casts it to `vector` or `halfvec`."""

    __slots__ = ("vector",)

    def __init__(self, vector: NDArray[np.float32]) -> None:
        self.vector = vector


class HalfVector(FullVector):
    """A vector in half precision, as the server stores it: else the server would round it again for every row it compares."""

    __slots__ = ()


class TextArray:
    """Texts as one parameter of type `text[]`; dumping a plain list takes twenty times as long."""

    __slots__ = ("texts",)

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(texts)


class _TextArrayDumper(Dumper):
    format = Format.BINARY
    oid = 1009

    def dump(self, obj: TextArray) -> Buffer:
        return _encoded(obj.texts)


@lru_cache(maxsize=1024)
def _encoded(texts: tuple[str, ...]) -> bytes:
    if not texts:
        return struct.pack(">iiI", 0, 0, _TEXT)
    encoded = [text.encode() for text in texts]
    return _HEAD.pack(1, 0, _TEXT, len(texts), 1) + b"".join(struct.pack(">i", len(one)) + one for one in encoded)


class _FullVectorDumper(Dumper):
    format = Format.BINARY
    oid = 0  # the statement casts it: the oids of the extension differ from database to database

    def dump(self, obj: FullVector) -> Buffer:
        return struct.pack(">hh", len(obj.vector), 0) + obj.vector.astype(">f4").tobytes()


class _HalfVectorDumper(_FullVectorDumper):
    def dump(self, obj: FullVector) -> Buffer:
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


def _array_values(raw: Buffer, wire: str) -> Array:
    """The values of an array in the binary format."""
    if len(raw) <= _HEAD_SIZE:
        return np.empty(0, np.dtype(wire).newbyteorder("="))
    cells = np.frombuffer(raw, [("size", ">i4"), ("value", wire)], offset=_HEAD_SIZE)
    return cells["value"].astype(np.dtype(wire).newbyteorder("="))


class _ArrayLoader(Loader):
    format = Format.BINARY
    wire = "?"

    def load(self, data: Buffer) -> Array:
        return _array_values(data, self.wire)


# By the short name of a numpy type: its long name is computed each time it is asked for.
_DUMPERS: dict[str, type[Dumper]] = {
    np.dtype(name).str: type(f"_{name}", (_ArrayDumper,), {"oid": array, "element": element, "wire": wire})
    for name, (element, array, wire) in _KINDS.items()
}


def register_arrays(connection: Connection[Any]) -> None:
    """Register arrays and vectors on a new connection."""
    adapters = connection.adapters
    adapters.register_dumper(np.ndarray, _ArrayDumper)
    adapters.register_dumper(FullVector, _FullVectorDumper)
    adapters.register_dumper(HalfVector, _HalfVectorDumper)
    adapters.register_dumper(TextArray, _TextArrayDumper)
    for name, (_, array, wire) in _KINDS.items():
        adapters.register_loader(array, type(f"_{name}_loader", (_ArrayLoader,), {"wire": wire}))
