"""When the server, the network or others get in the way: a clear error, nothing half done, and on it goes without a restart."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from psycopg.pq import TransactionStatus

import recollect
from recollect.errors import CommitUnknown, StoreBusy, StoreError, StoreUnavailable
from recollect.store.postgres.connections import Connections, Statement
from recollect.store.postgres.options import Options, parse_address
from recollect.store.postgres.store import PostgresStore
from recollect.testing.contract.samples import ACCOUNT, NOW, held, listed, put, record
from recollect.testing.servers import Server, postgres_server

CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'recollect' AND datname = current_database()"

IN_USE = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'recollect' AND datname = current_database()"


@contextmanager
def beside(work: Callable[[], object]) -> Iterator[None]:
    """Do something in another thread until the block ends."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join()
    if failed:
        raise failed[0]


@contextmanager
def opened(url: str, **options: float) -> Iterator[PostgresStore]:
    store = PostgresStore(url, Options(**options))  # type: ignore[arg-type]
    try:
        yield store
    finally:
        store.close()


def test_a_connection_cut_in_a_change_leaves_nothing_and_the_next_change_goes_through(
    store: PostgresStore, superuser: psycopg.Connection
) -> None:
    lost, kept = record("the green lamp is broken"), record("the green door is open")

    def cut() -> None:
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.insert(lost, None)
            assert tx.get(ACCOUNT, [lost.id]) == [lost]
            superuser.execute(CUT)
            tx.get(ACCOUNT, [lost.id])

    with pytest.raises(StoreUnavailable, match="try again"):
        cut()
    put(store, kept)
    assert (held(store, lost), held(store, kept)) == (None, kept)


def test_a_connection_cut_while_nobody_used_it_is_not_noticed(
    store: PostgresStore, superuser: psycopg.Connection
) -> None:
    first, second = record("the green lamp is broken"), record("the green door is open")
    put(store, first)
    superuser.execute(CUT)
    assert held(store, first) == first
    superuser.execute(CUT)
    put(store, second)
    assert held(store, second) == second


def test_a_connection_cut_in_a_view_is_an_error_and_the_next_view_is_fine(
    store: PostgresStore, superuser: psycopg.Connection
) -> None:
    kept = record()
    put(store, kept)

    def cut() -> None:
        with store.view() as reader:
            assert reader.get(ACCOUNT, [kept.id]) == [kept]
            superuser.execute(CUT)
            reader.events(ACCOUNT)

    with pytest.raises(StoreUnavailable):
        cut()
    assert held(store, kept) == kept


def test_a_connection_that_breaks_in_the_commit_leaves_a_question_and_says_so(
    store: PostgresStore, superuser: psycopg.Connection
) -> None:
    superuser.execute(
        "CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER"
        " AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'"
    )
    superuser.execute(
        "CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON switches DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION cut()"
    )
    try:
        with (
            pytest.raises(CommitUnknown, match="may be stored or not"),
            store.transaction(ACCOUNT, "tester", NOW) as tx,
        ):
            tx.switch(ACCOUNT, "atlas", on=False)
    finally:
        superuser.execute("DROP FUNCTION cut CASCADE")
    with store.view() as reader:
        assert reader.switched_off(ACCOUNT) == frozenset()


def test_when_all_connections_are_in_use_the_error_says_which_setting_to_raise(empty_database: str) -> None:
    with opened(empty_database, connections=1, wait_seconds=0.2) as store:
        put(store, record("the green door is open"))
        taken, done = threading.Event(), threading.Event()

        def hold() -> None:
            with store.view() as reader:
                reader.note("x")
                taken.set()
                done.wait(20)

        with beside(hold):
            taken.wait(20)
            with pytest.raises(StoreBusy, match="postgres_connections"):
                listed(store)
            done.set()
        assert listed(store) == ["the green door is open"]


