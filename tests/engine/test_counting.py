"""Accesses are counted after the answer, by a thread of its own: nobody who recalls waits for a writer, and no count is lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import recollect
from recollect.errors import RecollectError
from recollect.store.postgres.options import Options
from recollect.store.postgres.store import PostgresStore
from recollect.testing.clock import FixedClock
from recollect.testing.contract.samples import NOW
from recollect.testing.embedding import HashingEmbedder

MANY = 256
LOCK = 2.0


def until(met: Callable[[], bool], seconds: float = 20) -> None:
    """Wait for what another thread does."""
    deadline = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.005)


def test_after_many_recalls_the_counts_are_written_without_being_asked_for(memory: recollect.Memory) -> None:
    kept = memory.remember("The vault is in Bern").memory
    for _ in range(MANY):
        memory.recall("vault")
    with memory._runtime.store.view() as reader:
        (row,) = reader.rows_of("default", [kept.id])

    def written() -> bool:
        with memory._runtime.store.view() as reader:
            return reader.fetch("default", [row])[0].access_count == MANY

    until(written)


def test_one_recall_is_written_within_five_seconds_by_itself(memory: recollect.Memory) -> None:
    kept = memory.remember("The vault is in Bern").memory
    memory.recall("vault")

    def written() -> bool:
        with memory._runtime.store.view() as reader:
            (found,) = reader.get("default", [kept.id])
        return found is not None and found.access_count == 1

    until(written, seconds=5)


def test_every_row_gets_the_time_of_its_own_last_access(memory: recollect.Memory, clock: FixedClock) -> None:
    vault, lease = (memory.remember(text).memory for text in ("The vault is in Bern", "The lease ends in March"))
    memory.recall("vault", limit=1)
    first = clock()
    clock.advance(3600)
    memory.recall("lease", limit=1)
    memory.flush()
    assert memory.get(vault.id).accessed_at == first
    assert memory.get(lease.id).accessed_at == clock()


def test_whoever_looks_sees_every_recall_counted_once(memory: recollect.Memory) -> None:
    kept = memory.remember("The vault is in Bern").memory
    failed: list[BaseException] = []

    def ask() -> None:
        try:
            for _ in range(100):
                memory.recall("vault")
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert memory.get(kept.id).access_count == 400


def test_counts_of_several_accounts_and_questions_nobody_answered_are_written_with_them(
    memory: recollect.Memory,
) -> None:
    views = [memory.with_identity(account=f"team {number}") for number in range(30)]
    kept = [view.remember("The vault is in Bern").memory for view in views]
    for _ in range(10):
        for view in views:
            view.recall("vault")
            view.recall("quartz umbrella")
    for view, record in zip(views, kept, strict=True):
        assert view.get(record.id).access_count >= 10
        assert [gap.question for topic in view.gaps() for gap in topic.gaps] == ["quartz umbrella"]


class TestWhileAnotherWrites:
    """Another process holds the account for long, as an import does."""

    @pytest.fixture
    def opened(self, empty_database: str, clock: FixedClock, embedder: HashingEmbedder) -> recollect.Memory:
        return recollect.open(empty_database, embedder=embedder, clock=clock, postgres_lock_seconds=LOCK)

    @pytest.fixture
    def other(self, empty_database: str) -> PostgresStore:
        return PostgresStore(empty_database, Options(connections=1))

    def test_recalls_go_on_and_what_could_not_be_counted_is_counted_later(
        self, opened: recollect.Memory, other: PostgresStore
    ) -> None:
        kept = opened.remember("The vault is in Bern").memory
        with other.transaction("default", "importer", NOW) as tx:
            tx.switched_off("default")
            slowest = 0.0
            for _ in range(2 * MANY):
                started = time.monotonic()
                assert opened.recall("vault")[0].memory.id == kept.id
                slowest = max(slowest, time.monotonic() - started)
            until(lambda: any("deferred writes failed" in problem for problem in opened.doctor()["problems"]))
        assert slowest < LOCK
        assert opened.get(kept.id).access_count == 2 * MANY
        for _ in range(MANY):
            opened.recall("vault")
        until(lambda: not any("deferred writes failed" in problem for problem in opened.doctor()["problems"]))
        opened.close()
        other.close()

    def test_whoever_looks_is_answered_though_nothing_can_be_counted_meanwhile(
        self, opened: recollect.Memory, other: PostgresStore
    ) -> None:
        kept = opened.remember("The vault is in Bern").memory
        opened.recall("vault")
        with other.transaction("default", "importer", NOW) as tx:
            tx.switched_off("default")
            assert opened.get(kept.id).access_count == 1
            assert [record.id for record in opened.list()] == [kept.id]
            assert opened.stats()["off"] == []
            until(lambda: any("deferred writes failed" in problem for problem in opened.doctor()["problems"]))
        assert opened.get(kept.id).access_count == 1
        until(lambda: not any("deferred writes failed" in problem for problem in opened.doctor()["problems"]))
        opened.close()
        other.close()


def test_what_is_stored_after_a_recall_does_not_wait_for_its_counts(memory: recollect.Memory) -> None:
    kept = memory.remember("The vault is in Bern").memory
    memory.recall("vault")
    memory.remember("The lease ends in March")
    assert memory.get(kept.id).access_count == 1


def test_what_is_stored_after_a_question_nobody_answered_answers_it(memory: recollect.Memory) -> None:
    memory.remember("The vault is in Bern")
    memory.recall("quartz umbrella")
    memory.remember("The quartz umbrella stands in the hall")
    assert not memory._runtime.deferred.precede("default") and memory.gaps() == []


def test_a_recall_of_a_store_that_is_closed_leaves_no_thread_behind(
    tmp_path: Path, clock: FixedClock, embedder: HashingEmbedder
) -> None:
    with recollect.open(tmp_path / "m.db", embedder=embedder, clock=clock) as memory:
        kept = memory.remember("The vault is in Bern").memory
        for _ in range(MANY + 7):
            memory.recall("vault")
    with pytest.raises(RecollectError):
        memory.recall("vault")
    until(lambda: not any(thread.name == "recollect-flush" for thread in threading.enumerate()))
    with recollect.open(tmp_path / "m.db", embedder=embedder, clock=clock) as memory:
        assert memory.get(kept.id).access_count == MANY + 7
