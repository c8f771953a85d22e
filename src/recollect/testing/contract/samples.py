"""What the suites share: memories to store, a viewer who reaches everything, and short ways to write and look."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.ports import Reader, Store
from recollect.values.enums import EventKind, Status
from recollect.values.ids import new_id
from recollect.values.memory import Record
from recollect.values.scope import Identity, Place, Viewer
from recollect.values.search import Candidates, Filter, Search

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ACCOUNT = "acme"
MODEL, DIMENSIONS = "contract-model", 8
EVERY_STATUS: tuple[Status, ...] = ("active", "superseded", "archived", "forgotten")
IDENTITY = Identity(ACCOUNT, "ada", ("core",), user="ulla")
VIEWER = Viewer(IDENTITY, "atlas", "s1", "t1")
"""Holds every coordinate: what this viewer does not see is hidden for another reason than scope."""
SEARCH = Search(VIEWER, Filter(), NOW.timestamp(), terms=("green",))


def record(content: str = "the build runs on green runners", **fields: Any) -> Record:
    """A memory of the sample account; fields of its provenance may be named directly."""
    at = fields.pop("created_at", NOW)
    made = Record(new_id(at), content, fields.pop("account", ACCOUNT), at, at, at)
    return made.with_(**fields)


def axis(number: int) -> NDArray[np.float32]:
    """A unit vector along one dimension."""
    vector = np.zeros((1, DIMENSIONS), np.float32)
    vector[0, number] = 1.0
    return vector


def leaning(cosine: float) -> NDArray[np.float32]:
    """A unit vector with this cosine to `axis(0)`."""
    return cosine * axis(0) + np.float32(np.sqrt(1 - cosine**2)) * axis(1)


def put(store: Store, *memories: Record, vectors: NDArray[np.float32] | None = None, at: datetime = NOW) -> None:
    """Store memories in one transaction."""
    with store.transaction(memories[0].account, "tester", at) as tx:
        for memory in memories:
            tx.insert(memory, vectors)


def alter(store: Store, memory: Record, kind: EventKind = "update", at: datetime = NOW, **changes: Any) -> Record:
    """Change a stored memory; returns it as it is meant to be."""
    with store.transaction(memory.account, "tester", at) as tx:
        (before,) = tx.get(memory.account, [memory.id])
        assert before is not None
        after = before.with_(**changes)
        tx.change(before, after, kind)
    return after


def held(store: Store, memory: Record) -> Record | None:
    """A memory as the store has it, by its id."""
    with store.view() as reader:
        return reader.get(memory.account, [memory.id])[0]


def purged_in(reader: Reader, account: str, text: str) -> tuple[Place, ...]:
    """The places in which a text was erased for good."""
    return reader.texts_of(account, [text])[text].purged


def listed(store: Store, identity: Identity = IDENTITY, now: datetime = NOW, **conditions: Any) -> list[str]:
    """The contents a list shows, newest first."""
    with store.view() as reader:
        return [m.content for m in reader.find(identity, Filter(**conditions), now, limit=1000)]


def row_of(store: Store, memory: Record) -> int:
    """The row number of a stored memory, found by its own words."""
    search = Search(VIEWER, Filter(statuses=EVERY_STATUS), NOW.timestamp(), terms=_all_terms(memory))
    with store.view() as reader:
        rows = reader.candidates(search).rows.tolist()
        return next(int(row) for row in rows if reader.fetch(memory.account, [row])[0].id == memory.id)


def _all_terms(memory: Record) -> tuple[str, ...]:
    from recollect.store.index.columns import lexical_terms

    return tuple(dict.fromkeys(lexical_terms(memory)))


def found_by(store: Store, search: Search = SEARCH) -> tuple[Candidates, list[str]]:
    """The candidates of a search, and their contents in the same order."""
    with store.view() as reader:
        found = reader.candidates(search)
        return found, [m.content for m in reader.fetch(search.viewer.account, found.rows.tolist())]


def recalled(
    store: Store,
    viewer: Viewer = VIEWER,
    *,
    words: tuple[str, ...] = ("green",),
    vector: NDArray[np.float32] | None = None,
    now: datetime = NOW,
    neighbours: int = 0,
    rows: tuple[int, ...] = (),
    depth: int = 50,
    **conditions: Any,
) -> set[str]:
    """The contents among the candidates of a search."""
    flat = None if vector is None else vector.reshape(-1)
    search = Search(
        viewer, Filter(**conditions), now.timestamp(), flat, words, depth=depth, neighbours=neighbours, rows=rows
    )
    return set(found_by(store, search)[1])
