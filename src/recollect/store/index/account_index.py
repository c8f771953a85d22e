"""AccountIndex: everything derived for one account, kept in step with the store by journal sequence, and its search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from itertools import accumulate
from typing import cast

import numpy as np
from numpy.typing import NDArray

from recollect.ports import Accesses
from recollect.store.index.columns import (
    KINDS,
    NO_POSITION,
    ColumnTable,
    IndexEntry,
    InternedNames,
    cells,
    lexical_key,
    lexical_terms,
)
from recollect.store.index.postings import MANY_ROWS, Postings
from recollect.store.index.threads import Turns
from recollect.store.index.vectors import Spans, Spots, VectorArrays
from recollect.store.index.visibility_mask import ACTIVE, DEAD, MaskCache, VisibleRows
from recollect.values.scope import Place
from recollect.values.search import Embedded, Search

_BLOCK = 1024


class AccountIndex:
    """Arrays of one account. Not thread-safe: whoever calls it holds the lock of the index cache."""

    def __init__(
        self,
        dimensions: int,
        *,
        table: ColumnTable | None = None,
        names: InternedNames | None = None,
        vectors: VectorArrays | None = None,
        postings: Postings | None = None,
        seq: int = 0,
        touches: int = 0,
    ) -> None:
        self.table = table or ColumnTable(KINDS)
        self.names = names or InternedNames()
        self.vectors = vectors or VectorArrays(dimensions)
        self.postings = postings or Postings()
        self.seq, self.touches = seq, touches
        self.changes = 0
        # Read from the store when first asked for, and again after a change.
        self.triggers: list[tuple[int, str]] | None = None
        self.tags: list[str] | None = None
        self._version = 0
        self._spots: dict[int, int] | None = None
        self.turns = Turns(self.table)
        self._mean: NDArray[np.float32] | None = None
        self._mean_age = 0
        self._compared: tuple[VisibleRows, Spots, Spans] | None = None
        self._scored: tuple[object, NDArray[np.float32], NDArray[np.float32]] | None = None
        self.masks = MaskCache(self.table, self.names)
        self._words = int(self.table["length"].sum())
        self.held = int((self.table["status"] != DEAD).sum())

    def fork(self) -> AccountIndex:
        """A copy that can change on its own while views still search this one; what neither changes stays shared."""
        self._compared = self._scored = None
        made = copy(self)
        # The fork goes on with the dictionary; this one, which is hardly searched any more, makes it anew if asked.
        self._spots = None
        made.table, made.vectors, made.postings = self.table.fork(), self.vectors.fork(), self.postings.fork()
        made.turns = self.turns.fork(made.table)
        made.masks = MaskCache(made.table, made.names)
        return made

    @property
    def wasted(self) -> float:
        """The share of rows that only a rebuild would free."""
        return 1 - self.held / self.table.size if self.table.size else 0.0

    def upsert(self, entries: Sequence[IndexEntry]) -> None:
        """Bring stored memories in: new rows are appended, changed ones set in place where words and vectors allow."""
        fresh = [entry for entry in entries if not self._set_in_place(entry)]
        if len(fresh) < len(entries):
            self.masks.forget()
        if fresh:
            self._append(fresh)
        self._stale(len(entries))

    def drop(self, rows: Iterable[int]) -> None:
        """Take memories out whose rows are gone from the store."""
        for row in rows:
            spot = self.where().pop(row, None)
            if spot is not None:
                self._kill(spot)
        self._stale(1)

    def touch(self, accesses: Accesses) -> None:
        """Count accesses in place; not a change of the index."""
        known = {spot: held for row, held in accesses.items() if (spot := self.where().get(row)) is not None}
        spots, counted = list(known), self.table.writable("access_count")
        counted[spots] += np.array([count for count, _ in known.values()], np.float32)
        accessed = self.table.writable("accessed")
        accessed[spots] = np.maximum(accessed[spots], [at.timestamp() for _, at in known.values()])

    def set_access(self, row: int, count: int, at: float) -> None:
        """Take over what the store counted."""
        spot = self.where().get(row)
        if spot is not None:
            self.table.set("access_count", spot, count)
            self.table.set("accessed", spot, at)

    def held_vectors(self) -> NDArray[np.intp]:
        """The rows of active memories that have a vector."""
        return np.flatnonzero((self.table["vectors"] > 0) & (self.table["status"] == ACTIVE))

    def embedded(self) -> Embedded:
        """Every active memory with a vector: the input of clustering."""
        held = self.held_vectors()
        known = [cast(Place, place) for place in self.names.places.known]
        places = tuple(known[number] for number in self.table["place"][held].tolist())
        starts, vectors = self.table["vector"][held], np.empty((len(held), self.vectors.dimensions), np.float16)
        for first in range(0, len(held), _BLOCK):  # never all in single precision
            vectors[first : first + _BLOCK] = self.vectors.vectors_at(starts[first : first + _BLOCK])
        return Embedded(self.table["row"][held], vectors, places)

    def scores(self, terms: tuple[str, ...]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """BM25 of every row; remembered for the second look of the same question."""
        if self._scored is None or self._scored[0] != (terms, self._version):
            made = self.postings.scores(terms, self.table["length"], self.held, self.mean_length)
            self._scored = ((terms, self._version), *made)
        return self._scored[1], self._scored[2]

    @property
    def mean_length(self) -> float:
        """How many terms a memory has."""
        return self._words / max(self.held, 1)

    def mean_cosine(self, search: Search) -> float:
        """The cosine of the query with the mean of all memories: what an unrelated memory has."""
        if not search.mean or search.vector is None or self.vectors.size == 0:
            return 0.0
        if self._mean is None:
            held = np.flatnonzero((self.table["vectors"] > 0) & (self.table["status"] != DEAD))
            if len(held) == 0:
                return 0.0
            self._mean = self.vectors.mean_of(self.table["vector"][held])
        return float(self._mean @ search.vector)

    def comparable(self, gates: VisibleRows) -> tuple[Spots, Spans]:
        """What may be returned and has a vector, with its vectors; remembered for the next search of the same viewer."""
        if self._compared is None or self._compared[0] is not gates:
            spots = gates.embedded.nonzero()[0]
            self._compared = (gates, spots, self.spans(spots))
        return self._compared[1], self._compared[2]

    def spans(self, spots: Spots) -> Spans:
        """Where the vectors of some rows are."""
        return Spans.of(self.table["vector"][spots], self.table["vectors"][spots])

    def where(self) -> dict[int, int]:
        """In which row of the index each stored row is."""
        if self._spots is None:
            alive = np.flatnonzero(self.table["status"] != DEAD)
            self._spots = dict(zip(self.table["row"][alive].tolist(), alive.tolist(), strict=True))
        return self._spots

    def _set_in_place(self, entry: IndexEntry) -> bool:
        spot = self.where().get(entry.row)
        if spot is None:
            return False
        if self.table["text"][spot] != lexical_key(entry.memory):
            self._kill(spot)
            return False
        start, length = int(self.table["vector"][spot]), int(self.table["length"][spot])
        if entry.vectors is not None:
            if int(self.table["vectors"][spot]) == entry.count:
                self.vectors.replace(start, entry.vectors)
            else:
                start = self.vectors.append(entry.vectors, np.full(entry.count, spot, np.int32))
        turn = (self.table["thread"][spot], self.table["position"][spot])
        for name, value in cells(entry, self.names, length, start).items():
            self.table.set(name, spot, value)
        if turn != (self.table["thread"][spot], self.table["position"][spot]):
            self.turns.forget()
        return True

    def _append(self, entries: Sequence[IndexEntry]) -> None:
        documents = [lexical_terms(entry.memory) for entry in entries]
        first, place = self.table.size, self.vectors.size
        counts = [entry.count for entry in entries]
        held = [entry.vectors for entry in entries if entry.vectors is not None]
        if held:
            owners = np.repeat(np.arange(first, first + len(entries), dtype=np.int32), counts)
            self.vectors.append(np.concatenate(held), owners)
        starts = accumulate(counts[:-1], initial=place)
        self.table.append(
            [
                cells(entry, self.names, len(terms), start)
                for entry, terms, start in zip(entries, documents, starts, strict=True)
            ]
        )
        if len(entries) >= MANY_ROWS:
            self.postings.extend(first, documents)
        else:
            for spot, terms in enumerate(documents, first):
                self.postings.add(spot, terms)
        if self._spots is not None:
            self._spots.update((entry.row, spot) for spot, entry in enumerate(entries, first))
        self._words += sum(map(len, documents))
        self.held += len(entries)

    def _kill(self, spot: int) -> None:
        self.masks.forget()
        self.table.set("status", spot, DEAD)
        self._words -= int(self.table["length"][spot])
        self.held -= 1
        self.table.set("length", spot, 0)
        self.table.set("position", spot, NO_POSITION)
        self.postings.drop(spot)
        self.turns.forget()

    def _stale(self, count: int) -> None:
        self.changes += count
        self.triggers = self.tags = None
        self._version += 1
        # The mean moves slowly; it is taken anew once a per cent of the rows changed.
        self._mean_age += count
        if self._mean_age > self.table.size // 100:
            self._mean, self._mean_age = None, 0
