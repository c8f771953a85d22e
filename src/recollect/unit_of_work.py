"""The unit of work: every verb opens exactly one view or one transaction of the store, as one viewer sees it.

Entering checks that memory is enabled; inside, ids are resolved as the viewer may see them; leaving a transaction commits. Nothing
slow happens inside: `transact` runs a change again when it turns out to need vectors, which are embedded while nothing is open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from recollect import redaction
from recollect.access import with_contexts
from recollect.deferred import PendingWrites
from recollect.errors import AmbiguousId, Disabled, InvalidInput, NeedsConfirmation, NotFound, StoreDamaged
from recollect.ports import Reader, Transaction, Vectors
from recollect.runtime import Runtime
from recollect.validation import MAX_CONTENT, clean_id, clean_name, clean_tags, clean_text, require_name
from recollect.values.enums import ChangeOrigin, EventKind
from recollect.values.event import Event
from recollect.values.gap import Miss
from recollect.values.memory import Record, side_texts
from recollect.values.normalise import normalise
from recollect.values.outcome import Refused
from recollect.values.passages import passages
from recollect.values.scope import RESERVED, Identity, Place, Viewer, reaches
from recollect.values.statements import asks_about, says_something

if TYPE_CHECKING:
    from recollect.capture.tombstones import Tombstone

T = TypeVar("T")
ALL_PROJECTS = "*"
# What changes more memories than this is confirmed first.
MOST_UNCONFIRMED = 20
# Events that recall and remember write by themselves: they are in the journal, but no caller asked for them.
AUTOMATIC = ("miss", "answer")
_LONGEST_NUMBER, _SHOWN_OF_AN_ID = 12, 8
_PAGE = 8
# So many texts of a value are compared by their meaning.
_MOST_TEXTS = 32


@dataclass(slots=True)
class Embed:
    """The vectors of memories inside a transaction; those that are not known yet are noted, and embedded outside of it."""

    runtime: Runtime
    missing: list[Record] = field(default_factory=list)
    _known: dict[tuple[str, ...], Vectors | None] = field(default_factory=dict)

    def __call__(self, record: Record) -> Vectors | None:
        key = tuple(passages(record))
        if self.runtime.embed_many is not None and key not in self._known:
            self.missing.append(record)
        return self._known.get(key)

    def prepare(self, records: Iterable[Record]) -> None:
        """Embed some memories now; nothing may be open."""
        for record in records:
            self.add(record, self.runtime.embed(record))

    def add(self, record: Record, vectors: Vectors | None) -> None:
        """Take over vectors that were made elsewhere."""
        self._known[tuple(passages(record))] = vectors


@dataclass(frozen=True, slots=True)
class UnitOfWork:
    """Opens units of work on one store for one viewer."""

    runtime: Runtime
    viewer: Viewer
    # On whose behalf it changes something; by default the caller's own.
    on_behalf_of: ChangeOrigin | None = None

    @property
    def actor(self) -> str:
        """The name the journal records for a change."""
        identity = self.viewer.identity
        return identity.name or identity.client or self.runtime.settings.actor

    @property
    def origin(self) -> ChangeOrigin:
        """On whose behalf the journal says that a change was made."""
        identity = self.viewer.identity
        return self.on_behalf_of or ("agent" if identity.agent or identity.client else "person")

    def at(self, project: str | None, session: str | None, task: str | None) -> UnitOfWork:
        """The same identity, working in a project, a session or a task."""
        viewer = self.viewer.within(
            self.name("project", project) or self.viewer.project,
            self.name("session", session),
            self.name("task", task),
        )
        return replace(self, viewer=viewer)

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
        self._check_names()
        if self.runtime.deferred.precede(self.viewer.account):
            flush(self.runtime)
        self.runtime.refresh_due_clusters()
        store, account, now = self.runtime.store, self.viewer.account, at or self.runtime.clock()
        with store.transaction(account, self.actor, now, operation=operation, origin=self.origin) as tx:
            self.require_enabled(tx, *projects)
            self.require_no_tombstones_in_names(tx, "agent", [self.actor])
            yield tx
        self.runtime.companions.changed()
        if self.viewer.identity.on_commit is not None:
            self.viewer.identity.on_commit(tx.operation.id)

    def transact(
        self, change: Callable[[Transaction, Embed], T], *projects: str | None, texts: Iterable[str] = ()
    ) -> T:
        """One atomic change that may need vectors of texts it only finds inside the transaction.

        It is given a function that returns them; those of `texts` are embedded first. When one is missing, the transaction is
        rolled back, the texts are embedded while nothing is open, and the change runs again.
        """
        embed = Embed(self.runtime)
        embed.prepare(_as_record(self.viewer.account, text, self.runtime.clock()) for text in texts)
        while True:
            try:
                with self.transaction(*projects) as tx:
                    done = change(tx, embed)
                    if embed.missing:
                        raise _MissingVectors
                    return done
            except _MissingVectors:
                embed.prepare(embed.missing)
                embed.missing.clear()
                # Measured and stored on first use, which cannot be done inside a transaction.
                self.runtime.calibrate()

    def tombstone(
        self, tx: Transaction, record: Record, embed: Embed, ignored: Callable[[Record], bool] = lambda _: False
    ) -> Tombstone | None:
        """Why the text of a memory may not be stored: it was forgotten or purged on purpose; some memories do not count."""
        if not tx.has_tombstones(record.account):
            return None
        vectors = embed(record)
        if embed.missing:
            return None  # the change runs again when the vectors are there
        now = self.runtime.clock()
        found = self.runtime.gate.tombstones.of(tx, self.viewer.identity, [(record, vectors)], now, ignored)
        return found.get(record.id)

    def require_no_tombstone(self, tx: Transaction, field: str, record: Record, embed: Embed) -> None:
        """Refuse a text that was forgotten or purged on purpose."""
        tombstone = self.tombstone(tx, record, embed)
        if tombstone is not None:
            raise InvalidInput(field, tombstone.reason, "give another text")

    def require_no_tombstones(
        self, reader: Reader, field: str, texts: Iterable[str], embed: Embed | None = None
    ) -> None:
        """The same for texts that become no memory, such as the values of a pool.

        Short texts are compared only by their words, and without `embed` all are.
        """
        account, now = self.viewer.account, self.runtime.clock()
        distinct = [text for text in dict.fromkeys(map(normalise, texts)) if text]
        if not distinct or not reader.has_tombstones(account):
            return
        tombstones, identity = self.runtime.gate.tombstones, self.viewer.identity
        exact = tombstones.of_texts(reader, with_contexts(reader, identity), {text: text for text in distinct}, now)
        for found in exact.values():
            raise InvalidInput(field, found.reason, "give another text")
        long = [text for text in distinct if says_something(text)][:_MOST_TEXTS]
        vectors = (
            [(record, embed(record)) for record in (_as_record(account, text, now) for text in long)] if embed else []
        )
        if embed is not None and not embed.missing:
            for found in tombstones.of(reader, identity, vectors, now).values():
                raise InvalidInput(field, found.reason, "give another text")

    def require_no_tombstones_in_names(self, reader: Reader, field: str, names: Iterable[str | None]) -> None:
        """The same for names that are stored, such as those of agents: one of a few words says nothing."""
        telling = [name for name in names if name and says_something(name)]
        if telling:
            self.require_no_tombstones(reader, field, telling)

    def check_value(self, field: str, texts: Sequence[str], names: Sequence[str] = ()) -> None:
        """Refuse texts that were forgotten or purged, for verbs that write outside of the store; and when memory is off."""
        account, now = self.viewer.account, self.runtime.clock()
        with self.view() as reader:
            if not reader.has_tombstones(account):
                return
            self.require_no_tombstones_in_names(reader, "name", names)
        records = [_as_record(account, normalise(text), now) for text in texts]
        embed = Embed(self.runtime)
        embed.prepare(records)
        self.runtime.calibrate()
        with self.view() as reader:
            self.require_no_tombstones(reader, field, texts, embed)

    def name(self, field: str, value: Any) -> str | None:
        """A name as it may be stored: text on one line without a secret in it."""
        cleaned = clean_name(field, value)
        if cleaned is not None:
            self.runtime.gate.require_name(field, cleaned)
        return cleaned

    def require_name(self, field: str, value: Any) -> str:
        """The same for a name that must be given."""
        name = require_name(field, value)
        self.runtime.gate.require_name(field, name)
        return name

    def tags(self, given: Any) -> tuple[str, ...]:
        """Tags as they may be stored: without anything that would be refused or redacted."""
        several = tuple(given) if isinstance(given, list | tuple | set | frozenset) else given
        cleaned = clean_tags(several)
        # As given too: in lower case a token may have no form to be known by.
        for tag in (*cleaned, *(several if isinstance(several, tuple) else ())):
            self.runtime.gate.require_text("tags", tag)
        return cleaned

    def _check_names(self) -> None:
        """Refuse a writer whose own name contains a secret: it goes into every row and every event."""
        identity, gate = self.viewer.identity, self.runtime.gate
        names = {
            "account": identity.account,
            "agent": identity.agent,
            "user": identity.user,
            "actor": self.actor,
            "project": self.viewer.project,
        }
        for what, name in names.items():
            gate.require_name(what, name)

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
        return redaction.redact(reader, self.viewer, value)

    def counted(self, records: Sequence[Record]) -> list[Record]:
        """Records with the accesses of this process that are not written yet."""
        return [self.runtime.deferred.counted(record) for record in records]

    def edit(
        self,
        id: str,
        kind: EventKind,
        change: Callable[[Record], Record | Refused],
        reason: str | None = None,
        content: str | None = None,
    ) -> Record | Refused:
        """Change one memory by its id; a new text gets a new vector. `content` is the text that is likely to be new."""

        def write(tx: Transaction, embed: Embed) -> Record | Refused:
            old = self.find(tx, id)
            new = change(old)
            if not isinstance(new, Record):
                return new
            new = self.runtime.gate.changed(old, new)
            beside = {text for _, text in side_texts(new)} - {text for _, text in side_texts(old)}
            self.require_no_tombstones(tx, "text", [*sorted(beside), *([reason] if reason else [])])
            reworded = new.content != old.content
            if reworded and old.status == "forgotten":
                # Its text is the tombstone: another one would lift it and bury something else.
                return Refused("it is forgotten; restore it before you change its text", forgotten=old.id)
            if reworded and (tombstone := self.tombstone(tx, new, embed)) is not None:
                memory = tombstone.memory
                return Refused(tombstone.reason, forgotten=None if memory is None else memory.id)
            if reworded and (known := _same_active(tx, new)) is not None:
                return Refused(f"the same text is stored already, as {known.short_id}", existing=known.id)
            tx.change(old, new, kind, vectors=embed(new) if reworded else None, reason=reason)
            return self.redact(tx, new)

        if reason is not None:
            reason = clean_text("reason", reason, MAX_CONTENT)
            self.runtime.gate.require_text("reason", reason)
        return self.transact(write, texts=[] if content is None else [content])

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


def _as_record(account: str, text: str, now: datetime) -> Record:
    """A text that becomes no memory, in the form in which texts are embedded and compared."""
    return Record(text, text, account, now, now, now)


def _same_active(reader: Reader, record: Record) -> Record | None:
    """The other active memory in the same place with the same text.

    One that it contradicts does not count: giving both the same text is a way out of a contradiction.
    """
    for one in reader.same_text(record.account, record.content):
        disputed = one.id in record.contradicts or record.id in one.contradicts
        if one.status == "active" and one.place == record.place and one.id != record.id and not disputed:
            return one
    return None


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


def latest_events(reader: Reader, viewer: Viewer, limit: int) -> list[Event]:
    """The newest events that a viewer is shown, read page by page until there are enough."""
    found: list[Event] = []
    before: int | None = None
    size = limit + _PAGE
    while len(found) < limit:
        try:
            page = reader.events(viewer.account, before=before, limit=size, newest_first=True)
        except StoreDamaged:
            # The damaged event may be beyond those that are shown.
            size = limit - len(found)
            page = reader.events(viewer.account, before=before, limit=size, newest_first=True)
        found += redaction.shown_events(reader, viewer, _asked_for(page))
        if len(page) < size:
            break
        before = page[-1].seq
    return found[:limit]


def operation_to_undo(uow: UnitOfWork, reader: Reader, wanted: str | None) -> list[Event]:
    """The events of the operation to undo: the named one, else the caller's own last one in this project.

    Every event of it must be visible. What happened in no project counts as here.
    """
    identity = uow.viewer.identity
    if wanted is not None:
        return _named_operation(reader, identity, require_name("operation", wanted))
    before: int | None = None
    # Mostly it is the last one; the ones before may be loads of thousands of events, read only when they are needed.
    while operations := reader.latest_operations(
        identity.account, 1 if before is None else _PAGE, before, actor=uow.actor
    ):
        events = [event for operation in operations for event in operation]
        visible = {event.seq for event in redaction.visible_events(reader, identity, _asked_for(events))}
        elsewhere = _events_elsewhere(reader, uow.viewer, events)
        for operation in operations:
            own = all(event.origin == uow.origin for event in operation)
            here = all(event.seq in visible and event.seq not in elsewhere for event in _asked_for(operation))
            if own and here:
                return operation
        before = min(operation[-1].seq for operation in operations)
    raise NotFound("operation of yours", "to undo", "`log` shows what was done; `undo` takes a number of it")


def _events_elsewhere(reader: Reader, viewer: Viewer, events: Sequence[Event]) -> set[int]:
    """The numbers of the events about memories of another project than the viewer's."""
    if viewer.project is None:
        return set()
    projects = event_projects(reader, viewer.account, events)
    return {event.seq for event in events if projects.get(event.seq, "") not in ("", viewer.project)}


