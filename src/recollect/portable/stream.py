"""Stream: an account as a sequence of typed items, in one order. Everything that moves memories meets here.

`giving.py` makes such a stream of a store; `taking.py` takes one into a store, and so screens it, holds its tombstones and
keeps its rooms in one place for every source:

    take(store: Store, items: Iterable[Item], terms: Terms, *, dry_run=False, progress=None) -> Imported

`jsonl.py` is one spelling of the stream; an importer of another product is a function that yields items (usually nothing but
`Remembered`) or, when its texts are to be screened and reconciled like anything new, drafts for `remember_many`.

The order matters where one item needs another: Header, Secrets, Purged, Filed, Remembered, Grouped, Accessed, Switched, Noted,
Happened (oldest first), Filed snapshots, Footer. A reader must not rely on any kind being there but the Header.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from recollect.values.access import Access
from recollect.values.cluster import Cluster
from recollect.values.document import Document
from recollect.values.event import Event
from recollect.values.memory import Record

VERSION = 1
HalfVectors = NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class Header:
    """What follows: whose memories, how many of what, and whether vectors and the journal are among it."""

    account: str
    counts: Mapping[str, int] = field(default_factory=dict)
    vectors: bool = True
    history: bool = False
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class Secrets:
    """The keys under which the purged digests that follow were made (hexadecimal), the store's own first."""

    secrets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Purged:
    """The keyed hash of a text that was erased for good."""

    digest: bytes


@dataclass(frozen=True, slots=True)
class Filed:
    """A document of any kind. A snapshot's `seq` is spelled as how many of the journal's events came before it."""

    document: Document
    where: str = ""


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory as stored (nothing is `superseded` here: that is worked out when read), with its vectors and its cluster.

    `vectors` are unit vectors of `model`, one a passage, in half precision; without them the memory is found by its words
    until `reembed`. `where` says where it was read, for the report: "line 12", "notes/deploy.md".
    """

    record: Record
    model: str | None = None
    vectors: HalfVectors | None = None
    cluster: str | None = None
    where: str = ""


@dataclass(frozen=True, slots=True)
class Grouped:
    """A cluster of one model's vectors; who belongs to it is said by the memories."""

    model: str
    cluster: Cluster


@dataclass(frozen=True, slots=True)
class Accessed:
    """A line of the access log of a context."""

    document: str
    access: Access


@dataclass(frozen=True, slots=True)
class Switched:
    """A project for which memory is off; "*" is all."""

    project: str


@dataclass(frozen=True, slots=True)
class Noted:
    """A counter kept beside the memories."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Happened:
    """One line of the journal; its own number is not kept, its place among the others is."""

    event: Event


@dataclass(frozen=True, slots=True)
class Footer:
    """The end: how many items of each kind there were. A stream without one was cut."""

    counts: Mapping[str, int]


Item = (
    Header | Secrets | Purged | Filed | Remembered | Grouped | Accessed | Switched | Noted | Happened | Footer
)  # fmt: skip

# What each kind of item is called, in a file and in every count.
NAMES: dict[type, str] = {
    Header: "recollect",
    Secrets: "secrets",
    Purged: "purged",
    Filed: "document",
    Remembered: "memory",
    Grouped: "cluster",
    Accessed: "access",
    Switched: "off",
    Noted: "note",
    Happened: "event",
    Footer: "end",
}
