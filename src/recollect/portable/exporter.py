"""Reads an account as a stream of items: in pages, inside one view, so that it is consistent and never all in memory."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from recollect.portable.stream import (
    AccessItem,
    ClusterItem,
    DocumentItem,
    EventItem,
    HeaderItem,
    MemoryItem,
    NoteItem,
    PurgedItem,
    SecretsItem,
    StreamItem,
    SwitchItem,
)
from recollect.ports import Reader
from recollect.values.document import Document
from recollect.values.enums import DocumentKind
from recollect.values.event import Event
from recollect.values.memory import Record
from recollect.values.scope import RESERVED, Identity, Place, Viewer, reaches, shares

PAGE = 500
# The access log of a context is read at once; no log has more lines than this.
ALL_ACCESSES = 10_000_000
_EXPORTED_KINDS: tuple[DocumentKind, ...] = ("tag", "gap", "working", "short_term", "pool", "context")
# Counters of an account, kept as its notes.
COUNTERS = ("clustered", "recalls")


@dataclass(frozen=True, slots=True)
class ExportScope:
    """What of an account may be exported: what an identity reaches, or everything.

    `documents` says whether a document may be exported; `events` filters a page of the journal. The owner of an account
    (everything, or an identity that is not an agent) also gets what belongs to the account as a whole: switches and counters.
    Everybody gets the digests of what was purged in places that they reach: it must not come back through their copy. Projects in
    `disabled` are left out: memory is switched off there.
    """

    viewer: Viewer
    identity: Identity
    everything: bool
    documents: Callable[[Reader, Document], bool]
    events: Callable[[Reader, Sequence[Event]], Sequence[Event]]
    disabled: frozenset[str] = frozenset()
    # The ids of the memories to export; None exports all of them, with everything beside memories.
    only: frozenset[str] | None = None
    # How many memories of other sessions and tasks were passed over so far, by scope.
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def owner(self) -> bool:
        return self.everything or self.identity.name is None

    def reaches(self, place: Place) -> bool:
        """Whether memories of a place may be exported."""
        if self.everything:
            return True
        here = place[0] not in ("session", "task") or shares(self.viewer, place)
        return here and reaches(self.identity, place)

    def includes(self, record: Record) -> bool:
        """Whether a memory may be exported, and shall be."""
        if self.only is not None and record.id not in self.only:
            return False
        included = self.reaches(record.place)
        if not included and record.scope in ("session", "task"):
            self.left_out[record.scope] += 1
        return included and record.project not in self.disabled


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """How much is exported: with vectors, with the journal."""

    vectors: bool = True
    history: bool = False


def export_items(
    reader: Reader, scope: ExportScope, now: datetime, options: ExportOptions | None = None
) -> Iterator[StreamItem]:
    """The items of an account, in the order that `stream.py` defines, without the footer."""
    account, options = scope.identity.account, options or ExportOptions()
    if scope.only is not None:
        yield HeaderItem(account, {"memory": len(scope.only)}, options.vectors, history=False)
        yield from _memory_items(reader, scope, options)
        return
    documents = _exported_documents(reader, scope)
    counted = reader.count(account, now, None if scope.everything else scope.identity)["statuses"]
    counts = {"document": len(documents), "memory": sum(counted.values())}
    yield HeaderItem(account, counts, options.vectors, options.history)
    yield from _purged_items(reader, scope)
    yield from (DocumentItem(document) for document in documents)
    yield from _memory_items(reader, scope, options)
    if options.vectors:
        yield from _cluster_items(reader, scope)
    yield from _access_items(reader, documents)
    if scope.owner:
        yield from (SwitchItem(project) for project in sorted(reader.switched_off(account)))
        yield from _counter_items(reader, account, documents)
    if options.history:
        yield from _history_items(reader, scope)


def iter_memories(reader: Reader, scope: ExportScope, wanted: Callable[[Record], bool]) -> Iterator[Record]:
    """Memories with their current status (superseded included), without entries of contexts, which have verbs of their own."""
    account, after = scope.identity.account, 0
    while page := reader.scan(account, after, PAGE):
        after = page[-1].row
        mine = [kept.record for kept in page if scope.includes(kept.record) and not _is_context_entry(kept.record)]
        current = [found for found in reader.get(account, [record.id for record in mine]) if found is not None]
        yield from (record for record in _redact_references(reader, scope, current) if wanted(record))


def _is_context_entry(record: Record) -> bool:
    return record.scope == "team" and (record.team or "").startswith(RESERVED)


def _exported_documents(reader: Reader, scope: ExportScope) -> list[Document]:
    found = (each for kind in _EXPORTED_KINDS for each in reader.documents(scope.identity.account, kind))
    return [each for each in found if scope.everything or scope.documents(reader, each)]


def _purged_items(reader: Reader, scope: ExportScope) -> Iterator[StreamItem]:
    """With a digest and its key anybody can test a text, so both are only for those who could see the memory."""
    account = scope.identity.account
    digests = [purged for purged in reader.purged_digests(account) if scope.reaches(purged.place)]
    if digests:
        yield SecretsItem(reader.digest_keys(account))
        yield from (PurgedItem(purged.digest, purged.place) for purged in digests)


def _memory_items(reader: Reader, scope: ExportScope, options: ExportOptions) -> Iterator[MemoryItem]:
    account, after = scope.identity.account, 0
    while page := reader.scan(account, after, PAGE):
        after = page[-1].row
        mine = [kept for kept in page if scope.includes(kept.record)]
        records = _redact_references(reader, scope, [kept.record for kept in mine])
        for kept, record in zip(mine, records, strict=True):
            yield MemoryItem(record, kept.model, kept.vectors, kept.cluster) if options.vectors else MemoryItem(record)


def _redact_references(reader: Reader, scope: ExportScope, records: Sequence[Record]) -> list[Record]:
    """Memories without the ids of others that are out of reach: an id alone reveals that a memory exists."""
    named = {link.target for record in records for link in record.links}
    named |= {other for record in records for other in (record.supersedes, record.superseded_by) if other is not None}
    if scope.everything or not named:
        return list(records)
    found = reader.get(scope.identity.account, sorted(named))
    visible = {record.id for record in found if record is not None and scope.reaches(record.place)}
    return [
        record.with_(
            links=tuple(link for link in record.links if link.target in visible),
            supersedes=record.supersedes if record.supersedes in visible else None,
            superseded_by=record.superseded_by if record.superseded_by in visible else None,
        )
        for record in records
    ]


def _cluster_items(reader: Reader, scope: ExportScope) -> Iterator[ClusterItem]:
    for model, cluster in reader.all_clusters(scope.identity.account):
        if scope.reaches(cluster.owner):
            yield ClusterItem(model, replace(cluster, size=0))


def _access_items(reader: Reader, documents: Sequence[Document]) -> Iterator[AccessItem]:
    for document in documents:
        if document.kind == "context":
            log = reader.accesses(document.account, document.id, ALL_ACCESSES)
            yield from (AccessItem(document.id, access) for access in reversed(log))


def _counter_items(reader: Reader, account: str, documents: Sequence[Document]) -> Iterator[NoteItem]:
    for name in (*COUNTERS, *(f"pool:{each.id}" for each in documents if each.kind == "pool")):
        if (value := reader.note(name, account)) is not None:
            yield NoteItem(name, value)


def _history_items(reader: Reader, scope: ExportScope) -> Iterator[StreamItem]:
    """The journal, oldest first, then the snapshots. A snapshot refers to a point of the journal by the events before it."""
    account, after = scope.identity.account, 0
    exported = array("q")
    while page := reader.events(account, after=after, limit=PAGE):
        after = page[-1].seq
        for event in page if scope.everything else scope.events(reader, page):
            exported.append(event.seq)
            yield EventItem(_snapshot_event(event, exported))
    for snapshot in reader.documents(account, "snapshot"):
        if scope.everything or scope.documents(reader, snapshot):
            yield DocumentItem(replace(snapshot, body=_snapshot_body(snapshot.body or {}, exported)))


def _snapshot_body(body: Mapping[str, Any], exported: array[int]) -> dict[str, Any]:
    """A snapshot's body with its sequence number as the count of exported events up to it."""
    return {**body, "seq": bisect_right(exported, body["seq"])}


def _snapshot_event(event: Event, exported: array[int]) -> Event:
    if event.document != "snapshot":
        return event
    before, after = (
        None if image is None else {**image, "body": _snapshot_body(image["body"], exported)}
        for image in (event.before, event.after)
    )
    return replace(event, before=before, after=after)
