"""An account as a sequence of typed items in one order. Everything that moves memories between stores meets here.

`exporter.py` reads such a stream from a store; `importer.py` writes one into a store, and so screens it, applies its tombstones
and checks access in one place for every source. `jsonl.py` is the stream as a file. An importer of another product yields drafts
instead (`drafts.py`), which are screened and reconciled like anything new.

The order matters where one item needs another: header, secrets, purged digests, documents, memories, clusters, accesses,
switches, notes, events (oldest first), snapshots, footer. A reader must not rely on any kind but the header.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from recollect.ports import Progress
from recollect.values.cluster import Cluster
from recollect.values.document import Access, Document
from recollect.values.event import Event
from recollect.values.memory import Record
from recollect.values.scope import GLOBAL, Place

VERSION = 1
HalfVectors = NDArray[np.float16]
_PROGRESS_STEP = 500


@dataclass(frozen=True, slots=True)
class HeaderItem:
    """What follows: whose memories, how many items of each kind, and whether vectors and the journal are included."""

    account: str
    counts: Mapping[str, int] = field(default_factory=dict)
    vectors: bool = True
    history: bool = False
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class SecretsItem:
    """The keys (hexadecimal) of the keyed hashes that follow, the store's current one first."""

    secrets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PurgedItem:
    """The keyed hash of a text that was erased for good, and where the memory lived."""

    digest: bytes
    place: Place = GLOBAL


@dataclass(frozen=True, slots=True)
class DocumentItem:
    """A document of any kind. The `seq` of a snapshot is the number of the journal's events that came before it."""

    document: Document
    where: str = ""


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """A memory as stored, with its vectors and its cluster. Its status is never `superseded`: that is derived when read.

    `vectors` are unit vectors of `model`, one per passage, in half precision; a memory without them is found by its words only,
    until `reembed`. `where` is the place it was read from, for the report: "line 12", "notes/deploy.md".
    """

    record: Record
    model: str | None = None
    vectors: HalfVectors | None = None
    cluster: str | None = None
    where: str = ""


@dataclass(frozen=True, slots=True)
class ClusterItem:
    """A cluster of one model's vectors; the memories name the cluster they belong to."""

    model: str
    cluster: Cluster


@dataclass(frozen=True, slots=True)
class AccessItem:
    """A line of the access log of a context."""

    document: str
    access: Access


@dataclass(frozen=True, slots=True)
class SwitchItem:
    """A project for which memory is switched off; "*" is all projects."""

    project: str


@dataclass(frozen=True, slots=True)
class NoteItem:
    """A counter that is kept beside the memories."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class EventItem:
    """One event of the journal; its sequence number is not kept, its place among the others is."""

    event: Event


@dataclass(frozen=True, slots=True)
class FooterItem:
    """The end: how many items of each kind there were. A stream without a footer is truncated."""

    counts: Mapping[str, int]


StreamItem = (
    HeaderItem | SecretsItem | PurgedItem | DocumentItem | MemoryItem | ClusterItem | AccessItem | SwitchItem | NoteItem
    | EventItem | FooterItem
)  # fmt: skip

# The name of each kind of item, in files and in every count.
KIND_NAMES: dict[type, str] = {
    HeaderItem: "recollect",
    SecretsItem: "secrets",
    PurgedItem: "purged",
    DocumentItem: "document",
    MemoryItem: "memory",
    ClusterItem: "cluster",
    AccessItem: "access",
    SwitchItem: "off",
    NoteItem: "note",
    EventItem: "event",
    FooterItem: "end",
}


def with_progress(items: Iterable[StreamItem], progress: Progress | None) -> Iterator[StreamItem]:
    """The same items, reporting to `progress` how many memories of how many went by."""
    done = total = 0
    for item in items:
        yield item
        if progress is None:
            continue
        if isinstance(item, HeaderItem):
            total = item.counts.get("memory", 0)
        elif isinstance(item, MemoryItem):
            done += 1
            if done % _PROGRESS_STEP == 0 or done == total:
                progress(done, max(total, done))
