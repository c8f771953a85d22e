"""State: everything the reference back end holds. A transaction works on a copy, and a commit puts the copy in place."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from recollect.store.index.columns import lexical_terms
from recollect.values.cluster import Cluster
from recollect.values.document import Access, Document
from recollect.values.event import Event
from recollect.values.memory import Record
from recollect.values.transfer import PurgedDigest


@dataclass(frozen=True, slots=True)
class ModelInUse:
    """The embedder in use; vectors of another one are never compared with its own."""

    name: str = "none"
    dimensions: int = 1


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """The unit vectors of one memory, in half precision like every back end keeps them, and the model that made them."""

    model: ModelInUse
    vectors: NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """One stored memory: its row number, its words, and its vectors where it has any."""

    row: int
    memory: Record
    terms: tuple[str, ...]
    embedding: StoredVectors | None = None


@dataclass(slots=True)
class State:
    """The truth. Its values are frozen, so that copying the containers is a whole copy."""

    held: dict[int, StoredMemory] = field(default_factory=dict)
    events: list[tuple[str, Event]] = field(default_factory=list)
    purged: set[tuple[str, PurgedDigest]] = field(default_factory=set)
    switches: set[tuple[str, str]] = field(default_factory=set)
    notes: dict[str, str] = field(default_factory=dict)
    clusters: dict[str, tuple[str, ModelInUse, Cluster]] = field(default_factory=dict)
    members: dict[int, str] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)
    accesses: list[tuple[str, str, Access]] = field(default_factory=list)
    last_rows: dict[tuple[str, str], int] = field(default_factory=dict)
    last_row: int = 0
    last_seq: int = 0

    def copy(self) -> State:
        return replace(
            self,
            held=dict(self.held),
            events=list(self.events),
            purged=set(self.purged),
            switches=set(self.switches),
            notes=dict(self.notes),
            clusters=dict(self.clusters),
            members=dict(self.members),
            documents=dict(self.documents),
            accesses=list(self.accesses),
            last_rows=dict(self.last_rows),
        )

    def clusters_of(self, account: str, model: ModelInUse) -> list[Cluster]:
        """The clusters an account has of one model's vectors."""
        return [cluster for owner, made_of, cluster in self.clusters.values() if (owner, made_of) == (account, model)]

    def of(self, account: str) -> list[StoredMemory]:
        """The memories of one account, oldest row first."""
        return [held for held in self.held.values() if held.memory.account == account]


def as_stored(memory: Record) -> Record:
    """Who supersedes whom is worked out when read, so that an expired superseder gives its target back."""
    status = "active" if memory.status == "superseded" else memory.status
    return memory.with_(status=status, superseded_by=None)


def words_of(memory: Record) -> tuple[str, ...]:
    """Every term it is found by."""
    return tuple(lexical_terms(memory))
