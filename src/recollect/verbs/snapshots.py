"""Snapshots of a context: named, compared, and restored as one operation that can be undone."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from recollect.capture.fields import clean_time
from recollect.errors import InvalidInput, NotFound
from recollect.ports import Reader, Transaction
from recollect.showing import shown
from recollect.tiers import snapshots as tier
from recollect.tiers.access import Level
from recollect.tiers.contexts import in_use
from recollect.tiers.snapshots import Dated, Moment
from recollect.values.access import Access
from recollect.values.container import Difference, Snapshot
from recollect.values.document import Document
from recollect.values.words import DocumentKind
from recollect.verbs.containers import Containers, named

When = Snapshot | str | datetime


class SnapshotVerbs(Containers):
    """What can be done with the past of a context."""

    _kind: ClassVar[DocumentKind] = "context"

    def snapshot(self, context: str, name: str) -> Snapshot:
        """Name what the context is now, to compare with it and to come back to it."""
        title = named("name", name)
        self._screened("name", title)
        with self._handle.changing() as tx:
            held = self._usable(tx, context, "write")
            made = tier.take(tx, held, title, self._parts.clock())
            self._note(tx, held, "snapshot")
        return tier.snapshot_of(made)

    def snapshots(self, context: str) -> list[Snapshot]:
        """The snapshots of a context, newest first."""
        with self._handle.reading() as reader:
            return tier.snapshots(reader, self._held(reader, context))

    def diff(self, context: str, one: When, other: When | None = None) -> Difference:
        """What was added, removed and changed from one snapshot or moment to another, or to now."""
        with self._handle.reading() as reader:
            held = self._held(reader, context)
            before, after = self._then(reader, held, one), self._state(reader, held, other)
            found = shown(reader, self._viewer.identity, tier.compared(before, after))
        self._log(held, "read")
        return found

    def restore(self, context: str, when: When) -> int:
        """Bring the entries back to what they were at a snapshot or a moment; returns how many changed."""
        now = self._parts.clock()
        with self._handle.changing() as tx:
            held = self._usable(tx, context, "write")
            then, _ = self._then(tx, held, when)
            changed = tier.bring_back(tx, held, then, self._parts.embed, now)
            if changed:
                told = when.isoformat() if isinstance(when, datetime) else getattr(when, "name", when)
                tx.put_document(held, held.with_body(now), "context", f"restore to {told}")
            self._note(tx, held, "restore")
        return changed

    def _state(self, reader: Reader, held: Document, when: When | None) -> Dated:
        now = self._parts.clock()
        return (tier.state_now(reader, held, now), now) if when is None else self._then(reader, held, when)

    def _then(self, reader: Reader, held: Document, when: When) -> Dated:
        moment = self._moment(reader, held, when)
        return tier.state_at(reader, held, moment, self._parts.clock()), moment.at

    def _moment(self, reader: Reader, held: Document, when: When) -> Moment:
        """A snapshot by its name or id; else a time, not to come and not before the context was made."""
        try:
            if not isinstance(when, datetime):
                return tier.moment_of(reader, held, when.id if isinstance(when, Snapshot) else named("snapshot", when))
        except NotFound as missing:
            try:
                moment = clean_time("snapshot", when)
            except InvalidInput:
                raise missing from None
        else:
            moment = clean_time("moment", when)
        if moment is None or not held.created_at <= moment <= self._parts.clock():
            raise InvalidInput("moment", f"{when} is not in this context's life", "give a time since it was made")
        return Moment(moment)

    def _usable(self, reader: Reader, context: str, wanted: Level = "read") -> Document:
        """The context of that name, unless it is archived."""
        held = self._held(reader, context, wanted)
        in_use(held)
        return held

    def _note(self, tx: Transaction, held: Document, action: str, memory_id: str | None = None) -> None:
        access = Access(self._parts.clock(), self._viewer.identity.agent, action, memory_id)
        tx.log_access(held.account, held.id, access)

    def _log(self, held: Document, action: str, memory_id: str | None = None) -> None:
        """Put a read in the log of the context; a store that cannot be written keeps none."""
        if self._parts.store.writable:
            with self._handle.changing() as tx:
                self._note(tx, held, action, memory_id)
