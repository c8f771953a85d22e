"""Reading the state: every question of the port, answered by looking at every memory."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from recollect.store.journal import last_place, latest_operations
from recollect.testing.in_memory.graph import edges_all
from recollect.testing.in_memory.search import (
    among_all,
    anywhere,
    expired,
    holding_all,
    narrowed,
    near_all,
    search_all,
    standing,
    standing_all,
    successors,
)
from recollect.testing.in_memory.state import ModelInUse, State, StoredMemory
from recollect.values.cluster import Cluster
from recollect.values.document import Access, Document
from recollect.values.enums import DocumentKind, LinkRelation
from recollect.values.event import Event, to_image
from recollect.values.ids import fingerprint
from recollect.values.link import Edge, Node
from recollect.values.memory import Record, StoredText
from recollect.values.purge import Mentions
from recollect.values.purge_digests import PurgeDigests, purge_digests
from recollect.values.scope import Identity, Place, Visit, reaches
from recollect.values.search import Candidates, DeliveryQuery, Embedded, Filter, Near, Search
from recollect.values.transfer import PurgedDigest, StoredRow

_MANY_IDS = 20
_MANY_TAGS = 20


class InMemoryReader:
    """Everything that can be asked of one state, for the model in use."""

    def __init__(self, state: State, model: ModelInUse, now: datetime | None = None) -> None:
        self._state, self._model, self._now = state, model, now

    def get(self, account: str, ids: Sequence[str]) -> list[Record | None]:
        found = {record.id: record for record in self._settled(account, self._state.of(account))}
        return [found.get(str(UUID(wanted))) for wanted in ids]

    def fetch(self, account: str, rows: Sequence[int]) -> list[Record]:
        own = {held.row: held for held in self._state.of(account)}
        return [own[row].memory for row in rows if row in own]

    def read_snippets(self, account: str, rows: Sequence[int]) -> list[Record]:
        return self.fetch(account, rows)

    def snippets_with_vectors(
        self, account: str, rows: Sequence[int]
    ) -> tuple[list[Record], dict[int, NDArray[np.float32]]]:
        found = self.read_snippets(account, rows)
        vectors = self.vectors(account, [one.id for one in found])
        return found, {row: vectors[one.id] for row, one in zip(rows, found, strict=True) if one.id in vectors}

    def rows_of(self, account: str, ids: Sequence[str]) -> list[int]:
        own = {held.memory.id: held.row for held in self._state.of(account)}
        return [own[wanted] for wanted in ids if wanted in own]

    def last_row_of(self, account: str, memory_id: str) -> int | None:
        return self._state.last_rows.get((account, memory_id))

    def find_by_id(self, account: str, part: str) -> list[Record]:
        digits = part.replace("-", "").lower()
        held = {one.memory.id.replace("-", ""): one for one in self._state.of(account)}
        found = [one for bare, one in held.items() if bare.startswith(digits)]
        return self._settled(
            account, (found or [one for bare, one in held.items() if bare.endswith(digits)])[:_MANY_IDS]
        )

    def places_of(self, account: str, ids: Sequence[str]) -> dict[str, Place]:
        found = {
            event.memory_id: place
            for owner, event in self._state.events
            if owner == account
            and event.memory_id in ids
            and (place := last_place(event.kind, event.before, event.after)) is not None
        }
        return found | {held.memory.id: held.memory.place for held in self._state.of(account) if held.memory.id in ids}

    def get_documents(self, account: str, ids: Sequence[str]) -> list[Document]:
        found = [self._state.documents[wanted] for wanted in sorted(set(ids)) if wanted in self._state.documents]
        return [document for document in found if document.account == account]

    def operations_like(self, account: str, part: str, limit: int) -> list[str]:
        digits = part.replace("-", "").lower()
        every = dict.fromkeys(event.operation for owner, event in self._state.events if owner == account)
        bare = {operation: operation.replace("-", "") for operation in every}
        return [one for one, text in bare.items() if text.startswith(digits) or text.endswith(digits)][:limit]

    def latest_operations(
        self, account: str, limit: int, before: int | None = None, *, actor: str | None = None
    ) -> list[list[Event]]:
        return latest_operations(self, account, limit, before, actor)

    def find(
        self, identity: Identity, wanted: Filter, now: datetime, *, limit: int, before: int | None = None
    ) -> list[Record]:
        def sees(memory: Record) -> bool:
            return reaches(identity, memory.place)

        own = list(self._state.of(identity.account))
        replaced = successors([held.memory for held in own], anywhere, now)
        rows = (held for held in reversed(own) if before is None or held.row < before)
        shown = [standing(held.memory, replaced) for held in rows if sees(held.memory)]
        kept = [memory for memory in shown if _listed(memory, wanted, now)]
        return kept if limit < 0 else kept[:limit]

    def count_found(self, identity: Identity, wanted: Filter, now: datetime) -> int:
        return len(self.find(identity, wanted, now, limit=-1))

    def candidates(self, search: Search) -> Candidates:
        return search_all(self._state.of(search.viewer.account), search, self._model)

    def near(self, search: Search, vectors: Sequence[NDArray[np.float32]]) -> list[Near]:
        own, alone = self._state.of(search.viewer.account), replace(search, terms=(), neighbours=0)
        return [near_all(own, replace(alone, vector=vector), self._model) for vector in vectors]

    def rows_with_terms(self, search: Search, phrases: Sequence[Sequence[str]], most: int) -> list[list[int]]:
        return holding_all(self._state.of(search.viewer.account), search, phrases, most)

    def neighbours(
        self, search: Search, vectors: Sequence[NDArray[np.float32]], phrases: Sequence[Sequence[str]], most: int
    ) -> tuple[list[Near], list[list[int]]]:
        return self.near(search, vectors), self.rows_with_terms(search.among_active(), phrases, most)

    def same_text(self, account: str, text: str) -> list[Record]:
        digest = self._digest(text)
        same = [held for held in self._state.of(account) if self._digest(held.memory.content) == digest]
        return self._settled(account, same)

    def texts_of(self, account: str, texts: Sequence[str]) -> dict[str, StoredText]:
        return {text: StoredText(self._purged(account, text), tuple(self.same_text(account, text))) for text in texts}

    def _purged(self, account: str, text: str) -> tuple[Place, ...]:
        known = {one for found in self._purge_digests(text) for one in found.sought}
        return tuple({one.place for owner, one in self._state.purged if owner == account and one.digest in known})

    def has_tombstones(self, account: str) -> bool:
        return any(owner == account for owner, _ in self._state.purged) or any(
            held.memory.status == "forgotten" for held in self._state.of(account)
        )

    def by_key(self, account: str, key: str, place: Place | None = None) -> Record | None:
        return next((record for record in self.with_key(account, key) if place in (None, record.place)), None)

    def with_key(self, account: str, key: str) -> list[Record]:
        return self._settled(account, [held for held in self._state.of(account) if held.memory.key == key])

    def filter_visible(self, search: Search, rows: Sequence[int]) -> list[int]:
        return among_all(self._state.of(search.viewer.account), search, rows)

    def fetch_visible(self, search: Search, rows: Sequence[int]) -> dict[int, Record]:
        visible = self.filter_visible(search, rows)
        return dict(zip(visible, self.fetch(search.viewer.account, visible), strict=True))

    def list_by_delivery(self, search: Search, queries: Sequence[DeliveryQuery]) -> list[list[int]]:
        own = self._state.of(search.viewer.account)
        return [standing_all(own, search, query)[: query.limit] for query in queries]

    def fetch_by_delivery(self, search: Search, lists: Sequence[DeliveryQuery]) -> list[dict[int, Record]]:
        account, listed = search.viewer.account, self.list_by_delivery(search, lists)
        return [dict(zip(rows, self.fetch(account, rows), strict=True)) for rows in listed]

    def edges(self, account: str, nodes: Sequence[Node], most: int, *, upwards: bool = True) -> list[Edge]:
        own, known = self._state.of(account), {cluster.id for cluster in self._state.clusters_of(account, self._model)}
        members = {row: cluster for row, cluster in self._state.members.items() if cluster in known}
        found = edges_all(own, members, nodes, most)
        return [edge for edge in found if upwards or edge.target[0] == "memory"]

    def visible_edges(self, search: Search, nodes: Sequence[Node], most: int, *, upwards: bool = True) -> list[Edge]:
        found = self.edges(search.viewer.account, nodes, most, upwards=upwards)
        rows = [int(edge.target[1]) for edge in found if edge.target[0] == "memory"]
        visible = {("memory", row) for row in self.filter_visible(search, rows)}
        return [edge for edge in found if edge.target[0] != "memory" or edge.target in visible]

    def linked_by(self, account: str, relation: LinkRelation) -> list[str]:
        own = [held.memory for held in reversed(self._state.of(account))]
        return [memory.id for memory in own if any(link.relation == relation for link in memory.links)]

    def triggers(self, account: str) -> list[tuple[int, str]]:
        return sorted((held.row, pattern) for held in self._state.of(account) for pattern in set(held.memory.triggers))

    def tag_names(self, account: str) -> list[str]:
        return sorted({tag for held in self._state.of(account) for tag in held.memory.tags})

    def tag_counts(self, identity: Identity, now: datetime, visit: Visit | None = None) -> dict[str, int]:
        counted = self.find(identity, Filter(visit=visit), now, limit=-1)
        tags = Counter(tag for record in counted for tag in record.tags)
        return dict(_most(tags))

    def embedded(self, account: str) -> Embedded:
        held = [h for h in self._state.of(account) if h.embedding and h.embedding.model == self._model]
        active = [h for h in held if h.memory.status == "active"]
        vectors = [h.embedding.vectors[0] for h in active if h.embedding is not None]
        return Embedded(
            np.array([h.row for h in active], np.int64),
            np.array(vectors, np.float16).reshape(len(active), self._model.dimensions),
            tuple(h.memory.place for h in active),
        )

    def how_many_embedded(self, account: str) -> int:
        return len(self.embedded(account).rows)

    def clusters(self, account: str) -> list[Cluster]:
        active = {held.row for held in self._state.of(account) if held.memory.status == "active"}
        sizes = Counter(cluster for row, cluster in self._state.members.items() if row in active)
        found = [replace(c, size=sizes[c.id]) for c in self._state.clusters_of(account, self._model)]
        return sorted(found, key=lambda cluster: -cluster.size)

    def documents(
        self, account: str, kind: DocumentKind, name: str | None = None, *, prefix: str | None = None
    ) -> list[Document]:
        own = [d for d in self._state.documents.values() if (d.account, d.kind) == (account, kind)]
        if prefix is not None and name is None:
            return sorted((d for d in own if d.name.startswith(prefix)), key=lambda d: (d.name, d.id))
        return sorted((d for d in own if name in (None, d.name)), key=lambda document: document.id)

    def accesses(self, account: str, document: str, limit: int) -> list[Access]:
        found = [access for owner, held, access in self._state.accesses if (owner, held) == (account, document)]
        return found[::-1][:limit]

    def vectors(self, account: str, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        return {
            held.memory.id: held.embedding.vectors.astype(np.float32)
            for held in self._state.of(account)
            if held.memory.id in ids and held.embedding is not None and held.embedding.model == self._model
        }

    def events(
        self,
        account: str,
        *,
        memory_id: str | None = None,
        operation: str | None = None,
        after: int = 0,
        before: int | None = None,
        since: datetime | None = None,
        limit: int | None = None,
        newest_first: bool = False,
        embeds: bool = False,
    ) -> list[Event]:
        found = [
            event
            for owner, event in self._state.events
            if owner == account
            and event.seq > after
            and (before is None or event.seq < before)
            and memory_id in (None, event.memory_id)
            and operation in (None, event.operation)
            and (since is None or event.at > since)
            and (embeds or event.kind != "embed")
        ]
        return (found[::-1] if newest_first else found)[:limit]

    def last_event(self, account: str) -> int:
        return max((event.seq for owner, event in self._state.events if owner == account), default=0)

    def mentions(self, account: str, words: Sequence[str], memory_id: str) -> Mentions:
        def says(*parts: Any) -> bool:
            said = json.dumps(parts, ensure_ascii=False, default=str).lower()
            return any(word in said for word in words)

        def of_itself(event: Event) -> bool:
            return event.document == "gap" or event.memory_id == memory_id

        return Mentions(
            [held.memory for held in self._state.of(account) if says(to_image(held.memory))],
            [
                one
                for _, one in sorted(self._state.documents.items())
                if one.account == account and (one.kind in ("gap", "context") or says(one.name, one.body))
            ],
            [
                event
                for owner, event in self._state.events
                if owner == account
                and (event.before or event.after or event.reason)
                and (of_itself(event) or says(event.before, event.after, event.reason))
            ],
        )

    def undone(self, account: str, operations: Iterable[str]) -> frozenset[str]:
        taken_back = {event.undoes for owner, event in self._state.events if owner == account}
        return frozenset(operation for operation in operations if operation in taken_back)

    def count(self, account: str, now: datetime, identity: Identity | None = None) -> dict[str, Any]:
        replaced = successors((held.memory for held in self._state.of(account)), anywhere, now)
        own = [h for h in self._state.of(account) if identity is None or reaches(identity, h.memory.place)]
        ids = {held.memory.id for held in own}
        active = [held.memory for held in own if held.memory.status == "active"]
        # The tags of sessions and tasks are told only where they are named.
        told = [held for held in own if identity is None or held.memory.scope not in ("session", "task")]
        tags = Counter(tag for held in told for tag in held.memory.tags)
        projects = Counter(memory.project for memory in active if memory.project is not None)
        return {
            "statuses": dict(Counter(standing(held.memory, replaced).status for held in own)),
            "types": dict(Counter(memory.type for memory in active)),
            "scopes": dict(Counter(memory.scope for memory in active)),
            "projects": dict(_most(projects)),
            "tags": dict(_most(tags)[:_MANY_TAGS]),
            "models": dict(Counter(held.embedding.model.name for held in own if held.embedding is not None)),
            "events": sum(event.memory_id in ids for event in self.events(account, embeds=True)),
            "unembedded": sum(held.memory.id in ids for held in self._unembedded(account)),
        }

    def unembedded(self, account: str, limit: int) -> list[Record]:
        return [held.memory for held in self._unembedded(account)[:limit]]

    def switched_off(self, account: str) -> frozenset[str]:
        return frozenset(project for owner, project in self._state.switches if owner == account)

    def check_switches(self, account: str, check: Callable[[frozenset[str]], None]) -> None:
        check(self.switched_off(account))

    def note(self, name: str, account: str | None = None) -> str | None:
        return self._state.notes.get(name if account is None else f"{name}:{account}")

    def digest_keys(self, account: str) -> tuple[str, ...]:  # noqa: ARG002 - one key for all accounts
        return tuple(key.hex() for key in self._secrets())

    def accounts(self) -> list[str]:
        owners = {held.memory.account for held in self._state.held.values()}
        owners |= {document.account for document in self._state.documents.values()}
        some = (*self._state.events, *self._state.purged, *self._state.switches)
        return sorted(owners | {owner for owner, _ in some} - {""})

    def scan(self, account: str, after: int, limit: int) -> list[StoredRow]:
        own = [held for held in self._state.of(account) if held.row > after][:limit]
        return [
            StoredRow(
                held.row,
                held.memory,
                None if held.embedding is None else held.embedding.model.name,
                None if held.embedding is None else held.embedding.vectors,
                self._state.members.get(held.row),
            )
            for held in own
        ]

    def all_clusters(self, account: str) -> list[tuple[str, Cluster]]:
        own = [(model.name, held) for owner, model, held in self._state.clusters.values() if owner == account]
        return sorted(own, key=lambda pair: pair[1].id)

    def purged_digests(self, account: str) -> list[PurgedDigest]:
        return sorted(digest for owner, digest in self._state.purged if owner == account)

    def _digest(self, text: str) -> bytes:
        return fingerprint(text, self._secrets()[0])

    def _purge_digests(self, text: str) -> list[PurgeDigests]:
        return [purge_digests(text, secret) for secret in self._secrets()]

    def _secrets(self) -> list[bytes]:
        former = json.loads(self._state.notes.get("former_secrets", "[]"))
        return [bytes.fromhex(secret) for secret in (self._state.notes["secret"], *former)]

    def _unembedded(self, account: str) -> list[StoredMemory]:
        own = self._state.of(account)
        return [held for held in own if held.embedding is None or held.embedding.model != self._model]

    def _settled(self, account: str, some: Iterable[StoredMemory]) -> list[Record]:
        """By id there is no viewer: what replaces a memory counts where it covers it, at the moment of reading."""
        replaced = successors((held.memory for held in self._state.of(account)), anywhere, self._now)
        return [standing(held.memory, replaced) for held in some]


def _listed(memory: Record, wanted: Filter, now: datetime) -> bool:
    """A list is an inventory: what has expired is gone from it, what does not hold today is not."""
    gone = expired(memory, now) and memory.status == "active" and "superseded" not in wanted.statuses
    passes = narrowed(memory, wanted, memory.status, gone=expired(memory, now) and memory.status == "active")
    return memory.status in wanted.statuses and not gone and passes


def _most(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
