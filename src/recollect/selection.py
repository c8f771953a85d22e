"""Selection: the memories that a filter selects, to count, read, export or change as one operation.

A change goes page by page from the newest memory down, each page in a transaction of its own, so that others need not wait; what
is stored meanwhile is not touched. All pages share one operation: one `undo` takes the whole back.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, BinaryIO, Unpack

from recollect import listing
from recollect.errors import InvalidInput, NeedsConfirmation, PartlyDone, RecollectError
from recollect.filters import filter_from
from recollect.log import info, warning
from recollect.unit_of_work import MOST_UNCONFIRMED, UnitOfWork
from recollect.validation import check_progress, clean_flag, some_tags
from recollect.values.changed import Changed, NotChanged, SelectionVerb
from recollect.values.enums import Scope
from recollect.values.ids import new_id
from recollect.values.memory import Record
from recollect.values.search import Filter

if TYPE_CHECKING:
    from recollect.capture.bulk import Plan, Planned
    from recollect.ports import Progress, Reader
    from recollect.upkeep.purge import PurgeBatch
    from recollect.values.draft import UpdateFields
    from recollect.values.purge import Erasure
    from recollect.values.transfer import Exported

# How many memories are changed in one transaction; a purge reads the whole account for each page, so its pages are larger.
_PAGE, _PURGE_PAGE = 200, 1000
# How many of the changed memories a result shows.
_SHOWN = 20


class Selection:
    """The memories that a filter selects at the moment of each call; `for memory in selection` reads them, newest first.

    Every change takes `dry_run`, which changes nothing and tells how many memories it would change, and `force`, without which
    no more than 20 are changed. A purge always needs `force`.
    """

    def __init__(self, uow: UnitOfWork, filters: Mapping[str, Any], *, everything: bool = False) -> None:
        self._uow, self._filters, self._wanted = uow, dict(filters), filter_from(filters)
        if not (everything or selects(self._wanted)):
            raise InvalidInput("filter", "there is none: that selects everything", "name one, or give everything=True")

    def count(self) -> int:
        """How many memories it selects."""
        return listing.count(self._uow, self._wanted)

    def __iter__(self) -> Iterator[Record]:
        """The memories, newest first, read page by page."""
        return listing.iterate(self._uow, self._wanted)

    def forget(self, reason: str | None = None, *, dry_run: bool = False, force: bool = False) -> Changed:
        """Hide the memories, and refuse to store the same again."""
        from recollect.capture.bulk import plan_forget
        from recollect.capture.duplicates import checked_reason

        plan, why = plan_forget(self._uow), checked_reason(self._uow, reason)
        return self._change("forget", plan, dry_run=dry_run, force=force, reason=why)

    def purge(self, *, repeats: bool = False, dry_run: bool = False, force: bool = False) -> Changed:
        """Erase the memories for good; `repeats` also erases what repeats their texts. Nothing can undo it."""
        from recollect.upkeep.purge import PurgeBatch

        batch = PurgeBatch(self._uow, repeats=clean_flag("repeats", repeats))
        if clean_flag("dry_run", dry_run):
            return self._look_at_purge(batch)
        if not clean_flag("force", force):
            raise _unconfirmed("purge", self.count(), "nothing restores them; ")
        return self._purge(batch)

    def tag(self, *tags: str, dry_run: bool = False, force: bool = False) -> Changed:
        """Add tags."""
        from recollect.capture.bulk import plan_fields

        some_tags(tags)
        added = self._uow.tags(tags)
        plan = plan_fields(self._uow, lambda old: old.with_(tags=tuple(dict.fromkeys((*old.tags, *added)))))
        return self._change("tag", plan, dry_run=dry_run, force=force)

    def untag(self, *tags: str, dry_run: bool = False, force: bool = False) -> Changed:
        """Remove tags."""
        from recollect.capture.bulk import plan_fields

        gone = some_tags(tags)
        plan = plan_fields(self._uow, lambda old: old.with_(tags=tuple(tag for tag in old.tags if tag not in gone)))
        return self._change("untag", plan, dry_run=dry_run, force=force)

    def update(self, *, dry_run: bool = False, force: bool = False, **changes: Unpack[UpdateFields]) -> Changed:
        """Give the memories the same values in some fields; not content or triggers, which are one memory's own."""
        from recollect.capture.bulk import plan_update

        return self._change("update", plan_update(self._uow, changes), dry_run=dry_run, force=force)

    def move(
        self,
        *,
        scope: Scope | None = None,
        project: str | None = None,
        team: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        session: str | None = None,
        task: str | None = None,
        dry_run: bool = False,
        force: bool = False,
    ) -> Changed:
        """Move the memories to another scope or project; what they supersede moves along.

        Left where it is, and told as `refused`, is what is stored there already, or was forgotten or purged there.
        """
        from recollect.capture.bulk import plan_move

        given = {
            "scope": scope, "project": project, "team": team, "agent": agent, "user": user, "session": session, "task": task,
        }  # fmt: skip
        plan = plan_move(self._uow, given)
        return self._change("move", plan, dry_run=dry_run, force=force, projects=(project,))

    def archive(self, *, dry_run: bool = False, force: bool = False) -> Changed:
        """Take the memories out of use; unlike forgotten ones, the same may be stored again."""
        from recollect.capture.bulk import plan_archive

        return self._change("archive", plan_archive(self._uow), dry_run=dry_run, force=force)

    def unarchive(self, *, dry_run: bool = False, force: bool = False) -> Changed:
        """Use archived memories again; without a status, the filter selects archived ones."""
        from recollect.capture.bulk import plan_unarchive

        named = self._filters if self._filters.get("status") is not None else {**self._filters, "status": "archived"}
        archived = Selection(self._uow, named, everything=True)
        return archived._change("unarchive", plan_unarchive(self._uow), dry_run=dry_run, force=force)

    def export(
        self,
        to: str | os.PathLike[str] | BinaryIO,
        *,
        format: str | None = None,
        vectors: bool = True,
        progress: Progress | None = None,
    ) -> Exported:
        """Write the memories, and nothing else of the account, as `Memory.export` does."""
        from recollect.portable.export import export

        check_progress(progress)
        vectors = clean_flag("vectors", vectors)
        return export(self._uow, to, format, progress, history=False, vectors=vectors, everything=False, only=self._ids)

    def _ids(self, reader: Reader) -> frozenset[str]:
        """The ids of the memories, for an export, which reads them in the order in which they were stored."""
        uow = self._uow
        wanted = listing.narrowed(uow, reader, self._wanted)
        found = listing.iter_found(reader, uow.viewer.identity, wanted, uow.runtime.clock())
        return frozenset(record.id for record in found)

    def __repr__(self) -> str:
        return f"<recollect.Selection of {self._filters or 'everything'}>"

    def _change(
        self,
        verb: SelectionVerb,
        plan: Plan,
        *,
        dry_run: bool,
        force: bool,
        reason: str | None = None,
        projects: Sequence[str | None] = (),
    ) -> Changed:
        """Carry out a plan page by page."""
        from recollect.capture.bulk import carry_out

        if clean_flag("dry_run", dry_run):
            return self._look(verb, plan)
        confirmed, uow = clean_flag("force", force), self._uow
        tally = _Tally(verb, new_id(uow.runtime.clock()))

        def page(before: int | None) -> int | None:
            with uow.transaction(self._wanted.project, *projects, operation=tally.operation) as tx:
                if reason is not None:
                    uow.require_no_tombstones(tx, "reason", [reason])
                found, last = self._page(tx, before, _PAGE if confirmed else MOST_UNCONFIRMED + 1)
                if not confirmed and len(found) > MOST_UNCONFIRMED:
                    raise _unconfirmed(verb, self._count(tx))
                planned = plan(tx, found)
                for each in planned:
                    carry_out(tx, each, verb, reason)
                shown = uow.redact(tx, [each.old for each in tally.fresh(planned)])
            tally.add(planned, shown)
            return last

        self._every_page(tally, page)
        return tally.result()

    def _every_page(self, tally: _Tally, page: Callable[[int | None], int | None]) -> None:
        """Run all pages. Where one fails, what those before did is kept, and the error says so."""
        before: int | None = None
        started = perf_counter()
        while True:
            try:
                before = page(before)
            except RecollectError as error:
                if not tally.changed or tally.operation is None:
                    raise
                warning("%s: ended by %s after %d memories", tally.verb, type(error).__name__, len(tally.changed))
                raise PartlyDone(tally.verb, len(tally.changed), tally.operation, error) from error
            if before is None:
                info("%s: %d memories in %.2f s", tally.verb, len(tally.changed), perf_counter() - started)
                return

    def _look(self, verb: SelectionVerb, plan: Plan) -> Changed:
        """What a plan would change."""
        tally, before = _Tally(verb, None), None
        while True:
            with self._uow.view(self._wanted.project) as reader:
                found, before = self._page(reader, before, _PAGE)
                planned = plan(reader, found)
                shown = self._uow.redact(reader, [each.old for each in tally.fresh(planned)])
            tally.add(planned, shown)
            if before is None:
                return tally.result()

    def _page(self, reader: Reader, before: int | None, size: int) -> tuple[list[Record], int | None]:
        """The next memories, and where the page after them begins; None after the last."""
        uow = self._uow
        wanted, now = listing.narrowed(uow, reader, self._wanted), uow.runtime.clock()
        found = reader.find(uow.viewer.identity, wanted, now, limit=size, before=before)
        return found, listing.row_of(reader, found[-1]) if len(found) == size else None

    def _count(self, reader: Reader) -> int:
        uow = self._uow
        wanted = listing.narrowed(uow, reader, self._wanted)
        return reader.count_found(uow.viewer.identity, wanted, uow.runtime.clock())

    # Purging

    def _look_at_purge(self, batch: PurgeBatch) -> Changed:
        """What a purge would erase, and what repeats it."""
        from recollect.upkeep.purge import look_up

        tally, before = _Tally("purge", None), None
        while True:
            with self._uow.view(self._wanted.project) as reader:
                records, before = self._page(reader, before, _PURGE_PAGE)
                found = look_up(self._uow, reader, records)
                shown = self._uow.redact(reader, tally.room_for(records))
            batch.read_working(found.match)
            batch.note(found)
            tally.purged(records, shown)
            if before is None:
                return tally.result(batch)

    def _purge(self, batch: PurgeBatch) -> Changed:
        from recollect.upkeep.purge import look_up

        uow = self._uow
        tally = _Tally("purge", new_id(uow.runtime.clock()))

        def page(before: int | None) -> int | None:
            with uow.view(self._wanted.project) as reader:
                records, last = self._page(reader, before, _PURGE_PAGE)
                if not records:
                    return None
                found = look_up(uow, reader, records)
            batch.read_working(found.match)
            with uow.transaction(self._wanted.project, operation=tally.operation) as tx:
                if tx.last_event(uow.viewer.account) != found.seq:
                    records, last = self._page(tx, before, _PURGE_PAGE)
                    found = look_up(uow, tx, records)
                shown = uow.redact(tx, tally.room_for(records))
                batch.erase(tx, found)
            batch.note(found)
            tally.purged(records, shown)
            return last

        try:
            self._every_page(tally, page)
        finally:
            # Also of the pages that are done when one fails, no trace may stay in the files.
            left = batch.finish() if tally.changed else None
        return tally.result(batch, left)


