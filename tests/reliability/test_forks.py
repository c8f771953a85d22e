"""A process that forks goes on, and so do its children: gunicorn with a preloaded application, multiprocessing by fork."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import recollect
from recollect import Memory
from recollect.testing.embedding import HashingEmbedder

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

PATIENCE = 60
Opening = Callable[[], Memory]


@pytest.fixture(params=["sqlite", "postgres"])
def opening(request: pytest.FixtureRequest, tmp_path: Path) -> Opening:
    """Opens the same store, again and again."""
    where = tmp_path / "memory.db" if request.param == "sqlite" else request.getfixturevalue("empty_database")
    return lambda: recollect.open(where, embedder=HashingEmbedder())


@pytest.fixture
def memory(opening: Opening) -> Iterator[Memory]:
    """A store that was used already, by a thread of its own too."""
    with opening() as opened:
        opened.remember("The vault is in Bern")
        opened.recall("vault")
        opened.working.store("step", 1)
        opened.flush()
        yield opened


def in_child(work: Callable[[], object]) -> int:
    """Run something in a forked process and return its id; it ends with 0 if nothing was raised."""
    child = os.fork()
    if child:
        return child
    signal.alarm(PATIENCE)
    try:
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def ended_well(child: int) -> bool:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def contents(memory: Memory) -> set[str]:
    return {record.content for record in memory.list(limit=1000)}


def use(memory: Memory, name: str) -> None:
    """Write and read, with what was there before."""
    stored = memory.remember(f"Agent {name} sits at desk {name}").memory
    assert memory.get(stored.id).content in contents(memory)
    assert memory.recall("where is the vault").hits[0].memory.content == "The vault is in Bern"
    assert memory.working.retrieve("step") == 1


def test_parent_and_child_read_and_write_side_by_side(memory: Memory) -> None:
    children = [in_child(lambda n=n: use(memory, f"c{n}")) for n in range(3)]
    use(memory, "p0")
    assert [child for child in children if not ended_well(child)] == []
    use(memory, "p1")
    assert len(contents(memory)) == 6


def test_multiprocessing_by_fork_works_in_every_process(memory: Memory) -> None:
    workers = [multiprocessing.get_context("fork").Process(target=use, args=(memory, f"w{n}")) for n in range(3)]
    for worker in workers:
        worker.start()
    use(memory, "p0")
    for worker in workers:
        worker.join(PATIENCE)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert len(contents(memory)) == 5


def test_a_child_that_forks_again_and_closes_leaves_its_parent_alone(memory: Memory) -> None:
    def child() -> None:
        use(memory, "c0")
        assert ended_well(in_child(lambda: use(memory, "c1")))
        memory.close()

    assert ended_well(in_child(child))
    use(memory, "p0")
    assert len(contents(memory)) == 4


def test_what_a_child_writes_after_its_parent_has_closed_the_store_is_kept(opening: Opening) -> None:
    memory = opening()
    memory.remember("The vault is in Bern")
    (used, tell_used), (closed, tell_closed) = os.pipe(), os.pipe()

    def child() -> None:
        memory.remember("The first lamp is green")
        os.write(tell_used, b".")
        os.read(closed, 1)
        memory.remember("The second lamp is red")

    running = in_child(child)
    os.read(used, 1)
    memory.close()
    os.write(tell_closed, b".")
    assert ended_well(running)
    with opening() as again:
        assert contents(again) == {"The vault is in Bern", "The first lamp is green", "The second lamp is red"}


def test_counters_that_wait_at_the_fork_are_written_once(memory: Memory, opening: Opening) -> None:
    (record,) = memory.list()
    before = record.access_count
    memory.recall("vault")

    def child() -> None:
        memory.flush()
        memory.close()

    assert ended_well(in_child(child))
    memory.flush()
    with opening() as other:
        assert other.get(record.id).access_count == before + 1


def test_a_child_has_background_threads_of_its_own(memory: Memory, opening: Opening) -> None:
    (record,) = memory.list()
    (seen, tell_seen), (asked, tell_asked) = os.pipe(), os.pipe()

    def child() -> None:
        memory.recall("vault")
        os.write(tell_asked, b".")
        os.read(seen, 1)  # nothing is flushed here: the thread that counts does it

    running = in_child(child)
    os.read(asked, 1)
    deadline = time.monotonic() + PATIENCE
    with opening() as other:
        while other.get(record.id).access_count == record.access_count:
            assert time.monotonic() < deadline, "the child does not write its counters"
    os.write(tell_seen, b".")
    assert ended_well(running)


def test_a_fork_while_other_threads_read_and_write_breaks_nobody(memory: Memory) -> None:
    done, failures = threading.Event(), []

    def work(number: int) -> None:
        try:
            for turn in range(10_000):
                if done.is_set():
                    return
                memory.remember(f"Turn {turn} of thread {number} is over", key=f"turn {number}")
                memory.recall("vault")
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    children = [in_child(lambda n=n: use(memory, f"c{n}")) for n in range(5)]
    assert [child for child in children if not ended_well(child)] == []
    done.set()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_fork_inside_a_transaction_leaves_it_to_the_parent(memory: Memory) -> None:
    with memory._uow.transaction() as tx:
        tx.set_note("parent", "1")

        def go_on() -> None:
            tx.note("parent")
            memory.remember("The child is early")

        def child() -> None:
            with pytest.raises(recollect.StoreError, match="fork"):
                go_on()

        running = in_child(child)
        tx.set_note("parent", "2")
    assert ended_well(running)
    with memory._uow.view() as reader:
        assert reader.note("parent") == "2"
    assert contents(memory) == {"The vault is in Bern"}
