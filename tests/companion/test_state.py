"""What a session leaves behind: another process goes on with it, and `turns` tells of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from time import monotonic

from tests.companion.conftest import contents, said, turn

import recollect
from recollect.companion.session_state import SessionState
from recollect.engine import Memory
from recollect.testing.clock import FixedClock

PORT = "The staging gateway listens on port 8080"
ASKED = "Which port does the staging gateway listen on?"
COFFEE = "Marta prefers oat milk in her coffee"


def test_another_process_does_not_hand_out_the_same_again(opened: Callable[..., Memory], clock: FixedClock) -> None:
    first = opened()
    first.remember_many([PORT, COFFEE])
    turn(first.companion(session="s1"), ASKED)
    first.close()
    second = opened()
    clock.advance(300)
    companion = second.companion(session="s1")
    assert not turn(companion, "The staging gateway: which port does it listen on?")
    assert [one.number for one in companion.turns()] == [1, 2]
    assert companion.turns()[0].injected


def test_another_process_notices_that_the_topic_changes(opened: Callable[..., Memory], clock: FixedClock) -> None:
    first = opened()
    first.remember_many([PORT, COFFEE])
    turn(first.companion(session="s1"), ASKED)
    first.close()
    clock.advance(300)
    companion = opened().companion(session="s1")
    assert contents(turn(companion, "Which coffee with oat milk does Marta prefer?")) == [COFFEE]
    assert companion.turns()[-1].new_topic


def test_the_last_turn_before_closing_is_processed(opened: Callable[..., Memory]) -> None:
    first = opened()
    first.remember(PORT)
    first.companion(session="s1").observe(ASKED)
    first.close()
    assert opened().turns(session="s1")[0].retrieved


def test_turns_tells_of_all_sessions_or_of_one_oldest_first(memory: recollect.Memory, clock: FixedClock) -> None:
    memory.remember(PORT)
    for session in ("s1", "s2", "s1"):
        clock.advance(10)
        turn(memory.companion(session=session), f"{ASKED} Tell {session} at {clock()}")
        assert memory.companion(session=session).wait(10)
    assert [one.session for one in memory.turns()] == ["s1", "s2", "s1"]
    assert [one.number for one in memory.turns(session="s1")] == [1, 2]
    assert [one.session for one in memory.turns(limit=1)] == ["s1"]
    assert memory.turns(session="s3") == []
    assert memory.with_identity(agent="eve").turns() == []
    assert json.dumps(memory.turns()[0].to_dict())


def test_turns_are_bounded_and_kept_for_a_month(memory: recollect.Memory, clock: FixedClock) -> None:
    companion = memory.companion(session="s1")
    for number in range(230):
        companion.observe(f"Message number {number}")
        assert companion.wait(10)
    found = companion.turns(1000)
    assert (len(found), found[-1].number) == (200, 230)
    clock.advance(timedelta(days=29))
    assert companion.turns()
    clock.advance(timedelta(days=2))
    assert companion.turns() == []


def test_nothing_that_was_said_is_in_what_is_kept(opened: Callable[..., Memory], tmp_path: Path) -> None:
    memory = opened()
    memory.remember("The canarybird sings at dawn")
    companion = memory.companion(session="s1")
    assert turn(companion, "When does the canarybird sing?")
    turn(companion, said("assistant", "The canarybird sings at dawn."))
    memory.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("memory.db.working*"))
    assert b"s1" in kept
    assert b"canarybird" not in kept


def test_a_state_is_the_same_after_it_was_dumped_and_loaded() -> None:
    state = SessionState(turn=7, extracted_at=3)
    state.hand({"a": "1", "b": "2"}, 100.0)
    state.unseen([("user", "hello")])
    other = SessionState()
    other.load(state.dump())
    assert other.dump() == state.dump()


def test_what_was_noted_before_the_state_was_loaded_stays() -> None:
    state, other = SessionState(), SessionState()
    state.hand({"a": "1"}, 100.0)
    other.hand({"a": "1"}, 200.0)
    other.load(state.dump())
    assert other.handed == {"a": 200.0}


def test_what_another_process_forgets_is_off_the_offer_without_a_word(opened: Callable[..., Memory]) -> None:
    mine, other = opened(), opened()
    companion = mine.companion(session="s1")
    record = mine.remember(PORT).memory
    mine._runtime.companions.worker.look_seconds = 0.01
    companion.observe(ASKED)
    assert companion.wait()
    assert companion._channel.offer
    other.forget(record.id)
    until = monotonic() + 20
    while companion._channel.offer and monotonic() < until:
        companion.wait()
    assert not companion.pending()