@pytest.mark.parametrize("change", [False, True], ids=["view", "change"])
def test_whoever_waits_gets_the_connection_that_is_let_go_of(empty_database: str, *, change: bool) -> None:
    with opened(empty_database, connections=1, wait_seconds=20) as store:
        put(store, record("the green door is open"))
        taken, asked, found = threading.Event(), threading.Event(), []

        def wait_for_it() -> None:
            taken.wait(20)
            asked.set()
            found.extend(listed(store))

        with beside(wait_for_it), store.transaction(ACCOUNT, "tester", NOW) if change else store.view() as reader:
            reader.note("x")
            taken.set()
            asked.wait(20)
            assert found == []
        assert found == ["the green door is open"]


def test_one_after_the_other_use_one_connection_which_ends_with_the_store(
    empty_database: str, superuser: psycopg.Connection
) -> None:
    with opened(empty_database, connections=4) as store:
        for number in range(5):
            put(store, record(f"door {number}"))
            assert len(listed(store)) == number + 1
        assert superuser.execute(IN_USE).fetchone() == (1,)
    deadline = time.monotonic() + 10
    while superuser.execute(IN_USE).fetchone() != (0,):
        assert time.monotonic() < deadline, "a connection outlived its store"


def pooled(url: str, **options: Any) -> Connections:
    given = Options(connections=1, **options)
    return Connections(parse_address(url, given), given, search_path="public")


def test_what_was_left_open_on_a_connection_is_not_handed_to_the_next(empty_database: str) -> None:
    connections = pooled(empty_database)
    left = connections.take()
    connections.run(left, [Statement("BEGIN"), Statement("CREATE TEMP TABLE left_open (n integer)")])
    connections.give_back(left)
    taken = connections.take()
    assert taken.info.transaction_status == TransactionStatus.IDLE
    assert connections.run(taken, [Statement("SELECT to_regclass('left_open') IS NULL")]) == [[(True,)]]
    connections.give_back(taken)
    connections.close()


def test_statements_sent_together_are_answered_in_their_order_and_wait_once(empty_database: str) -> None:
    connections = pooled(empty_database)
    connection = connections.take()
    before = connections.waits.count
    asked = [Statement("SELECT %(n)s * 2", {"n": n}) for n in range(3)]
    assert connections.run(connection, [*asked, Statement("SELECT 1 WHERE false")]) == [[(0,)], [(2,)], [(4,)], []]
    assert connections.waits.count == before + 1
    connections.give_back(connection)
    connections.close()


def test_an_error_among_several_statements_is_raised_and_the_connection_goes_on(empty_database: str) -> None:
    connections = pooled(empty_database)
    connection = connections.take()
    asked = [Statement("SELECT 1"), Statement("SELECT 1 / %(zero)s", {"zero": 0}), Statement("SELECT 3")]
    for _ in range(2):
        with pytest.raises(psycopg.errors.DivisionByZero):
            connections.run(connection, asked)
    assert connections.run(connection, [Statement("SELECT 3"), Statement("SELECT 4")]) == [[(3,)], [(4,)]]
    connections.give_back(connection)
    connections.close()


def test_a_wait_can_be_interrupted_and_the_connection_is_not_used_again(empty_database: str) -> None:
    connections = pooled(empty_database)
    connection = connections.take()
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        connections.run(connection, [Statement("SELECT pg_sleep(%(seconds)s)", {"seconds": 30})] * 2)
    timer.join()
    assert connection.closed
    connections.give_back(connection)
    other = connections.take()
    assert connections.run(other, [Statement("SELECT 4")]) == [[(4,)]]
    connections.give_back(other)
    connections.close()


def test_a_transaction_that_does_not_wait_fails_at_once_while_another_is_open(empty_database: str) -> None:
    with opened(empty_database) as first, opened(empty_database, lock_seconds=60) as second:
        with first.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.insert(record("the green door is open"), None)
            with pytest.raises(StoreBusy, match="is open"), second.transaction(ACCOUNT, "tester", NOW, wait=False):
                pytest.fail("the lock is taken")
            assert listed(second) == [], "a view waits for nobody"
        with second.transaction(ACCOUNT, "tester", NOW, wait=False) as tx:
            tx.insert(record("the green lamp is broken"), None)
        assert len(listed(first)) == 2


