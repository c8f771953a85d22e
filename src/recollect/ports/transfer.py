"""Transfer: whole accounts out of a store and into one, with everything an export keeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from recollect.values.cluster import Cluster
from recollect.values.event import Event
from recollect.values.memory import Record
from recollect.values.transfer import PurgedDigest, StoredRow


class TransferReader(Protocol):
    """Everything an account holds, page by page."""

    def accounts(self) -> list[str]:
        """Every account that has anything, by name."""

    def scan(self, account: str, after: int, limit: int) -> list[StoredRow]:
        """Memories of every status as stored, with vectors of whatever model, by row from the first above `after` on."""

    def all_clusters(self, account: str) -> list[tuple[str, Cluster]]:
        """The clusters of every model, each with its model, by id."""

    def purged_digests(self, account: str) -> list[PurgedDigest]:
        """The keyed hashes of what was purged, sorted."""

    def digest_keys(self, account: str) -> tuple[str, ...]:
        """The keys of those hashes in hexadecimal, the one in use first; none where no text was hashed yet."""


class TransferWriter(Protocol):
    """What came from another store, kept as it was there."""

    def keep_vectors(self, memory: Record, model: str, vectors: NDArray[Any]) -> None:
        """Vectors of a named model for a stored memory; no event. Those of the model in use must have its dimensions."""

    def keep_purged(self, account: str, secrets: Sequence[str], digests: Sequence[PurgedDigest]) -> None:
        """Refuse the texts of these digests, made with another store's keys, its own first.

        Where nothing is stored yet, the first key is taken over; otherwise all are kept as former ones.
        """

    def replay(self, account: str, event: Event) -> int:
        """Write an event as it was, under a new sequence number, which is returned; no memory changes."""
