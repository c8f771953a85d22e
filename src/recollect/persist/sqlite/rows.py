"""Rows: a memory as the columns of its table row, and back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from recollect.values.event import Event
from recollect.values.image import rich_fields, to_image
from recollect.values.memory import Provenance, Record
from recollect.values.scope import Place, place_of

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_OWN = (
    "content", "type", "scope", "agent", "team", "project", "task", "importance", "weight", "confidence", "trust", "score",
    "strength", "access_count", "delivery", "status", "key",
)  # fmt: skip
_PLAIN = (*_OWN, "session", "position", "speaker")
_OWN_TIMES = ("created_at", "updated_at", "accessed_at", "hit_at", "valid_from", "valid_until", "expires_at")
_TIMES = (*_OWN_TIMES, "occurred_at")
_MORE_INSIDE = ("file_paths", "message_range", "snippet", "reason")
_MORE = ("contradicts", "labels", "breadcrumbs", *_MORE_INSIDE)


def micros(time: datetime) -> int:
    """A time as whole microseconds since 1970."""
    return (time - _EPOCH) // _MICROSECOND


def time_of(micros: int) -> datetime:
    """The time of some microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=micros)


def id_bytes(text: str) -> bytes:
    """An id as stored."""
    return UUID(text).bytes


def id_text(value: bytes) -> str:
    """An id as shown."""
    return str(UUID(bytes=value))


def row_of(memory: Record, account: int, digest: bytes) -> dict[str, Any]:
    """The bound values of one memory."""
    inside = memory.provenance
    row: dict[str, Any] = {name: getattr(memory, name) for name in _PLAIN}
    row |= {name: _micros_or_none(getattr(memory, name)) for name in _TIMES}
    row |= {
        "id": id_bytes(memory.id),
        "account": account,
        "digest": digest,
        "source": inside.kind,
        "supersedes": None if memory.supersedes is None else id_bytes(memory.supersedes),
        "tags": json.dumps(memory.tags, ensure_ascii=False) if memory.tags else "[]",
        "more": _more(memory),
    }
    # Superseded is worked out at read time, so that an expired superseder gives its target back.
    row["status"] = "active" if memory.status == "superseded" else memory.status
    return row


def _more(memory: Record) -> str | None:
    inside = memory.provenance
    rare = (memory.contradicts, memory.labels, memory.breadcrumbs, inside.file_paths, inside.message_range)
    if not any(rare) and inside.snippet is None and inside.reason is None:
        return None
    image = to_image(memory)
    return json.dumps({name: image[name] for name in _MORE if image[name]}, ensure_ascii=False)


def _micros_or_none(time: datetime | None) -> int | None:
    return None if time is None else micros(time)


def _time_or_none(value: int | None) -> datetime | None:
    return None if value is None else time_of(value)


def memory_of(row: sqlite3.Row, account: str) -> Record:
    """The memory a row holds."""
    fields: dict[str, Any] = {name: row[name] for name in _OWN}
    fields |= {name: _time_or_none(row[name]) for name in _OWN_TIMES}
    inside: dict[str, Any] = {name: row[name] for name in ("session", "position", "speaker")}
    inside["occurred_at"] = _time_or_none(row["occurred_at"])
    if row["more"]:
        more = rich_fields(json.loads(row["more"]))
        inside |= {name: more.pop(name) for name in _MORE_INSIDE if name in more}
        fields |= more
    return Record(
        id=id_text(row["id"]),
        account=account,
        supersedes=None if row["supersedes"] is None else id_text(row["supersedes"]),
        tags=() if row["tags"] == "[]" else tuple(json.loads(row["tags"])),
        provenance=Provenance(kind=row["source"], **inside),
        **fields,
    )


def place_of_target(row: sqlite3.Row) -> Place:
    """Where the memory lives that the row's memory supersedes."""
    names = ("agent", "team", "project", "session", "task")
    return place_of(row["target_scope"], {name: row[f"target_{name}"] for name in names})


def event_of(row: sqlite3.Row) -> Event:
    """The event a journal row holds."""
    return Event(
        seq=row["seq"],
        operation=id_text(row["operation"]),
        at=time_of(row["at"]),
        actor=row["actor"],
        kind=row["kind"],
        memory_id=id_text(row["memory"]),
        before=None if row["before"] is None else json.loads(row["before"]),
        after=None if row["after"] is None else json.loads(row["after"]),
        reason=row["reason"],
        undoes=None if row["undoes"] is None else id_text(row["undoes"]),
    )


def blob_of(vectors: NDArray[np.float32]) -> bytes:
    """Vectors as stored: half precision is exact enough for cosines of unit vectors (error below 0.001)."""
    return np.atleast_2d(vectors).astype("<f2").tobytes()


def vectors_of(blob: bytes | None, dimensions: int) -> NDArray[np.float16] | None:
    """Stored vectors as a matrix."""
    return None if blob is None else np.frombuffer(blob, "<f2").reshape(-1, dimensions)


def dumped(image: Mapping[str, Any] | None) -> str | None:
    """An image as compact JSON."""
    return None if image is None else json.dumps(image, ensure_ascii=False, separators=(",", ":"))
