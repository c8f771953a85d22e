"""A view begins with its first read, which is made from what the process knows; the answers are those of now all the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import psycopg
import pytest
from tests.postgres.conftest import unit

from recollect.store.postgres.options import Options
from recollect.store.postgres.store import PostgresStore
from recollect.testing.contract.samples import ACCOUNT, DIMENSIONS, MODEL, NOW, SEARCH, purged_in, put, record
from recollect.values.search import Candidates, Search

(VECTOR,) = unit(1, 99)
LATE = replace(SEARCH, terms=("late",), vector=VECTOR, depth=12, neighbours=2, mean=True)


@pytest.fixture
def small(store: PostgresStore) -> PostgresStore:
    """A small account, where people talk."""
    store.use_model(MODEL, DIMENSIONS)
    for number, vector in enumerate(unit(30, 7)):
        said = record(f"late {number}", session="s", position=number, speaker="Zoë")
        put(store, said, vectors=vector[None, :])
    return store


def seen(found: Candidates) -> dict[str, Any]:
    """Everything a search says."""
    whole = {
        name: getattr(found, name) for name in ("considered", "visible", "in_window", "mean_cosine", "mean_length")
    }
    arrays = {name: str(getattr(found, name).tolist()) for name in ("cosine", "bm25", "matches", "selected", "idf")}
    columns = {name: str(getattr(found.columns, name).tolist()) for name in found.columns.__slots__}
    return whole | arrays | columns | {"rows": found.rows.tolist()}


def asked(store: PostgresStore, search: Search) -> tuple[dict[str, Any], int]:
    """What a view says, and how often it waited before it was ended."""
    before = store.waits.count
    with store.view() as reader:
        return seen(reader.candidates(search)), store.waits.count - before


def asked_anew(url: str, search: Search) -> dict[str, Any]:
    """The same from a process that knows nothing."""
    other = PostgresStore(url, Options(connections=1))
    other.use_model(MODEL, DIMENSIONS)
    found, _ = asked(other, search)
    other.close()
    return found


@pytest.mark.parametrize("which", ["small", "large"])
def test_a_warm_process_waits_twice_and_says_the_same(
    request: pytest.FixtureRequest, empty_database: str, which: str
) -> None:
    known = request.getfixturevalue(which)
    first, _ = asked(known, LATE)
    assert first["rows"]
    assert asked(known, LATE) == (first, 2)
    assert asked_anew(empty_database, LATE) == first


def test_rows_that_are_named_besides_come_with_what_was_searched(small: PostgresStore) -> None:
    put(small, far := record("kettle"))
    with small.view() as reader:
        (row,) = reader.rows_of(ACCOUNT, [far.id])
    assert row in asked(small, replace(LATE, rows=(row,)))[0]["rows"]


def test_a_view_that_looked_at_another_account_meanwhile_answers_for_its_own(little: PostgresStore) -> None:
    put(little, record("late elsewhere", account="other"))
    plain, _ = asked(little, LATE)
    with little.view() as reader:
        assert len(reader.same_text("other", "late elsewhere")) == 1
        assert seen(reader.candidates(LATE)) == plain
        assert len(reader.same_text("other", "late elsewhere")) == 1


def changed_by_another(url: str, change: Callable[[PostgresStore], object]) -> None:
    other = PostgresStore(url, Options(connections=1))
    other.use_model(MODEL, DIMENSIONS)
    change(other)
    other.close()


@pytest.mark.parametrize("times", [1, 30])
def test_what_another_process_stored_since_is_found(small: PostgresStore, empty_database: str, times: int) -> None:
    asked(small, LATE)

    def store_more(other: PostgresStore) -> None:
        for number in range(times):
            put(other, record(f"late and new {number}"), vectors=VECTOR[None, :])

    changed_by_another(empty_database, store_more)
    found, _ = asked(small, LATE)
    assert found == asked_anew(empty_database, LATE)
    with small.view() as reader:
        texts = {memory.content for memory in reader.fetch(ACCOUNT, found["rows"])}
    assert len([text for text in texts if text.startswith("late and new")]) >= min(times, LATE.depth)


def test_what_another_process_replaced_or_brought_back_since_is_seen(small: PostgresStore, empty_database: str) -> None:
    with small.view() as reader:
        old = reader.same_text(ACCOUNT, "late 3")[0]
        (row,) = reader.rows_of(ACCOUNT, [old.id])
    assert row in asked(small, LATE)[0]["rows"]
    heir = record("late three", supersedes=old.id)
    changed_by_another(empty_database, lambda other: put(other, heir, vectors=VECTOR[None, :]))
    found, waits = asked(small, LATE)
    assert row not in found["rows"] and waits == 3
    # Known as it is now, it takes no longer than before.
    assert asked(small, LATE) == (found, 2)

    def end(other: PostgresStore) -> None:
        with other.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.change(heir, heir.with_(status="forgotten"), "forget")

    changed_by_another(empty_database, end)
    assert row in asked(small, LATE)[0]["rows"]


def test_a_connection_that_died_meanwhile_is_replaced(small: PostgresStore, superuser: psycopg.Connection) -> None:
    plain, _ = asked(small, LATE)
    superuser.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
        " WHERE pid <> pg_backend_pid() AND datname = current_database()"
    )
    assert asked(small, LATE)[0] == plain


def test_a_row_reached_from_several_sides_comes_once(small: PostgresStore) -> None:
    with small.view() as reader:
        rows = reader.candidates(LATE).rows
    assert len(rows) == len(np.unique(rows)) and (np.diff(rows) > 0).all()


def test_what_was_read_in_a_transaction_is_read_again_after_it_was_changed(store: PostgresStore) -> None:
    old, other = record("green door"), record("green gate")
    put(store, old)
    with store.transaction(ACCOUNT, "tester", NOW) as tx:
        assert tx.same_text(ACCOUNT, "green door") == tx.get(ACCOUNT, [old.id]) == [old]
        assert tx.same_text(ACCOUNT, "green gate") == []
        tx.insert(other, None)
        assert tx.same_text(ACCOUNT, "green gate") == [other]
        tx.insert(record("green roof", supersedes=old.id), None)
        assert [memory and memory.status for memory in tx.get(ACCOUNT, [old.id])] == ["superseded"]
        tx.change(other, other.with_(content="blue gate"), "update")
        assert tx.same_text(ACCOUNT, "green gate") == []
        tx.purge(other.with_(content="blue gate"))
        assert purged_in(tx, ACCOUNT, "blue gate") and tx.get(ACCOUNT, [other.id]) == [None]