def event_projects(reader: Reader, account: str, events: Sequence[Event]) -> dict[int, str]:
    """The project of what each event is about, by its number; an empty text for none."""
    about = {event.memory_id for event in events if event.document is None}
    places: dict[str, Place] = dict(reader.places_of(account, list(about))) if about else {}
    contexts = {key.removeprefix(RESERVED) for scope, key, _ in places.values() if key.startswith(RESERVED)}
    known = {each.id: each.place for each in reader.get_documents(account, list(contexts))} if contexts else {}
    projects: dict[int, str] = {}
    for event in events:
        place = places.get(event.memory_id)
        if event.document is not None or (place is not None and place[1].startswith(RESERVED)):
            image = (event.after or event.before or {}).get("place") if event.document is not None else None
            scope, key, _ = image or known.get((place or ("", "", ""))[1].removeprefix(RESERVED)) or ("", "", "")
            projects[event.seq] = key if scope == "project" else ""
        else:
            projects[event.seq] = "" if place is None else _project_of(place)
    return projects


def _project_of(place: Place) -> str:
    scope, key, project = place
    return key if scope == "project" else project


def require_confirmed(uow: UnitOfWork, events: Sequence[Event], *, named: bool) -> None:
    """Refuse to undo without `force` what is large, or what somebody else did."""
    memories = {event.memory_id for event in events if event.document is None}
    if len(memories) > MOST_UNCONFIRMED:
        raise NeedsConfirmation("undo", f"the operation changed {len(memories):,} memories")
    # A person and a program may have the same name; what runs on behalf of a caller has the caller's.
    stranger = "agent" if uow.origin == "person" else "person"
    other = next((event.actor for event in events if event.actor != uow.actor or event.origin == stranger), None)
    if named and other is not None:
        raise NeedsConfirmation("undo", f"the operation is not yours: {other} made it")


