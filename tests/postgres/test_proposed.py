"""A memory is sent along with the question whether it is known: it holds if it is new, and leaves nothing where it is not."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from tests.postgres.conftest import unit

from recollect import errors
from recollect.persist.postgres.address import Options
from recollect.persist.postgres.store import PostgresStore
from recollect.persist.postgres.wire import Wire
from recollect.persist.postgres.writer import PostgresTransaction
from recollect.testing.contract.samples import (
    ACCOUNT,
    DIMENSIONS,
    EVERY_STATUS,
    IDENTITY,
    MODEL,
    NOW,
    SEARCH,
    put,
    record,
)
from recollect.values.filter import Filter
from recollect.values.first import First
from recollect.values.link import Link
from recollect.values.memory import Record

VECTORS = unit(3, 99)
TWO = VECTORS[:2]
LIKE = replace(SEARCH, terms=(), filter=Filter(statuses=EVERY_STATUS), depth=12)
# What a change of an account may write, without the numbers that differ from one change to the next.
TABLES = {
    "accounts": "name, held, words, replacing",
    "memories": "content, words, place, tags",
    "tags": "tag",
    "links": "relation, target",
    "triggers": "pattern",
    "vectors": "part, vector::text, waiting",
    "terms": "word, memories",
    "rooms": "place, model, held",
    "centers": "vectors, total::text",
    "events": "kind",
}


@pytest.fixture(params=["large", "little"])
def known(request: pytest.FixtureRequest) -> PostgresStore:
    """An account, with a vector index or without, that this process has changed and searched before."""
    store: PostgresStore = request.getfixturevalue(request.param)
    with store.transaction(ACCOUNT, "tester", NOW) as tx:
        tx.near(LIKE, [VECTORS[0]])
        tx.insert(record("late"), VECTORS[:1])
    return store


def first(memory: Record) -> First:
    return First(memory, TWO, LIKE, lambda: None)


def rich(known: PostgresStore) -> Record:
    """A memory with everything that hangs on a row."""
    (other,) = _same(known, "late")
    return record("the new one", tags=("build", "ci"), links=(Link(other.id, "about"),), triggers=("deploy *",))


def test_what_is_new_is_stored_as_if_it_had_been_sent_afterwards(
    known: PostgresStore, superuser: psycopg.Connection
) -> None:
    before = _all(superuser)
    proposed, sent = rich(known), rich(known)
    with known.transaction(ACCOUNT, "tester", NOW, first=first(proposed)) as tx:
        assert tx._session.connection.proposed
        tx.same_text(ACCOUNT, proposed.content), tx.near(LIKE, [VECTORS[0]])
        tx.insert(proposed, TWO)
        assert tx._pending.empty and not tx._session.connection.proposed
    together = _all(superuser)
    assert _same(known, proposed.content) == [proposed]
    with known.transaction(ACCOUNT, "tester", NOW) as tx:
        tx.remove(proposed)
    with known.transaction(ACCOUNT, "tester", NOW) as tx:
        tx.insert(sent, VECTORS[:2])
    afterwards = _all(superuser)
    assert {name: rows for name, rows in together.items() if name != "events"} == {
        name: rows for name, rows in afterwards.items() if name != "events"
    }
    assert len(together["events"]) == len(before["events"]) + 1
    assert _numbers(superuser, sent) == {"memories", "tags", "links", "triggers", "vectors", "events"}


def test_everything_of_what_was_proposed_is_under_its_own_number(
    known: PostgresStore, superuser: psycopg.Connection
) -> None:
    memory = rich(known)
    with known.transaction(ACCOUNT, "tester", NOW, first=first(memory)) as tx:
        tx.insert(memory, TWO)
        more = record("another in the same change")
        tx.insert(more, VECTORS[2:])
        assert tx.rows_of(ACCOUNT, [memory.id])[0] < tx.rows_of(ACCOUNT, [more.id])[0]
    assert _numbers(superuser, memory) == {"memories", "tags", "links", "triggers", "vectors", "events"}
    assert superuser.execute("SELECT count(*) FROM memories WHERE row < 0").fetchone() == (0,)


@pytest.mark.parametrize("end", ["nothing", "another", "altered", "error"])
def test_what_is_not_stored_after_all_leaves_nothing(
    known: PostgresStore, superuser: psycopg.Connection, end: str
) -> None:
    memory, before = rich(known), _all(superuser)
    try:
        with known.transaction(ACCOUNT, "tester", NOW, first=first(memory)) as tx:
            assert tx._session.connection.proposed
            if end == "another":
                tx.insert(record("something else"), VECTORS[:1])
            if end == "altered":
                tx.insert(memory.with_(tags=()), TWO)
            if end == "error":
                raise InterruptedError
    except InterruptedError:
        pass
    after = _all(superuser)
    if end in ("nothing", "error"):
        assert after == before
        return
    stored = {"another": "something else", "altered": memory.content}[end]
    assert len(after["memories"]) == len(before["memories"]) + 1
    assert len(_same(known, stored)) == 1
    assert after["tags"] == before["tags"]
    assert len(after["links"]) - len(before["links"]) == (end == "altered")


def test_whatever_is_asked_meanwhile_does_not_see_it(known: PostgresStore) -> None:
    questions: dict[str, Callable[[PostgresTransaction, Record], Any]] = {
        "same text": lambda tx, memory: tx.same_text(ACCOUNT, memory.content),
        "id": lambda tx, memory: [one for one in tx.get(ACCOUNT, [memory.id]) if one],
        "near": lambda tx, _: _unknown(tx, tx.near(replace(LIKE, depth=5), [VECTORS[0]])[0].rows.tolist()),
        "list": lambda tx, memory: [
            one for one in tx.find(IDENTITY, Filter(), NOW, limit=9) if one.content == memory.content
        ],
        "words": lambda tx, _: tx.candidates(replace(SEARCH, terms=("unheard",))).rows.tolist(),
        "events": lambda tx, memory: tx.events(ACCOUNT, memory_id=memory.id),
    }
    for name, ask in questions.items():
        memory = record("unheard of")
        with known.transaction(ACCOUNT, "tester", NOW, first=first(memory)) as tx:
            if name == "same text":
                tx._ahead = None
            assert tx._session.connection.proposed
            assert ask(tx, memory) == [], name
            assert not tx._session.connection.proposed
            tx.insert(memory, TWO)
            assert tx.same_text(ACCOUNT, memory.content) == [memory]
            tx.remove(memory)


def test_after_something_known_nothing_is_proposed_until_something_new_came(known: PostgresStore) -> None:
    with known.transaction(ACCOUNT, "tester", NOW, first=first(record("late"))) as tx:
        assert tx._session.connection.proposed
    for proposed in (False, True):
        with known.transaction(ACCOUNT, "tester", NOW, first=first(new := record("news"))) as tx:
            assert tx._session.connection.proposed is proposed
            tx.insert(new, TWO)
    assert len(_same(known, "news")) == 2


@pytest.mark.parametrize("barred", ["purged", "off"])
def test_what_must_not_be_stored_is_not_even_written(known: PostgresStore, barred: str) -> None:
    gone = record("never again")
    with known.transaction(ACCOUNT, "tester", NOW) as tx:
        if barred == "purged":
            tx.insert(gone, TWO)
            tx.purge(gone)
        else:
            tx.switch(ACCOUNT, "atlas", on=False)
        # What is counted as written from here on is of the next change.
        tx._session.connection.ask("SELECT pg_stat_force_next_flush()", {})
    written = "SELECT coalesce(sum(n_tup_ins + n_tup_upd), 0)::bigint FROM pg_stat_xact_user_tables"
    with known.transaction(ACCOUNT, "tester", NOW, first=first(gone)) as tx:
        assert not tx._session.connection.proposed
        assert tx._session.connection.ask(written, {}) == [(0,)]
        assert tx.purged(ACCOUNT, gone.content) is (barred == "purged")
        assert tx.same_text(ACCOUNT, gone.content) == []
        tx.insert(other := record("something else"), TWO)
    assert _same(known, "something else") == [other] and _same(known, gone.content) == []
    with known.transaction(ACCOUNT, "tester", NOW, first=first(gone)) as tx:
        assert not known._shared.likely_new(tx._pending.account_id)


def test_a_text_gets_the_hash_of_now_though_the_key_was_another(known: PostgresStore) -> None:
    known._shared.secrets = (b"of an earlier day",)
    memory = record("hashed")
    with known.transaction(ACCOUNT, "tester", NOW, first=first(memory)) as tx:
        assert tx._session.connection.proposed
        tx.insert(memory, TWO)
    assert _same(known, "hashed") == [memory]


def test_what_the_server_refuses_is_told_and_nothing_is_stored(
    known: PostgresStore, superuser: psycopg.Connection
) -> None:
    before = _all(superuser)
    memory = record("refused", importance=float("inf"))
    with (
        pytest.raises(errors.RecollectError),
        known.transaction(ACCOUNT, "tester", NOW, first=first(memory)) as tx,
    ):
        tx.insert(memory, TWO)
    assert _all(superuser) == before
    with known.transaction(ACCOUNT, "tester", NOW, first=first(well := record("well"))) as tx:
        tx.insert(well, TWO)
    assert _same(known, "well") == [well]


def test_whoever_waits_too_long_for_the_account_is_told_and_can_try_again(
    empty_database: str, superuser: psycopg.Connection
) -> None:
    store = PostgresStore(empty_database, Options(connections=4, lock_seconds=0.2))
    store.use_model(MODEL, DIMENSIONS)
    try:
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.insert(record("late"), VECTORS[:1])
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.near(LIKE, [VECTORS[0]])
        before, told = _all(superuser), list[BaseException]()
        memory = record("in vain")

        def change() -> None:
            try:
                with store.transaction(ACCOUNT, "tester", NOW, first=first(memory)) as tx:
                    tx.insert(memory, TWO)
            except errors.RecollectError as error:
                told.append(error)

        with store.transaction(ACCOUNT, "tester", NOW):
            waiting = threading.Thread(target=change)
            waiting.start()
            waiting.join(10)
        assert len(told) == 1 and _all(superuser) == before
        change()
        assert len(told) == 1 and _same(store, "in vain") == [memory]
    finally:
        store.close()


def test_a_connection_cut_before_the_commit_leaves_nothing(known: PostgresStore, superuser: psycopg.Connection) -> None:
    before = _all(superuser)

    def cut() -> None:
        with known.transaction(ACCOUNT, "tester", NOW, first=first(memory := record("cut off"))) as tx:
            tx.insert(memory, TWO)
            superuser.execute("SELECT pg_terminate_backend(%s, 5000)", [tx._session.connection.info.backend_pid])

    with pytest.raises(errors.RecollectError):
        cut()
    deadline = time.monotonic() + 10
    while _all(superuser) != before:
        assert time.monotonic() < deadline
    put(known, record("well"), vectors=VECTORS[:1])
    assert len(_same(known, "well")) == 1


def test_an_answer_is_there_before_what_was_proposed_is_done(empty_database: str) -> None:
    with Wire.connect(empty_database, autocommit=True) as wire:
        wire.ready()
        begun = time.monotonic()
        slow = [("SELECT pg_sleep(%(seconds)s)", {"seconds": 1.0})]
        _, answers = wire.begin(["BEGIN"], [("SELECT 1", {}, True)], lambda: wire.propose(slow))
        assert answers == [[(1,)]] and time.monotonic() - begun < 0.9
        wire.accept()
        assert wire.ask("SELECT 2", {}) == [(2,)] and time.monotonic() - begun >= 1
        wire.several("ROLLBACK")


def test_an_error_of_what_was_asked_is_told_though_something_was_proposed(empty_database: str) -> None:
    with Wire.connect(empty_database, autocommit=True) as wire:
        wire.ready()
        new = "SELECT 7 AS prepared_meanwhile"
        with pytest.raises(psycopg.errors.DivisionByZero):
            wire.begin(["BEGIN"], [("SELECT 1 / 0", {}, True)], lambda: wire.propose([(new, {})]))
        wire.several("ROLLBACK")
        assert wire.ask(new, {}) == [(7,)]


def _same(store: PostgresStore, text: str) -> list[Record]:
    with store.reading() as reader:
        return reader.same_text(ACCOUNT, text)


def _unknown(tx: PostgresTransaction, rows: list[int]) -> list[Record]:
    return [memory for memory in tx.fetch(ACCOUNT, rows) if memory.content == "unheard of"]


def _all(superuser: psycopg.Connection) -> dict[str, list[Any]]:
    return {
        name: superuser.execute(f"SELECT {columns} FROM {name} ORDER BY {columns}").fetchall()
        for name, columns in TABLES.items()
    }


def _numbers(superuser: psycopg.Connection, memory: Record) -> set[str]:
    """The tables in which something stands under the number of a memory."""
    found = superuser.execute("SELECT row FROM memories WHERE id = %s", [memory.id]).fetchone()
    assert found is not None
    named = {name: "source" if name == "links" else "row" for name in TABLES if name in _NUMBERED}
    return {
        name
        for name, column in named.items()
        if superuser.execute(f"SELECT FROM {name} WHERE {column} = %s", found).fetchone() is not None
    }


_NUMBERED = ("memories", "tags", "links", "triggers", "vectors", "events")
