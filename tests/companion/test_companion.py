"""The companion of a session: what comes up, when, how often, and what never does."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from tests.companion.conftest import contents, said, turn

import recollect
from recollect.companion.companion import Companion
from recollect.errors import InvalidInput, ReadOnly
from recollect.testing.clock import FixedClock
from recollect.values.conversation import Message

PORT = "The staging gateway listens on port 8080"
ASKED = "Which port does the staging gateway listen on?"
OTHERS = (
    "Kestrels nest on the church tower in spring",
    "Marta prefers oat milk in her coffee",
    "The quarterly report is due on the fifth of April",
)


@pytest.fixture
def stocked(memory: recollect.Memory) -> recollect.Memory:
    memory.remember_many([PORT, *OTHERS])
    return memory


def test_what_a_turn_made_relevant_is_there_at_the_next_one(stocked: recollect.Memory) -> None:
    companion = stocked.companion(session="s1")
    assert not companion.pending()
    found = turn(companion, said("user", ASKED))
    assert contents(found) == [PORT]
    assert "- [2026-01-01] The staging gateway" in found.text
    lines = found.text.splitlines()
    assert lines[1].startswith("<recalled-memories-")
    assert lines[-1] == lines[1].replace("<", "</")
    assert found.turn == 1
    assert str(found) == found.text
    assert not companion.pending()


def test_nothing_comes_up_where_nothing_is_good_enough(stocked: recollect.Memory) -> None:
    found = turn(stocked.companion(session="s1"), said("user", "Please write a haiku about autumn leaves"))
    assert not found
    assert found.text == ""
    assert found.memories == ()


@pytest.mark.parametrize(
    "messages",
    [
        ASKED,
        [ASKED],
        said("user", ASKED),
        Message("user", ASKED, 0),
        [said("system", "You help."), said("user", ASKED)],
        [{"role": "user", "content": [{"type": "text", "text": ASKED}, {"type": "image_url", "image_url": {}}]}],
        [said("user", ASKED), {"role": "assistant", "content": None, "tool_calls": []}],
        [{"role": "human", "content": ASKED}],
    ],
    ids=["text", "texts", "mapping", "message", "with system", "parts", "tool call", "other name of a role"],
)
def test_messages_are_taken_in_every_usual_form(messages: Any, stocked: recollect.Memory) -> None:
    companion = stocked.companion(session="s1")
    companion.observe(messages)
    assert companion.wait(10)
    assert contents(companion.pending()) == [PORT]


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        (7, "int is not a list of messages"),
        ([7], "7 is not a message"),
        ([{"role": "king", "content": "x"}], "'king' is not a role"),
        ([{"role": ["user"], "content": "x"}], "is not a role"),
        ([{"role": "user", "content": 7}], "the content 7 is not text"),
    ],
)
def test_what_is_no_message_is_refused_with_the_form_to_use(
    messages: Any, problem: str, stocked: recollect.Memory
) -> None:
    with pytest.raises(InvalidInput, match=problem):
        stocked.companion(session="s1").observe(messages)


@pytest.mark.parametrize(
    "text",
    [
        "\ud800 lone",
        "\x00",
        "\x00\x01 control",
        "x" * 1_000_000,
        "?" * 5000,
        "🦜🦜🦜",
        "שלום, מה הפורט?",
        "#",
        "#poetry #1187",
        "\u200b",
    ],
    ids=["surrogate", "NUL", "controls", "long", "marks", "emoji", "Hebrew", "hash", "tags", "invisible"],
)
def test_whatever_is_said_the_worker_lives(text: str, stocked: recollect.Memory) -> None:
    companion = stocked.companion(session="s1")
    turn(companion, said("user", text))
    turn(companion, said("assistant", text))
    assert stocked._runtime.companions.problem is None
    assert contents(turn(companion, said("user", ASKED))) == [PORT]


def test_nothing_said_is_no_turn(stocked: recollect.Memory) -> None:
    companion = stocked.companion(session="s1")
    for nothing in ([], "", "  ", [said("user", "")], [{"role": "assistant", "content": None}]):
        assert not turn(companion, *([nothing] if isinstance(nothing, str) else nothing))
    assert companion.turns() == []


def test_a_session_is_named(memory: recollect.Memory) -> None:
    with pytest.raises(InvalidInput, match="session"):
        memory.companion(session=None)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="session"):
        memory.companion(session="  ")


def test_the_past_has_no_companion(stocked: recollect.Memory, clock: FixedClock) -> None:
    clock.advance(60)
    with pytest.raises(ReadOnly):
        stocked.as_of(clock() - timedelta(seconds=1)).companion(session="s1")


def test_at_most_five_memories_come_up(memory: recollect.Memory) -> None:
    memory.remember_many([f"The staging gateway number {n} listens on port {8000 + n}" for n in range(9)])
    found = turn(memory.companion(session="s1"), said("user", "Which ports do the staging gateways listen on?"))
    assert len(found.memories) == 5


def test_the_budget_counts_the_fence_and_leaves_out_what_does_not_fit(memory: recollect.Memory) -> None:
    memory.remember_many([f"The staging gateway number {n} listens on port {8000 + n}" for n in range(5)])
    ask = said("user", "Which ports do the staging gateways listen on?")
    whole = turn(memory.companion(session="s1", budget=1000), ask)
    part = turn(memory.companion(session="s2", budget=whole.tokens - 1), ask)
    assert 0 < len(part.memories) < len(whole.memories)
    assert part.tokens <= whole.tokens - 1
    assert not turn(memory.companion(session="s3", budget=10), ask)


def test_what_did_not_fit_may_still_come_up_later(memory: recollect.Memory) -> None:
    memory.remember_many([f"The staging gateway number {n} listens on port {8000 + n}" for n in range(3)])
    companion = memory.companion(session="s1", budget=105)
    first = turn(companion, said("user", "Which ports do the staging gateways listen on?"))
    again = turn(companion, said("user", "And which ports do the other staging gateways listen on?"))
    assert first.memories
    assert again.memories
    assert not {one.id for one in first.memories} & {one.id for one in again.memories}


def test_what_the_session_itself_wrote_does_not_come_up(memory: recollect.Memory) -> None:
    memory.remember(PORT, session="s1")
    assert not turn(memory.companion(session="s1"), said("user", ASKED))
    assert contents(turn(memory.companion(session="s2"), said("user", ASKED))) == [PORT]


def test_a_project_keeps_its_memories_from_other_companions(memory: recollect.Memory) -> None:
    memory.remember(PORT, project="web", scope="project")
    assert not turn(memory.companion(session="s1"), said("user", ASKED))
    assert not turn(memory.companion(session="s1", project="app"), said("user", ASKED))
    assert contents(turn(memory.companion(session="s1", project="web"), said("user", ASKED))) == [PORT]


def test_an_agent_sees_only_what_it_may_see(memory: recollect.Memory) -> None:
    memory.with_identity(agent="ada").remember(PORT, scope="agent")
    assert not turn(memory.with_identity(agent="eve").companion(session="s1"), said("user", ASKED))
    assert turn(memory.with_identity(agent="ada").companion(session="s1"), said("user", ASKED))


# Warnings


def test_a_warning_comes_up_whatever_the_turn_is_about(stocked: recollect.Memory) -> None:
    stocked.remember("Never print secrets to the log", type="negative", triggers=["println!"])
    companion = stocked.companion(session="s1")
    found = turn(companion, said("user", f"{ASKED} Meanwhile I add println! to the main loop"))
    assert contents(found)[0] == "Never print secrets to the log"


def test_a_warning_comes_up_when_only_the_assistant_or_a_tool_said_it(stocked: recollect.Memory) -> None:
    stocked.remember("Never print secrets to the log", type="negative", triggers=["println!"])
    companion = stocked.companion(session="s1")
    found = turn(companion, said("assistant", "I will use println! here. The staging gateway listens on a port."))
    assert contents(found) == ["Never print secrets to the log"]


def test_what_the_user_asked_is_not_lost_when_the_assistant_goes_on(stocked: recollect.Memory) -> None:
    companion = stocked.companion(session="s1")
    companion.observe(said("user", ASKED))
    assert companion.wait(10)
    assert contents(turn(companion, said("assistant", "Let me look that up."))) == [PORT]


def test_a_warning_comes_again_after_its_text_was_not_shown_for_a_while(
    memory: recollect.Memory, clock: FixedClock
) -> None:
    memory.remember("Never print secrets to the log", type="negative", triggers=["println!"], session="s1")
    companion = memory.companion(session="s1")
    assert turn(companion, said("user", "Add println! to the loop"))
    clock.advance(30)
    assert not turn(companion, said("user", "Now println! in the tests"))
    clock.advance(61)
    assert turn(companion, said("user", "And println! in the docs"))


# Not twice


def test_a_memory_does_not_come_again_within_forty_five_minutes(stocked: recollect.Memory, clock: FixedClock) -> None:
    companion = stocked.companion(session="s1")
    assert turn(companion, said("user", ASKED))
    clock.advance(timedelta(minutes=44))
    assert not turn(companion, said("user", "The staging gateway: which port does it listen on?"))
    clock.advance(timedelta(minutes=2))
    assert turn(companion, said("user", "Once more, which port does the staging gateway listen on?"))


def test_what_was_not_handed_out_may_come_up_at_the_next_turn(stocked: recollect.Memory) -> None:
    companion = stocked.companion(session="s1")
    companion.observe(said("user", ASKED))
    assert companion.wait(10)
    assert contents(turn(companion, said("user", "The staging gateway: which port is it?"))) == [PORT]


def test_the_same_text_of_another_memory_does_not_come_within_ninety_seconds(
    memory: recollect.Memory, clock: FixedClock
) -> None:
    memory.remember_many([{"content": PORT, "project": name, "scope": "project"} for name in ("web", "app")])
    memory.remember(PORT, scope="global")
    companion = memory.companion(session="s1", project="web")
    first = turn(companion, said("user", ASKED))
    assert contents(first) == [PORT]  # once, although two memories say it
    clock.advance(10)
    assert not turn(companion, said("user", "The staging gateway: which port does it listen on?"))
    clock.advance(181)
    again = turn(companion, said("user", "Which port is it that the staging gateway listens on?"))
    assert {one.id for one in again.memories}.isdisjoint(one.id for one in first.memories)


def test_a_new_topic_brings_back_what_was_handed_out_before(stocked: recollect.Memory, clock: FixedClock) -> None:
    companion = stocked.companion(session="s1")
    assert contents(turn(companion, said("user", ASKED))) == [PORT]
    clock.advance(200)
    assert contents(turn(companion, said("user", "Which coffee with oat milk does Marta prefer?"))) == [OTHERS[1]]
    clock.advance(200)
    assert contents(turn(companion, said("user", ASKED))) == [PORT]
    assert [one.new_topic for one in companion.turns()] == [False, True, True]


def test_the_same_set_does_not_come_again_within_three_minutes(stocked: recollect.Memory, clock: FixedClock) -> None:
    companion = stocked.companion(session="s1")
    assert turn(companion, said("user", ASKED))
    clock.advance(100)
    assert turn(companion, said("user", "Which coffee with oat milk does Marta prefer?"))  # a new topic
    clock.advance(10)
    assert not turn(companion, said("user", ASKED))
    clock.advance(100)
    assert turn(companion, said("user", "Which coffee with oat milk does Marta prefer?")) is not None
    assert turn(companion, said("user", ASKED))


def test_two_sessions_do_not_share_what_they_were_given(stocked: recollect.Memory) -> None:
    assert turn(stocked.companion(session="s1"), said("user", ASKED))
    assert turn(stocked.companion(session="s2"), said("user", ASKED))


def test_two_companions_of_one_session_share_its_state(stocked: recollect.Memory) -> None:
    one, other = stocked.companion(session="s1"), stocked.companion(session="s1")
    one.observe(said("user", ASKED))
    assert one.wait(10)
    assert contents(other.pending()) == [PORT]
    assert not one.pending()


# What is not there any more


def test_what_was_forgotten_meanwhile_is_not_handed_out(stocked: recollect.Memory) -> None:
    companion = stocked.companion(session="s1")
    companion.observe(said("user", ASKED))
    assert companion.wait(10)
    (known,) = [one for one in stocked.list() if one.content == PORT]
    stocked.forget(known.id)
    assert companion.wait(10)
    assert not companion.pending()


def test_what_was_corrected_meanwhile_is_handed_out_as_it_is_now(stocked: recollect.Memory) -> None:
    companion = stocked.companion(session="s1")
    companion.observe(said("user", ASKED))
    assert companion.wait(10)
    (known,) = [one for one in stocked.list() if one.content == PORT]
    stocked.update(known.id, content="The staging gateway listens on port 9090")
    assert companion.wait(10)
    found = companion.pending()
    assert contents(found) == ["The staging gateway listens on port 9090"]
    assert "8080" not in found.text


def test_nothing_is_handed_out_after_memory_was_switched_off(stocked: recollect.Memory) -> None:
    companion = stocked.companion(session="s1", project="web")
    companion.observe(said("user", ASKED))
    assert companion.wait(10)
    stocked.disable("web")
    assert not companion.pending()
    assert companion.wait(10)
    assert not companion.pending()


def test_nothing_comes_up_while_memory_is_off(stocked: recollect.Memory) -> None:
    companion = stocked.companion(session="s1", project="web")
    stocked.disable("web")
    assert not turn(companion, said("user", ASKED))
    stocked.enable("web")
    assert turn(companion, said("user", "The staging gateway listens on which port?"))


def test_what_is_said_while_memory_is_off_is_not_extracted_later(stocked: recollect.Memory) -> None:
    given: list[str] = []
    here = stocked._uow.at("web", "s1", None)
    companion = Companion(here, extract=lambda _session, some: given.extend(message.text for message in some))
    turn(companion, said("user", "before"))
    stocked.disable("web")
    turn(companion, said("user", "meanwhile"), said("assistant", "a secret"))
    stocked.enable("web")
    turn(companion, said("user", "afterwards"))
    companion.close()
    assert companion.wait(10)
    assert given == ["afterwards"]


def test_a_block_that_was_handed_out_is_not_taken_for_something_said(stocked: recollect.Memory) -> None:
    companion = stocked.companion(session="s1")
    found = turn(companion, said("user", ASKED))
    other = stocked.companion(session="s2")
    assert not turn(other, said("user", f"{found.text}\n\nPlease write a haiku about autumn leaves"))


def test_a_whole_conversation_may_be_given_each_time(stocked: recollect.Memory) -> None:
    companion = stocked.companion(session="s1")
    first = [said("user", "Good morning, let us begin")]
    assert not turn(companion, *first)
    second = [*first, said("assistant", "Good morning!"), said("user", ASKED)]
    assert contents(turn(companion, *second)) == [PORT]
    assert len(companion.turns()) == 2
    assert not turn(companion, *second)
    assert len(companion.turns()) == 2
