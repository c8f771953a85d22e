"""Readers never wait for a writer, of this process or another, and never see what is not committed."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import contextmanager, suppress

import pytest

import recollect
from recollect.errors import StoreBusy, StoreError
from recollect.store.sqlite.connection import BUSY_SECONDS
from recollect.store.sqlite.store import SqliteStore
from recollect.testing.contract.samples import ACCOUNT, IDENTITY, NOW, SEARCH, axis, put, record
from recollect.testing.embedding import HashingEmbedder
from recollect.values.search import Filter

# Far below what SQLite waits for a lock, far above what a slow machine needs for a read.
AT_ONCE = 5.0
READS = {
    "get": lambda memory, id: memory.get(id),
    "list": lambda memory, id: memory.list(limit=5),
    "recall": lambda memory, id: memory.recall("vault"),
    "search": lambda memory, id: memory.search("vault"),
    "contexts.search": lambda memory, id: memory.contexts.search("handbook", "vault"),
    "short_term.read": lambda memory, id: memory.short_term.read("note", "s1"),
    "stats": lambda memory, id: memory.stats(),
    "history": lambda memory, id: memory.history(id),
    "log": lambda memory, id: memory.log(),
}
HOLDER = textwrap.dedent(
    """
    import sqlite3, sys
    connection = sqlite3.connect(sys.argv[1], isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("UPDATE notes SET value = value")
    print("holding", flush=True)
    sys.stdin.readline()
    """
)


@contextmanager
def another_process_writes(path):
    """Another process holds the write lock until the block ends."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "holding\n"
        try:
            yield
        finally:
            process.stdin.close()


@contextmanager
def another_thread_writes(store: SqliteStore):
    """A transaction with an uncommitted memory is open in another thread until the block ends, and is rolled back."""
    begun, done = threading.Event(), threading.Event()

    def write() -> None:
        with suppress(KeyError), store.transaction(ACCOUNT, "other", NOW) as tx:
            tx.insert(record("an uncommitted green lamp"), axis(0))
            tx.candidates(SEARCH)
            begun.set()
            done.wait(60)
            raise KeyError

    thread = threading.Thread(target=write)
    thread.start()
    assert begun.wait(60)
    try:
        yield
    finally:
        done.set()
        thread.join()


def found(store: SqliteStore) -> list[str]:
    with store.view() as reader:
        return [memory.content for memory in reader.fetch(ACCOUNT, reader.candidates(SEARCH).rows.tolist())]


@pytest.mark.parametrize("verb", READS)
def test_a_read_is_answered_at_once_while_another_process_writes(tmp_path, embedder, verb) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path, embedder=embedder) as memory:
        kept = memory.remember("The vault is in Bern").memory
        memory.contexts.create("handbook", type="shared_context")
        memory.short_term.write("note", "a value", session="s1")
        memory.recall("vault")
        with another_process_writes(path):
            started = time.monotonic()
            READS[verb](memory, kept.id)
            assert time.monotonic() - started < AT_ONCE


def test_a_read_is_answered_at_once_while_another_thread_writes_and_sees_only_what_is_committed(opened) -> None:
    store = opened()
    put(store, record("a green door"), vectors=axis(0))
    with another_thread_writes(store):
        started = time.monotonic()
        assert found(store) == ["a green door"]
        with store.view() as reader:
            assert len(reader.find(IDENTITY, Filter(), NOW, limit=10)) == 1
            assert reader.count(ACCOUNT, NOW)["statuses"] == {"active": 1}
        assert time.monotonic() - started < AT_ONCE
    assert found(store) == ["a green door"]


def test_who_will_not_wait_is_refused_at_once_while_another_thread_writes(opened) -> None:
    store = opened()
    with another_thread_writes(store):
        started = time.monotonic()
        with pytest.raises(StoreBusy), store.transaction(ACCOUNT, "tester", NOW, wait=False):
            pass
        assert time.monotonic() - started < AT_ONCE
    with store.transaction(ACCOUNT, "tester", NOW, wait=False):
        pass


def test_who_will_not_wait_is_refused_at_once_while_another_process_writes(opened, tmp_path) -> None:
    store = opened()
    with another_process_writes(tmp_path / "memory.db"):
        started = time.monotonic()
        with pytest.raises(StoreBusy), store.transaction(ACCOUNT, "tester", NOW, wait=False):
            pass
        assert time.monotonic() - started < AT_ONCE
    put(store, record("a green door"))
    assert found(store) == ["a green door"]


def test_a_transaction_inside_a_transaction_is_refused(opened) -> None:
    store = opened()
    with (
        store.transaction(ACCOUNT, "tester", NOW),
        pytest.raises(StoreError, match="open already"),
        store.transaction(ACCOUNT, "tester", NOW),
    ):
        pass


def test_a_view_inside_a_transaction_sees_what_that_wrote(opened) -> None:
    store = opened()
    with store.transaction(ACCOUNT, "tester", NOW) as tx:
        tx.insert(record("a green door"), axis(0))
        assert found(store) == ["a green door"]