def selects(wanted: Filter) -> bool:
    """Whether a filter leaves anything out that could be seen otherwise; statuses alone do if active memories are left out."""
    every = Filter(statuses=wanted.statuses)
    named = Filter(
        **{name: getattr(wanted, name) for name in Filter.__slots__ if name not in ("all_of", "any_of", "none_of")}
    )
    if named != every or (wanted.statuses and "active" not in wanted.statuses):
        return True
    inside = any(map(selects, wanted.all_of)) or any(all(map(selects, group)) for group in wanted.any_of)
    return inside or bool(wanted.none_of)


def _unconfirmed(verb: SelectionVerb, count: int, why: str = "") -> NeedsConfirmation:
    return NeedsConfirmation(verb, f"the filter selects {count:,} memories", f"{why}look with dry_run=True", "them")


@dataclass(slots=True)
class _Tally:
    """What was changed so far."""

    verb: SelectionVerb
    operation: str | None
    changed: set[str] = field(default_factory=set)
    first: list[Record] = field(default_factory=list)
    refused: list[NotChanged] = field(default_factory=list)
    pinned: int = 0

    def fresh(self, planned: Sequence[Planned]) -> list[Planned]:
        """Those that belong to the first ones of the result."""
        return [each for each in planned if each.new is not None][: _SHOWN - len(self.first)]

    def room_for(self, records: Sequence[Record]) -> list[Record]:
        """The same of memories that are purged."""
        return list(records[: _SHOWN - len(self.first)])

    def add(self, planned: Sequence[Planned], shown: Sequence[Record]) -> None:
        """Count one page, which is committed."""
        changed = [each for each in planned if each.new is not None]
        self.changed |= {record.id for each in changed for record in (each.old, *(old for old, _ in each.also))}
        self.pinned += sum(each.old.delivery == "pinned" for each in changed)
        self.refused += [NotChanged(each.old.id, each.refused) for each in planned if each.refused is not None]
        self.first += shown

    def purged(self, records: Sequence[Record], shown: Sequence[Record]) -> None:
        """Count one page of a purge."""
        self.changed |= {record.id for record in records}
        self.pinned += sum(record.delivery == "pinned" for record in records)
        self.first += shown

    def result(self, batch: PurgeBatch | None = None, left: Erasure | None = None) -> Changed:
        """What was done, and of a purge what is left."""
        erased, repeats = ((), ()) if batch is None else batch.listed()
        return Changed(
            verb=self.verb,
            count=len(self.changed),
            first=tuple(self.first),
            operation=self.operation if self.changed else None,
            dry_run=self.operation is None,
            refused=tuple(self.refused),
            pinned=self.pinned,
            erased=erased,
            repeats=repeats,
            pending=() if left is None else left.pending,
            out_of_reach=() if left is None else left.out_of_reach,
        )
