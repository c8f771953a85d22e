"""Undo: revert the events of one operation, newest first, as a new operation that can itself be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.errors import InvalidInput
from recollect.ports import Transaction
from recollect.values.document import before_event, matches_event
from recollect.values.enums import DocumentKind
from recollect.values.event import Event, Image, from_image, patched, to_image
from recollect.values.memory import Record

Embed = Callable[[Record], NDArray[np.float32] | None]
# Counters: their change is subtracted, so that later changes of the same counter are kept.
_COUNTED = ("score", "strength")
# Fields that many independent changes touch; undoing an older change leaves them as they are now.
_VOLATILE = frozenset(("updated_at", "hit_at", "confidence", "breadcrumbs", "trust"))


def undo(tx: Transaction, account: str, events: Sequence[Event], embed: Embed) -> list[str]:
    """Revert the events of one operation; returns the ids of the memories it changed."""
    operation = events[0].operation
    if operation in tx.undone(account, [operation]):
        raise InvalidInput("operation", f"{operation} is undone already", "undo that undo to redo it")
    if any(event.kind == "purge" or (event.before is None and event.after is None) for event in events):
        raise InvalidInput("operation", "a purge erases for good", "there is nothing left to restore")
    newest_first = sorted(events, key=lambda event: -event.seq)
    for event in newest_first:
        if event.document is None:
            _revert(tx, account, event, embed)
        else:
            _revert_document(tx, account, event, event.document)
    return list(dict.fromkeys(event.memory_id for event in newest_first if event.document is None))


def _revert(tx: Transaction, account: str, event: Event, embed: Embed) -> None:
    (current,) = tx.get(account, [event.memory_id])
    if event.after is None and event.before is not None:
        if current is None:
            record = from_image(event.before)
            if record.key is not None and tx.by_key(account, record.key, record.place) is not None:
                raise InvalidInput(
                    "operation", f"its key {record.key!r} was used again since", "remember the text again"
                )
            tx.insert(record, embed(record), "undo")
        return
    if current is None:
        raise InvalidInput("operation", f"memory {event.memory_id} was removed later", "undo the removal first")
    if event.before is None:
        tx.remove(current)
        return
    if event.kind == "embed":
        return
    restored = _restored(current, event.before, event.after or {}, event)
    reworded = restored.content != current.content
    tx.change(current, restored, "undo", vectors=embed(restored) if reworded else None)


def _revert_document(tx: Transaction, account: str, event: Event, kind: DocumentKind) -> None:
    current = next(iter(tx.get_documents(account, [event.memory_id])), None)
    if not matches_event(current, event.after, event.before):
        raise InvalidInput("operation", f"the {kind} was changed again later", "undo the later change first")
    before = before_event(current, event.after, event.before, account)
    if before is not None and any(
        other.place == before.place for other in tx.documents(account, kind, before.name) if other.id != before.id
    ):
        raise InvalidInput("operation", f"another {kind} has that name now", "delete that one first")
    tx.put_document(current, before, "undo")


def _restored(current: Record, before: Image, after: Image, event: Event) -> Record:
    now = to_image(current)
    fields: dict[str, Any] = {}
    for name, old in before.items():
        new = after.get(name)
        if name in _COUNTED:
            fields[name] = now[name] - (new - old)
        elif now[name] == new or (name == "status" and now[name] == "superseded" and new == "active"):
            fields[name] = old
        elif name not in _VOLATILE:
            raise InvalidInput(
                "operation",
                f"{name} of memory {event.memory_id} was changed again later",
                "undo the later change first",
            )
    return patched(current, fields)
