"""Giving: a store's account as a stream. Read in pages inside one view, so that it is consistent and never all in memory."""

from __future__ import annotations

import json
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from recollect.portable.stream import (
    Accessed,
    Filed,
    Grouped,
    Happened,
    Header,
    Item,
    Noted,
    Purged,
    Remembered,
    Secrets,
    Switched,
)
from recollect.ports import Reader
from recollect.values.document import Document
from recollect.values.event import Event, Image
from recollect.values.memory import Record
from recollect.values.scope import RESERVED, Identity, Place, reaches
from recollect.values.words import DocumentKind

PAGE = 500
# A context's log is read at once; so many lines are more than any has.
_EVERY_ACCESS = 10_000_000
_KINDS: tuple[DocumentKind, ...] = ("tag", "gap", "working", "short_term", "pool", "context")
# Counters of an account, kept as notes under its name.
COUNTERS = ("clustered", "recalls")


@dataclass(frozen=True, slots=True)
class Sight:
    """What of an account may be given: the rooms an identity reaches, or all of it.

    `documents` says of a document whether it may be told; `events` cuts a page of the journal to what may be. The owner of an
    account (everything, or an identity that is no agent) also gets what belongs to no room: purged digests, switches, counters.
    Projects `without` are left out: memory is off there.
    """

    identity: Identity
    everything: bool
    documents: Callable[[Reader, Document], bool]
    events: Callable[[Reader, Sequence[Event]], Sequence[Event]]
    without: frozenset[str] = frozenset()

    @property
    def owner(self) -> bool:
        return self.everything or self.identity.agent is None

    def reaches(self, place: Place) -> bool:
        """Whether a memory there may be given."""
        return self.everything or reaches(self.identity, place)

    def gives(self, record: Record) -> bool:
        """Whether a memory may be given."""
        return self.reaches(record.place) and record.project not in self.without


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is given: with vectors, with the journal."""

    vectors: bool = True
    history: bool = False


def give(reader: Reader, sight: Sight, now: datetime, extent: Extent | None = None) -> Iterator[Item]:
    """The items of an account, in the order of `stream.py`, without the footer."""
    account, extent = sight.identity.account, extent or Extent()
    documents = _documents(reader, sight)
    counted = reader.count(account, now, None if sight.everything else sight.identity)["statuses"]
    counts = {"document": len(documents), "memory": sum(counted.values())}
    yield Header(account, counts, extent.vectors, extent.history)
    if sight.owner:
        yield from _purged(reader, account)
    yield from (Filed(document) for document in documents)
    yield from _memories(reader, sight, extent)
    if extent.vectors:
        yield from _clusters(reader, sight)
    yield from _accesses(reader, documents)
    if sight.owner:
        yield from (Switched(project) for project in sorted(reader.switched_off(account)))
        yield from _counters(reader, account, documents)
    if extent.history:
        yield from _history(reader, sight)


def shown(reader: Reader, sight: Sight, wanted: Callable[[Record], bool]) -> Iterator[Record]:
    """Memories as they stand (superseded is said), without the entries of contexts, which have their own verbs."""
    account, after = sight.identity.account, 0
    while page := reader.walk(account, after, PAGE):
        after = page[-1].row
        mine = [kept.record for kept in page if sight.gives(kept.record) and not _of_context(kept.record)]
        standing = [held for held in reader.get(account, [record.id for record in mine]) if held is not None]
        yield from (record for record in _named_within(reader, sight, standing) if wanted(record))


def _of_context(record: Record) -> bool:
    return record.scope == "team" and (record.team or "").startswith(RESERVED)


def _documents(reader: Reader, sight: Sight) -> list[Document]:
    found = (held for kind in _KINDS for held in reader.documents(sight.identity.account, kind))
    return [held for held in found if sight.everything or sight.documents(reader, held)]


def _purged(reader: Reader, account: str) -> Iterator[Item]:
    digests = reader.purged_digests(account)
    if digests:
        yield Secrets(secrets_of(reader))
        yield from (Purged(digest) for digest in digests)


def secrets_of(reader: Reader) -> tuple[str, ...]:
    """The secret of a store, then its former ones."""
    return (reader.note("secret") or "", *json.loads(reader.note("former_secrets") or "[]"))


def _memories(reader: Reader, sight: Sight, extent: Extent) -> Iterator[Remembered]:
    account, after = sight.identity.account, 0
    while page := reader.walk(account, after, PAGE):
        after = page[-1].row
        mine = [kept for kept in page if sight.gives(kept.record)]
        records = [kept.record for kept in mine]
        records = _named_within(reader, sight, records)
        for kept, record in zip(mine, records, strict=True):
            yield Remembered(record, kept.model, kept.vectors, kept.cluster) if extent.vectors else Remembered(record)


def _named_within(reader: Reader, sight: Sight, records: Sequence[Record]) -> list[Record]:
    """Memories that name only what may be given too: an id tells of a room that it is not empty."""
    named = {link.target for record in records for link in record.links}
    named |= {one for record in records for one in (record.supersedes, record.superseded_by) if one is not None}
    if sight.everything or not named:
        return list(records)
    found = reader.get(sight.identity.account, sorted(named))
    open_ = {record.id for record in found if record is not None and sight.reaches(record.place)}
    return [
        record.with_(
            links=tuple(link for link in record.links if link.target in open_),
            supersedes=record.supersedes if record.supersedes in open_ else None,
            superseded_by=record.superseded_by if record.superseded_by in open_ else None,
        )
        for record in records
    ]


def _clusters(reader: Reader, sight: Sight) -> Iterator[Grouped]:
    for model, cluster in reader.all_clusters(sight.identity.account):
        if sight.reaches(cluster.wall):
            yield Grouped(model, replace(cluster, size=0))


def _accesses(reader: Reader, documents: Sequence[Document]) -> Iterator[Accessed]:
    for held in documents:
        if held.kind == "context":
            log = reader.accesses(held.account, held.id, _EVERY_ACCESS)
            yield from (Accessed(held.id, access) for access in reversed(log))


def _counters(reader: Reader, account: str, documents: Sequence[Document]) -> Iterator[Noted]:
    names = {name: f"{name}:{account}" for name in COUNTERS}
    names |= {f"pool:{held.id}": f"pool:{held.id}" for held in documents if held.kind == "pool"}
    for shown, held in names.items():
        if (value := reader.note(held)) is not None:
            yield Noted(shown, value)


def _history(reader: Reader, sight: Sight) -> Iterator[Item]:
    """The journal, oldest first, then the snapshots: each is a point of it, told by how many events came before."""
    account, after = sight.identity.account, 0
    given = array("q")
    while page := reader.events(account, after=after, limit=PAGE):
        after = page[-1].seq
        for event in page if sight.everything else sight.events(reader, page):
            given.append(event.seq)
            yield Happened(_pointed(event, given))
    for held in reader.documents(account, "snapshot"):
        if sight.everything or sight.documents(reader, held):
            yield Filed(replace(held, body=_told(held.body or {}, given)))


def _told(body: Mapping[str, Any], given: array[int]) -> dict[str, Any]:
    """A snapshot's body, its number of the journal as how many of the given events are not after it."""
    return {**body, "seq": bisect_right(given, body["seq"])}


def _pointed(event: Event, given: array[int]) -> Event:
    if event.document != "snapshot":
        return event
    images = (None if image is None else {**image, "body": _told(image["body"], given)} for image in _sides(event))
    before, after = images
    return replace(event, before=before, after=after)


def _sides(event: Event) -> tuple[Image | None, Image | None]:
    return event.before, event.after
