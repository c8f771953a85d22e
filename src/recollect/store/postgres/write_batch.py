"""What a transaction changed and has not sent yet: rows, journal, vectors, and the counters that searches and `stats` read.

Everything goes together, with the next read or with the commit. Counters are gathered as differences, so that a load of thousands
of memories costs a handful of statements. Nothing is read to write: what depends on stored rows is computed by the server.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.store.index.columns import lexical_key
from recollect.store.postgres.connections import Statement
from recollect.store.postgres.rows import Words, room_text, row_of, rows_as_json, words_of
from recollect.store.postgres.session import PostgresSession
from recollect.store.postgres.sql import FullVector, TextArray, queries
from recollect.store.postgres.vector_index import MOST_WAITING, index_name
from recollect.store.rows import event_row, place_text
from recollect.values.enums import EventKind
from recollect.values.event import Operation
from recollect.values.memory import Record
from recollect.values.metadata import entries_of
from recollect.values.scope import OWNED_SCOPES, Place

Vectors = NDArray[np.float32]
# So many new rows are sent at once; what a load gathers beyond that is sent while more is gathered.
_MOST_ROWS = 512
# Row numbers are reserved in blocks of this size.
_BLOCK = 512
# Of so many vectors of one transaction, each may wait beside the vector index.
_FEW = 64
# What new memories with vectors change; then one statement does it, because each costs the client a tenth of a millisecond.
_GROWTH = ("add_vectors", "count_words", "count_rooms", "count_tallies", "count_center", "count_account")
_NEW = ("memories", "tags", "metadata", "links", "triggers", "events")  # in the order in which they refer to each other


def tally_room(place: Place) -> str:
    """The room a memory is counted in: an agent's, a team's or a user's own, else one per scope."""
    scope, key, _ = place
    return room_text(scope, key if scope in OWNED_SCOPES else "")


