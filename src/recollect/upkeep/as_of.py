"""As of: what was believed at an earlier moment, rebuilt by walking the journal backwards from now."""

from __future__ import annotations

from datetime import datetime

from recollect.ports import Reader
from recollect.values.document import Document, stepped_back
from recollect.values.event import Event
from recollect.values.filter import Filter
from recollect.values.image import from_image, patched
from recollect.values.memory import Record
from recollect.values.scope import Identity
from recollect.values.words import DocumentKind

_EVERYTHING = Filter(statuses=("active", "superseded", "archived", "forgotten"))


def believed_at(
    reader: Reader, identity: Identity, moment: datetime, now: datetime
) -> tuple[list[Record], frozenset[str]]:
    """Every memory as it stood at a moment, and the ids of those whose text was different then."""
    current = reader.find(identity, _EVERYTHING, now, limit=-1)
    state: dict[str, Record] = {record.id: _stored(record) for record in current}
    reworded: set[str] = set()
    for event in reader.events(identity.account, since=moment, newest_first=True):
        if event.document is None:
            _step_back(state, event, reworded)
    oldest_first = sorted(reversed(list(state.values())), key=lambda record: record.created_at)  # noqa: C414 (ties too)
    return oldest_first, frozenset(reworded)


def _stored(record: Record) -> Record:
    """As stored: who supersedes whom is worked out anew in the view."""
    return record.with_(status="active", superseded_by=None) if record.status == "superseded" else record


def _step_back(state: dict[str, Record], event: Event, reworded: set[str]) -> None:
    if event.before is None:
        # A creation (or the skeleton of a purged memory): before it there was nothing.
        state.pop(event.memory_id, None)
    elif event.after is None:
        state[event.memory_id] = from_image(event.before)
        reworded.add(event.memory_id)
    elif event.memory_id in state:
        state[event.memory_id] = _stored(patched(state[event.memory_id], event.before))
        if "content" in event.before:
            reworded.add(event.memory_id)


def documents_at(reader: Reader, account: str, moment: datetime) -> list[Document]:
    """Every document as it stood at a moment."""
    # What lives for a while only is not journalled: nobody knows what it was then.
    kinds: tuple[DocumentKind, ...] = ("tag", "gap", "pool", "context", "snapshot")
    state = {document.id: document for kind in kinds for document in reader.documents(account, kind)}
    for event in reader.events(account, since=moment, newest_first=True):
        if event.document is None:
            continue
        was = stepped_back(state.pop(event.memory_id, None), event.after, event.before, account)
        if was is not None:
            state[event.memory_id] = was
    return list(state.values())
