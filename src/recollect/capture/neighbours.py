"""Neighbours: the stored memories that a draft is similar to, or shares rare words with. Reconcile compares the draft with them.

Meaning alone is not enough: "Tom works at Google" and "Tom now works at Stripe" are less similar than many unrelated statements.

A batch is looked up at once, before its first draft is stored. What the batch itself stores is added, and a draft is looked up
again if the batch changed one of its neighbours. So the outcome is the same as for drafts stored one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from recollect.ports import Calibrated, Reader
from recollect.values.enums import STATUSES, Status
from recollect.values.memory import Record, is_current
from recollect.values.outcome import Outcome, Reinforced, Stored, Superseded
from recollect.values.scope import Viewer, identity_of
from recollect.values.search import Filter, Near, Search, Snippet
from recollect.values.terms import query_terms

# What is forgotten is compared by the tombstones, before a draft is compared with anything else.
_COMPARED: tuple[Status, ...] = ("active", "superseded", "archived")
_MOST_NEIGHBOURS = 12
_SHOWN_DIGITS = 3
_MOST_TERMS = 48
# Of a statement: so many of its first terms are looked up, alone and in pairs, and so many memories that have them are compared.
# A term that more memories have says little about the subject.
_FIRST_TERMS, _PAIRED_TERMS, _MOST_HOLDERS, _MOST_BY_WORDS = 8, 4, 12, 6
_STATEMENT = 300  # characters; a longer text has too many words to say what it is about


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


Neighbours = list[Neighbour]
EmbeddedDraft = tuple[Record, DraftEmbedding]


def read_records(reader: Reader, account: str, neighbours: Sequence[Neighbour]) -> list[Record]:
    """The whole memories, in one read. Only of those that matter: the text alone rules out nearly all neighbours."""
    rows = list({one.snippet.row: None for one in neighbours if isinstance(one.snippet, Snippet)})
    read = dict(zip(rows, reader.fetch(account, rows), strict=True)) if rows else {}
    records = [read[one.snippet.row] if isinstance(one.snippet, Snippet) else one.snippet for one in neighbours]
    return [
        record if record.status == one.status else record.with_(status=one.status)
        for record, one in zip(records, neighbours, strict=True)
    ]


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
    # Whether memories that share rare words with a draft are its neighbours too, from any similarity on.
    by_words: bool = False
    # Which neighbours of a draft matter: their whole memories are read with the batch.
    matters: Callable[[Neighbour, Record], bool] | None = None
    _found: dict[str, Neighbours] = field(default_factory=dict)
    # For each draft of a batch, the earlier drafts it is similar to.
    _earlier: dict[str, list[tuple[str, float]]] = field(default_factory=dict)
    _stored: dict[str, Record] = field(default_factory=dict)
    _changed: set[str] = field(default_factory=set)

    def prefetch(self, reader: Reader, batch: Sequence[EmbeddedDraft]) -> None:
        """Look up a whole batch, with one search per group of drafts that may see the same memories."""
        groups: dict[Viewer, list[EmbeddedDraft]] = {}
        for new, embedding in batch:
            if embedding.vector is not None:
                groups.setdefault(self.viewer or _viewer(new), []).append((new, embedding))
        for viewer, members in groups.items():
            for (new, _), found in zip(members, self._look_up(reader, viewer, members), strict=True):
                self._found[new.id] = found
            self._prefetch_records(reader, viewer.account, [new for new, _ in members])

    def _look_up(self, reader: Reader, viewer: Viewer, drafts: Sequence[EmbeddedDraft]) -> list[Neighbours]:
        """For each draft, the memories that are similar, and then those that share its rare words and are not; most words first."""
        search = self._search_as(viewer)
        vectors = [embedding.vector for _, embedding in drafts if embedding.vector is not None]
        phrases = [_phrases(new.content) if self.by_words else [] for new, _ in drafts]
        near, held = reader.neighbours(search, vectors, [one for some in phrases for one in some], _MOST_HOLDERS)
        similar = [self._above_floor(found, embedding) for found, (_, embedding) in zip(near, drafts, strict=True)]
        each = iter(held)
        counts = [Counter(row for _ in some for row in next(each)) for some in phrases]
        sharing = [_most_shared(count, some) for count, some in zip(counts, similar, strict=True)]
        rows = list(dict.fromkeys(row for some in similar for row, _, _ in some))
        more = list(dict.fromkeys(row for some in sharing for row in some if row not in rows))
        measured: dict[int, NDArray[np.float32]] = {}
        if more:
            texts, measured = reader.snippets_with_vectors(viewer.account, [*rows, *more])
        else:
            texts = reader.read_snippets(viewer.account, rows) if rows else ()
        snippets = dict(zip([*rows, *more], texts, strict=True))
        return [
            [
                *(Neighbour(snippets[row], status, similarity) for row, status, similarity in some),
                *(Neighbour(snippets[row], "active", _similarity(embedding, measured.get(row))) for row in others),
            ]
            for (_, embedding), some, others in zip(drafts, similar, sharing, strict=True)
        ]

    def _prefetch_records(self, reader: Reader, account: str, drafts: Sequence[Record]) -> None:
        """Read the memories of all neighbours that matter to any of these drafts at once."""
        if self.matters is None:
            return
        wanted = [one for new in drafts for one in self._found[new.id] if self.matters(one, new)]
        read = {one.snippet.id: full for one, full in zip(wanted, read_records(reader, account, wanted), strict=True)}
        for new in drafts:
            self._found[new.id] = [
                replace(one, snippet=read[one.snippet.id]) if one.snippet.id in read else one
                for one in self._found[new.id]
            ]

    def compare_drafts(self, batch: Sequence[EmbeddedDraft]) -> None:
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
        """The neighbours of one draft, as of now: the similar ones by similarity, then those that share words with it.

        Similarities differ by rounding between back ends, and between a batch and what is stored; the text decides between equals.
        """
        found = [one for one in self._similar(reader, new, embedding) if one.snippet.id not in self.excluded]
        near = [one for one in found if one.similarity >= self.floor]
        near.sort(key=lambda one: (-round(one.similarity, _SHOWN_DIGITS), one.snippet.content))
        return [*near, *(one for one in found if one.similarity < self.floor)]

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
        near = sorted((one for one in found if one.similarity >= self.floor), key=lambda one: -one.similarity)
        return [*near[:_MOST_NEIGHBOURS], *(one for one in found if one.similarity < self.floor)]

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
        return self._look_up(reader, search.viewer, [(new, embedding)])[0]

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


def _phrases(text: str) -> list[tuple[str, ...]]:
    """What to look for in other memories: the first terms of a statement, and pairs of the very first, where the subject is."""
    if len(text) > _STATEMENT:
        return []
    terms = query_terms(text)[:_FIRST_TERMS]
    return [*((term,) for term in terms), *combinations(terms[:_PAIRED_TERMS], 2)]


def _most_shared(counts: Counter[int], similar: Sequence[tuple[int, Status, float]]) -> list[int]:
    """The rows that share most phrases with a draft, newest first among equals, without those that are similar to it."""
    known = {row for row, _, _ in similar}
    ranked = sorted(counts.items(), key=lambda item: (-item[1], -item[0]))
    return [row for row, _ in ranked if row not in known][:_MOST_BY_WORDS]


def _similarity(embedding: DraftEmbedding, vectors: NDArray[np.float32] | None) -> float:
    if embedding.vector is None or embedding.calibration is None or vectors is None:
        return 0.0
    return float(embedding.calibration.similarity(embedding.vector @ vectors[0]))


def _viewer(new: Record) -> Viewer:
    """Who sees the memories a draft may be compared with: whoever sees the place it goes to, and no more.

    An agent, team or user that the draft only names, without having it as its scope, gives no access.
    """
    identity = identity_of(new.account, new.place)
    return Viewer(identity, new.project, new.session if new.scope == "session" else None, new.task)
