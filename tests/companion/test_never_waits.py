"""The agent never waits: `observe` and `pending` return at once whatever the worker is stuck in."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest
from tests.companion.conftest import contents, said, turn

from recollect.companion.companion import Companion
from recollect.engine import Memory
from recollect.testing.embedding import HashingEmbedder
from recollect.values.judging import Decision, JudgedBy, Question

PORT = "The staging gateway listens on port 8080"
ASKED = "Which port does the staging gateway listen on?"
# Calls that are timed; the limits are those that are promised, in seconds.
CALLS, MEDIAN, SLOWEST_OF_HUNDRED = 300, 0.0001, 0.010


class Gate:
    """Something that hangs until the test lets it go on; `reached` says that the worker hangs in it."""

    def __init__(self) -> None:
        self.reached, self.opened = threading.Event(), threading.Event()

    def pass_through(self) -> None:
        self.reached.set()
        self.opened.wait(30)


class HangingJudge:
    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def decide(self, questions: Sequence[Question]) -> list[Decision | None]:
        self._gate.pass_through()
        return [Decision(False, "late", JudgedBy("test")) for _ in questions]


class HangingEmbedder(HashingEmbedder):
    def __init__(self, gate: Gate) -> None:
        super().__init__()
        self.gate, self.hangs = gate, False

    def embed_query(self, text: str) -> np.ndarray:
        if self.hangs and threading.current_thread().name == "recollect-companion":
            self.gate.pass_through()
        return super().embed_query(text)


@pytest.fixture
def gate() -> Iterator[Gate]:
    made = Gate()
    yield made
    made.opened.set()


def times(companion: Companion) -> list[float]:
    """How long one turn takes the agent, again and again."""
    found = []
    for number in range(CALLS):
        message = said("user", f"{ASKED} And what about number {number}?")
        started = perf_counter()
        companion.observe(message)
        companion.pending()
        found.append((perf_counter() - started) / 2)
    return sorted(found)


def assert_quick(found: list[float]) -> None:
    assert found[len(found) // 2] <= MEDIAN
    assert found[len(found) * 99 // 100] <= SLOWEST_OF_HUNDRED


def test_with_a_judge_that_hangs(opened: Callable[..., Memory], gate: Gate) -> None:
    memory = opened(HangingJudge(gate))
    memory.remember(PORT)
    companion = memory.companion(session="s1")
    companion.observe(ASKED)
    assert gate.reached.wait(10)
    assert_quick(times(companion))


def test_with_an_embedder_that_hangs(opened: Callable[..., Memory], gate: Gate) -> None:
    embedder = HangingEmbedder(gate)
    memory = opened(embedder=embedder)
    memory.remember(PORT)
    embedder.hangs = True
    companion = memory.companion(session="s1")
    companion.observe(ASKED)
    assert gate.reached.wait(10)
    assert_quick(times(companion))


def test_with_a_store_and_a_working_memory_that_another_process_has_locked(
    opened: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = opened()
    memory.remember(PORT)
    memory.working.store("k", 1)
    companion = memory.companion(session="s1")
    others = [sqlite3.connect(tmp_path / name, isolation_level=None) for name in ("memory.db", "memory.db.working")]
    for other in others:
        other.execute("BEGIN IMMEDIATE")
    try:
        companion.observe(ASKED)
        assert_quick(times(companion))
    finally:
        for other in others:
            other.execute("ROLLBACK")
            other.close()


def test_with_a_lock_that_a_transaction_of_this_process_holds(opened: Callable[..., Memory]) -> None:
    memory = opened()
    memory.remember(PORT)
    companion = memory.companion(session="s1")
    store = memory._runtime.store
    with store.transaction("default", "test", memory._runtime.clock()):
        companion.observe(ASKED)
        assert_quick(times(companion))


def test_with_an_extraction_that_hangs(opened: Callable[..., Memory], gate: Gate) -> None:
    memory = opened()
    memory.remember(PORT)
    companion = Companion(memory._uow.at(None, "s1", None), extract=lambda _session, _messages: gate.pass_through())
    companion.observe(ASKED)
    companion.before_compaction()
    assert gate.reached.wait(10)
    assert_quick(times(companion))


def test_a_judge_that_hangs_leaves_the_decision_to_the_rules(opened: Callable[..., Memory], gate: Gate) -> None:
    memory = opened(HangingJudge(gate), judge_seconds=0.01)
    memory.remember_many([PORT, "Kestrels nest on the church tower in spring"])
    companion = memory.companion(session="s1")
    assert contents(turn(companion, ASKED)) == [PORT]
    # It still hangs, so that it is not asked again.
    assert contents(turn(companion, "Where do the kestrels nest in spring?")) == [
        "Kestrels nest on the church tower in spring"
    ]


def test_a_judge_that_fails_leaves_the_decision_to_the_rules(opened: Callable[..., Memory]) -> None:
    class Broken:
        def decide(self, questions: Sequence[Question]) -> list[Decision | None]:
            raise RuntimeError(str(len(questions)))

    class Short:
        def decide(self, questions: Sequence[Question]) -> list[Decision | None]:
            return []

    for judge in (Broken(), Short()):
        memory = opened(judge)
        memory.remember(PORT)
        companion = memory.companion(session=type(judge).__name__)
        assert contents(turn(companion, ASKED)) == [PORT]
        assert not memory.doctor()["problems"]


def test_a_question_is_not_lost_when_the_reply_comes_before_it_is_processed(
    opened: Callable[..., Memory], gate: Gate
) -> None:
    embedder = HangingEmbedder(gate)
    memory = opened(embedder=embedder)
    memory.remember(PORT)
    companion = memory.companion(session="s1")
    embedder.hangs = True
    companion.observe("Marta prefers oat milk")
    assert gate.reached.wait(10)
    whole = [said("user", ASKED), said("assistant", "Let me look that up.")]
    companion.observe(whole[:1])
    companion.observe(whole)
    companion.observe(whole)
    gate.opened.set()
    assert companion.wait(10)
    assert contents(companion.pending()) == [PORT]


def test_the_newest_turn_wins_when_the_worker_is_late(opened: Callable[..., Memory], gate: Gate) -> None:
    embedder = HangingEmbedder(gate)
    memory = opened(embedder=embedder)
    memory.remember_many([PORT, "Kestrels nest on the church tower in spring"])
    companion = memory.companion(session="s1")
    embedder.hangs = True
    companion.observe("Marta prefers oat milk")
    assert gate.reached.wait(10)
    companion.observe(ASKED)
    companion.observe("Where do the kestrels nest in spring?")
    gate.opened.set()
    assert companion.wait(10)
    assert contents(companion.pending()) == ["Kestrels nest on the church tower in spring"]
    assert [one.number for one in companion.turns()] == [1, 3]
