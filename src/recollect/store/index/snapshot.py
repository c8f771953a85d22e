"""Snapshots: an account's index as one file of aligned arrays, mapped on open; written aside and renamed, never trusted.

A snapshot that belongs to another store or model, is ahead of the journal, or whose checksum fails, is
ignored: the index is read from the truth again.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.store.index.account_index import AccountIndex
from recollect.store.index.columns import KINDS, ColumnTable, InternedNames
from recollect.store.index.postings import Postings, Segment
from recollect.store.index.vectors import VectorArrays

_MAGIC = b"recollect-index-5\n"
_ALIGN = 64


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a snapshot must belong to."""

    store: str
    model: str
    dimensions: int
    seq: int


def snapshot_path(folder: Path, account: str) -> Path:
    """The snapshot file of an account; the name is a hash, since an account may be called anything."""
    return folder / f"{hashlib.blake2b(account.encode(), digest_size=8).hexdigest()}.index"


def write_snapshot(path: Path, index: AccountIndex, stamp: Stamp) -> None:
    """Write an index aside and put it in place in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays = _arrays_of(index)
    layout, offset, crc = [], 0, 0
    for name, array in arrays.items():
        layout.append([name, array.dtype.str, array.shape, offset])
        offset += -(-array.nbytes // _ALIGN) * _ALIGN
        crc = zlib.crc32(array.reshape(-1).view(np.uint8).data, crc)
    head = {
        "stamp": asdict(stamp), "touches": index.touches, "layout": layout, "crc": crc,
        "places": index.names.places.known, "strings": index.names.strings.known,
        "threads": index.names.threads.known,
        "vocabulary": list(index.postings.vocabulary),
    }  # fmt: skip
    aside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        _write(aside, json.dumps(head, ensure_ascii=False).encode(), list(arrays.values()))
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def _write(path: Path, head: bytes, arrays: list[NDArray[Any]]) -> None:
    with open(path, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(_MAGIC + len(head).to_bytes(8, "little") + zlib.crc32(head).to_bytes(4, "little") + head)
        for array in arrays:
            file.write(b"\0" * (-file.tell() % _ALIGN))
            file.write(array.data)
        file.write(b"\0" * (-file.tell() % _ALIGN))


def read_snapshot(path: Path, wanted: Stamp) -> AccountIndex | None:
    """The index a snapshot holds, or None when it is missing, damaged or not ours."""
    try:
        # As a plain array: every slice of a memmap object costs ten microseconds of bookkeeping.
        whole = np.asarray(np.memmap(path, np.uint8, "r"))
        return _read(whole, wanted)
    except (OSError, ValueError, KeyError, TypeError, json.JSONDecodeError, UnicodeDecodeError):
        return None


def _read(whole: NDArray[np.uint8], wanted: Stamp) -> AccountIndex | None:
    start = len(_MAGIC) + 12
    fixed = whole[:start].tobytes()
    length = int.from_bytes(fixed[-12:-4], "little")
    if not fixed.startswith(_MAGIC) or len(fixed) < start or start + length > len(whole):
        return None
    text = whole[start : start + length].tobytes()
    if zlib.crc32(text) != int.from_bytes(fixed[-4:], "little"):
        return None
    head = json.loads(text)
    stamp = Stamp(**head["stamp"])
    same = (stamp.store, stamp.model, stamp.dimensions) == (wanted.store, wanted.model, wanted.dimensions)
    if not same or stamp.seq > wanted.seq:
        return None
    body = whole[-(-(start + length) // _ALIGN) * _ALIGN :]
    arrays, crc = {}, 0
    for name, kind, shape, offset in head["layout"]:
        size = int(np.prod(shape)) * np.dtype(kind).itemsize
        part = body[offset : offset + size]
        crc = zlib.crc32(part.data, crc)
        arrays[name] = part.view(kind).reshape(shape)
    return _index_of(arrays, head, stamp) if crc == head["crc"] else None


def _arrays_of(index: AccountIndex) -> dict[str, NDArray[Any]]:
    words = index.postings.merged()
    return {
        **{f"table.{name}": np.ascontiguousarray(array) for name, array in index.table.live().items()},
        "vectors": np.ascontiguousarray(index.vectors.codes),
        "factors": np.ascontiguousarray(index.vectors.factors),
        "owners": np.ascontiguousarray(index.vectors.owners),
        "starts": words.starts,
        "rows": words.rows,
        "counts": words.counts,
    }


def _index_of(arrays: dict[str, NDArray[Any]], head: dict[str, Any], stamp: Stamp) -> AccountIndex:
    table = ColumnTable(KINDS, {name: arrays[f"table.{name}"] for name in KINDS})
    names = InternedNames(
        [tuple(place) for place in head["places"]], head["strings"], [tuple(t) for t in head["threads"]]
    )
    vectors = VectorArrays(stamp.dimensions, arrays["vectors"], arrays["factors"], arrays["owners"])
    postings = Postings(head["vocabulary"], [Segment(arrays["starts"], arrays["rows"], arrays["counts"])])
    stand = {"seq": stamp.seq, "touches": int(head["touches"])}
    return AccountIndex(stamp.dimensions, table=table, names=names, vectors=vectors, postings=postings, **stand)
