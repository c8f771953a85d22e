"""Changing a copy of the state: each change writes the memory and its journal event together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from recollect import errors
from recollect.ports import Accesses
from recollect.testing.in_memory.reader import InMemoryReader
from recollect.testing.in_memory.state import ModelInUse, State, StoredMemory, StoredVectors, as_stored, words_of
from recollect.values.cluster import Cluster, nearest_cluster, owner_of
from recollect.values.document import Access, Document, journal_sides
from recollect.values.enums import DocumentKind, EventKind
from recollect.values.event import Event, Image, Operation, difference, to_image
from recollect.values.memory import Record
from recollect.values.purge_digests import kept_digests
from recollect.values.scope import Place
from recollect.values.transfer import PurgedDigest


class InMemoryTransaction(InMemoryReader):
    """A reader that may also change; what it wrote it sees."""

    def __init__(self, state: State, model: ModelInUse, account: str, operation: Operation) -> None:
        super().__init__(state, model, operation.at)
        self.operation = operation
        self._account = account

    def insert(self, memory: Record, vectors: NDArray[np.float32] | None, kind: EventKind = "remember") -> None:
        self._refuse_taken(memory)
        self._state.last_row += 1
        row, stored = self._state.last_row, as_stored(memory)
        self._state.last_rows[self._account, memory.id] = row
        self._state.held[row] = StoredMemory(row, stored, words_of(stored), self._embedding(vectors))
        self._assign(row, memory, vectors)
        self._journal(memory.id, kind, None, {})

    def change(
        self,
        before: Record,
        after: Record,
        kind: EventKind,
        *,
        vectors: NDArray[np.float32] | None = None,
        reason: str | None = None,
    ) -> None:
        held = self._held(after)
        # Counters belong to `touch`: a change decided on an older reading must not set them back.
        counted = {"access_count": held.memory.access_count, "accessed_at": held.memory.accessed_at}
        stored = as_stored(after).with_(created_at=held.memory.created_at, **counted)
        embedding = self._embedding(vectors) if after.content != before.content else held.embedding
        self._state.held[held.row] = StoredMemory(held.row, stored, words_of(stored), embedding)
        if after.content != before.content:
            self._assign(held.row, after, vectors)
        elif owner_of(after.place) != owner_of(before.place):
            self._state.members.pop(held.row, None)
        self._journal(after.id, kind, *difference(before, after), reason=reason)

    def remove(self, memory: Record, kind: EventKind = "undo") -> None:
        self._drop(memory)
        self._journal(memory.id, kind, to_image(memory), None)

    def purge(self, memory: Record, earlier: Sequence[str] = ()) -> None:
        # A memory that was removed before has only images in the journal.
        if any(held.memory.id == memory.id for held in self._state.of(memory.account)):
            cluster = self._state.members.get(self._held(memory).row)
            if cluster is not None:
                # The name of a cluster is made of its members' words.
                self.drop_clusters(memory.account, [cluster])
            self._drop(memory)
        self._scrub(memory.id)
        digests = kept_digests((memory.content, *earlier), self._secrets()[0])
        self._state.purged |= {(memory.account, PurgedDigest(digest, memory.place)) for digest in digests}
        self._journal(memory.id, "purge", None, {"place": list(memory.place)})

    def set_vectors(self, account: str, memory_id: str, vectors: NDArray[np.float32] | None) -> None:
        for held in self._state.of(account):
            if held.memory.id == memory_id:
                self._state.held[held.row] = replace(held, embedding=self._embedding(vectors))
                self._assign(held.row, held.memory, vectors)
                self._journal(memory_id, "embed", {}, {})

    def touch(self, account: str, accesses: Accesses) -> None:
        for held in self._state.of(account):
            if held.row in accesses:
                memory, (count, at) = held.memory, accesses[held.row]
                touched = memory.with_(
                    access_count=memory.access_count + count, accessed_at=max(memory.accessed_at, at)
                )
                self._state.held[held.row] = replace(held, memory=touched)

    def switch(self, account: str, project: str, on: bool) -> None:
        if on:
            self._state.switches.discard((account, project))
        else:
            self._state.switches.add((account, project))

    def allow_again(self, account: str, text: str, places: Sequence[Place]) -> None:
        pairs = product((one for found in self._purge_digests(text) for one in found.both), places)
        self._state.purged -= {(account, PurgedDigest(digest, place)) for digest, place in pairs}

    def put_document(
        self, before: Document | None, after: Document | None, kind: EventKind | None, reason: str | None = None
    ) -> None:
        held = after or before
        assert held is not None
        self._state.documents.pop(held.id, None)
        if after is not None:
            self._state.documents[after.id] = after
        if kind is not None:
            old, new = journal_sides(before, after)
            self._journal(held.id, kind, old, new, reason, held.kind)

    def purge_document(self, document: Document) -> None:
        self._state.documents.pop(document.id, None)
        self._scrub(document.id)
        self._journal(document.id, "purge", None, None, document=document.kind)

    def log_access(self, account: str, document: str, access: Access) -> None:
        self._state.accesses.append((account, document, access))

    def put_cluster(self, account: str, cluster: Cluster, rows: Sequence[int], model: str | None = None) -> None:
        self._empty(cluster.id)
        named = self._model if model in (None, self._model.name) else ModelInUse(str(model), len(cluster.centroid))
        self._state.clusters[cluster.id] = (account, named, cluster)
        self._state.members |= {int(row): cluster.id for row in rows}

    def drop_clusters(self, account: str, ids: Sequence[str]) -> None:
        for cluster in ids:
            if cluster in self._state.clusters and self._state.clusters[cluster][0] == account:
                del self._state.clusters[cluster]
                self._empty(cluster)

    def set_undoes(self, operation: str) -> None:
        self.operation = replace(self.operation, undoes=operation)

    def set_note(self, name: str, value: str, account: str | None = None) -> None:
        self._state.notes[name if account is None else f"{name}:{account}"] = value

    def keep_vectors(self, memory: Record, model: str, vectors: NDArray[np.float32]) -> None:
        held, rows = self._held(memory), np.atleast_2d(vectors)
        if model == self._model.name and rows.shape[1] != self._model.dimensions:
            raise errors.InvalidInput("vectors", f"{model} has other dimensions", "leave them out and re-embed")
        made = StoredVectors(ModelInUse(model, rows.shape[1]), rows.astype(np.float16))
        self._state.held[held.row] = replace(held, embedding=made)
        if made.model == self._model:
            self._assign(held.row, memory, vectors)

    def rewrite_event(self, account: str, event: Event) -> None:
        self._state.events = [
            (owner, event if (owner, one.seq) == (account, event.seq) else one) for owner, one in self._state.events
        ]

    def keep_purged(self, account: str, secrets: Sequence[str], digests: Sequence[PurgedDigest]) -> None:
        notes = self._state.notes
        own, former = notes["secret"], json.loads(notes.get("former_secrets", "[]"))
        if not self._state.held and not self._state.purged:
            own, former = secrets[0], list(secrets[1:])
        former += [secret for secret in secrets if secret not in (own, *former)]
        notes |= {"secret": own, "former_secrets": json.dumps(former)}
        self._state.purged |= {(account, digest) for digest in digests}

    def replay(self, account: str, event: Event) -> int:
        self._state.last_seq += 1
        self._state.events.append((account, replace(event, seq=self._state.last_seq)))
        return self._state.last_seq

    def _scrub(self, id: str) -> None:
        """Leave only the skeleton of what the journal says."""
        self._state.events = [
            (owner, replace(event, before=None, after=None, reason=None) if event.memory_id == id else event)
            for owner, event in self._state.events
        ]

    def _empty(self, cluster: str) -> None:
        self._state.members = {row: held for row, held in self._state.members.items() if held != cluster}

    def _drop(self, memory: Record) -> None:
        row = self._held(memory).row
        del self._state.held[row]
        self._state.members.pop(row, None)

    def _assign(self, row: int, memory: Record, vectors: NDArray[np.float32] | None) -> None:
        """A new vector falls into the nearest cluster of its room, or into none."""
        known = self._state.clusters_of(memory.account, self._model)
        if not known:
            return
        self._state.members.pop(row, None)
        cluster = None if vectors is None else nearest_cluster(known, memory.place, np.atleast_2d(vectors)[0])
        if cluster is not None:
            self._state.members[row] = cluster.id

    def _refuse_taken(self, memory: Record) -> None:
        for held in self._state.held.values():
            if held.memory.id == memory.id:
                raise errors.InvalidInput("id", f"{memory.id} is stored already", "change it instead")
            if memory.key is not None and (held.memory.account, held.memory.key, held.memory.place) == (
                memory.account,
                memory.key,
                memory.place,
            ):
                raise errors.InvalidInput("key", f"{memory.key!r} is taken by another memory", "choose another key")

    def _held(self, memory: Record) -> StoredMemory:
        for held in self._state.of(memory.account):
            if held.memory.id == memory.id:
                return held
        raise errors.NotFound("memory", memory.id)

    def _embedding(self, vectors: NDArray[np.float32] | None) -> StoredVectors | None:
        if vectors is None:
            return None
        return StoredVectors(self._model, vectors.reshape(-1, self._model.dimensions).astype(np.float16))

    def _journal(
        self,
        memory_id: str,
        kind: EventKind,
        before: Image | None,
        after: Image | None,
        reason: str | None = None,
        document: DocumentKind | None = None,
    ) -> None:
        self._state.last_seq += 1
        made = self.operation
        event = Event(
            self._state.last_seq,
            made.id,
            made.at,
            made.actor,
            kind,
            memory_id,
            before,
            after,
            reason,
            made.undoes,
            document,
            made.origin,
        )
        self._state.events.append((self._account, event))
