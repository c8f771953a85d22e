"""The unit of work: every verb opens exactly one view or one transaction of the store, as one viewer sees it.

Entering checks that memory is enabled; inside, ids are resolved as the viewer may see them; leaving a transaction commits. Nothing
slow happens inside: `transact` runs a change again when it turns out to need vectors, which are embedded while nothing is open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from recollect import redaction
from recollect.deferred import PendingWrites
from recollect.errors import AmbiguousId, Disabled, InvalidInput, NotFound
from recollect.ports import Reader, Transaction, Vectors
from recollect.runtime import Runtime
from recollect.validation import clean_id, clean_name
from recollect.values.enums import EventKind
from recollect.values.event import Event
from recollect.values.memory import Record
from recollect.values.scope import Identity, Viewer, reaches

if TYPE_CHECKING:
    from recollect.values.outcome import Refused

T = TypeVar("T")
Embed = Callable[[Record], Vectors | None]
ALL_PROJECTS = "*"
# Events that recall and remember write by themselves: they are in the journal, but no caller asked for them.
AUTOMATIC = ("miss", "answer")
_LONGEST_NUMBER = 12
_PAGE = 8


@dataclass(frozen=True, slots=True)
class UnitOfWork:
    """Opens units of work on one store for one viewer."""

    runtime: Runtime
    viewer: Viewer

    @property
    def actor(self) -> str:
        """The name the journal records for a change."""
        return self.viewer.identity.agent or self.runtime.settings.actor

    def at(self, project: str | None, session: str | None, task: str | None) -> UnitOfWork:
        """The same identity, working in a project, a session or a task."""
        viewer = self.viewer.within(
            clean_name("project", project) or self.viewer.project,
            clean_name("session", session),
            clean_name("task", task),
        )
        return UnitOfWork(self.runtime, viewer)

    @contextmanager
    def view(self, *projects: str | None) -> Iterator[Reader]:
        """One consistent view of this moment; refused when memory is off here or for one of some projects."""
        with self.runtime.store.view(self.runtime.clock()) as reader:
            self.require_enabled(reader, *projects)
            yield reader

    @contextmanager
    def transaction(
        self, *projects: str | None, at: datetime | None = None, operation: str | None = None
    ) -> Iterator[Transaction]:
        """One atomic change; refused when memory is off here or for one of some projects.

        Unanswered questions and logged reads are written before it: what it stores may answer them, and logs stay in order.
        """
        if self.runtime.deferred.precede(self.viewer.account):
            flush(self.runtime)
        self.runtime.refresh_due_clusters()
        store, account, now = self.runtime.store, self.viewer.account, at or self.runtime.clock()
        with store.transaction(account, self.actor, now, operation=operation) as tx:
            self.require_enabled(tx, *projects)
            yield tx

    def transact(self, change: Callable[[Transaction, Embed], T], *projects: str | None) -> T:
        """One atomic change that may need vectors of texts it only finds inside the transaction.

        It is given a function that returns them. When one is missing, the transaction is rolled back, the texts are embedded while
        nothing is open, and the change runs again.
        """
        known: dict[tuple[str, str], Vectors | None] = {}
        missing: list[Record] = []

        def embed(record: Record) -> Vectors | None:
            if (record.id, record.content) not in known:
                missing.append(record)
            return known.get((record.id, record.content))

        while True:
            missing.clear()
            try:
                with self.transaction(*projects) as tx:
                    done = change(tx, embed)
                    if missing and self.runtime.embed_many is not None:
                        raise _MissingVectors
                    return done
            except _MissingVectors:
                known |= {(record.id, record.content): self.runtime.embed(record) for record in missing}

    def require_enabled(self, reader: Reader, *projects: str | None) -> None:
        """Refuse to go on when memory is off for all projects, for the viewer's, or for one of some others."""

        def check(off: frozenset[str]) -> None:
            if ALL_PROJECTS in off:
                raise Disabled("every project")
            for project in (self.viewer.project, *projects):
                if project in off:
                    raise Disabled(str(project))

        reader.check_switches(self.viewer.account, check)

    def check_enabled(self, *projects: str | None) -> None:
        """The same in a view of its own, for verbs that do not use the store otherwise."""
        with self.view(*projects):
            pass

    def find(self, reader: Reader, id: Any) -> Record:
        """The memory an id names, if it is visible and memory is on for its project."""
        record = find_visible(reader, self.viewer.identity, id)
        self.require_enabled(reader, record.project)
        return record

    def redact(self, reader: Reader, value: T) -> T:
        """A return value without the ids of memories that the viewer cannot see."""
        return redaction.redact(reader, self.viewer.identity, value)

    def counted(self, records: Sequence[Record]) -> list[Record]:
        """Records with the accesses of this process that are not written yet."""
        return [self.runtime.deferred.counted(record) for record in records]

    def edit(
        self, id: str, kind: EventKind, change: Callable[[Record], Record | Refused], reason: str | None = None
    ) -> Record | Refused:
        """Change one memory by its id; a new text gets a new vector."""

        def write(tx: Transaction, embed: Embed) -> Record | Refused:
            old = self.find(tx, id)
            new = change(old)
            if not isinstance(new, Record):
                return new
            vectors = embed(new) if new.content != old.content else None
            tx.change(old, new, kind, vectors=vectors, reason=reason)
            return self.redact(tx, new)

        return self.transact(write)

    def edited(self, id: str, kind: EventKind, change: Callable[[Record], Record], reason: str | None = None) -> Record:
        """Change one memory by a change that cannot be refused."""
        done = self.edit(id, kind, change, reason)
        assert isinstance(done, Record)
        return done

    def try_flush(self) -> None:
        """Write deferred questions and reads, unless another writer has the lock: a reader does not wait for it."""
        if self.runtime.store.writable and self.runtime.deferred.precede(self.viewer.account):
            self.runtime.deferred.attempt(lambda: flush(self.runtime, wait=False))


