"""The companion on a server, with working memory in Redis; and several threads and processes at once."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.companion.conftest import contents, said, turn

import recollect
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder
from recollect.values.companion import Surfaced

PORT = "The staging gateway listens on port 8080"
ASKED = "Which port does the staging gateway listen on?"


def test_on_postgresql_and_redis(
    empty_database: str, fresh_redis: str, clock: FixedClock, embedder: HashingEmbedder
) -> None:
    with recollect.open(
        empty_database, embedder=embedder, clock=clock, working=fresh_redis, postgres_connections=3
    ) as memory:
        memory.remember_many([PORT, "Kestrels nest on the church tower in spring"])
        memory.remember("Never print secrets to the log", type="negative", triggers=["println!"])
        companion = memory.companion(session="s1")
        assert contents(turn(companion, said("user", ASKED))) == [PORT]
        assert contents(turn(companion, said("assistant", "It is 8080. I add println!"))) == [
            "Never print secrets to the log"
        ]
        assert companion.wait(10)
        memory.flush()
        assert [event.origin for event in memory.log() if event.kind == "confirm"] == ["companion"]
    with recollect.open(
        empty_database, embedder=embedder, clock=clock, working=fresh_redis, postgres_connections=3
    ) as memory:
        companion = memory.companion(session="s1")
        assert not turn(companion, said("user", "The staging gateway: which port does it listen on?"))
        assert [(one.number, len(one.injected), len(one.cited)) for one in companion.turns()] == [(1, 2, 1), (2, 0, 0)]


def test_without_an_embedder_words_decide(tmp_path: Path, clock: FixedClock) -> None:
    with recollect.open(tmp_path / "m.db", embedder="none", clock=clock) as memory:
        memory.remember_many([PORT, "Kestrels nest on the church tower in spring"])
        companion = memory.companion(session="s1")
        assert contents(turn(companion, said("user", ASKED))) == [PORT]
        assert not turn(companion, said("user", "Please write a haiku about autumn leaves"))


def test_a_store_that_cannot_be_written_is_read(tmp_path: Path, clock: FixedClock, embedder: HashingEmbedder) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path, embedder=embedder, clock=clock) as memory:
        memory.remember(PORT)
    with recollect.open(path, embedder=embedder, clock=clock) as memory:
        memory._runtime.store.freeze()
        companion = memory.companion(session="s1")
        assert contents(turn(companion, said("user", ASKED))) == [PORT]
        turn(companion, said("assistant", "It is 8080."))
        assert memory._runtime.companions.problem is None


def test_several_threads_of_one_session_are_given_each_memory_once(memory: recollect.Memory) -> None:
    memory.remember_many([f"The staging gateway number {n} listens on port {8000 + n}" for n in range(4)])
    companion = memory.companion(session="s1")
    given: list[Surfaced] = []
    start = threading.Barrier(6)

    def agent() -> None:
        start.wait(10)
        for number in range(40):
            companion.observe(f"Which ports do the staging gateways listen on? ({number})")
            given.append(companion.pending())
            if not number % 10:
                companion.wait(10)

    threads = [threading.Thread(target=agent) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert companion.wait(10)
    given.append(companion.pending())
    ids = [one.id for found in given for one in found.memories]
    assert len(ids) == len(set(ids)) == 4
    assert memory._runtime.companions.problem is None


def test_what_was_purged_is_in_no_companion_any_more(memory: recollect.Memory) -> None:
    memory.remember(PORT)
    companion = memory.companion(session="s1")
    found = turn(companion, said("user", ASKED))
    assert companion.wait(10)
    assert companion._channel.injected
    memory.purge(found.memories[0].id)
    assert not companion._channel.injected
    turn(companion, said("assistant", "It is 8080."))
    memory.flush()
    assert not [event for event in memory.log() if event.kind == "confirm"]


@pytest.mark.parametrize("ending", ["", "memory.close()"])
def test_a_process_ends_at_once_whatever_the_worker_does(ending: str, tmp_path: Path) -> None:
    code = f"""
import recollect, threading
from recollect.companion.companion import Companion
memory = recollect.open({str(tmp_path / "m.db")!r}, embedder="none")
reached = threading.Event()
def extract(session, messages):
    reached.set()
    threading.Event().wait()
companion = Companion(memory._uow.at(None, "s1", None), extract=extract)
companion.observe("Good morning")
companion.close()
assert reached.wait(20)
{ending}
print("ended")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "ended", "")
