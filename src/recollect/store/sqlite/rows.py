"""Rows of a SQLite file: what differs from `store/rows.py`. Ids are 16 bytes, tags JSON, vectors half precision, end to end."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from recollect.errors import StoreDamaged
from recollect.store import rows
from recollect.values.document import document_of
from recollect.values.enums import (
    CHANGE_ORIGINS,
    DELIVERIES,
    DOCUMENT_KINDS,
    EVENT_KINDS,
    MEMORY_TYPES,
    PROVENANCE_KINDS,
    SCOPES,
    STATUSES,
)
from recollect.values.event import Event, fields_from_image
from recollect.values.memory import Record

_ID_BYTES = 16
_WIDTH = 36  # the columns of the query `memory`
# What may be in each of them, and whether it may be missing.
_TYPES = (
    (int, False), (bytes, False), (str, False), (str, False), (str, False), *((str, True),) * 6, *((float, False),) * 4,
    *((int, False),) * 6, *((int, True),) * 4, (str, False), (str, False), (bytes, True), (str, False), (int, True),
    (str, True), (int, True), (str, True), (str, False), (str, True), (str, True),
)  # fmt: skip
# Where the words of closed lists are: type, scope, delivery, status, source; and the ids.
_WORDS, _IDS = (3, 4, 25, 26, 28), (1, 27)
# Numbers between 0 and 1; and score, strength, access count.
_SHARES, _COUNTS, _ACCESSES, _MOST = slice(11, 15), slice(15, 18), 17, 2**31
_REALS = ("importance", "weight", "confidence", "trust")
_CHECKED = (
    "id", "account", "content", "digest", "type", "scope", "agent", "team", "project", "session", "task", "importance", "weight",
    "confidence", "trust", "score", "strength", "created_at", "updated_at", "hit_at", "valid_from", "valid_until", "expires_at",
    "delivery", "status", "supersedes", "source", "position", "speaker", "occurred_at", "tags", "more", "key",
)  # fmt: skip
# The same for the columns of an event, and where its ids are.
_EVENT_TYPES = (
    (int, False), (bytes, False), (int, False), (str, False), (str, False), (bytes, False), *((str, True),) * 3, (bytes, True),
    (str, True), (str, False),
)  # fmt: skip
_EVENT_IDS = (1, 5, 9)
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
    row["checksum"] = checksum_of(row)
    return row


def checksum_of(row: Mapping[str, Any]) -> int:
    """The checksum of the columns of a memory but its counters, which are added to it in SQL."""
    values = [float(row[name]) if name in _REALS else row[name] for name in _CHECKED]
    if row["user"] is not None:  # rows of before there were users keep their checksum
        values.append(row["user"])
    plain = json.dumps([value.hex() if isinstance(value, bytes) else value for value in values], ensure_ascii=False)
    # 40 bits: with counters and a time added, the sum is still an exact integer.
    return int.from_bytes(hashlib.blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=5).digest(), "big")


def memory_of(row: sqlite3.Row, account: str) -> Record:
    """The memory of a row that begins with the columns of the query `memory`; SQLite takes any type in any column."""
    try:
        if not (_are_types(tuple(map(type, row[:_WIDTH]))) and _are_words(*itemgetter(*_WORDS)(row))):
            raise TypeError("a value of another kind")
        if not all(value is None or len(value) == _ID_BYTES for value in itemgetter(*_IDS)(row)):
            raise ValueError("an id of another length")
        if min(row[_SHARES]) < 0 or max(row[_SHARES]) > 1 or max(map(abs, row[_COUNTS])) > _MOST or row[_ACCESSES] < 0:
            raise ValueError("a number out of its range")
        return rows.memory_of(row, account, id_text, _tags_of)
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
        raise damaged(row[0]) from error


def event_of(row: sqlite3.Row) -> Event:
    """The event of a row of the journal, its columns in the order of the values of an event."""
    try:
        if not all(
            type(value) is wanted or (value is None and may_lack)
            for value, (wanted, may_lack) in zip(row, _EVENT_TYPES, strict=True)
        ):
            raise TypeError("a value of another kind")
        if not all(len(row[at]) == _ID_BYTES for at in _EVENT_IDS if row[at] is not None):
            raise ValueError("an id of another length")
        event = rows.event_of(row, id_text)
        _check_event(event)
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise damaged(row[0], "event") from error
    return event


def _check_event(event: Event) -> None:
    """Raise an error of Python if an event has a word that is none, or an image that describes nothing."""
    if event.kind not in EVENT_KINDS or event.origin not in CHANGE_ORIGINS:
        raise ValueError("an unknown word")
    if event.document is not None and event.document not in DOCUMENT_KINDS:
        raise ValueError("an unknown word")
    for image in (event.before, event.after):
        if image is None:
            continue
        if not isinstance(image, dict):
            raise TypeError("an image is an object")
        if event.document is None:
            fields_from_image(image)
        else:
            document_of(image, "")


def damaged(row: int, what: str = "memory") -> StoreDamaged:
    """The error for a row that cannot be read."""
    return StoreDamaged(
        f"{what} {row} of the file is damaged; `recollect doctor` shows all that is, then restore a backup or an export"
    )


@lru_cache(maxsize=256)
def _are_types(types: tuple[type, ...]) -> bool:
    return all(
        found is wanted or (found is type(None) and may_lack)
        for found, (wanted, may_lack) in zip(types, _TYPES, strict=True)
    )


@lru_cache(maxsize=1024)
def _are_words(kind: str, scope: str, delivery: str, status: str, source: str) -> bool:
    """Whether the words of closed lists are in them."""
    lists = (MEMORY_TYPES, SCOPES, DELIVERIES, STATUSES, PROVENANCE_KINDS)
    return all(word in known for word, known in zip((kind, scope, delivery, status, source), lists, strict=True))


def _tags_of(text: str) -> tuple[str, ...]:
    if text == "[]":
        return ()
    tags = json.loads(text)
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise TypeError("tags are a list of texts")
    return tuple(tags)


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
