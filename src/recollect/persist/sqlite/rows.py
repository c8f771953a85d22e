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
_WIDTH = 36
_ID_BYTES = 16
_MORE_INSIDE = ("file_paths", "message_range", "snippet", "reason")
_RARE = ("links", "triggers", "season", "labels", "breadcrumbs")
_MORE = (*_RARE, *_MORE_INSIDE)


def micros(time: datetime) -> int:
    """A time as whole microseconds since 1970."""
    return (time - _EPOCH) // _MICROSECOND


def time_of(micros: int) -> datetime:
    """The time of some microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=micros)


def id_bytes(text: str) -> bytes:
    """An id as stored."""
    # Several a row: half the time of making a UUID of it.
    value = bytes.fromhex(text.replace("-", ""))
    return value if len(value) == _ID_BYTES else UUID(text).bytes


def id_text(value: bytes) -> str:
    """An id as shown."""
    digits = value.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


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
    if not any(getattr(memory, name) for name in _RARE) and not any(getattr(inside, name) for name in _MORE_INSIDE):
        return None
    image = to_image(memory)
    return json.dumps({name: image[name] for name in _MORE if image[name]}, ensure_ascii=False)


def _micros_or_none(time: datetime | None) -> int | None:
    return None if time is None else micros(time)


def _time_or_none(value: int | None) -> datetime | None:
    return None if value is None else time_of(value)


def memory_of(row: sqlite3.Row, account: str) -> Record:
    """The memory a row holds; the first columns of the row are those of the table, in its order."""
    # Taken apart in one step: looking columns up by name costs more than everything else here.
    (
        _, own_id, _, content, _, kind, scope, agent, team, project, session, task,
        importance, weight, confidence, trust, score, strength, access_count,
        created_at, updated_at, accessed_at, hit_at, valid_from, valid_until, expires_at,
        delivery, status, supersedes, source, position, speaker, occurred_at, tags, more, key,
    ) = row[:_WIDTH]  # fmt: skip
    rare = rich_fields(json.loads(more)) if more else {}
    inside = {name: rare.pop(name) for name in _MORE_INSIDE if name in rare}
    return Record(
        id=id_text(own_id),
        content=content,
        account=account,
        created_at=time_of(created_at),
        updated_at=time_of(updated_at),
        accessed_at=time_of(accessed_at),
        type=kind,
        scope=scope,
        agent=agent,
        team=team,
        project=project,
        task=task,
        tags=() if tags == "[]" else tuple(json.loads(tags)),
        importance=importance,
        weight=weight,
        confidence=confidence,
        trust=trust,
        score=score,
        strength=strength,
        access_count=access_count,
        hit_at=_time_or_none(hit_at),
        valid_from=_time_or_none(valid_from),
        valid_until=_time_or_none(valid_until),
        expires_at=_time_or_none(expires_at),
        delivery=delivery,
        status=status,
        supersedes=None if supersedes is None else id_text(supersedes),
        key=key,
        provenance=Provenance(
            kind=source,
            session=session,
            position=position,
            speaker=speaker,
            occurred_at=_time_or_none(occurred_at),
            **inside,
        ),
        **rare,
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
        document=row["document"],
    )


def blob_of(vectors: NDArray[np.float32]) -> bytes:
    """Vectors as stored: half precision is exact enough for cosines of unit vectors (error below 0.001)."""
    return np.atleast_2d(vectors).astype("<f2").tobytes()


def vectors_of(blob: bytes | None, dimensions: int) -> NDArray[np.float16] | None:
    """Stored vectors as a matrix; what is no whole number of vectors of this length is none."""
    if blob is None or len(blob) % (2 * dimensions):
        return None
    return np.frombuffer(blob, "<f2").reshape(-1, dimensions)


def dumped(image: Mapping[str, Any] | None) -> str | None:
    """An image as compact JSON."""
    return None if image is None else json.dumps(image, ensure_ascii=False, separators=(",", ":"))
