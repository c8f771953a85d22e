"""The worker: one thread a store, started by the first turn, started again after a crash, gone when the store closes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from time import monotonic

import pytest
from tests.companion.conftest import contents, said, turn
from tests.companion.test_never_waits import ASKED, PORT, Gate, HangingJudge

import recollect
from recollect.companion.companion import Companion
from recollect.engine import Memory
from recollect.errors import StoreError
from recollect.values.conversation import Message


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "recollect-companion"]


def test_the_thread_starts_with_the_first_turn(memory: recollect.Memory) -> None:
    before = len(threads())
    companion = memory.companion(session="s1")
    assert not companion.pending()
    assert companion.wait(1)
    assert len(threads()) == before
    turn(companion, ASKED)
    assert len(threads()) == before + 1


def test_all_companions_of_a_store_share_one_thread(memory: recollect.Memory) -> None:
    before = len(threads())
    for number in range(5):
        turn(memory.companion(session=f"s{number}"), ASKED)
        turn(memory.with_identity(agent=f"a{number}").companion(session="s"), ASKED)
    assert len(threads()) == before + 1


def test_nothing_of_it_is_imported_before_it_is_used() -> None:
    code = (
        "import recollect, sys\n"
        "with recollect.open(':memory:', embedder='none') as memory:\n"
        "    memory.remember('The harbour closes at nine'); memory.recall('harbour'); memory.doctor()\n"
        "print([name for name in sys.modules if name.startswith('recollect.companion')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_closing_the_store_stops_the_thread(opened: Callable[..., Memory]) -> None:
    before = len(threads())
    memory = opened()
    companion = memory.companion(session="s1")
    turn(companion, ASKED)
    memory.close()
    assert len(threads()) == before
    companion.observe(ASKED)  # the agent may go on without memory
    assert not companion.pending()
    assert len(threads()) == before


def test_closing_waits_at_most_two_seconds_for_a_judge_that_hangs(opened: Callable[..., Memory]) -> None:
    gate = Gate()
    memory = opened(HangingJudge(gate), judge_seconds=60)
    memory.remember(PORT)
    memory.companion(session="s1").observe(ASKED)
    assert gate.reached.wait(10)
    started = monotonic()
    memory.close()
    assert monotonic() - started < 2
    gate.opened.set()


def test_closing_waits_at_most_two_seconds_for_an_extraction_that_hangs(opened: Callable[..., Memory]) -> None:
    gate = Gate()
    memory = opened()
    companion = Companion(memory._uow.at(None, "s1", None), extract=lambda _session, _messages: gate.pass_through())
    companion.observe(ASKED)
    companion.close()
    assert gate.reached.wait(10)
    started = monotonic()
    memory.close()
    assert monotonic() - started < 2
    gate.opened.set()


def test_a_crash_is_told_and_the_next_turn_starts_the_worker_again(opened: Callable[..., Memory]) -> None:
    def extract(_session: str, _messages: Sequence[Message]) -> None:
        raise ZeroDivisionError("by zero")

    memory = opened()
    memory.remember_many([PORT, "Kestrels nest on the church tower in spring"])
    companion = Companion(memory._uow.at(None, "s1", None), extract=extract)
    turn(companion, "Good morning")
    (thread,) = threads()
    companion.close()
    thread.join(10)
    assert not thread.is_alive()
    (problem,) = memory.doctor()["problems"][-1:]
    assert "crashed" in problem
    assert "ZeroDivisionError: by zero" in problem
    assert contents(turn(companion, ASKED)) == [PORT]
    assert len(threads()) == 1


def test_what_fails_with_an_error_of_ours_is_told_until_it_works_again(opened: Callable[..., Memory]) -> None:
    broken = [True]

    def extract(_session: str, _messages: Sequence[Message]) -> None:
        if broken:
            raise StoreError("the disk is gone; find it")

    memory = opened()
    companion = Companion(memory._uow.at(None, "s1", None), extract=extract)
    turn(companion, "Good morning")
    companion.before_compaction()
    assert companion.wait(10)
    assert any("the disk is gone" in problem for problem in memory.doctor()["problems"])
    broken.clear()
    companion.before_compaction()
    assert companion.wait(10)
    assert not memory.doctor()["problems"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_has_a_worker_of_its_own(opened: Callable[..., Memory]) -> None:
    memory = opened()
    memory.remember(PORT)
    companion = memory.companion(session="s1")
    turn(companion, "Good morning")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            fresh = memory.companion(session="s2")
            fresh.observe(said("user", ASKED))
            status = 0 if fresh.wait(10) and contents(fresh.pending()) == [PORT] else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert contents(turn(companion, ASKED)) == [PORT]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_does_not_take_what_the_parent_is_about_to_do(opened: Callable[..., Memory]) -> None:
    gate = Gate()
    memory = opened(HangingJudge(gate), judge_seconds=60)
    memory.remember(PORT)
    companion = memory.companion(session="s1")
    companion.observe(ASKED)
    assert gate.reached.wait(10)
    child = os.fork()
    if child == 0:
        os._exit(0 if companion.wait(1) and not companion.pending() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    gate.opened.set()
    assert companion.wait(10)


def test_ten_thousand_turns_need_no_more_memory_than_a_few(memory: recollect.Memory) -> None:
    """Everything a session keeps is bounded; measured in what it holds, not in bytes of the process."""
    memory.remember_many([f"The staging gateway number {n} listens on port {8000 + n}" for n in range(20)])
    companion = memory.companion(session="s1")
    channel = companion._channel
    for number in range(10_000):
        companion.observe([said("user", f"Which port has gateway {number}?"), said("assistant", f"Port {number}.")])
        companion.pending()
        if not number % 20:
            assert companion.wait(30)
            held = sum(map(len, (channel.events, channel.talk, channel.injected, channel.rejected, channel.state.seen)))
            held += len(channel.state.handed) + len(channel.state.texts) + len(channel.state.sets)
            assert held < 2500
            assert len(channel.ledger.turns) <= 200
            assert len(channel.state.dump()) < 100_000
    for number in range(2_000):
        memory.companion(session=f"session {number}")
    assert len(memory._runtime.companions.worker._channels) <= 256  # type: ignore[union-attr]
