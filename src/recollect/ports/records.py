"""Reading and writing memories by what they are: id, row, key, text, filter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from recollect.ports.models import Vectors
from recollect.values.enums import EventKind
from recollect.values.memory import Record, StoredText
from recollect.values.scope import Identity, Place
from recollect.values.search import Filter, Snippet

# For each row: how many accesses to add, and the time of the latest one.
Accesses = Mapping[int, tuple[int, datetime]]


class RecordReader(Protocol):
    """Memories by id, row, key, text or filter. Records are returned with their status worked out for the view's moment."""

    def get(self, account: str, ids: Sequence[str]) -> list[Record | None]: ...
    def find_by_id(self, account: str, part: str) -> list[Record]:
        """The memories whose id is, begins with or (when none begins so) ends with some hexadecimal digits; at most 20."""

    def fetch(self, account: str, rows: Sequence[int]) -> list[Record]: ...
    def read_snippets(self, account: str, rows: Sequence[int]) -> Sequence[Snippet | Record]:
        """The texts of some rows, in the order of `fetch`; a back end that has the whole records anyway may return them."""

    def snippets_with_vectors(
        self, account: str, rows: Sequence[int]
    ) -> tuple[Sequence[Snippet | Record], dict[int, Vectors]]:
        """`read_snippets`, and by row the vectors of those that have any, in one round trip."""

    def rows_of(self, account: str, ids: Sequence[str]) -> list[int]: ...
    def last_row_of(self, account: str, memory_id: str) -> int | None:
        """The number of the row that a memory has or had: the journal still tells it of one that was removed or purged."""

    def find(
        self, identity: Identity, wanted: Filter, now: datetime, *, limit: int, before: int | None = None
    ) -> list[Record]:
        """What an identity reaches and a filter passes, newest first; a negative limit means no limit.

        With `before`, only rows with a smaller number: what follows the last row of the page before.
        """

    def count_found(self, identity: Identity, wanted: Filter, now: datetime) -> int:
        """How many memories `find` returns without a limit."""

    def texts_of(self, account: str, texts: Sequence[str]) -> dict[str, StoredText]:
        """What there is of each of some texts at this moment; a server reads them in one round trip."""

    def same_text(self, account: str, text: str) -> list[Record]:
        """The memories with one text; case, spacing and a final full stop do not matter."""

    def has_tombstones(self, account: str) -> bool:
        """Whether anything is forgotten or was purged; without, no text needs to be compared with what must not come back."""

    def by_key(self, account: str, key: str, place: Place | None = None) -> Record | None:
        """The memory with a key in a place; without one, the first of any place."""

    def with_key(self, account: str, key: str) -> list[Record]:
        """The memories with a key, of every place and status."""

    def places_of(self, account: str, ids: Sequence[str]) -> dict[str, Place]:
        """Where each of some memories lives, or lived before it was removed or purged; unknown ids are left out."""

    def vectors(self, account: str, ids: Sequence[str]) -> dict[str, Vectors]: ...
    def unembedded(self, account: str, limit: int) -> list[Record]: ...
    def count(self, account: str, now: datetime, identity: Identity | None = None) -> dict[str, Any]:
        """How many memories of what kinds there are, and events of them; for an identity, only what it reaches."""


class RecordWriter(Protocol):
    """Changes of memories; each writes its journal event in the same transaction."""

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
    def purge(self, memory: Record, earlier: Sequence[str] = ()) -> None:
        """Erase a memory for good, with its images in the journal; one that was removed before has only those.

        Digests are kept of its text and of the `earlier` texts it has had.
        """

    def set_vectors(self, account: str, memory_id: str, vectors: Vectors | None) -> None: ...
    def touch(self, account: str, accesses: Accesses) -> None:
        """Add to access counters; each row gets its own time. Counters are not history: no event is written."""

    def allow_again(self, account: str, text: str, places: Sequence[Place]) -> None:
        """Lift the tombstone of a text that was purged in some places."""