class Verbs:
    """The base of every group of verbs: the open store, and the viewer."""

    def __init__(self, runtime: Runtime, identity: Identity, project: str | None = None) -> None:
        self._runtime, self._viewer = runtime, Viewer(identity, project)
        self._uow = UnitOfWork(runtime, self._viewer)


class _MissingVectors(Exception):
    """Ends a transaction whose change needs vectors that are not embedded yet."""


def find_visible(reader: Reader, identity: Identity, wanted: Any) -> Record:
    """The memory that an id, or a unique beginning or end of one, names; hidden memories are not found."""
    part = clean_id("id", wanted)
    visible = [record for record in reader.find_by_id(identity.account, part) if reaches(identity, record.place)]
    if not visible:
        raise NotFound("memory", part)
    if len(visible) > 1:
        raise AmbiguousId(part, len(visible))
    return visible[0]


def chain_of(reader: Reader, newest: Record) -> list[Record]:
    """A memory and what it supersedes, newest first."""
    chain, known = [newest], {newest.id}
    while (older := chain[-1].supersedes) is not None and older not in known:
        (record,) = reader.get(newest.account, [older])
        if record is None:
            break
        chain.append(record)
        known.add(record.id)
    return chain


def own_chain(reader: Reader, identity: Identity, newest: Record) -> list[Record]:
    """The same, if all of it is visible to an identity; a chain with a hidden end cannot be extended."""
    chain = chain_of(reader, newest)
    if not all(reaches(identity, record.place) for record in chain):
        raise InvalidInput("new", "it supersedes something else already", "let a new memory supersede both")
    return chain


def latest_events(reader: Reader, identity: Identity, limit: int) -> list[Event]:
    """The newest visible events, read page by page until there are enough."""
    found: list[Event] = []
    before: int | None = None
    size = limit + _PAGE
    while len(found) < limit:
        page = reader.events(identity.account, before=before, limit=size, newest_first=True)
        found += redaction.visible_events(reader, identity, _asked_for(page))
        if len(page) < size:
            break
        before = page[-1].seq
    return found[:limit]


def operation_to_undo(reader: Reader, identity: Identity, wanted: str | None) -> list[Event]:
    """The events of the operation to undo: the named one, else the last one of which every event is visible."""
    if wanted is not None:
        return _named_operation(reader, identity, wanted)
    before: int | None = None
    # Mostly it is the last one; the ones before may be loads of thousands of events, read only when they are needed.
    while operations := reader.latest_operations(identity.account, 1 if before is None else _PAGE, before):
        events = [event for operation in operations for event in operation]
        visible = {event.seq for event in redaction.visible_events(reader, identity, _asked_for(events))}
        for operation in operations:
            if all(event.seq in visible for event in _asked_for(operation)):
                return operation
        before = min(operation[-1].seq for operation in operations)
    raise NotFound("operation", "to undo", "`log` shows what was done")


def _named_operation(reader: Reader, identity: Identity, wanted: str) -> list[Event]:
    """The events of the operation named by a sequence number, an id or a part of one, if all are visible."""
    account, missing = identity.account, NotFound("operation", wanted, "`log` shows what was done")
    if wanted.isdigit() and len(wanted) < _LONGEST_NUMBER:
        found = reader.events(account, after=int(wanted) - 1, before=int(wanted) + 1, limit=1)
        operations = [event.operation for event in found]
    else:
        digits = wanted.replace("-", "").lower()
        known = set(digits) <= set("0123456789abcdef") and 0 < len(digits) <= 32
        operations = reader.operations_like(account, digits, _PAGE) if known else []
    visible = []
    for operation in operations:
        events = reader.events(account, operation=operation)
        asked = _asked_for(events)
        if asked and len(redaction.visible_events(reader, identity, asked)) == len(asked):
            visible.append(events)
    if len(visible) != 1:
        raise missing
    return visible[0]


def _asked_for(events: Sequence[Event]) -> list[Event]:
    return [event for event in events if event.kind not in AUTOMATIC]


def flush(runtime: Runtime, *, wait: bool = True) -> None:
    """Write everything that is deferred, one transaction per account; without `wait`, fail at once if another writer is active."""
    with runtime.deferred.batch() as waiting:
        while waiting:
            account, pending = next(iter(waiting.items()))
            with runtime.store.transaction(account, runtime.actor, pending.at, wait=wait) as tx:
                due = _write_pending(runtime, tx, account, pending)
            del waiting[account]
            if due:
                runtime.deferred.clusters_due.add(account)


def _write_pending(runtime: Runtime, tx: Transaction, account: str, pending: PendingWrites) -> bool:
    """Write what one account has pending; returns whether its clusters are due to be recomputed."""
    tx.touch(account, {row: (count, at) for row, (_, count, at) in pending.accesses.items()})
    for _, write in pending.writes:
        write(tx)
    if pending.misses:
        runtime.note_misses(tx, pending.misses)
    every = runtime.settings.refresh_clusters
    if not every or not pending.recalls:
        return False
    # Recalls are counted over all processes.
    before = int(tx.note(f"recalls:{account}") or 0)
    tx.set_note(f"recalls:{account}", str(before + pending.recalls))
    return (before + pending.recalls) // every > before // every
