"""Undo: take back every event of one operation, in reverse, as a new operation that can itself be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.errors import InvalidInput, NotFound
from recollect.ports import Transaction
from recollect.values.document import stands, stepped_back
from recollect.values.event import Event, Image
from recollect.values.image import from_image, patched, to_image
from recollect.values.memory import Record
from recollect.values.words import DocumentKind

Embed = Callable[[Record], NDArray[np.float32] | None]
_COUNTED = ("score", "strength")
# What nobody asked for, or nobody can take back, is never what the last operation means.
_UNASKED = ("undo", "purge", "embed", "miss", "answer")
# Fields that later, independent changes touch all the time; undoing an older one leaves them as they are now.
_YIELDING = frozenset(("updated_at", "hit_at", "confidence", "breadcrumbs", "trust"))


def last_operation(events: Sequence[Event], undone: frozenset[str]) -> str:
    """The newest operation that is neither an undo nor undone already."""
    for event in events:
        if event.kind not in _UNASKED and event.undoes is None and event.operation not in undone:
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
        if event.document is None:
            _take_back(tx, account, event, embed)
        else:
            _take_back_document(tx, account, event, event.document)
    return list(dict.fromkeys(event.memory_id for event in events if event.document is None))


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


def _take_back_document(tx: Transaction, account: str, event: Event, kind: DocumentKind) -> None:
    current = next((held for held in tx.documents(account, kind) if held.id == event.memory_id), None)
    if not stands(current, event.after, event.before):
        raise InvalidInput("operation", f"the {kind} was changed again later", "undo the later change first")
    before = stepped_back(current, event.after, event.before, account)
    if before is not None and any(
        held.place == before.place for held in tx.documents(account, kind, before.name) if held.id != before.id
    ):
        raise InvalidInput("operation", f"there is another {kind} of that name by now", "take that one away first")
    tx.put_document(current, before, "undo")


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
