"""The protocols a back end or a model must meet. Stages know only these; `wiring.py` alone names who meets them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from recollect.values.access import Access
from recollect.values.cluster import Cluster
from recollect.values.document import Document
from recollect.values.event import Event, Operation
from recollect.values.filter import Filter
from recollect.values.first import First
from recollect.values.kept import Kept
from recollect.values.link import Edge, Node
from recollect.values.memory import Record
from recollect.values.scope import Identity, Place
from recollect.values.search import Candidates, Embedded, Glimpse, Near, Search
from recollect.values.words import DocumentKind, EventKind

Vectors = NDArray[np.float32]
Progress = Callable[[int, int], None]
# Whose values: account, then agent, then task or workflow; "" where there is none.
Room = tuple[str, str, str]
EmbedMany = Callable[[Sequence[Record]], list[Vectors]]
Relation = Literal["same", "changed", "contradicts", "extends", "different"]


class Clock(Protocol):
    """The one source of time."""

    def __call__(self) -> datetime: ...


class Calibrated(Protocol):
    """Turns the raw cosine of one model into the similarity on which thresholds mean what they say."""

    def similarity(self, cosine: Any) -> Any: ...


class Embedder(Protocol):
    """Text to unit vectors of one model."""

    @property
    def model(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def calibration(self) -> Calibrated: ...
    @property
    def query_calibration(self) -> Calibrated: ...
    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors: ...
    def embed_query(self, text: str) -> Vectors: ...


class Verdict(Protocol):
    """How a new text relates to an old one."""

    @property
    def relation(self) -> Relation: ...
    @property
    def reason(self) -> str: ...


class Judge(Protocol):
    """Compares two texts whose similarity made them worth a second look."""

    def compare(self, old: str, new: str, similarity: float) -> Verdict: ...
    def read(self, text: str) -> object:
        """Read a text that will be compared, ahead of that."""


class Reader(Protocol):
    """Everything that can be asked of a store; inside a transaction it also sees what was written there."""

    def get(self, account: str, ids: Sequence[str]) -> list[Record | None]: ...
    def fetch(self, account: str, rows: Sequence[int]) -> list[Record]: ...
    def glimpse(self, account: str, rows: Sequence[int]) -> Sequence[Glimpse | Record]:
        """What some rows say, in the order of `fetch`; a back end that has them whole anyway may return them whole."""

    def rows_of(self, account: str, ids: Sequence[str]) -> list[int]: ...
    def resolve(self, account: str, part: str) -> list[str]: ...
    def find(
        self, identity: Identity, wanted: Filter, now: datetime, *, limit: int, offset: int = 0
    ) -> list[Record]: ...
    def candidates(self, search: Search) -> Candidates: ...
    def near(self, search: Search, vectors: Sequence[Vectors]) -> list[Near]:
        """The nearest rows of each of several vectors, as many as `search.depth`, under one viewer and filter."""

    def holding(self, search: Search, phrases: Sequence[Sequence[str]], most: int) -> list[list[int]]: ...
    def same_text(self, account: str, text: str) -> list[Record]: ...
    def purged(self, account: str, text: str) -> bool: ...
    def by_key(self, account: str, key: str, place: Place | None = None) -> Record | None: ...
    def among(self, search: Search, rows: Sequence[int]) -> list[int]:
        """Those of some rows that a search may return, in the same order."""

    def standing(
        self,
        search: Search,
        *,
        deliveries: Sequence[str] = (),
        types: Sequence[str] = (),
        since: float | None = None,
        limit: int,
    ) -> list[int]:
        """Rows a search may return by how they stand, whatever it asks for: the most important first, then the newest.

        With `since`, only what was stored or confirmed from that time on, the latest first.
        """

    def edges(self, account: str, nodes: Sequence[Node], most: int, *, upwards: bool = True) -> list[Edge]:
        """The steps from some nodes, in both directions: at most `most` a node and relation, the strongest and newest.

        Not `upwards`, the steps from a memory to its tags and its cluster are left out.
        """

    def triggers(self, account: str) -> list[tuple[int, str]]:
        """Every trigger pattern with the row of its memory; the same list for as long as nothing changed."""

    def tag_names(self, account: str) -> list[str]:
        """Every tag of an account; the same list for as long as nothing changed."""

    def tag_counts(self, identity: Identity, now: datetime) -> dict[str, int]:
        """The tags of what an identity reaches and may recall, with how many memories carry each."""

    def embedded(self, account: str) -> Embedded: ...
    def how_many_embedded(self, account: str) -> int: ...
    def clusters(self, account: str) -> list[Cluster]: ...
    def documents(
        self, account: str, kind: DocumentKind, name: str | None = None, *, prefix: str | None = None
    ) -> list[Document]:
        """The documents of a kind: all, those of one name (one a place), or those whose names begin alike."""

    def accesses(self, account: str, document: str, limit: int) -> list[Access]: ...
    def vectors(self, account: str, ids: Sequence[str]) -> dict[str, Vectors]: ...
    def events(
        self,
        account: str,
        *,
        memory_id: str | None = None,
        operation: str | None = None,
        after: int = 0,
        since: datetime | None = None,
        limit: int | None = None,
        newest_first: bool = False,
        embeds: bool = False,
    ) -> list[Event]: ...
    def count(self, account: str, now: datetime, identity: Identity | None = None) -> dict[str, Any]:
        """How many memories of what kinds there are, and events of them; for an identity, only what it reaches."""

    def unembedded(self, account: str, limit: int) -> list[Record]: ...
    def undone(self, account: str, operations: Iterable[str]) -> frozenset[str]: ...
    def switched_off(self, account: str) -> frozenset[str]: ...
    def note(self, name: str) -> str | None: ...
    def accounts(self) -> list[str]:
        """Every account that has anything, by name."""

    def walk(self, account: str, after: int, limit: int) -> list[Kept]:
        """Memories of every status as stored, with vectors of whatever model, by row from the first above `after` on."""

    def all_clusters(self, account: str) -> list[tuple[str, Cluster]]:
        """The clusters of every model, each with its model, by id."""

    def purged_digests(self, account: str) -> list[bytes]:
        """The keyed hashes of what was purged, sorted."""


class Transaction(Reader, Protocol):
    """One atomic change; every method that changes a memory writes its journal event in the same breath."""

    @property
    def operation(self) -> Operation: ...
    def insert(self, memory: Record, vectors: Vectors | None, kind: EventKind = "remember") -> None: ...
    def change(
        self,
        before: Record,
        after: Record,
        kind: EventKind,
        *,
        vectors: Vectors | None = None,
        reason: str | None = None,
    ) -> None: ...
    def remove(self, memory: Record, kind: EventKind = "undo") -> None: ...
    def purge(self, memory: Record) -> None: ...
    def set_vectors(self, account: str, memory_id: str, vectors: Vectors | None) -> None: ...
    def touch(self, account: str, counts: Mapping[int, int], at: datetime) -> None: ...
    def allow_again(self, account: str, text: str) -> None: ...
    def switch(self, account: str, project: str, on: bool) -> None: ...
    def put_document(
        self, before: Document | None, after: Document | None, kind: EventKind | None, reason: str | None = None
    ) -> None:
        """Make, change or (without `after`) take away a document; without a kind, a counter of it moved and it is no event."""

    def log_access(self, account: str, document: str, access: Access) -> None: ...
    def purge_document(self, document: Document) -> None:
        """Erase a document for good, with what the journal says of it."""

    def put_cluster(self, account: str, cluster: Cluster, rows: Sequence[int], model: str | None = None) -> None:
        """Make a cluster or replace it; its members are these rows. Derived from the vectors, so no event.

        It is of the vectors of the model in use, or of a named one.
        """

    def drop_clusters(self, account: str, ids: Sequence[str]) -> None: ...
    def set_note(self, name: str, value: str) -> None: ...
    def keep_vectors(self, memory: Record, model: str, vectors: NDArray[Any]) -> None:
        """Vectors of a named model for a stored memory; no event. Those of the model in use must have its dimensions."""

    def keep_purged(self, account: str, secrets: Sequence[str], digests: Sequence[bytes]) -> None:
        """Refuse the texts of these digests, made with another store's secrets, its own first.

        A store that holds nothing yet takes the first over; one that has its own keeps them beside it, as former ones.
        """

    def replay(self, account: str, event: Event) -> int:
        """Write a line of the journal as it was, under a new number, which is returned; no memory changes."""


class Working(Protocol):
    """Values that live for a while: quick to set, shared by processes, lost when their place is lost. Keys are in rooms.

    Times are epoch seconds; a value is gone from the moment it expires, whether or not anything swept it away.
    """

    def get(self, room: Room, key: str, now: float) -> str | None: ...
    def put(self, room: Room, key: str, value: str, now: float, expires_at: float) -> None: ...
    def change(self, room: Room, key: str, now: float, expires_at: float, change: Callable[[str | None], str]) -> str:
        """Replace a value by what is made of it (None when there is none), with nobody else in between."""

    def remove(self, room: Room, key: str, now: float) -> bool: ...
    def items(self, room: Room, now: float) -> list[tuple[str, str, float]]:
        """Every key with its value and when it expires, by key."""

    def clear(self, room: Room) -> int: ...
    def sweep(self, now: float) -> int:
        """Drop what expired; returns how many."""

    def check(self) -> dict[str, Any]:
        """Its `place`, the `problem` that needs a hand or None, and what else it tells of itself; it raises nothing."""

    def close(self) -> None: ...


class Store(Protocol):
    """A back end: the truth, and the columns derived from it."""

    @property
    def writable(self) -> bool: ...
    def reading(self, now: datetime | None = None, first: Search | None = None) -> AbstractContextManager[Reader]:
        """One consistent view for several reads; what is superseded is worked out for that moment. `first` is what will be searched
        first: a store that is far away may be told with the beginning."""

    def transaction(
        self,
        account: str,
        actor: str,
        at: datetime,
        *,
        undoes: str | None = None,
        operation: str | None = None,
        first: First | None = None,
    ) -> AbstractContextManager[Transaction]:
        """All or nothing; leaving it means the change is durable. Several may share one `operation`, undone together."""

    def use_model(self, model: str, dimensions: int) -> None:
        """Compare only vectors of this model from now on."""

    def erase_traces(self, account: str) -> None:
        """After a purge: leave no copy of what was erased in any file."""

    def freeze(self) -> None:
        """Refuse every later write."""

    def check(self) -> dict[str, Any]: ...
    def close(self) -> None: ...
