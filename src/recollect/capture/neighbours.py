"""Neighbours: the stored memories that a draft is similar to. Reconcile compares the draft with them.

A batch is looked up at once, before its first draft is stored. What the batch itself stores is added, and a draft is looked up
again if the batch changed one of its neighbours. So the outcome is the same as for drafts stored one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from recollect.ports import Calibrated, Reader
from recollect.values.enums import STATUSES, Status
from recollect.values.memory import Record, is_current
from recollect.values.outcome import Outcome, Reinforced, Stored, Superseded
from recollect.values.scope import Identity, Viewer
from recollect.values.search import Filter, Near, Search, Snippet
from recollect.values.terms import query_terms

# What is forgotten is compared by the tombstones, before a draft is compared with anything else.
_COMPARED: tuple[Status, ...] = ("active", "superseded", "archived")
_MOST_NEIGHBOURS = 12
_MOST_TERMS = 48


@dataclass(frozen=True, slots=True)
class DraftEmbedding:
    """The vectors of a draft, one per passage and the whole text first, with the calibration of their model."""

    vectors: NDArray[np.float32] | None = None
    calibration: Calibrated | None = None

    @property
    def vector(self) -> NDArray[np.float32] | None:
        """The vector of the whole text, which is compared with the store."""
        return None if self.vectors is None else self.vectors[0]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A memory similar to a draft: its text, its status for whoever sees the draft, and the similarity."""

    snippet: Snippet | Record
    status: Status
    similarity: float

    def full_record(self, reader: Reader, account: str) -> Record:
        """The whole memory. It is read only now, because the text alone rules out nearly all neighbours."""
        snippet = self.snippet
        record = snippet if isinstance(snippet, Record) else reader.fetch(account, [snippet.row])[0]
        return record if record.status == self.status else record.with_(status=self.status)


Neighbours = list[Neighbour]


