"""Lists: memories by filter, newest first, a page or all of them; and how many there are.

The order is that of the rows, which no change of a memory moves, so a page goes on after the last memory of the page before,
whatever was stored or forgotten meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from recollect.errors import NotFound
from recollect.ports import Reader
from recollect.unit_of_work import UnitOfWork
from recollect.values.memory import Page, Record
from recollect.values.scope import Identity, place_of, reaches
from recollect.values.search import Filter

_PAGE = 1000
_WHOLE = 32  # digits of an id


def list_page(uow: UnitOfWork, wanted: Filter, limit: int, *, after: str | None, total: bool) -> Page:
    """One page; a negative limit means everything."""
    now = uow.runtime.clock()
    with uow.view(wanted.project) as reader:
        shown = _shown(uow, reader, wanted)
        before = None if after is None else _position(uow, reader, after)
        found = reader.find(uow.viewer.identity, shown, now, limit=limit if limit < 0 else limit + 1, before=before)
        records = uow.redact(reader, found if limit < 0 else found[:limit])
        counted = reader.count_found(uow.viewer.identity, shown, now) if total else None
    more = 0 <= limit < len(found)
    return Page(uow.counted(records), next=records[-1].id if more else None, total=counted)


def iterate(uow: UnitOfWork, wanted: Filter) -> Iterator[Record]:
    """Everything, page by page, each page in a view of its own."""
    now, before = uow.runtime.clock(), None
    while True:
        with uow.view(wanted.project) as reader:
            shown = _shown(uow, reader, wanted)
            found = reader.find(uow.viewer.identity, shown, now, limit=_PAGE, before=before)
            before = row_of(reader, found[-1]) if found else None
            records = uow.redact(reader, found)
        yield from uow.counted(records)
        if len(found) < _PAGE:
            return


def count(uow: UnitOfWork, wanted: Filter) -> int:
    """How many there are on all pages."""
    with uow.view(wanted.project) as reader:
        return reader.count_found(uow.viewer.identity, _shown(uow, reader, wanted), uow.runtime.clock())


def iter_found(reader: Reader, identity: Identity, wanted: Filter, now: datetime) -> Iterator[Record]:
    """Everything that `find` returns, read page by page in one view."""
    before = None
    while found := reader.find(identity, wanted, now, limit=_PAGE, before=before):
        yield from found
        before = row_of(reader, found[-1])


def row_of(reader: Reader, record: Record) -> int:
    """The number of the row of a stored memory, by which lists are ordered."""
    (row,) = reader.rows_of(record.account, [record.id])
    return row


def _position(uow: UnitOfWork, reader: Reader, after: str) -> int:
    """The row where the page before ended: that of a memory, or of one that was removed or purged since."""
    try:
        return row_of(reader, uow.find(reader, after))
    except NotFound:
        digits = after.replace("-", "").strip()
        row = _row_of_gone(uow, reader, str(UUID(digits))) if len(digits) == _WHOLE else None
        if row is None:
            raise
        return row


def _row_of_gone(uow: UnitOfWork, reader: Reader, id: str) -> int | None:
    """The row of a memory that is gone, if this identity reached it."""
    account = uow.viewer.account
    for event in reader.events(account, memory_id=id, limit=1, newest_first=True):
        image = event.after or event.before or {}
        scope, key, project = image.get("place") or place_of(image.get("scope") or "agent", dict(image))
        if event.document is None and reaches(uow.viewer.identity, (scope, key, project)):
            return reader.last_row_of(account, id)
    return None


def _shown(uow: UnitOfWork, reader: Reader, wanted: Filter) -> Filter:
    """The filter without projects in which memory is off, and without what belongs to other sessions and tasks."""
    viewer, off = uow.viewer, tuple(reader.switched_off(uow.viewer.account))
    return replace(wanted, without=off, visit=(viewer.session or wanted.session, viewer.task))