def _named_operation(reader: Reader, identity: Identity, wanted: str) -> list[Event]:
    """The events of the operation named by a sequence number, an id or a part of one, if all are visible."""
    account, missing = identity.account, NotFound("operation", wanted, "`log` shows what was done")
    operations: list[str] = []
    # Of the eight characters that are shown of an id, all are digits in one of forty; a number of the log is shorter.
    if not wanted.isdecimal() or len(wanted) >= _SHOWN_OF_AN_ID:
        operations = _with_id(reader, account, wanted)
    if not operations:
        operations = _numbered(reader, account, wanted)
    visible = []
    for operation in operations:
        events = reader.events(account, operation=operation)
        asked = _asked_for(events)
        if asked and len(redaction.visible_events(reader, identity, asked)) == len(asked):
            visible.append(events)
    if len(visible) != 1:
        raise missing
    return visible[0]


def _numbered(reader: Reader, account: str, wanted: str) -> list[str]:
    """The operation of the event with a number."""
    if not (wanted.isdecimal() and wanted.isascii() and len(wanted) < _LONGEST_NUMBER) or wanted.startswith("0"):
        return []
    found = reader.events(account, after=int(wanted) - 1, before=int(wanted) + 1, limit=1)
    return [event.operation for event in found]


def _with_id(reader: Reader, account: str, wanted: str) -> list[str]:
    """The operations whose id begins or ends so."""
    digits = wanted.replace("-", "").lower()
    known = set(digits) <= set("0123456789abcdef") and 0 < len(digits) <= 32
    return reader.operations_like(account, digits, _PAGE) if known else []