class Counters:
    """Differences of everything that is counted in one account."""

    def __init__(self, account_id: int, model: str) -> None:
        self._account_id, self._model = account_id, model
        self._clear()

    def insert(self, row: int, memory: Record, vectors: Vectors | None, words: Words) -> None:
        """A memory is new."""
        self._count(memory, 1, words)
        self._put(row, memory, vectors)
        # It may have been here before: its earlier events count again.
        room = tally_room(memory.place)
        self._tallies["event", "", room] += self._events[memory.id]
        self._returned.append((memory.id, room))

    def change(self, row: int, before: Record, after: Record) -> None:
        """A memory changed; its vectors stay."""
        if lexical_key(before) != lexical_key(after):
            self._count_terms(before, -1)
            self._count_terms(after, 1)
        self._replacing += (after.supersedes is not None) - (before.supersedes is not None)
        self._tally(before, -1)
        self._tally(after, 1)
        if before.place != after.place:
            self._places[place_text(before.place), ""] -= 1
            self._places[place_text(after.place), ""] += 1
            self._move(row, before, after)

    def set_vectors(self, row: int, memory: Record, vectors: Vectors | None) -> None:
        """All vectors of a memory are replaced by others, or by none."""
        self._drop_vectors(row, memory)
        self._put(row, memory, vectors)

    def remove(self, row: int, memory: Record) -> None:
        """A memory is deleted."""
        self._drop_vectors(row, memory)
        self._count(memory, -1)
        room = tally_room(memory.place)
        self._tallies["event", "", room] -= self._events[memory.id]
        self._later("count_events_of", {"memory": memory.id, "room": room, "sign": -1})
        self._emptied_tallies.add(("event", "", room))

    def event(self, memory_id: str, place: Place | None) -> None:
        """An event of a memory; `place` is where the memory is after it, None when it is gone."""
        self._events[memory_id] += 1
        if place is not None:
            self._tallies["event", "", tally_room(place)] += 1

    def before_rows(self) -> Iterator[Statement]:
        """Statements that must be sent before the new rows and events."""
        yield from self._statements
        self._statements.clear()
        if self._returned:
            ids, rooms = zip(*self._returned, strict=True)
            yield self._statement("count_returned", {"ids": list(ids), "rooms": TextArray(rooms)})
        self._returned.clear()
        self._events.clear()

    def after_rows(self) -> Iterator[Statement]:
        """Statements that write every difference."""
        changes = list(self._changes())
        if tuple(name for name, _ in changes) == _GROWTH:
            changes = [("grow", {name: value for _, values in changes for name, value in values.items()})]
        for name, values in changes:
            yield self._statement(name, values)
        self._clear()

    def _changes(self) -> Iterator[tuple[str, dict[str, Any]]]:
        if self._rows:
            yield "add_vectors", self._vector_values()
        if words := {word: many for word, many in self._terms.items() if many}:
            marks, met = np.array(list(words), np.int32), np.array(list(words.values()), np.int32)
            yield "count_words", {"marks": marks, "met": met}
            if (met < 0).any():
                yield "drop_words", {"marks": marks[met < 0]}
        if places := {place: many for place, many in self._places.items() if many}:
            texts, models = TextArray(place for place, _ in places), TextArray(model for _, model in places)
            yield "count_rooms", {"places": texts, "models": models, "many": np.array(list(places.values()), np.int64)}
            self._emptied_places |= {place for (place, _), change in places.items() if change < 0}
        if tallies := {key: many for key, many in self._tallies.items() if many}:
            kinds, names, rooms = (TextArray(key[part] for key in tallies) for part in range(3))
            many = np.array(list(tallies.values()), np.int64)
            yield "count_tallies", {"kinds": kinds, "names": names, "rooms": rooms, "tallied": many}
            self._emptied_tallies |= {key for key, change in tallies.items() if change < 0}
        for model, wholes in self._wholes.items():
            signs = np.array([sign for sign, _ in wholes], np.float32)
            total = np.stack([whole for _, whole in wholes]).astype(np.float32).T @ signs
            yield "count_center", {"model": model, "vectors": int(signs.sum()), "total": FullVector(total)}
        if self._held or self._length or self._replacing:
            yield "count_account", {"held": self._held, "length": self._length, "replacing": self._replacing}
        yield from self._emptied()

    def _emptied(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """What removes counters that may have reached zero."""
        if self._emptied_tallies:
            kinds, names, rooms = (TextArray(key[part] for key in self._emptied_tallies) for part in range(3))
            yield "drop_tallies", {"kinds": kinds, "names": names, "rooms": rooms}
        if self._emptied_places:
            yield "drop_rooms", {"places": TextArray(self._emptied_places)}
            yield "drop_models", {}
            yield "drop_centers", {}

    def _vector_values(self) -> dict[str, Any]:
        flat = np.concatenate(self._vectors)
        return {
            "model": self._model,
            "rows": np.repeat(np.array(self._rows, np.int64), [len(part) for part in self._vectors]),
            "parts": np.concatenate([np.arange(len(part), dtype=np.int16) for part in self._vectors]),
            "flat": flat.astype(np.float32).reshape(-1),
            "width": flat.shape[1],
            "few": len(flat) <= _FEW,
            "most": MOST_WAITING,
            "index": index_name(self._account_id, self._model),
        }

    def _clear(self) -> None:
        self._statements: list[Statement] = []
        self._terms: Counter[int] = Counter()
        # By place and model (none: memories), by kind, name and room, and by model the sums of vectors of whole texts.
        self._places: Counter[tuple[str, str]] = Counter()
        self._tallies: Counter[tuple[str, str, str]] = Counter()
        self._wholes: dict[str, list[tuple[int, NDArray[Any]]]] = {}
        # Events by memory that are not sent yet, and memories that may have earlier ones.
        self._events: Counter[str] = Counter()
        self._returned: list[tuple[str, str]] = []
        self._held = self._length = self._replacing = 0
        self._rows: list[int] = []
        self._vectors: list[NDArray[np.float16]] = []
        self._emptied_places: set[str] = set()
        self._emptied_tallies: set[tuple[str, str, str]] = set()

    def _count(self, memory: Record, sign: int, words: Words | None = None) -> None:
        self._held += sign
        self._replacing += sign * (memory.supersedes is not None)
        self._places[place_text(memory.place), ""] += sign
        self._count_terms(memory, sign, words)
        self._tally(memory, sign)

    def _tally(self, memory: Record, sign: int) -> None:
        room = tally_room(memory.place)
        status = "active" if memory.status == "superseded" else memory.status
        self._tallies["status", status, room] += sign
        if status == "active":
            self._tallies["type", memory.type, room] += sign
            if memory.project is not None:
                self._tallies["project", memory.project, room] += sign
        for tag in memory.tags:
            self._tallies["tag", tag, room] += sign

    def _count_terms(self, memory: Record, sign: int, known: Words | None = None) -> None:
        words = (words_of(self._account_id, memory) if known is None else known).tolist()
        self._length += sign * len(words)
        (self._terms.update if sign > 0 else self._terms.subtract)(set(words))

    def _put(self, row: int, memory: Record, vectors: Vectors | None) -> None:
        if vectors is None:
            return
        # In the precision in which they are stored: what is added here must be what is subtracted one day.
        halves = np.atleast_2d(vectors).astype(np.float16)
        self._rows.append(row)
        self._vectors.append(halves)
        self._count_vectors(memory, 1, halves)

    def _count_vectors(self, memory: Record, sign: int, halves: NDArray[Any]) -> None:
        self._places[place_text(memory.place), self._model] += sign * len(halves)
        self._tallies["model", self._model, tally_room(memory.place)] += sign
        self._wholes.setdefault(self._model, []).append((sign, halves[0]))

    def _drop_vectors(self, row: int, memory: Record) -> None:
        """The vectors of a row go: those not sent yet, or else those stored."""
        if row in self._rows:
            spot = self._rows.index(row)
            del self._rows[spot]
            self._count_vectors(memory, -1, self._vectors.pop(spot))
            return
        place, room = place_text(memory.place), tally_room(memory.place)
        self._emptied_places.add(place)
        self._later("take_vectors", {"row": row, "place": place, "room": room})

    def _move(self, row: int, before: Record, after: Record) -> None:
        """The vectors and the events of a memory move with it."""
        if row in self._rows:
            halves = self._vectors[self._rows.index(row)]
            self._count_vectors(before, -1, halves)
            self._count_vectors(after, 1, halves)
        else:
            places = TextArray(place_text(memory.place) for memory in (before, after))
            rooms = TextArray(tally_room(memory.place) for memory in (before, after))
            self._later("move_vectors", {"row": row, "places": places, "rooms": rooms})
        self._emptied_places.add(place_text(before.place))
        old, new = tally_room(before.place), tally_room(after.place)
        if old != new:
            self._emptied_tallies.add(("event", "", old))
            for room, sign in ((old, -1), (new, 1)):
                self._tallies["event", "", room] += sign * self._events[after.id]
                self._later("count_events_of", {"memory": after.id, "room": room, "sign": sign})

    def _later(self, name: str, values: dict[str, Any]) -> None:
        self._statements.append(self._statement(name, values))

    def _statement(self, name: str, values: dict[str, Any]) -> Statement:
        return Statement(queries("search.sql")[name], {"account_id": self._account_id, **values})


class WriteBatch:
    """The changes of one account in one transaction, in their order: statements, new rows, journal, counters."""

    def __init__(self, session: PostgresSession, account: str, account_id: int, model: str) -> None:
        self.account_id = account_id
        self.counters = Counters(account_id, model)
        self.inserted = 0
        self._session, self._account = session, account
        self._sealed: list[Statement] = []
        self._later: list[Statement] = []
        self._new: dict[str, list[dict[str, Any]]] = {name: [] for name in _NEW}
        self._joined: dict[int, str] = {}
        self._numbers: list[int] | None = None
        self._registered = False

    def number(self) -> int:
        """The number of a new row; a full batch is sent first."""
        if len(self._new["memories"]) >= _MOST_ROWS:
            self._session.run(self._account)
        if self._numbers is None:
            self._numbers = [self._reserved_row()]
        if not self._numbers:
            self._numbers = self._session.reserve_rows(_BLOCK)[::-1]
        return self._numbers.pop()

    def insert(
        self, row: int, memory: Record, digest: bytes, vectors: Vectors | None, operation: Operation, kind: EventKind
    ) -> None:
        """A new memory, and its event."""
        values = row_of(memory, self.account_id, digest)
        self._new["memories"].append({**values, "row": row})
        self.tag(row, memory)
        self.describe(row, memory)
        self.link(row, memory)
        self.counters.insert(row, memory, vectors, values["words"])
        self.inserted += 1
        event = event_row(operation, kind, memory.id, None, {}, None, None)
        self.event({"row": row, **event}, memory.id, memory.place)

    def later(self, name: str, /, **values: Any) -> None:
        """A named statement about the account; new rows that came before it are written before it."""
        if self._new["memories"]:
            self._sealed += self._statements()
        self._later.append(Statement(queries()[name], {"account_id": self.account_id, **values}))
        self._session.changed()

    def tag(self, row: int, memory: Record) -> None:
        """The tags of a row."""
        self._new["tags"] += [{"account_id": self.account_id, "row": row, "tag": tag} for tag in memory.tags]

    def describe(self, row: int, memory: Record) -> None:
        """What a row is filtered by of its metadata."""
        self._new["metadata"] += [
            {"account_id": self.account_id, "path": path, "value": value, "row": row}
            for path, value in entries_of(memory.metadata)
        ]

    def link(self, row: int, memory: Record) -> None:
        """The links and trigger patterns of a row."""
        own = {"account_id": self.account_id}
        self._new["triggers"] += [{**own, "row": row, "pattern": pattern} for pattern in memory.triggers]
        self._new["links"] += [
            {**own, "source": row, "relation": link.relation, "target": link.target, "weight": link.weight}
            for link in memory.links
        ]

    def join(self, row: int, cluster: str) -> None:
        """A row becomes a member of a cluster."""
        self._joined[row] = cluster
        self._session.changed()

    def event(self, values: Mapping[str, Any], memory_id: str | None, place: Place | None) -> None:
        """A line of the journal; of a memory, with where it is afterwards."""
        self._new["events"].append({"account_id": self.account_id, **values})
        if memory_id is not None:
            self.counters.event(memory_id, place)
        self._session.changed()

    def statements(self) -> list[Statement]:
        """Everything that is not sent yet; it counts as sent from here on."""
        made, self._sealed = [*self._sealed, *self._statements()], []
        return [*self._register(), *made] if made else []

    def _statements(self) -> Iterator[Statement]:
        later, self._later = self._later, []
        yield from later
        yield from self.counters.before_rows()
        yield from self._rows()
        yield from self.counters.after_rows()
        if self._joined:
            joined, self._joined = self._joined, {}
            values = {"account_id": self.account_id, "rows": list(joined), "ids": list(joined.values())}
            yield Statement(queries()["join_clusters"], values)

    def _rows(self) -> Iterator[Statement]:
        new, self._new = self._new, {name: [] for name in _NEW}
        values = {"account_id": self.account_id, **{name: rows_as_json(rows) for name, rows in new.items()}}
        # A new memory always comes with its event.
        together = ("memories", "tags", "events") if new["memories"] else ()
        if together:
            yield Statement(queries()["insert_whole"], values)
        for name, rows in new.items():
            if rows and name not in together:
                yield Statement(queries()[f"insert_{name}"], values)
        if new["events"] and not together:
            yield Statement(queries()["move_account"], {"account_id": self.account_id})

    def _register(self) -> list[Statement]:
        """The account gets its row before anything refers to it."""
        state = self._session.known_state(self._account)
        if self._registered or (state is not None and state.exists):
            return []
        self._registered = True
        return [Statement(queries()["add_account"], {"account_id": self.account_id, "name": self._account})]

    def _reserved_row(self) -> int:
        self._session.state(self._account)
        return self._session.reserved_row