def test_a_view_goes_on_as_it_began_whatever_others_write_and_search(opened) -> None:
    store = opened()
    door = record("a green door")
    put(store, door, vectors=axis(0))
    with store.view() as reader:
        assert len(reader.candidates(SEARCH).rows) == 1

        def change() -> None:
            put(store, record("a green lamp"), vectors=axis(0))
            with store.transaction(ACCOUNT, "tester", NOW) as tx:
                (old,) = tx.get(ACCOUNT, [door.id])
                tx.change(old, old.with_(content="a blue door", trust=0.1), "update", vectors=axis(1))
            assert found(store) == ["a green lamp"]

        other = threading.Thread(target=change)
        other.start()
        other.join()
        again = reader.candidates(SEARCH)
        assert [memory.content for memory in reader.fetch(ACCOUNT, again.rows.tolist())] == ["a green door"]
        assert again.columns.trust.tolist() == [1.0]
    assert found(store) == ["a green lamp"]


def test_a_view_that_searches_after_others_made_the_index_newer_is_shown_its_own_moment(opened) -> None:
    store = opened()
    put(store, record("a green door"), vectors=axis(0))
    found(store)
    with store.view() as reader:
        reader.switched_off(ACCOUNT)  # takes the snapshot

        def write() -> None:
            put(store, record("a green lamp"), vectors=axis(0))
            assert sorted(found(store)) == ["a green door", "a green lamp"]

        other = threading.Thread(target=write)
        other.start()
        other.join()
        rows = reader.candidates(SEARCH).rows.tolist()
        assert [memory.content for memory in reader.fetch(ACCOUNT, rows)] == ["a green door"]
    assert sorted(found(store)) == ["a green door", "a green lamp"]


def test_many_threads_that_write_and_search_never_see_half_a_transaction(opened) -> None:
    store, wrong = opened(), []

    def write(number: int) -> None:
        for turn in range(12):
            pair = [record(f"green {number} {turn} {half}") for half in "ab"]
            with suppress(KeyError), store.transaction(ACCOUNT, "tester", NOW) as tx:
                for memory in pair:
                    tx.insert(memory, axis(0))
                    tx.candidates(SEARCH)
                if turn % 3 == 0:
                    raise KeyError

    def search() -> None:
        for _ in range(40):
            with store.view() as reader:
                rows = reader.candidates(SEARCH).rows.tolist()
                same = reader.candidates(SEARCH).rows.tolist()
                if len(rows) % 2 or rows != same or len(reader.fetch(ACCOUNT, rows)) != len(rows):
                    wrong.append(rows)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(2)] + [
        threading.Thread(target=search) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(found(store)) == 2 * 8 * 2


def test_a_rollback_keeps_the_index(opened) -> None:
    store = opened()
    put(store, record("a green door"), vectors=axis(0))
    with store.view() as reader:
        before = reader.warm(ACCOUNT)
    with suppress(KeyError), store.transaction(ACCOUNT, "tester", NOW) as tx:
        tx.insert(record("a green lamp"), axis(0))
        assert len(tx.candidates(SEARCH).rows) == 2
        raise KeyError
    with store.view() as reader:
        assert reader.warm(ACCOUNT) is before
        assert len(reader.candidates(SEARCH).rows) == 1


def test_a_store_in_memory_is_shared_by_threads() -> None:
    store = SqliteStore(":memory:")
    threads = [threading.Thread(target=lambda n=n: put(store, record(f"green {n}"))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found(store)) == 8
    store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_gets_connections_of_its_own(opened) -> None:
    store = opened()
    put(store, record("green of the parent"), vectors=axis(0))
    found(store)
    child = os.fork()
    if child == 0:
        put(store, record("green of the child"), vectors=axis(0))
        os._exit(0 if len(found(store)) == 2 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert sorted(found(store)) == ["green of the child", "green of the parent"]


@pytest.mark.parametrize(("durable", "waits_for"), [(True, "full"), (False, "normal")])
def test_a_durable_store_waits_for_the_disk_at_every_commit(tmp_path, durable, waits_for) -> None:
    store = SqliteStore(tmp_path / "m.db", durable=durable)
    assert store.check()["synchronous"] == waits_for
    store.close()


def test_a_store_is_durable_unless_told_otherwise(tmp_path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="none") as memory:
        assert memory.doctor()["synchronous"] == "full"


def test_the_first_recall_of_a_new_embedder_does_not_wait_for_another_process(tmp_path) -> None:
    """Its calibration is measured and kept by the first who needs it; who cannot write it goes on without."""
    path = tmp_path / "memory.db"
    with recollect.open(path, embedder=HashingEmbedder()) as memory:
        memory.remember("The vault is in Bern")
    with sqlite3.connect(path, isolation_level=None) as other:
        other.execute("DELETE FROM notes WHERE name LIKE 'calibration:%'")
        other.execute("BEGIN IMMEDIATE")
        with recollect.open(path, embedder=HashingEmbedder(), touch=False, gaps=False) as memory:
            started = time.monotonic()
            assert memory.recall("vault")[0].memory.content == "The vault is in Bern"
            waited = time.monotonic() - started
            other.execute("ROLLBACK")
    # A writer waits for tens of seconds before it gives up.
    assert waited < BUSY_SECONDS / 3
