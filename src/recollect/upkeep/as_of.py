"""As of: the state of the store at an earlier time, rebuilt by reverting the journal from now on backwards."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from recollect.access import still_readable, with_contexts
from recollect.ports import Reader
from recollect.runtime import Runtime
from recollect.unit_of_work import UnitOfWork
from recollect.values.document import Document, before_event
from recollect.values.enums import DocumentKind
from recollect.values.event import Event, from_image, patched
from recollect.values.memory import Record
from recollect.values.scope import Identity
from recollect.values.search import Filter

_EVERY_STATUS = Filter(statuses=("active", "superseded", "archived", "forgotten"))


def state_at(
    reader: Reader, identity: Identity, moment: datetime, now: datetime
) -> tuple[list[Record], frozenset[str]]:
    """Every memory as it was at a time, and the ids of those whose text was different then."""
    current = reader.find(identity, _EVERY_STATUS, now, limit=-1)
    state: dict[str, Record] = {record.id: _stored(record) for record in current}
    reworded: set[str] = set()
    for event in reader.events(identity.account, since=moment, newest_first=True):
        if event.document is None:
            _step_back(state, event, reworded)
    oldest_first = sorted(reversed(list(state.values())), key=lambda record: record.created_at)  # noqa: C414 (ties too)
    return oldest_first, frozenset(reworded)


def _stored(record: Record) -> Record:
    """As stored: which memories are superseded is computed again in the view."""
    return record.with_(status="active", superseded_by=None) if record.status == "superseded" else record


def _step_back(state: dict[str, Record], event: Event, reworded: set[str]) -> None:
    if event.before is None:
        # A creation, or what a purge left of one: before it there was no memory.
        state.pop(event.memory_id, None)
    elif event.after is None:
        state[event.memory_id] = from_image(event.before)
        reworded.add(event.memory_id)
    elif event.memory_id in state:
        state[event.memory_id] = _stored(patched(state[event.memory_id], event.before))
        if "content" in event.before:
            reworded.add(event.memory_id)


def documents_at(reader: Reader, account: str, moment: datetime) -> list[Document]:
    """Every document as it was at a time."""
    # Working and short-term documents expire and are not journalled: their past state is unknown.
    kinds: tuple[DocumentKind, ...] = ("tag", "gap", "pool", "context", "snapshot")
    state = {document.id: document for kind in kinds for document in reader.documents(account, kind)}
    for event in reader.events(account, since=moment, newest_first=True):
        if event.document is None:
            continue
        was = before_event(state.pop(event.memory_id, None), event.after, event.before, account)
        if was is not None:
            state[event.memory_id] = was
    return list(state.values())


def view_at(uow: UnitOfWork, moment: datetime) -> Runtime:
    """A read-only in-memory store with the state of a time."""
    identity, runtime = uow.viewer.identity, uow.runtime
    runtime.learn_model()
    with uow.view() as reader:
        records, reworded = state_at(reader, with_contexts(reader, identity), moment, runtime.clock())
        vectors = reader.vectors(identity.account, [r.id for r in records if r.id not in reworded])
        documents = still_readable(reader, identity, documents_at(reader, identity.account, moment))
    vectors |= {r.id: made for r in records if r.id in reworded and (made := runtime.embed(r)) is not None}
    view = runtime.blank(f"the view as of {moment.isoformat()}", lambda: moment)
    with view.store.transaction(identity.account, "as_of", moment) as tx:
        for record in records:
            tx.insert(record, vectors.get(record.id))
        for document in documents:
            tx.put_document(None, document, "describe")
    view.store.freeze()
    return replace(view, past=True)
