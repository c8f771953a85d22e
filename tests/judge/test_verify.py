"""A recall that the judge verifies: hits that do not help are dropped, confidence follows, and nothing waits that need not."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest
from tests.judge.scripted import ScriptedJudge

import recollect
from recollect.testing.embedding import HashingEmbedder

QUERY = "harbour office room"
TEXTS = [f"The harbour office has room {n}" for n in range(12)]


def has_even_room(question):
    return int(question.memory.text.rsplit(None, 1)[-1]) % 2 == 0


@pytest.fixture
def rooms(opened):
    memory = opened()
    memory.remember_many(TEXTS, verbatim=True)
    memory.close()
    return opened


def contents(found):
    return [hit.memory.content for hit in found]


def confidences(memory):
    return {record.content: record.confidence for record in memory.list(limit=None)}


def test_what_does_not_help_is_dropped_and_others_take_its_place(rooms) -> None:
    judge = ScriptedJudge(has_even_room)
    memory = rooms(judge)
    plain = memory.recall(QUERY, limit=12)
    found = memory.recall(QUERY, limit=3, verify=True)
    expected = [text for text in contents(plain)[:6] if has_even_room_text(text)]
    assert contents(found) == expected[:3] and found.answered
    assert judge.read == contents(plain)[:6]
    assert found.notes == (f"the judge rejected {6 - len(expected)} hits",)
    assert dict(found.trace.milliseconds)["verify"] >= 0


def has_even_room_text(text):
    return int(text.rsplit(None, 1)[-1]) % 2 == 0


def test_confidence_follows_in_the_background_as_the_judges_own_act(rooms) -> None:
    memory = rooms(ScriptedJudge(has_even_room))
    before = confidences(memory)
    found = memory.recall(QUERY, limit=2, verify=True)
    memory.flush()
    after = confidences(memory)
    for hit in found:
        text = hit.memory.content
        assert after[text] == min(1.0, before[text] + 0.05)
    lower = [text for text in TEXTS if after[text] < before[text]]
    assert lower and all(not has_even_room_text(text) for text in lower)
    assert {round(before[text] - after[text], 6) for text in lower} == {0.02}
    last = memory.log(limit=1)[0]
    assert (last.origin, last.reason) == ("judge", "judged by scripted m1 how_related/1")
    assert memory.undo().operation != last.operation


def test_verified_gains_what_a_rejection_lost(rooms) -> None:
    memory = rooms(judge := ScriptedJudge(answer=False))
    assert not memory.recall(QUERY, limit=1, verify=True)
    memory.flush()
    judge.answer = True
    memory.recall(QUERY, limit=12, verify=True)
    memory.flush()
    assert set(confidences(memory).values()) == {1.0}


def test_if_all_are_rejected_nothing_answers(rooms) -> None:
    found = rooms(ScriptedJudge(answer=False)).recall(QUERY, verify=True)
    assert not found and not found.answered and found.notes == ("the judge rejected 10 hits",)


def test_what_the_judge_finds_relevant_answers_the_question(rooms) -> None:
    memory = rooms(ScriptedJudge(answer=True))
    query = "storm warnings for the harbour last winter"
    assert not memory.recall(query).answered and memory.recall(query)
    assert memory.recall(query, verify=True).answered


def test_what_it_does_not_know_stays(rooms) -> None:
    memory = rooms(ScriptedJudge(None))
    assert contents(memory.recall(QUERY, verify=True)) == contents(memory.recall(QUERY))


def test_what_a_trigger_puts_first_is_not_asked_about(rooms) -> None:
    memory = rooms(judge := ScriptedJudge(answer=False))
    memory.remember("Never commit .env files", triggers=["glob:*.env"])
    found = memory.recall(QUERY, working_on="prod.env", verify=True)
    assert contents(found) == ["Never commit .env files"] and "Never commit .env files" not in judge.read


@pytest.mark.parametrize("broken", ["raises", "hangs", "answers too few", "answers nonsense"])
def test_if_the_judge_fails_the_hits_are_as_they_are(rooms, broken) -> None:
    gate = Event()

    def fail(question):
        raise ValueError("out of cheese")

    class Wrong:
        def decide(self, questions):
            return [] if broken == "answers too few" else [42] * len(questions)

    judge = {"raises": ScriptedJudge(fail), "hangs": ScriptedJudge(answer=False, gate=gate)}.get(broken, Wrong())
    memory = rooms(judge, judge_seconds=0.1)
    found = memory.recall(QUERY, limit=3, verify=True)
    gate.set()
    assert contents(found) == contents(memory.recall(QUERY, limit=3))
    assert broken == "answers nonsense" or found.notes[0].startswith("not verified: ")


def test_without_a_judge_it_says_so(rooms) -> None:
    found = rooms().recall(QUERY, limit=3, verify=True)
    assert len(found) == 3 and found.notes == ("not verified: no judge is configured (set `judge`)",)


def test_the_setting_verifies_each_recall_and_false_overrides_it(rooms) -> None:
    memory = rooms(judge := ScriptedJudge(answer=True), verify_recall=True)
    memory.recall(QUERY, verify=False)
    assert not judge.read
    memory.recall(QUERY)
    assert judge.read


def test_it_works_beside_a_reranker(tmp_path, clock) -> None:
    judge = ScriptedJudge(has_even_room)
    by_room = lambda query, texts: [float(text.rsplit(None, 1)[-1]) for text in texts]  # noqa: E731
    with recollect.open(
        tmp_path / "m.db", embedder=HashingEmbedder(), clock=clock, judge=judge, reranker=by_room
    ) as memory:
        memory.remember_many(TEXTS, verbatim=True)
        found = memory.recall(QUERY, limit=2, verify=True)
        assert contents(found) == [TEXTS[10], TEXTS[8]] and judge.read == [TEXTS[n] for n in (11, 10, 9, 8)]


def test_while_the_judge_reads_others_write(rooms) -> None:
    memory = rooms(judge := ScriptedJudge(answer=True))
    judge.before = lambda: memory.remember("The ferry is late today")
    assert memory.recall(QUERY, verify=True) and memory.count() == 13


def test_every_recall_has_an_id_of_its_own(rooms) -> None:
    memory = rooms()
    one, other = memory.recall(QUERY), memory.recall(QUERY)
    assert one.id and other.id and one.id != other.id and one.to_dict()["id"] == one.id


def test_async_callers_verify_too(tmp_path, clock) -> None:
    async def verified() -> int:
        judge = ScriptedJudge(has_even_room)
        async with recollect.open_async(
            tmp_path / "m.db", embedder=HashingEmbedder(), clock=clock, judge=judge
        ) as memory:
            await memory.remember_many(TEXTS, verbatim=True)
            return len(await memory.recall(QUERY, limit=12, verify=True))

    assert asyncio.run(verified()) == 6
