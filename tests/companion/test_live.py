"""What a user states in a session is a memory afterwards: by rules at once, by a model later, never a secret."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.companion.conftest import contents, said, turn

import recollect
from recollect.values.conversation import Message
from recollect.values.judging import Decision, ExtractedFact, JudgedBy, Question, WritingTask, Written

SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
RULE = "From now on, always run the linter before you commit."


class Writing:
    """A model that extracts what it is told to, and keeps what it was sent."""

    name = "scripted"

    def __init__(self, *facts: ExtractedFact) -> None:
        self.facts = facts
        self.sent: list[Message] = []

    def decide(self, questions: Sequence[Question]) -> list[Decision | None]:
        return [None] * len(questions)

    def write(self, tasks: Sequence[WritingTask]) -> list[Written | None]:
        self.sent = [message for task in tasks for message in task.messages]
        return [Written(JudgedBy("scripted", "m", "extract 1"), facts=self.facts) for _ in tasks]


def talk(memory: recollect.Memory, *messages: str, session: str = "s1") -> None:
    with memory.companion(session=session) as companion:
        turn(companion, *(said("user", text) for text in messages))
    assert companion.wait()


def test_what_the_user_states_is_stored_with_its_message_when_the_session_ends(
    opened: Callable[..., recollect.Memory],
) -> None:
    memory = opened()
    talk(memory, "Can you fix the failing test?", RULE)
    (found,) = memory.list(session="s1")
    assert "linter" in found.content
    assert (found.provenance.kind, found.provenance.session, found.provenance.message_range) == (
        "user_stated",
        "s1",
        (1, 1),
    )
    assert {event.origin for event in memory.history(found.id)} == {"companion"}


def test_a_bare_undo_does_not_take_it_back(opened: Callable[..., recollect.Memory]) -> None:
    memory = opened()
    memory.remember("The harbour closes at nine")
    talk(memory, RULE)
    memory.undo()
    assert [one.content for one in memory.list(session="s1")] != []
    assert "The harbour closes at nine" not in [one.content for one in memory.list()]


def test_the_next_session_is_given_it_and_its_own_is_not(opened: Callable[..., recollect.Memory]) -> None:
    memory = opened()
    talk(memory, "Remember that the staging gateway listens on port 8080.")
    asked = said("user", "Which port does the staging gateway listen on?")
    assert contents(turn(memory.companion(session="s1"), asked)) == []
    assert any("8080" in text for text in contents(turn(memory.companion(session="s2"), asked)))


def test_nothing_is_extracted_where_it_is_not_wanted(opened: Callable[..., recollect.Memory]) -> None:
    memory = opened()
    with memory.companion(session="s1", extract=False) as companion:
        turn(companion, said("user", RULE))
    assert companion.wait()
    assert memory.count(session="s1") == 0


def test_what_was_forgotten_is_not_extracted_again(opened: Callable[..., recollect.Memory]) -> None:
    memory = opened()
    talk(memory, RULE)
    (found,) = memory.list(session="s1")
    memory.forget(found.id)
    talk(memory, RULE, session="s2")
    assert [*memory.list(session="s2"), *memory.list()] == []


def test_a_model_extracts_what_the_rules_leave_and_is_sent_no_secret(
    opened: Callable[..., recollect.Memory], tmp_path: Path
) -> None:
    fact = ExtractedFact("The nightly import must end by 5 am", "rule", ("import",), (0,))
    invented = ExtractedFact("The moon is made of cheese", "fact", (), (77,))
    model = Writing(fact, invented)
    memory = opened(model)
    talk(memory, f"We said the import must be over by five in the morning, and the token is {SECRET}")
    memory._runtime.judge_queue.close(10)
    (found,) = memory.list(session="s1")
    assert (found.content, found.provenance.kind, found.provenance.message_range) == (fact.content, "extracted", (0, 0))
    assert "scripted" in found.provenance.reason
    assert {event.origin for event in memory.history(found.id)} == {"companion"}
    assert model.sent and SECRET not in repr(model.sent)
    memory.close()
    assert all(SECRET.encode() not in each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())


@pytest.mark.parametrize("text", ["ok", "Fix the test please", "What is the port?", f"My key is {SECRET}"])
def test_what_states_nothing_gives_nothing(text: str, opened: Callable[..., recollect.Memory]) -> None:
    memory = opened()
    talk(memory, text)
    assert memory.count(session="s1") == 0


def test_what_a_companion_of_another_process_handed_out_is_not_new(
    opened: Callable[..., recollect.Memory], tmp_path: Path
) -> None:
    first, other = opened(), opened()
    first.remember("Our staging gateway listens on port 8080")
    companion = first.companion(session="s1", extract=False)
    assert turn(companion, said("user", "Which port does our staging gateway listen on?"))
    assert companion.wait()
    talk = tmp_path / "s1.md"
    talk.write_text(
        "## User\n\nRemember that our staging gateway listens on port 8080. We use pnpm, not npm.\n\n## Assistant\n\nOk.\n"
    )
    (session,) = other.extract(talk, session="s1").sessions
    assert [item.text for item in session.items] == ["We use pnpm, not npm."]
    (elsewhere,) = other.extract(talk, session="s2").sessions
    assert len(elsewhere.items) == 2
