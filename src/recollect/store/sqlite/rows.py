"""Rows of a SQLite file: what differs from `store/rows.py`. Ids are 16 bytes, tags JSON, vectors half precision, end to end."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from recollect.store import rows
from recollect.values.memory import Record

_ID_BYTES = 16
_RARE = (*rows.RARE, "season")


def id_bytes(text: str) -> bytes:
    """An id as stored."""
    # Called several times per row; this takes half the time of making a UUID.
    value = bytes.fromhex(text.replace("-", ""))
    return value if len(value) == _ID_BYTES else UUID(text).bytes


def id_text(value: bytes) -> str:
    """An id as shown."""
    digits = value.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def hex_list(ids: Iterable[str]) -> str:
    """Some ids as one JSON value, which a query unpacks."""
    return json.dumps([UUID(wanted).hex for wanted in ids])


def row_of(memory: Record, account: int, digest: bytes) -> dict[str, Any]:
    """The bound values of one memory."""
    row = rows.row_of(memory)
    row |= {
        "id": id_bytes(memory.id),
        "account": account,
        "digest": digest,
        "supersedes": None if memory.supersedes is None else id_bytes(memory.supersedes),
        "tags": json.dumps(memory.tags, ensure_ascii=False) if memory.tags else "[]",
        "more": rows.more_of(memory, _RARE),
    }
    return row


def memory_of(row: sqlite3.Row, account: str) -> Record:
    """The memory of a row that begins with the columns of the query `memory`."""
    return rows.memory_of(row, account, id_text, _tags_of)


def _tags_of(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(json.loads(text))


def blob_of(vectors: NDArray[np.float32]) -> bytes:
    """Vectors as stored: half precision is exact enough for cosines of unit vectors (error below 0.001)."""
    return np.atleast_2d(vectors).astype("<f2").tobytes()


def vectors_of(blob: bytes | None, dimensions: int) -> NDArray[np.float16] | None:
    """Stored vectors as a matrix; what is no whole number of vectors of this length is none."""
    if blob is None or len(blob) % (2 * dimensions):
        return None
    return np.frombuffer(blob, "<f2").reshape(-1, dimensions)


def note_name(name: str, account: str | None) -> str:
    """Under which name a note is kept: those of accounts stand beside those of the store, because a file has one reader."""
    return name if account is None else f"{name}:{account}"