def test_a_second_writer_of_an_account_waits_its_turn_and_then_gives_up(empty_database: str) -> None:
    with opened(empty_database) as first, opened(empty_database, lock_seconds=0.2) as second:
        with first.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.insert(record("the green door is open"), None)
            with pytest.raises(StoreBusy, match="postgres_lock_seconds"):
                put(second, record("the green lamp is broken"))
            put(second, record("another account does not wait", account="other"))
        put(second, record("the green lamp is broken"))
        assert listed(second) == ["the green lamp is broken", "the green door is open"]


def test_a_statement_that_takes_too_long_is_stopped(empty_database: str, superuser: psycopg.Connection) -> None:
    with opened(empty_database, statement_seconds=0.2) as store:
        with superuser.transaction():
            superuser.execute("LOCK TABLE memories IN ACCESS EXCLUSIVE MODE")
            with pytest.raises(StoreBusy, match="postgres_statement_seconds"):
                listed(store)
        assert listed(store) == []


def test_writers_of_one_account_never_lose_each_others_changes(empty_database: str) -> None:
    counter = record("the green counter", score=0)
    with opened(empty_database, connections=4) as store:
        put(store, counter)

        def count() -> None:
            for _ in range(10):
                with store.transaction(ACCOUNT, "tester", NOW) as tx:
                    (before,) = tx.get(ACCOUNT, [counter.id])
                    assert before is not None
                    tx.change(before, before.with_(score=before.score + 1), "reinforce")

        with beside(count), beside(count), beside(count):
            pass
        found = held(store, counter)
        assert found is not None and found.score == 30
        with store.view() as reader:
            seqs = [event.seq for event in reader.events(ACCOUNT)]
        assert len(seqs) == 31 and seqs == sorted(seqs)


def test_a_server_that_is_away_is_said_at_once_and_found_again(tmp_path) -> None:
    with postgres_server() as server, recollect.open(server.url, embedder="none", postgres_partitions=1) as memory:
        memory.remember("The vault is in Bern")
        server.stop()
        with pytest.raises(StoreUnavailable, match="cannot be reached"):
            memory.recall("vault")
        with pytest.raises(StoreUnavailable, match="cannot be reached"):
            recollect.open(server.url, embedder="none")
        server.start()
        assert [hit.memory.content for hit in memory.recall("vault")] == ["The vault is in Bern"]


def test_a_server_killed_during_a_thousand_writes_keeps_every_acknowledged_one() -> None:
    with postgres_server(durable=True) as server, opened(server.url, partitions=2, wait_seconds=20) as store:
        first = server.pid
        acknowledged, unknown, refused = _write(server, store, 1000, kill_at=(300, 600))
        assert server.pid != first
        with store.view() as reader:
            found = {event.memory_id for event in reader.events(ACCOUNT)}
            kept = {memory.id for memory in reader.get(ACCOUNT, [*acknowledged, *unknown, *refused]) if memory}
        assert len(acknowledged) + len(unknown) + len(refused) == 1000
        assert acknowledged <= kept <= acknowledged | unknown
        assert found == kept


def _write(
    server: Server, store: PostgresStore, many: int, kill_at: tuple[int, ...]
) -> tuple[set[str], set[str], set[str]]:
    """Write memories one by one, whatever happens; what was said of each: stored, nobody knows, not stored."""
    acknowledged: set[str] = set()
    unknown: set[str] = set()
    refused: set[str] = set()
    marks = [threading.Event() for _ in kill_at]

    def kill() -> None:
        for mark in marks:
            mark.wait(120)
            server.kill()
            server.start()
            back.release()

    # A write that had only begun is begun again elsewhere, so that a quick restart may cost no write at all.
    back = threading.Semaphore(0)
    with beside(kill):
        for number in range(many):
            for mark, at in zip(marks, kill_at, strict=True):
                if number == at:
                    mark.set()
            memory = record(f"the green door {number} is open")
            try:
                put(store, memory)
                acknowledged.add(memory.id)
            except CommitUnknown:
                unknown.add(memory.id)
            except StoreError:
                refused.add(memory.id)
            if number == many - 100:
                for _ in marks:
                    assert back.acquire(timeout=60), "the last hundred writes come after both restarts"
    return acknowledged, unknown, refused
