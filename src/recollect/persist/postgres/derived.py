"""Derived: what searches need beside the memories, kept in step within the same transaction: vectors, how many memories hold a
word, how many live in a place, the sum of the vectors.

Changes are gathered as differences and written together, so that a load of thousands costs a handful of statements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from recollect.persist.index.rows import lexical_key
from recollect.persist.postgres.columns import Dense, Texts
from recollect.persist.postgres.places import place_text
from recollect.persist.postgres.sql import queries
from recollect.persist.postgres.vector_index import MOST_WAITING, index_name
from recollect.persist.postgres.words import Words, words_of
from recollect.values.memory import Record

if TYPE_CHECKING:
    from recollect.persist.postgres.wire import Wire

Vectors = NDArray[np.float32]
Statement = tuple[str, dict[str, Any]]
# So many vectors of one change are a few.
_FEW = 64
# What a load of new memories with vectors changes, in this order: then one statement does it all.
_GROWTH = ("add_vectors", "count_words", "count_rooms", "count_center", "count_account")


class Derived:
    """The differences one transaction makes to one account."""

    def __init__(self, connection: Wire, account_id: int, model: str) -> None:
        self._connection, self._account_id, self._model = connection, account_id, model
        self._clear()

    def insert(self, row: int, memory: Record, vectors: Vectors | None, words: Words | None = None) -> None:
        """A memory comes in; its words, if they are known already."""
        self._count(memory, 1, words)
        self._put(row, memory, vectors)

    def change(self, row: int, before: Record, after: Record) -> None:
        """A memory is another now; its vectors stay."""
        if lexical_key(before) != lexical_key(after):
            self._count_words(before, -1)
            self._count_words(after, 1)
        self._replacing += (after.supersedes is not None) - (before.supersedes is not None)
        if before.place != after.place:
            old, new = place_text(before.place), place_text(after.place)
            for model, many in [("", 1), *self._vectors_of(row)]:
                self._rooms[old, model] -= many
                self._rooms[new, model] += many

    def set_vectors(self, row: int, memory: Record, vectors: Vectors | None) -> None:
        """All vectors of a memory are replaced by others, or by none."""
        self._take(row, memory)
        self._put(row, memory, vectors)

    def remove(self, row: int, memory: Record) -> None:
        """A memory goes; before its row does."""
        self._take(row, memory)
        self._count(memory, -1)

    def statements(self) -> list[Statement]:
        """What writes every difference, once; the rows they belong to are there already. Nothing is read."""
        changes = list(self._changes())
        if tuple(name for name, _ in changes) == _GROWTH:
            changes = [("grow", {name: value for _, values in changes for name, value in values.items()})]
        self._clear()
        found, own = queries("search.sql"), {"account_id": self._account_id}
        return [(found[name], own | values) for name, values in changes]

    def _changes(self) -> Iterator[tuple[str, dict[str, Any]]]:
        if self._rows:
            flat = np.concatenate(self._vectors)
            yield (
                "add_vectors",
                {
                    "model": self._model,
                    "rows": np.repeat(np.array(self._rows, np.int64), [len(part) for part in self._vectors]),
                    "parts": np.concatenate([np.arange(len(part), dtype=np.int16) for part in self._vectors]),
                    "flat": flat.astype(np.float32).reshape(-1),
                    "width": flat.shape[1],
                    "few": len(flat) <= _FEW,
                    "most": MOST_WAITING,
                    "index": index_name(self._account_id, self._model),
                },
            )
        if words := {word: many for word, many in self._words.items() if many}:
            marks, met = np.array(list(words), np.int32), np.array(list(words.values()), np.int32)
            yield "count_words", {"marks": marks, "met": met}
            if (met < 0).any():
                yield "drop_words", {"marks": marks[met < 0]}
        if rooms := {room: many for room, many in self._rooms.items() if many}:
            places, models = Texts(place for place, _ in rooms), Texts(model for _, model in rooms)
            yield "count_rooms", {"places": places, "models": models, "many": np.array(list(rooms.values()), np.int64)}
            if min(rooms.values()) < 0:
                yield "drop_rooms", {"places": places}
        for model, wholes in self._centers.items():
            signs = np.array([sign for sign, _ in wholes], np.float32)
            total = np.stack([whole for _, whole in wholes]).astype(np.float32).T @ signs
            yield "count_center", {"model": model, "vectors": int(signs.sum()), "total": Dense(total)}
            if signs.sum() < 0:
                yield "drop_center", {"model": model}
        if self._held or self._length or self._replacing:
            yield "count_account", {"held": self._held, "length": self._length, "replacing": self._replacing}

    def _clear(self) -> None:
        self._words: Counter[int] = Counter()
        self._rooms: Counter[tuple[str, str]] = Counter()
        self._centers: dict[str, list[tuple[int, NDArray[Any]]]] = {}
        self._held = self._length = self._replacing = 0
        self._rows: list[int] = []
        self._vectors: list[NDArray[np.float16]] = []

    def _count(self, memory: Record, sign: int, words: Words | None = None) -> None:
        self._held += sign
        self._replacing += sign * (memory.supersedes is not None)
        self._rooms[place_text(memory.place), ""] += sign
        self._count_words(memory, sign, words)

    def _count_words(self, memory: Record, sign: int, known: Words | None = None) -> None:
        words = (words_of(self._account_id, memory) if known is None else known).tolist()
        self._length += sign * len(words)
        (self._words.update if sign > 0 else self._words.subtract)(set(words))

    def _put(self, row: int, memory: Record, vectors: Vectors | None) -> None:
        if vectors is None:
            return
        # As they are stored: what is added up here must be what is taken away one day.
        halves = np.atleast_2d(vectors).astype(np.float16)
        self._rows.append(row)
        self._vectors.append(halves)
        self._rooms[place_text(memory.place), self._model] += len(halves)
        self._center(self._model, 1, halves[0])

    def _take(self, row: int, memory: Record) -> None:
        """Vectors go: those still waiting here, and those in the table."""
        place = place_text(memory.place)
        if row in self._rows:
            spot = self._rows.index(row)
            del self._rows[spot]
            gone = [(self._model, len(self._vectors[spot]), self._vectors.pop(spot)[0])]
        else:
            values = {"account_id": self._account_id, "row": row}
            found = self._connection.ask(queries("search.sql")["take_vectors"], values)
            gone = [(model, many, whole) for model, many, whole in found]
        for model, many, whole in gone:
            self._rooms[place, model] -= many
            self._center(model, -1, whole)

    def _vectors_of(self, row: int) -> list[tuple[str, int]]:
        if row in self._rows:
            return [(self._model, len(self._vectors[self._rows.index(row)]))]
        values = {"account_id": self._account_id, "row": row}
        return [(model, many) for model, many in self._connection.ask(queries("search.sql")["count_vectors"], values)]

    def _center(self, model: str, sign: int, whole: NDArray[Any]) -> None:
        self._centers.setdefault(model, []).append((sign, whole))
