"""Vectors written one by one wait beside the vector index of a large account: found at once, put into it by and by."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import psycopg
from numpy.typing import NDArray
from tests.postgres.conftest import unit

from recollect.store.postgres.connections import connect_directly
from recollect.store.postgres.options import Options
from recollect.store.postgres.rows import account_number
from recollect.store.postgres.store import PostgresStore, upgrade
from recollect.store.postgres.vector_index import MOST_WAITING, add_waiting_vectors
from recollect.testing.contract.samples import ACCOUNT, DIMENSIONS, MODEL, NOW, SEARCH, put, record
from recollect.values.memory import Record
from recollect.values.search import Snippet

_WAITING = "SELECT count(*) FROM vectors WHERE waiting"


def test_what_waits_is_found_at_once_and_afterwards_the_same(
    large: PostgresStore, superuser: psycopg.Connection, empty_database: str
) -> None:
    asked = unit(3, 99)
    new = [record(f"late {number}") for number in range(3)]
    for memory, vector in zip(new, asked, strict=True):
        put(large, memory, vectors=vector[None, :])
    assert superuser.execute(_WAITING).fetchone() == (3,)
    waiting = [_found(large, vector) for vector in asked]
    assert [names[0] for names, _ in waiting] == ["late 0", "late 1", "late 2"]
    assert all(f"late {number}" in seen for number, (_, seen) in enumerate(waiting))
    # What has nothing to do is also told as nothing done.
    assert upgrade(empty_database, large.options, dry_run=True) == []
    assert superuser.execute(_WAITING).fetchone() == (3,)
    assert upgrade(empty_database, large.options, dry_run=False) == []
    assert superuser.execute(_WAITING).fetchone() == (0,)
    assert [_found(large, vector)[0] for vector in asked] == [names for names, _ in waiting]


def test_the_nearest_come_with_what_they_say_and_never_with_what_they_said_before(large: PostgresStore) -> None:
    (vector,) = unit(1, 99)
    late = record("late")
    put(large, late, vectors=vector[None, :])
    with large.transaction(ACCOUNT, "tester", NOW) as tx:
        (near,) = tx.near(replace(SEARCH, depth=10), [vector])
        rows = near.rows.tolist()
        seen = tx.read_snippets(ACCOUNT, rows)
        assert all(isinstance(one, Snippet) for one in seen), "read once more"
        assert [(one.id, one.content) for one in seen] == [(held.id, held.content) for held in tx.fetch(ACCOUNT, rows)]
        assert seen[0].content == "late"
        tx.change(late, late.with_(content="later"), "update")
        assert tx.read_snippets(ACCOUNT, rows)[0].content == "later"


def test_what_waits_is_hidden_and_removed_like_everything_else_and_never_too_much_of_it(
    large: PostgresStore, superuser: psycopg.Connection
) -> None:
    (vector,) = unit(1, 99)
    elsewhere, gone = record("late", scope="team", team="other"), record("late and gone")
    put(large, elsewhere, gone, vectors=vector[None, :])
    with large.transaction(ACCOUNT, "tester", NOW) as tx:
        tx.purge(gone)
    names, seen = _found(large, vector)
    assert not {"late", "late and gone"} & {*names, *seen}
    assert superuser.execute(_WAITING).fetchone() == (1,)
    # A load goes into the index itself, and an account without one has nothing to wait for.
    put(large, *(record(f"load {number}") for number in range(200)), vectors=unit(1, 5))
    put(large, record("small", account="other"), vectors=unit(1, 6))
    assert superuser.execute(_WAITING).fetchone() == (1,)
    for block in range(0, MOST_WAITING, 64):
        put(large, *(record(f"late {block + number}") for number in range(64)), vectors=unit(1, block))
    (most,) = superuser.execute(_WAITING).fetchone() or (0,)
    assert MOST_WAITING <= most < MOST_WAITING + 64
    put(large, record("one more"), vectors=unit(1, 99))
    assert superuser.execute(_WAITING).fetchone() == (most,)
    with connect_directly(large.address) as connection:
        connection.execute(f"SET search_path TO {large.address.schema}")
        assert add_waiting_vectors(connection, account_number(ACCOUNT), 8) == 8
        assert add_waiting_vectors(connection, account_number("other"), 8) == 0
    assert superuser.execute(_WAITING).fetchone() == (most - 8,)


def test_whoever_writes_much_puts_it_into_the_index_in_the_background(
    large: PostgresStore, superuser: psycopg.Connection, empty_database: str
) -> None:
    other = PostgresStore(empty_database, Options(connections=2))
    other.use_model(MODEL, DIMENSIONS)
    for number in range(140):
        put(other, record(f"late {number}"), vectors=unit(1, number))
    deadline = time.monotonic() + 20
    while (left := superuser.execute(_WAITING).fetchone()) and left[0] > 12:
        assert time.monotonic() < deadline, f"{left[0]} still wait"
        time.sleep(0.02)
    other.close()
    assert superuser.execute("SELECT count(*) FROM leases").fetchone() == (0,)


def _found(store: PostgresStore, vector: NDArray[np.float32]) -> tuple[list[str], list[str]]:
    """The names of the nearest, and of what a search would score."""
    with store.view(NOW) as reader:
        (near,) = reader.near(replace(SEARCH, depth=10), [vector])
        scored = reader.candidates(replace(SEARCH, terms=(), depth=10, vector=vector))
        return _names(reader.fetch(ACCOUNT, near.rows.tolist())), _names(reader.fetch(ACCOUNT, scored.rows.tolist()))


def _names(memories: list[Record]) -> list[str]:
    return [memory.content for memory in memories]
