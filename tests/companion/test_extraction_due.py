"""When what was said is given to be extracted: at a change of topic, every twelve turns, before compaction, at the end."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.companion.conftest import said, turn

import recollect
from recollect.companion.companion import Companion
from recollect.errors import StoreError
from recollect.values.conversation import Message


class Recorder:
    def __init__(self) -> None:
        self.calls: list[tuple[str, list[str]]] = []
        self.fails = False

    def __call__(self, session: str, messages: Sequence[Message]) -> None:
        if self.fails:
            raise StoreError("the disk is gone; find it")
        self.calls.append((session, [message.text for message in messages]))


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def companion(memory: recollect.Memory, recorder: Recorder) -> Companion:
    return Companion(memory._uow.at(None, "s1", None), extract=recorder)


def test_every_twelve_turns(companion: Companion, recorder: Recorder) -> None:
    for number in range(25):
        turn(companion, said("user", f"The gateway step {number}"), said("assistant", f"Done {number}"))
    assert [len(texts) for _, texts in recorder.calls] == [24, 24]
    assert recorder.calls[0][0] == "s1"
    assert recorder.calls[1][1][0] == "The gateway step 12"


def test_at_a_change_of_topic_after_four_turns(companion: Companion, recorder: Recorder) -> None:
    for number in range(4):
        turn(companion, f"The staging gateway listens on port {number}")
    turn(companion, "Marta prefers oat milk in her coffee")
    assert recorder.calls == [("s1", [f"The staging gateway listens on port {number}" for number in range(4)])]


def test_not_at_a_change_of_topic_before_four_turns(companion: Companion, recorder: Recorder) -> None:
    for number in range(3):
        turn(companion, f"The staging gateway listens on port {number}")
    turn(companion, "Marta prefers oat milk in her coffee")
    assert recorder.calls == []


def test_before_compaction_and_at_the_end_and_only_what_is_new(companion: Companion, recorder: Recorder) -> None:
    turn(companion, said("user", "one"), said("assistant", "two"))
    companion.before_compaction()
    turn(companion, "three")
    with companion:
        pass
    companion.close()
    assert companion.wait(10)
    assert recorder.calls == [("s1", ["one", "two"]), ("s1", ["three"])]


def test_closing_the_store_extracts_what_was_closed_before(memory: recollect.Memory, recorder: Recorder) -> None:
    with Companion(memory._uow.at(None, "s1", None), extract=recorder) as companion:
        companion.observe("one")
    memory.close()
    assert recorder.calls == [("s1", ["one"])]


def test_what_could_not_be_extracted_is_given_again(companion: Companion, recorder: Recorder) -> None:
    turn(companion, "one")
    recorder.fails = True
    companion.before_compaction()
    turn(companion, "two")
    recorder.fails = False
    companion.close()
    assert companion.wait(10)
    assert recorder.calls == [("s1", ["one", "two"])]


def test_messages_have_positions_roles_and_times(memory: recollect.Memory) -> None:
    given: list[Message] = []
    companion = Companion(memory._uow.at(None, "s1", None), extract=lambda _session, some: given.extend(some))
    turn(companion, said("user", "one"), said("assistant", "two"))
    turn(companion, "three")
    companion.close()
    assert companion.wait(10)
    assert [(one.role, one.position) for one in given] == [("user", 0), ("assistant", 1), ("user", 2)]
    assert all(one.at is not None for one in given)


def test_only_the_last_four_hundred_messages_are_kept(companion: Companion, recorder: Recorder) -> None:
    for number in range(11):
        companion.observe(
            [said("assistant", f"{number} {n}") for n in range(32)] + [said("tool", f"{n}") for n in range(9)]
        )
        assert companion.wait(10)
    for number in range(20):
        companion.observe([said("assistant", f"more {number} {n}") for n in range(32)])
        assert companion.wait(10)
    companion.close()
    assert companion.wait(10)
    assert len(recorder.calls[-1][1]) == 400


def test_nothing_was_said_since_so_nothing_is_extracted(companion: Companion, recorder: Recorder) -> None:
    companion.before_compaction()
    companion.close()
    assert companion.wait(10)
    assert recorder.calls == []