@dataclass(slots=True)
class NeighbourLookup:
    """The neighbours of each draft of a batch, from a similarity of `floor` on, most similar first.

    Without a `viewer`, a draft is compared with what those see who will see the draft.
    """

    now: datetime
    floor: float
    # Ids that are never neighbours: the lines of one document all stay, however similar they are.
    excluded: frozenset[str] = frozenset()
    statuses: tuple[Status, ...] = _COMPARED
    viewer: Viewer | None = None
    _found: dict[str, Neighbours] = field(default_factory=dict)
    # For each draft of a batch, the earlier drafts it is similar to.
    _earlier: dict[str, list[tuple[str, float]]] = field(default_factory=dict)
    _stored: dict[str, Record] = field(default_factory=dict)
    _changed: set[str] = field(default_factory=set)

    def prefetch(self, reader: Reader, batch: Sequence[tuple[Record, DraftEmbedding]]) -> None:
        """Look up a whole batch, with one search per group of drafts that may see the same memories."""
        groups: dict[Viewer, list[tuple[Record, DraftEmbedding]]] = {}
        for new, embedding in batch:
            if embedding.vector is not None:
                groups.setdefault(self.viewer or _viewer(new), []).append((new, embedding))
        for viewer, members in groups.items():
            search = self._search_as(viewer)
            near = reader.near(search, [embedding.vector for _, embedding in members if embedding.vector is not None])
            similar = [self._above_floor(found, embedding) for found, (_, embedding) in zip(near, members, strict=True)]
            rows = list({row: None for some in similar for row, _, _ in some})
            snippets = dict(zip(rows, reader.read_snippets(viewer.account, rows), strict=True)) if rows else {}
            for (new, _), some in zip(members, similar, strict=True):
                self._found[new.id] = [Neighbour(snippets[row], status, value) for row, status, value in some]

    def compare_drafts(self, batch: Sequence[tuple[Record, DraftEmbedding]]) -> None:
        """Compare the drafts of a batch with each other, as they will be compared with what is stored."""
        embedded = [(new, embedding.vectors) for new, embedding in batch if embedding.vectors is not None]
        scale = next((embedding.calibration for _, embedding in batch if embedding.calibration is not None), None)
        if scale is None or len(embedded) < 2:
            return
        wholes = np.stack([vectors[0] for _, vectors in embedded])
        cosines = np.vecdot(wholes[:, None], np.concatenate([vectors for _, vectors in embedded]))
        firsts = np.cumsum([0, *(len(vectors) for _, vectors in embedded[:-1])])
        similarity = scale.similarity((cosines[:, firsts] + np.maximum.reduceat(cosines, firsts, axis=1)) / 2)
        for later, earlier in np.argwhere(np.tril(similarity >= self.floor, -1)).tolist():
            pair = (embedded[earlier][0].id, float(similarity[later, earlier]))
            self._earlier.setdefault(embedded[later][0].id, []).append(pair)

    def of(self, reader: Reader, new: Record, embedding: DraftEmbedding) -> Neighbours:
        """The neighbours of one draft, as of now."""
        return [found for found in self._similar(reader, new, embedding) if found.snippet.id not in self.excluded]

    def note_outcome(self, outcome: Outcome) -> None:
        """Record what became of a draft of the batch."""
        match outcome:
            case Stored(memory) | Superseded(memory):
                self._stored[memory.id] = memory
            case Reinforced(memory):
                self._changed.add(memory.id)
        if isinstance(outcome, Superseded):
            self._changed.add(outcome.old.id)

    def _similar(self, reader: Reader, new: Record, embedding: DraftEmbedding) -> Neighbours:
        prefetched = self._found.get(new.id)
        if prefetched is None:
            return self._search(reader, new, embedding)
        found = [*prefetched, *self._from_batch(new)]
        if any(one.snippet.id in self._changed for one in found):
            return self._search(reader, new, embedding)
        return sorted(found, key=lambda one: -one.similarity)[:_MOST_NEIGHBOURS]

    def _from_batch(self, new: Record) -> Neighbours:
        """The memories stored by this batch that a draft is similar to and may be compared with."""
        similar = [
            (self._stored[known], similarity)
            for known, similarity in self._earlier.get(new.id, ())
            if known in self._stored
        ]
        places = _viewer(new).places() if similar else ()
        return [
            Neighbour(record, record.status, similarity)
            for record, similarity in similar
            if record.place in places and is_current(record, self.now)
        ]

    def _above_floor(self, found: Near, embedding: DraftEmbedding) -> list[tuple[int, Status, float]]:
        if embedding.calibration is None or len(found.rows) == 0:
            return []
        similarities = embedding.calibration.similarity(found.cosine)
        rows, statuses = found.rows.tolist(), found.status.tolist()
        return [
            (rows[i], STATUSES[statuses[i]], similarity)
            for i, similarity in enumerate(similarities.tolist())
            if similarity >= self.floor
        ]

    def _search(self, reader: Reader, new: Record, embedding: DraftEmbedding) -> Neighbours:
        search = self._search_as(self.viewer or _viewer(new))
        if embedding.vector is None or embedding.calibration is None:
            return self._by_words(reader, new, search)
        similar = self._above_floor(reader.near(search, [embedding.vector])[0], embedding)
        snippets = reader.read_snippets(new.account, [row for row, _, _ in similar])
        return [Neighbour(one, status, value) for one, (_, status, value) in zip(snippets, similar, strict=True)]

    def _search_as(self, viewer: Viewer) -> Search:
        return Search(viewer, Filter(statuses=self.statuses), self.now.timestamp(), depth=_MOST_NEIGHBOURS)

    def _by_words(self, reader: Reader, new: Record, search: Search) -> Neighbours:
        """Without vectors, similarity is the part of the draft's terms a memory has, weighted by how rare they are."""
        found = reader.candidates(replace(search, terms=query_terms(new.content)[:_MOST_TERMS]))
        similarity = np.vecdot((found.matches > 0).astype(np.float32), found.idf) / max(float(found.idf.sum()), 1e-9)
        order = [int(i) for i in np.argsort(-similarity, kind="stable") if similarity[i] >= self.floor]
        snippets = reader.read_snippets(new.account, [int(found.rows[i]) for i in order])
        return [
            Neighbour(one, STATUSES[found.columns.status[i]], float(similarity[i]))
            for one, i in zip(snippets, order, strict=True)
        ]


def _viewer(new: Record) -> Viewer:
    """Who sees the memories a draft may be compared with: whoever sees the place it goes to, and no more.

    An agent or team that the draft only names, without having it as its scope, gives no access.
    """
    agent = new.agent if new.scope == "agent" else None
    identity = Identity(new.account, agent, (new.team,) if new.scope == "team" and new.team else ())
    return Viewer(identity, new.project, new.session if new.scope == "session" else None, new.task)
