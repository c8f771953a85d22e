"""What a companion learns from what it was told and from the reply, with its own origin in the journal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from tests.companion.conftest import contents, said, turn

import recollect
from recollect.engine import Memory
from recollect.errors import NotFound
from recollect.testing.clock import FixedClock
from recollect.values.judging import Decision, IsRelevant, JudgedBy, Question

PORT = "The staging gateway listens on port 8080"
OWNER = "The staging gateway is run by Henrietta from platform"
ASKED = "Which port does the staging gateway listen on?"
OTHERS = ("Kestrels nest on the church tower in spring", "Marta prefers oat milk in her coffee")


class Judge:
    """Says of each memory whether its text has a word; of the others it knows nothing."""

    def __init__(self, yes: str = "", no: str = "") -> None:
        self.yes, self.no = yes, no
        self.asked: list[IsRelevant] = []

    def decide(self, questions: Sequence[Question]) -> list[Decision | None]:
        self.asked += [one for one in questions if isinstance(one, IsRelevant)]
        return [self._one(one) for one in questions]

    def _one(self, question: Question) -> Decision | None:
        assert isinstance(question, IsRelevant)
        by = JudgedBy("test")
        if self.yes and self.yes in question.memory.text:
            return Decision(True, "it helps", by)
        return Decision(False, "it does not", by) if self.no and self.no in question.memory.text else None


@pytest.fixture
def stocked(memory: recollect.Memory) -> recollect.Memory:
    memory.remember_many([PORT, *OTHERS])
    return memory


def by_text(memory: recollect.Memory, text: str) -> recollect.Record:
    return next(one for one in memory.list() if one.content == text)


@pytest.mark.parametrize(
    "reply",
    [
        "It is 8080.",
        "On staging it's port 8080, as configured.",
        "You should use 8080 for that.",
    ],
)
def test_a_reply_that_uses_a_memory_confirms_it(reply: str, stocked: recollect.Memory) -> None:
    companion = stocked.companion(session="s1")
    turn(companion, ASKED)
    before = by_text(stocked, PORT)
    turn(companion, said("assistant", reply))
    stocked.flush()
    after = by_text(stocked, PORT)
    assert after.confidence == pytest.approx(min(1.0, before.confidence + 0.05))
    assert after.hit_at is not None
    (first,) = companion.turns()
    assert (first.injected, first.cited) == ((before.id,), (before.id,))


@pytest.mark.parametrize(
    "reply",
    [
        "I do not know which port the staging gateway listens on.",
        "Let me look at the configuration of the gateway first.",
        "Here is a haiku about autumn leaves.",
    ],
)
def test_a_reply_that_only_repeats_the_question_confirms_nothing(reply: str, stocked: recollect.Memory) -> None:
    companion = stocked.companion(session="s1")
    turn(companion, ASKED)
    turn(companion, said("assistant", reply))
    stocked.flush()
    assert by_text(stocked, PORT).hit_at is None
    assert companion.turns()[0].cited == ()


def test_a_reply_that_names_the_id_cites_it(stocked: recollect.Memory) -> None:
    companion = stocked.companion(session="s1")
    found = turn(companion, ASKED)
    turn(companion, said("assistant", f"As noted in [{found.memories[0].short_id}], that is settled."))
    assert companion.turns()[0].cited == (found.memories[0].id,)


def test_what_was_handed_out_is_counted_as_accessed(stocked: recollect.Memory, clock: FixedClock) -> None:
    clock.advance(100)
    turn(stocked.companion(session="s1"), ASKED)
    stocked.companion(session="s1").wait(10)
    stocked.flush()
    assert by_text(stocked, PORT).access_count == 1
    assert by_text(stocked, PORT).accessed_at == clock()
    assert by_text(stocked, OTHERS[0]).access_count == 0


def test_what_is_only_retrieved_or_not_taken_is_not_counted(stocked: recollect.Memory) -> None:
    companion = stocked.companion(session="s1")
    companion.observe(ASKED)
    assert companion.wait(10)
    stocked.flush()
    assert {one.access_count for one in stocked.list()} == {0}
    assert companion.turns()[0].injected == ()
    assert companion.turns()[0].retrieved


def test_what_helped_together_is_linked_and_gets_the_tag_of_the_question(memory: recollect.Memory) -> None:
    memory.remember_many([PORT, OWNER, *OTHERS])
    companion = memory.companion(session="s1")
    found = turn(companion, "Who runs the staging gateway, and which port does it listen on?")
    assert set(contents(found)) == {PORT, OWNER}
    turn(companion, said("assistant", "Henrietta from platform does, and it is 8080."))
    memory.flush()
    port, owner = by_text(memory, PORT), by_text(memory, OWNER)
    assert {link.target for one in (port, owner) for link in one.links} & {port.id, owner.id}
    assert set(port.tags) & set(owner.tags)


def test_what_the_companion_did_has_its_origin_and_is_not_undone_by_the_user(
    memory: recollect.Memory, clock: FixedClock
) -> None:
    memory.remember(PORT)
    clock.advance(60)
    companion = memory.companion(session="s1")
    turn(companion, ASKED)
    turn(companion, said("assistant", "It is 8080."))
    memory.flush()
    event = memory.log()[0]
    assert (event.kind, event.actor, event.origin) == ("confirm", "companion", "companion")
    undone = memory.undo()
    assert undone.operation != event.operation
    with pytest.raises(NotFound):
        memory.get(event.memory_id)
    with pytest.raises(NotFound, match="operation"):
        memory.undo()


def test_an_agent_that_stores_what_it_was_given_only_repeats_it(memory: recollect.Memory) -> None:
    memory.remember(PORT)
    agent = memory.called_by("a-client")
    companion = agent.companion(session="s1")
    turn(companion, ASKED)
    assert companion.wait(10)
    outcome = agent.remember(PORT, source="observed")
    assert outcome.kind in ("reinforced", "refused")


# Gaps


def test_a_question_that_no_memory_answers_is_a_gap(stocked: recollect.Memory) -> None:
    turn(stocked.companion(session="s1"), "What is the name of the release manager?")
    (topic,) = stocked.gaps(session="s1")
    assert topic.name == "What is the name of the release manager?"
    assert topic.gaps[0].session == "s1"


def test_what_the_session_itself_noted_is_no_gap(memory: recollect.Memory) -> None:
    memory.remember(PORT, session="s1")
    assert not turn(memory.companion(session="s1"), ASKED)
    assert memory.gaps(session="s1") == []


@pytest.mark.parametrize(
    "text",
    [
        "Please write a haiku about autumn leaves",
        "Can you write a haiku about autumn leaves?",
        ASKED,
        "Thank you, that is all",
    ],
)
def test_what_asks_nothing_or_is_answered_is_none(text: str, stocked: recollect.Memory) -> None:
    turn(stocked.companion(session="s1"), text)
    assert stocked.gaps(session="s1") == []


def test_a_question_with_a_secret_in_it_is_no_gap(stocked: recollect.Memory) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    turn(stocked.companion(session="s1"), f"Why does the token {secret} not work in the release pipeline?")
    assert stocked.gaps(session="s1") == []


# The judge


def test_what_a_judge_rejects_does_not_come_up_and_loses_a_little_confidence(opened: Callable[..., Memory]) -> None:
    memory = opened(Judge(no="8080"))
    memory.remember(PORT, confidence=0.8)
    companion = memory.companion(session="s1")
    assert not turn(companion, ASKED)
    assert not turn(companion, "The staging gateway, which port is it listening on?")
    memory.flush()
    assert by_text(memory, PORT).confidence == pytest.approx(0.78)  # once in a session
    assert companion.turns()[0].rejected == (by_text(memory, PORT).id,)


def test_what_a_judge_verifies_comes_up_and_gains_confidence_when_it_was_served(opened: Callable[..., Memory]) -> None:
    judge = Judge(yes="8080")
    memory = opened(judge)
    memory.remember(PORT, confidence=0.8)
    companion = memory.companion(session="s1")
    companion.observe(ASKED)
    assert companion.wait(10)
    memory.flush()
    assert by_text(memory, PORT).confidence == pytest.approx(0.8)
    assert contents(companion.pending()) == [PORT]
    assert companion.wait(10)
    memory.flush()
    assert by_text(memory, PORT).confidence == pytest.approx(0.85)
    assert judge.asked[0].context == ASKED
    assert judge.asked[0].memory.text == PORT


def test_without_a_judge_nothing_is_rejected(stocked: recollect.Memory) -> None:
    turn(stocked.companion(session="s1"), ASKED)
    stocked.flush()
    assert not [event for event in stocked.log() if event.kind == "reject"]


def test_a_judge_is_not_asked_about_warnings(opened: Callable[..., Memory]) -> None:
    judge = Judge(no="secrets")
    memory = opened(judge)
    memory.remember("Never print secrets to the log", type="negative", triggers=["println!"])
    assert turn(memory.companion(session="s1"), "Shall I print secrets to the log with println! for a moment?")
    assert not judge.asked
