"""Rows: a memory as the columns of its table row, and back; and the number an account goes by."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.persist.postgres.places import place_text
from recollect.persist.postgres.words import words_of
from recollect.values.event import Event
from recollect.values.image import rich_fields, to_image
from recollect.values.manner import is_standing, only_asks
from recollect.values.memory import Provenance, Record
from recollect.values.search import role_of

STORE = 0  # the account that stands for the store itself
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_OWN = (
    "id", "content", "type", "scope", "agent", "team", "project", "task", "importance", "weight", "confidence", "trust",
    "score", "strength", "access_count", "delivery", "supersedes", "key", "season",
)  # fmt: skip
_PLAIN = (*_OWN, "session", "position", "speaker")
_OWN_TIMES = ("created_at", "updated_at", "accessed_at", "hit_at", "valid_from", "valid_until", "expires_at")
_TIMES = (*_OWN_TIMES, "occurred_at")
_MORE_INSIDE = ("file_paths", "message_range", "snippet", "reason")
_RARE = ("links", "triggers", "labels", "breadcrumbs")
_MORE = (*_RARE, *_MORE_INSIDE)


def account_number(name: str) -> int:
    """The number of an account: a hash of its name, never that of the store itself."""
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, person=b"account").digest()
    return int.from_bytes(digest, "big", signed=True) or 1


def micros(time: datetime) -> int:
    """A time as whole microseconds since 1970."""
    return (time - _EPOCH) // _MICROSECOND


def micros_of(seconds: float) -> int:
    """Seconds as whole microseconds."""
    return round(seconds * 1_000_000)


def time_of(micros: int) -> datetime:
    """The time of some microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=micros)


def row_of(memory: Record, account_id: int, digest: bytes) -> dict[str, Any]:
    """The values of one memory by column, all but its row number."""
    row: dict[str, Any] = {name: getattr(memory, name) for name in _PLAIN}
    row |= {name: _micros_or_none(getattr(memory, name)) for name in _TIMES}
    row |= {
        "account_id": account_id,
        "digest": digest,
        "place": place_text(memory.place),
        "source": memory.provenance.kind,
        "tags": list(memory.tags),
        "more": _more(memory),
        "standing": is_standing(memory),
        "asks": only_asks(memory),
        "role": role_of(memory.speaker),
        "words": words_of(account_id, memory),
    }
    # Superseded is worked out at read time, so that an expired superseder gives its target back.
    row["status"] = "active" if memory.status == "superseded" else memory.status
    return row


def in_json(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as one value that the server takes apart: one statement however many they are."""
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"), default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return f"\\x{value.hex()}"
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value)} has no place in a row")


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


def memory_of(row: Sequence[Any], account: str) -> Record:
    """The memory of a row whose columns are those of the query `memory`, in its order."""
    (
        _, own_id, content, kind, scope, agent, team, project, session, task,
        importance, weight, confidence, trust, score, strength, access_count,
        created_at, updated_at, accessed_at, hit_at, valid_from, valid_until, expires_at,
        delivery, status, supersedes, source, position, speaker, occurred_at, season, tags, more, key,
    ) = row  # fmt: skip
    rare = rich_fields(json.loads(more)) if more else {}
    inside = {name: rare.pop(name) for name in _MORE_INSIDE if name in rare}
    return Record(
        id=own_id,
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
        tags=tuple(tags),
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
        supersedes=supersedes,
        season=season,
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


def event_of(row: Sequence[Any]) -> Event:
    """The event a journal row holds."""
    seq, operation, at, actor, kind, memory, before, after, reason, undoes, document = row
    return Event(
        seq=seq,
        operation=operation,
        at=time_of(at),
        actor=actor,
        kind=kind,
        memory_id=memory,
        before=None if before is None else json.loads(before),
        after=None if after is None else json.loads(after),
        reason=reason,
        undoes=undoes,
        document=document,
    )


def stacked(vectors: Sequence[Any]) -> NDArray[np.float32]:
    """The vectors of one memory, as read, one row each."""
    return np.stack([np.asarray(vector.to_numpy(), np.float32) for vector in vectors])


def dumped(image: Mapping[str, Any] | None) -> str | None:
    """An image as compact JSON."""
    return None if image is None else json.dumps(image, ensure_ascii=False, separators=(",", ":"))
