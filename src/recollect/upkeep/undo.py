"""Undo: take back every event of one operation, in reverse, as a new operation that can itself be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.errors import InvalidInput, NotFound
from recollect.ports import Transaction
from recollect.values.event import Event, Image
from recollect.values.image import from_image, patched, to_image
from recollect.values.memory import Record

Embed = Callable[[Record], NDArray[np.float32] | None]
_COUNTED = ("score", "strength")
# Fields that later, independent changes touch all the time; undoing an older one leaves them as they are now.
_YIELDING = frozenset(("updated_at", "hit_at", "confidence", "breadcrumbs", "trust"))


def last_operation(events: Sequence[Event], undone: frozenset[str]) -> str:
    """The newest operation that is neither an undo nor undone already."""
    for event in events:
        if event.kind not in ("undo", "purge", "embed") and event.undoes is None and event.operation not in undone:
            return event.operation
    raise NotFound("operation", "to undo", "`log` shows what was done")


def undo(tx: Transaction, account: str, operation: str, embed: Embed) -> list[str]:
    """Take one operation back; returns the ids of the memories it changed."""
    events = tx.events(account, operation=operation, newest_first=True)
    if not events:
        raise NotFound("operation", operation, "`log` shows what was done")
    if operation in tx.undone(account, [operation]):
        raise InvalidInput("operation", f"{operation} is undone already", "undo that undo to bring it back")
    if any(event.kind == "purge" or (event.before is None and event.after is None) for event in events):
        raise InvalidInput("operation", "a purge erases for good", "there is nothing left to bring back")
    for event in events:
        _take_back(tx, account, event, embed)
    return list(dict.fromkeys(event.memory_id for event in events))


def _take_back(tx: Transaction, account: str, event: Event, embed: Embed) -> None:
    (current,) = tx.get(account, [event.memory_id])
    if event.after is None and event.before is not None:
        if current is None:
            record = from_image(event.before)
            if record.key is not None and tx.by_key(account, record.key, record.place) is not None:
                raise InvalidInput(
                    "operation", f"its key {record.key!r} was used again since", "remember the text anew"
                )
            tx.insert(record, embed(record), "undo")
        return
    if current is None:
        raise InvalidInput("operation", f"memory {event.memory_id} was removed later", "undo that first")
    if event.before is None:
        tx.remove(current)
        return
    if event.kind == "embed":
        return
    restored = _restored(current, event.before, event.after or {}, event)
    moved = restored.content != current.content
    tx.change(current, restored, "undo", vectors=embed(restored) if moved else None)


def _restored(current: Record, before: Image, after: Image, event: Event) -> Record:
    held = to_image(current)
    fields: dict[str, Any] = {}
    for name, old in before.items():
        new = after.get(name)
        if name in _COUNTED:
            fields[name] = held[name] - (new - old)
        elif held[name] == new or (name == "status" and held[name] == "superseded" and new == "active"):
            fields[name] = old
        elif name not in _YIELDING:
            raise InvalidInput(
                "operation",
                f"{name} of memory {event.memory_id} was changed again later",
                "undo the later change first",
            )
    return patched(current, fields)
