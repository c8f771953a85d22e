"""Contexts: containers of memories with versions, grants, an access log and snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, ClassVar, Literal, Unpack

from recollect.access import Level, entries_team
from recollect.capture.edit import edited
from recollect.capture.screen.named_values import value_in
from recollect.errors import InvalidInput, NotFound
from recollect.log import logged
from recollect.ports import Reader, Transaction
from recollect.recall.gaps import erase_gaps
from recollect.recall.run import build_request, profile_named, run
from recollect.recall.state import RecallRequest
from recollect.tiers import context_entries, snapshots
from recollect.tiers.containers import Containers, visible_containers
from recollect.tiers.context_entries import NewContext, context_of, entry, newest, place_of_entries, require_active
from recollect.tiers.snapshots import Dated, Moment
from recollect.unit_of_work import Embed, UnitOfWork
from recollect.validation import clean_id, clean_limit, clean_time, one_of, require_name, shown
from recollect.values.document import Access, Document
from recollect.values.draft import DraftFields
from recollect.values.enums import CONTEXT_TYPES, AccessLevel, ContextType
from recollect.values.memory import Record
from recollect.values.normalise import normalise
from recollect.values.outcome import Outcome, Refused
from recollect.values.recalled import Recalled
from recollect.values.scope import Place, Viewer
from recollect.values.tiers import Context, ContextFields, Difference, Snapshot

When = Snapshot | str | datetime


class SnapshotVerbs(Containers):
    """The verbs of a context that look back or go back: snapshots, diff, restore."""

    _kind: ClassVar[Literal["pool", "context"]] = "context"

    def snapshot(self, context: str, name: str) -> Snapshot:
        """Give the current state of a context a name, to compare with it or to restore it later."""
        title = require_name("name", name)
        self._screened("name", title)
        with self._uow.transaction() as tx:
            document = self._usable(tx, context, "write")
            self._uow.require_no_tombstones(tx, "name", [title])
            made = snapshots.take(tx, document, title, self._runtime.clock())
            self._log_write(tx, document, "snapshot")
        return snapshots.snapshot_of(made)

    def snapshots(self, context: str) -> list[Snapshot]:
        """The snapshots of a context, newest first."""
        with self._uow.view() as reader:
            return snapshots.snapshots(reader, self._find(reader, context))

    def diff(self, context: str, one: When, other: When | None = None) -> Difference:
        """What was added, removed and changed between two snapshots or times; without the second, until now."""
        with self._uow.view() as reader:
            document = self._find(reader, context)
            before, after = self._then(reader, document, one), self._state(reader, document, other)
            self._log_read(document, "read")
            return self._uow.redact(reader, snapshots.compare(before, after))

    def restore(self, context: str, when: When) -> int:
        """Restore the entries to a snapshot or a time; returns how many changed."""
        now = self._runtime.clock()

        def write(tx: Transaction, embed: Embed) -> int:
            document = self._usable(tx, context, "write")
            then, _ = self._then(tx, document, when)
            own = set(then)

            def allowed(record: Record) -> bool:
                # What was removed here comes back with the snapshot; what was forgotten elsewhere does not.
                return self._uow.tombstone(tx, record, embed, lambda old: old.id in own) is None

            changed = snapshots.restore(tx, document, then, embed, now, allowed)
            if changed:
                label = when.isoformat() if isinstance(when, datetime) else getattr(when, "name", when)
                tx.put_document(document, document.with_body(now), "context", f"restore to {label}")
            self._log_write(tx, document, "restore")
            return changed

        return self._uow.transact(write)

    def _state(self, reader: Reader, document: Document, when: When | None) -> Dated:
        now = self._runtime.clock()
        return (snapshots.state_now(reader, document, now), now) if when is None else self._then(reader, document, when)

    def _then(self, reader: Reader, document: Document, when: When) -> Dated:
        moment = self._moment(reader, document, when)
        return snapshots.state_at(reader, document, moment, self._runtime.clock()), moment.at

    def _moment(self, reader: Reader, document: Document, when: When) -> Moment:
        """A snapshot by its name or id; else a time between the creation of the context and now."""
        try:
            if not isinstance(when, datetime):
                return snapshots.moment_of(
                    reader, document, when.id if isinstance(when, Snapshot) else require_name("snapshot", when)
                )
        except NotFound as missing:
            try:
                moment = clean_time("snapshot", when)
            except InvalidInput:
                raise missing from None
        else:
            moment = clean_time("moment", when)
        if moment is None or not document.created_at <= moment <= self._runtime.clock():
            raise InvalidInput(
                "moment",
                f"{when} is not between the creation of the context and now",
                "give a time since it was created",
            )
        return Moment(moment)

    def _usable(self, reader: Reader, context: str, wanted: Level = "read") -> Document:
        """The context of that name, if it is not archived."""
        document = self._find(reader, context, wanted)
        require_active(document)
        return document

    def _log_write(self, tx: Transaction, document: Document, action: str, memory_id: str | None = None) -> None:
        access = Access(self._runtime.clock(), self._viewer.identity.name, action, memory_id)
        tx.log_access(document.account, document.id, access)

    def _log_read(self, document: Document, action: str, memory_id: str | None = None) -> None:
        """Write a read into the log of the context, in the background; a read-only store has no log."""
        if self._runtime.store.writable:
            access = Access(self._runtime.clock(), self._viewer.identity.name, action, memory_id)
            write = partial(_log_access, document.account, document.id, access)
            self._runtime.deferred.defer(document.account, access.at, ("context", document.id), write)


# The verb `list` hides the built-in inside the class.
ContextList = list[Context]
Entries = list[Record]
AccessLog = list[Access]
Places = list[Place]
# The context decides where an entry belongs, and `update_content` creates versions.
_FIXED = ("scope", "team", "project", "agent", "user", "task", "supersedes")
_MOST = 1000


@logged
class Contexts(SnapshotVerbs):
    """The contexts of an account that one identity may use. A verb takes the name or the id of a context."""

    def create(self, name: str, *, type: ContextType, **fields: Unpack[ContextFields]) -> Context:
        """Create an empty context in a scope; without one, in that of the user who is served, or else in the account."""
        title = require_name("name", name)
        one_of("type", require_name("type", type), CONTEXT_TYPES)
        for field in fields:
            if field not in ContextFields.__annotations__:
                known = ", ".join(ContextFields.__annotations__)
                raise InvalidInput(field, "is not a field of a context", f"fields: type, {known}")
        place = self._place(fields.get("scope"), fields)
        self._screened("name", title)
        given = fields.get("description")
        about = None if given is None else self._screened("description", given)
        grants = self._grants(fields.get("access"), place)
        new = NewContext(title, type, place, self._viewer.identity.name, grants, about)

        def write(tx: Transaction, embed: Embed) -> Context:
            made = context_of(context_entries.create(tx, self._viewer.identity, new, self._runtime.clock()))
            self._uow.require_no_tombstones(tx, "description", [title, about or ""], embed)
            self._uow.require_no_tombstones_in_names(tx, "access", [*place, *grants.read, *grants.write])
            return made

        return self._uow.transact(write, place[1] if place[0] == "project" else None)

    def get(self, context: str) -> Context:
        """A context by its name or id."""
        with self._uow.view() as reader:
            return context_of(self._opened(reader, context))

    def list(self, type: ContextType | None = None, archived: bool = False) -> ContextList:
        """The visible contexts that are in use, by name; with `archived`, the archived ones instead."""
        one_of("type", type, CONTEXT_TYPES)
        with self._uow.view() as reader:
            found = [context_of(document) for document in visible_containers(self._uow, reader, self._kind)]
        kept = [context for context in found if type in (None, context.type) and context.archived is archived]
        return sorted(kept, key=lambda context: (context.name, context.id))

    def add(self, context: str, content: str, **fields: Unpack[DraftFields]) -> Outcome:
        """Store one thing in a context, by the same path as `remember`; the outcome says what happened."""
        for name in _FIXED:
            if fields.get(name) is not None:
                raise InvalidInput(
                    name, "is not for entries", "leave it out; the context decides where an entry belongs"
                )
        # The id of the context is needed before the text is embedded; the transaction checks the access again.
        with self._uow.view() as reader:
            document = self._usable(reader, context, "write")
        self._require_unnamed(document, content)
        team, mine = entries_team(document.id), self._viewer.identity
        draft = {**fields, "content": content, "scope": "team", "team": team}
        inside = UnitOfWork(self._runtime, Viewer(replace(mine, teams=(*mine.teams, team))))

        def also(tx: Transaction, outcomes: Sequence[Outcome]) -> None:
            self._usable(tx, context, "write")  # it may have been archived, or the grant revoked, since
            for outcome in outcomes:
                if outcome.memory is not None:
                    self._log_write(tx, document, "add", outcome.memory.id)

        return self._runtime.capture.remember(inside, [draft], also=also)[0]

    def entries(self, context: str, limit: int = 50) -> Entries:
        """The active entries, newest first."""
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= _MOST:
            raise InvalidInput("limit", f"{shown(limit)} is out of range", f"give a whole number from 1 to {_MOST}")
        with self._uow.view() as reader:
            document = self._opened(reader, context)
            found = context_entries.entries(reader, document, self._runtime.clock(), limit=limit)
            return self._uow.redact(reader, found)

    def search(self, context: str, query: str, limit: int = 10, profile: str = "hybrid") -> Recalled:
        """Search the entries of a context, best first."""
        places: Places = []

        def in_view(reader: Reader) -> RecallRequest:
            document = self._usable(reader, context)
            self._log_read(document, "search")
            places.append(place_of_entries(document))
            return replace(request, viewer=Viewer(context_entries.entries_identity(document)))

        request = build_request(self._uow, query, profile_named(self._uow, profile), limit, {}, {"scope": "team"})
        found = run(self._uow, request, in_view)
        return replace(found, hits=tuple(hit for hit in found if hit.memory.place in places))

    def get_entry(self, context: str, id: str) -> Record:
        """One entry by its id, or by a unique beginning or end of it."""
        with self._uow.view() as reader:
            return self._uow.redact(reader, self._entry(reader, context, id)[1])

    def update_content(self, context: str, id: str, content: str, editor: str | None = None) -> Record:
        """Change the text of an entry: a new version supersedes the old one, which is kept."""
        now, who = self._runtime.clock(), self._uow.name("editor", editor) or self._viewer.identity.name

        def write(tx: Transaction, embed: Embed) -> Record:
            document, old = self._entry_to_change(tx, context, id)
            last = newest(tx, old)
            self._require_unnamed(document, content)
            reworded = self._reworded(last, content)
            self._uow.require_no_tombstone(tx, "content", reworded, embed)
            self._uow.require_no_tombstones_in_names(tx, "editor", [who])
            new = context_entries.version_of(last, reworded, who, now)
            tx.insert(new, embed(reworded), "supersede")
            self._log_write(tx, document, "update", new.id)
            return self._uow.redact(tx, new)

        return self._uow.transact(write, texts=[content.strip()] if isinstance(content, str) else [])

    def versions(self, context: str, id: str) -> Entries:
        """An entry's versions, newest first."""
        with self._uow.view() as reader:
            document, record = self._entry(reader, context, id)
            found = context_entries.versions(reader, document, record, self._runtime.clock())
            return self._uow.redact(reader, found)

    def boost_importance(self, context: str, id: str, by: float = 0.1) -> Record:
        """Raise the importance of an entry, up to 1."""
        return self._change_importance(context, id, "boost", _amount(by))

    def reduce_importance(self, context: str, id: str, by: float = 0.1) -> Record:
        """Lower the importance of an entry, down to 0."""
        return self._change_importance(context, id, "reduce", -_amount(by))

    def effective_relevance(self, context: str, id: str) -> float:
        """Importance · confidence · exp(−0.01 · days since the last access)."""
        with self._uow.view() as reader:
            record = self._runtime.deferred.counted(self._entry(reader, context, id)[1])
        return context_entries.effective_relevance(record, self._runtime.clock())

    def remove_entry(self, context: str, id: str) -> Record:
        """Forget an entry with all its versions: hidden, and not stored again until that is undone."""
        with self._uow.transaction() as tx:
            document, record = self._entry_to_change(tx, context, id)
            for old in context_entries.versions(tx, document, record, self._runtime.clock()):
                if old.status != "forgotten":
                    tx.change(old, old.with_(status="forgotten"), "forget", reason="remove")
            self._log_write(tx, document, "remove", record.id)
            return self._uow.redact(tx, record.with_(status="forgotten"))

    def purge_entry(self, context: str, id: str) -> int:
        """Erase an entry and all its versions for good; no snapshot restores it. Returns how many versions were erased."""
        with self._uow.transaction() as tx:
            document, record = self._entry_to_change(tx, context, id)
            gone = context_entries.versions(tx, document, record, self._runtime.clock())
            for old in gone:
                tx.purge(old)
                erase_gaps(tx, old)
            self._log_write(tx, document, "remove", record.id)
        self._runtime.recent_recalls.clear()
        self._runtime.companions.purged()
        self._runtime.store.erase_traces(document.account)
        return len(gone)

    def archive(self, context: str) -> Context:
        """Archive a context: it is kept, but not searched or written."""
        return self._set_archived(context, archived=True)

    def unarchive(self, context: str) -> Context:
        """Take an archived context back into use."""
        return self._set_archived(context, archived=False)

    def grant(self, context: str, agent: str, level: AccessLevel) -> Context:
        """Let another agent read, or read and write."""
        return context_of(self._grant(context, agent, level))

    def revoke(self, context: str, agent: str, level: AccessLevel | None = None) -> Context:
        """Revoke a grant: `write` keeps a grant to read, `read` and None revoke both."""
        return context_of(self._revoke(context, agent, level))

    def access_log(self, context: str, limit: int = 50) -> AccessLog:
        """Who read and wrote the context and its entries, newest first; only its owner sees it."""
        most = clean_limit(limit, 50)
        self._uow.try_flush()
        with self._uow.view() as reader:
            document = self._find(reader, context, "own")
            return reader.accesses(document.account, document.id, most)

    def _opened(self, reader: Reader, context: str) -> Document:
        """A context, and the read goes into its log."""
        document = self._find(reader, context)
        self._log_read(document, "read")
        return document

    def _entry(self, reader: Reader, context: str, id: str) -> tuple[Document, Record]:
        """A context and one of its entries as stored; the read goes into the log of the context."""
        document = self._find(reader, context)
        record = entry(reader, document, clean_id("id", id))
        self._log_read(document, "read", record.id)
        return document, record

    def _require_unnamed(self, document: Document, content: Any) -> None:
        """Refuse a value that the name of the context says is a credential."""
        if isinstance(content, str):
            self._runtime.gate.require_value("content", value_in(normalise(content)), around=document.name)

    def _reworded(self, old: Record, content: str) -> Record:
        """An entry with another text, screened."""
        new = edited(old, {"content": content}, self._runtime.gate, self._runtime.clock())
        if isinstance(new, Refused):
            raise InvalidInput("content", new.reason, "give another text")
        if new.content == old.content:
            raise InvalidInput("content", "is what the entry says already", "give another text")
        return new

    def _entry_to_change(self, reader: Reader, context: str, id: str) -> tuple[Document, Record]:
        document = self._usable(reader, context, "write")
        return document, entry(reader, document, clean_id("id", id))

    def _change_importance(self, context: str, id: str, action: str, by: float) -> Record:
        now = self._runtime.clock()
        with self._uow.transaction() as tx:
            document, old = self._entry_to_change(tx, context, id)
            new = context_entries.with_importance(old, by, now)
            tx.change(old, new, "update", reason=action)
            self._log_write(tx, document, action, old.id)
            return self._uow.redact(tx, new)

    def _set_archived(self, context: str, *, archived: bool) -> Context:
        action = "archive" if archived else "unarchive"
        with self._uow.transaction() as tx:
            document = self._find(tx, context, "own")
            after = context_entries.with_archived(document, self._runtime.clock(), archived=archived)
            tx.put_document(document, after, "context", action)
            self._log_write(tx, document, action)
        return context_of(after)


def _amount(by: Any) -> float:
    if isinstance(by, bool) or not isinstance(by, (int, float)) or not 0 < by <= 1:
        raise InvalidInput("by", f"{shown(by)} is out of range", "give a number above 0, at most 1")
    return float(by)


def _log_access(account: str, context: str, access: Access, tx: Transaction) -> None:
    tx.log_access(account, context, access)