def _asked_for(events: Sequence[Event]) -> list[Event]:
    return [event for event in events if event.kind not in AUTOMATIC]


def flush(runtime: Runtime, *, wait: bool = True) -> None:
    """Write everything that is deferred, one transaction per account; without `wait`, fail at once if another writer is active."""
    with runtime.deferred.batch() as waiting:
        while waiting:
            account, pending = next(iter(waiting.items()))
            with runtime.store.transaction(account, runtime.actor, pending.at, wait=wait) as tx:
                due = _write_pending(runtime, tx, account, pending)
            pending.clear_own()
            if due:
                runtime.deferred.clusters_due.add(account)
            while pending.on_behalf:
                origin, writes = next(iter(pending.on_behalf.items()))
                with runtime.store.transaction(account, origin, pending.at, wait=wait, origin=origin) as tx:
                    for write in writes:
                        write(tx)
                del pending.on_behalf[origin]
            del waiting[account]


def _without_tombstones(runtime: Runtime, tx: Transaction, misses: Sequence[Miss]) -> list[Miss]:
    """The misses that are kept as gaps: not those whose question repeats what was forgotten or purged."""
    gone: set[tuple[Identity, str]] = set()
    for identity in {miss.viewer.identity for miss in misses}:
        # A question mark says nothing: "Tom is ill?" contains "Tom is ill".
        asked = {
            (miss.question, said): said
            for miss in misses
            if miss.viewer.identity == identity
            for said in (miss.question, miss.question.rstrip(" ?？"))
        }
        found = runtime.gate.tombstones.of_texts(tx, identity, asked, runtime.clock(), says=asks_about)
        gone |= {(identity, question) for question, _ in found}
    return [miss for miss in misses if (miss.viewer.identity, miss.question) not in gone]


def _write_pending(runtime: Runtime, tx: Transaction, account: str, pending: PendingWrites) -> bool:
    """Write what one account has pending; returns whether its clusters are due to be recomputed."""
    tx.touch(account, {row: (count, at) for row, (_, count, at) in pending.accesses.items()})
    for _, write in pending.writes:
        write(tx)
    misses = _without_tombstones(runtime, tx, pending.misses)
    if misses:
        runtime.note_misses(tx, misses)
    every = runtime.settings.refresh_clusters
    if not every or not pending.recalls:
        return False
    # Recalls are counted over all processes.
    before = int(tx.note("recalls", account) or 0)
    tx.set_note("recalls", str(before + pending.recalls), account)
    return (before + pending.recalls) // every > before // every
