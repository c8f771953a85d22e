"""Undo: revert the events of one operation, newest first, as a new operation that can itself be undone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from recollect.access import require_undo
from recollect.errors import InvalidInput
from recollect.ports import Transaction
from recollect.unit_of_work import AUTOMATIC, Embed, UnitOfWork, event_projects, operation_to_undo, require_confirmed
from recollect.values.document import Document, before_event, matches_event
from recollect.values.enums import DocumentKind
from recollect.values.event import Event, Image, from_image, patched, to_image
from recollect.values.memory import Record, side_texts
from recollect.values.plain import strings_in
from recollect.values.purge import lost_text
from recollect.values.undone import Undone


@dataclass(frozen=True, slots=True)
class Allow:
    """Refuses memories and other texts that were forgotten or purged since."""

    memory: Callable[[Record], None]
    texts: Callable[[list[str]], None]


# Counters: their change is subtracted, so that later changes of the same counter are kept.
_COUNTED = ("score", "strength")
# Fields that many independent changes touch; undoing an older change leaves them as they are now.
_VOLATILE = frozenset(("updated_at", "hit_at", "confidence", "breadcrumbs", "trust"))


def undo_operation(uow: UnitOfWork, wanted: str | None, *, force: bool) -> Undone:
    """Undo a named operation, or the caller's own last one, in one transaction."""

    def write(tx: Transaction, embed: Embed) -> Undone:
        events = operation_to_undo(uow, tx, wanted)
        require_undo(tx, uow.viewer.identity, events)
        if tx.switched_off(uow.viewer.account):
            projects = set(event_projects(tx, uow.viewer.account, events).values())
            uow.require_enabled(tx, *(project for project in projects if project))
        if not force:
            require_confirmed(uow, events, named=wanted is not None)
        tx.set_undoes(events[0].operation)

        def memory(record: Record) -> None:
            if record.status != "forgotten":
                uow.require_no_tombstone(tx, "operation", record, embed)

        def texts(found: list[str]) -> None:
            uow.require_no_tombstones(tx, "operation", found)

        return undo(tx, uow.viewer.account, events, embed, Allow(memory, texts))

    return uow.transact(write)


def undo(tx: Transaction, account: str, events: Sequence[Event], embed: Embed, allow: Allow) -> Undone:
    """Revert the events of one operation, newest first."""
    operation = events[0].operation
    if operation in tx.undone(account, [operation]):
        raise InvalidInput("operation", f"{operation} is undone already", "undo that undo to redo it")
    if any(
        event.kind == "purge" or (event.before, event.after) == (None, None) or lost_text(event) for event in events
    ):
        raise InvalidInput("operation", "a purge erases for good", "there is nothing left to restore")
    newest_first = sorted(events, key=lambda event: -event.seq)
    for event in newest_first:
        if event.document is None:
            _revert(tx, account, event, embed, allow)
        else:
            _revert_document(tx, account, event, event.document, allow)
    memories = dict.fromkeys(event.memory_id for event in newest_first if event.document is None)
    kinds: Counter[str] = Counter(event.kind for event in events if event.kind not in AUTOMATIC)
    first = events[0]
    return Undone(operation, first.actor, first.origin, first.at, dict(kinds), tuple(memories))


def _revert(tx: Transaction, account: str, event: Event, embed: Embed, allow: Allow) -> None:
    (current,) = tx.get(account, [event.memory_id])
    if event.after is None and event.before is not None:
        if current is None:
            record = from_image(event.before)
            _require_free_key(tx, account, record)
            allow.memory(record)
            tx.insert(record, embed(record), "undo")
        return
    if current is None:
        raise InvalidInput("operation", f"memory {event.memory_id} was removed later", "undo the removal first")
    if event.before is None:
        _remove(tx, current, event)
        return
    if event.kind == "embed":
        return
    restored = _restored(current, event.before, event.after or {}, event)
    if current.status == "forgotten" == restored.status:
        return  # a tombstone holds for the text it has
    if (restored.key, restored.place) != (current.key, current.place):
        _require_free_key(tx, account, restored)
    reworded = restored.content != current.content
    if reworded or restored.place != current.place:
        allow.memory(restored)
    if restored.status != "forgotten":
        known = {text for _, text in side_texts(current)}
        allow.texts([text for _, text in side_texts(restored) if text not in known])
    tx.change(current, restored, "undo", vectors=embed(restored) if reworded else None)


def _remove(tx: Transaction, current: Record, event: Event) -> None:
    """Take back a memory that an operation created; what was forgotten or purged stays so."""
    if current.status == "forgotten" and _was_forgotten_later(tx, current):
        return
    if event.kind == "revive":
        # Its text was purged before: without the memory, that holds again.
        tx.purge(current)
    else:
        tx.remove(current)


def _was_forgotten_later(tx: Transaction, memory: Record) -> bool:
    """Whether a memory was forgotten after it was stored; an import can bring one that is forgotten already."""
    events = tx.events(memory.account, memory_id=memory.id)
    return any((event.after or {}).get("status") == "forgotten" for event in events)


def _require_free_key(tx: Transaction, account: str, record: Record) -> None:
    if record.key is not None and tx.by_key(account, record.key, record.place) is not None:
        raise InvalidInput("operation", f"its key {record.key!r} was used again since", "remember the text again")


def _revert_document(tx: Transaction, account: str, event: Event, kind: DocumentKind, allow: Allow) -> None:
    current = next(iter(tx.get_documents(account, [event.memory_id])), None)
    if not matches_event(current, event.after, event.before):
        raise InvalidInput("operation", f"the {kind} was changed again later", "undo the later change first")
    before = before_event(current, event.after, event.before, account)
    if before is not None and any(
        other.place == before.place for other in tx.documents(account, kind, before.name) if other.id != before.id
    ):
        raise InvalidInput("operation", f"another {kind} has that name now", "delete that one first")
    if before is not None:
        known = set() if current is None else set(_texts_of(current))
        allow.texts([text for text in _texts_of(before) if text not in known])
    tx.put_document(current, before, "undo")


def _texts_of(document: Document) -> list[str]:
    return [document.name, *strings_in(document.body)]


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
