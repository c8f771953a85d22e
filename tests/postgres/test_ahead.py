"""What a change asks first goes with its beginning: one round trip fewer or two, and the same answers to the last bit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import psycopg
import pytest
from numpy.typing import NDArray
from tests.postgres.conftest import unit

from recollect.persist.postgres.store import PostgresStore
from recollect.persist.postgres.writer import PostgresTransaction
from recollect.testing.contract.samples import ACCOUNT, EVERY_STATUS, NOW, SEARCH, put, record
from recollect.values.filter import Filter
from recollect.values.first import First
from recollect.values.memory import Record

(VECTOR,) = unit(1, 99)
LIKE = replace(SEARCH, terms=(), filter=Filter(statuses=EVERY_STATUS), depth=12)


def first(text: str, vector: NDArray[np.float32] = VECTOR, meanwhile: Callable[[], object] = lambda: None) -> First:
    return First(record(text), vector[None, :], LIKE, meanwhile)


@pytest.fixture(params=["large", "little"])
def known(request: pytest.FixtureRequest) -> PostgresStore:
    """An account, with a vector index or without, that this process has changed and searched before."""
    store: PostgresStore = request.getfixturevalue(request.param)
    with store.transaction(ACCOUNT, "tester", NOW) as tx:
        tx.near(LIKE, [VECTOR])
        tx.insert(record("late"), VECTOR[None, :])
    return store


def test_what_is_asked_with_the_beginning_is_answered_as_afterwards(known: PostgresStore) -> None:
    done: list[str] = []
    with known.transaction(ACCOUNT, "tester", NOW, first=first("late", meanwhile=lambda: done.append("read"))) as tx:
        assert done == ["read"] and _asked_ahead(tx)
        told = tx.same_text(ACCOUNT, "late"), tx.near(LIKE, [VECTOR]), tx.near(LIKE, [VECTOR])
    with known.transaction(ACCOUNT, "tester", NOW) as tx:
        assert not _asked_ahead(tx)
        plain = tx.same_text(ACCOUNT, "late"), tx.near(LIKE, [VECTOR])
    assert told[0] == plain[0] and _texts(told[0]) == ["late"]
    for near in told[1:]:
        for name in ("rows", "cosine", "status"):
            np.testing.assert_array_equal(getattr(near[0], name), getattr(plain[1][0], name))


def test_what_is_asked_instead_is_answered_too(known: PostgresStore) -> None:
    (other,) = unit(1, 5)
    with known.transaction(ACCOUNT, "tester", NOW, first=first("late")) as tx:
        assert _texts(tx.same_text(ACCOUNT, "n7")) == ["n7"]
        (near,) = tx.near(LIKE, [other])
        (few,) = tx.near(replace(LIKE, depth=3), [VECTOR])
    with known.reading() as reader:
        (plain,) = reader.near(LIKE, [other])
    assert near.rows.tolist() == plain.rows.tolist() and len(few.rows) == 3


def test_a_text_is_found_though_the_key_of_its_hash_was_another_when_it_was_asked_for(known: PostgresStore) -> None:
    known._shared.secrets = (b"of an earlier day",)
    with known.transaction(ACCOUNT, "tester", NOW, first=first("late")) as tx:
        assert _asked_ahead(tx)
        assert _texts(tx.same_text(ACCOUNT, "late")) == ["late"]
    with known.transaction(ACCOUNT, "tester", NOW, first=first("late")) as tx:
        assert tx._ahead is not None and tx._ahead.said("late", known._shared.secrets)


def test_after_a_write_nothing_is_answered_from_before_it(known: PostgresStore) -> None:
    with known.transaction(ACCOUNT, "tester", NOW, first=first("later")) as tx:
        tx.insert(later := record("later"), VECTOR[None, :])
        assert tx.same_text(ACCOUNT, "later") == [later]
        (near,) = tx.near(LIKE, [VECTOR])
        assert {"late", "later"} <= set(_texts(tx.fetch(ACCOUNT, near.rows.tolist())))


def test_whoever_waited_for_another_change_sees_it(known: PostgresStore, superuser: psycopg.Connection) -> None:
    seen: list[list[str]] = []

    def change() -> None:
        with known.transaction(ACCOUNT, "tester", NOW, first=first("theirs")) as tx:
            (near,) = tx.near(LIKE, [VECTOR])
            seen.extend((_texts(tx.same_text(ACCOUNT, "theirs")), _texts(tx.fetch(ACCOUNT, near.rows.tolist()))))

    with known.transaction(ACCOUNT, "tester", NOW) as tx:
        tx.insert(record("theirs"), VECTOR[None, :])
        waiting = threading.Thread(target=change)
        waiting.start()
        deadline = time.monotonic() + 10
        blocked = (
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        while superuser.execute(blocked).fetchone() == (0,):
            assert time.monotonic() < deadline and waiting.is_alive()
            time.sleep(0.01)
    waiting.join(10)
    assert seen[0] == ["theirs"] and "theirs" in seen[1]


def test_a_connection_that_died_meanwhile_is_replaced(known: PostgresStore, superuser: psycopg.Connection) -> None:
    gone = superuser.execute(
        "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity"
        " WHERE pid <> pg_backend_pid() AND datname = current_database()"
    ).fetchone()
    assert gone and gone[0] > 0
    with known.transaction(ACCOUNT, "tester", NOW, first=first("late")) as tx:
        assert not _asked_ahead(tx)
        assert _texts(tx.same_text(ACCOUNT, "late")) == ["late"]
        tx.insert(record("after all"), VECTOR[None, :])
    with known.transaction(ACCOUNT, "tester", NOW, first=first("after all")) as tx:
        assert _asked_ahead(tx) and _texts(tx.same_text(ACCOUNT, "after all")) == ["after all"]


def test_what_fails_meanwhile_changes_nothing_and_leaves_a_store_that_works(known: PostgresStore) -> None:
    def fail() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), known.transaction(ACCOUNT, "tester", NOW, first=first("late", VECTOR, fail)):
        pytest.fail("it began")
    put(known, record("well"), vectors=VECTOR[None, :])
    with known.reading() as reader:
        assert _texts(reader.same_text(ACCOUNT, "well")) == ["well"]


def _asked_ahead(tx: PostgresTransaction) -> bool:
    return tx._ahead is not None


def _texts(memories: list[Record]) -> list[str]:
    return [memory.content for memory in memories]
