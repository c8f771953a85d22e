"""Questions about the journal that every back end answers the same way, from its events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.errors import StoreDamaged
from recollect.ports import JournalReader
from recollect.values.event import Event, from_image
from recollect.values.scope import Place

# What nobody asked for, or nobody can take back, cannot be undone.
NOT_UNDOABLE = ("undo", "purge", "embed", "miss", "answer")
# Only what a person or an agent did can be somebody's own last change.
BY_CALLERS = ("person", "agent")
_PAGE = 64


def latest_operations(
    reader: JournalReader, account: str, limit: int, before: int | None, actor: str | None
) -> list[list[Event]]:
    """The newest operations that can be undone, each with its events in order; the journal is read page by page."""
    found: list[list[Event]] = []
    known: set[str] = set()
    first = before
    while len(found) < limit:
        page, size = _newest_events(reader, account, before)
        undoable = [event for event in page if event.kind not in NOT_UNDOABLE and event.undoes is None]
        own = [event for event in undoable if actor is None or (event.actor == actor and event.origin in BY_CALLERS)]
        candidates = [event.operation for event in own]
        fresh = [operation for operation in dict.fromkeys(candidates) if operation not in known]
        known.update(fresh)
        undone = reader.undone(account, fresh) if fresh else frozenset()
        for operation in (one for one in fresh if one not in undone):
            if len(found) == limit:
                break
            events = reader.events(account, operation=operation)
            # An operation that reaches beyond the given end was returned before.
            if first is None or events[-1].seq < first:
                found.append(events)
        if len(page) < size:
            break
        before = page[-1].seq
    return found


def _newest_events(reader: JournalReader, account: str, before: int | None) -> tuple[list[Event], int]:
    """A page of the journal, newest first, and how many events were asked for.

    If one of them is damaged, they are read one by one: only who needs the damaged one is told.
    """
    try:
        return reader.events(account, before=before, limit=_PAGE, newest_first=True), _PAGE
    except StoreDamaged:
        return reader.events(account, before=before, limit=1, newest_first=True), 1


def last_place(kind: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> Place | None:
    """Where a removed memory lived, from the event that removed it: a removal keeps all of it, a purge only its place."""
    if kind == "purge" and after:
        scope, key, project = after["place"]
        return (scope, key, project)
    return from_image(before).place if after is None and before else None
