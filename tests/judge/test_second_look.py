"""A configured judge takes a second look at what was remembered: later, now or never, and nothing waits for it or is lost."""

from __future__ import annotations

import os
import traceback
from threading import Event, Thread
from threading import enumerate as threads

import pytest
from tests.judge.scripted import NEW, OLD, OTHER, ScriptedJudge

import recollect
from recollect.errors import InvalidInput, NeedsConfirmation, NotFound
from recollect.testing.embedding import HashingEmbedder
from recollect.values.judging import HowRelated


def remembered(memory, clock, *texts, **options):
    """Each of some texts, a minute apart."""
    found = []
    for text in texts:
        clock.advance(60)
        found.append(memory.remember(text, **options))
    return found


def statuses(memory):
    return {record.content: record.status for record in memory.list(status="all")}


def after_closing(opened, memory):
    """The same store once the judge has finished."""
    memory.close()
    return opened()


# What it does


def test_now_the_outcome_says_what_the_judge_decided(opened, clock) -> None:
    judge = ScriptedJudge("changed")
    memory = opened(judge)
    old, new = remembered(memory, clock, OLD, NEW, judge="now")
    assert (old.kind, new.kind) == ("stored", "superseded")
    assert new.old.id == old.memory.id and new.memory.supersedes == old.memory.id
    assert new.reason == "judged changed by scripted m1 how_related/1"
    assert statuses(memory) == {OLD: "superseded", NEW: "active"}


def test_later_it_returns_at_once_and_the_correction_follows(opened, clock) -> None:
    gate = Event()
    judge = ScriptedJudge("changed", gate)
    memory = opened(judge)
    _, new = remembered(memory, clock, OLD, NEW)
    assert new.kind == "stored" and [one.relation for one in new.related] == ["related"]
    assert judge.busy.wait(30)
    assert statuses(memory) == {OLD: "active", NEW: "active"}
    assert {hit.memory.content for hit in memory.recall("backup of the shop database")} == {OLD, NEW}
    gate.set()
    assert statuses(after_closing(opened, memory)) == {OLD: "superseded", NEW: "active"}


def test_off_asks_nobody(opened, clock) -> None:
    judge = ScriptedJudge("changed")
    memory = opened(judge)
    remembered(memory, clock, OLD, NEW, judge="off")
    assert not judge.asked and statuses(after_closing(opened, memory)) == {OLD: "active", NEW: "active"}


def test_many_are_judged_in_one_go(opened, clock) -> None:
    judge = ScriptedJudge("changed")
    memory = opened(judge)
    memory.remember(OLD)
    clock.advance(60)
    outcomes = memory.remember_many([NEW, "The moon is far away from the harbour"], judge="now")
    assert [outcome.kind for outcome in outcomes] == ["superseded", "stored"]


def test_the_same_reinforces_the_old_one_and_archives_the_new(opened, clock) -> None:
    memory = opened(ScriptedJudge("same"))
    old, new = remembered(memory, clock, OLD, NEW, judge="now")
    assert new.kind == "reinforced" and new.memory.id == old.memory.id
    assert new.memory.strength == old.memory.strength + 1 and len(new.memory.breadcrumbs) == 1
    assert statuses(memory) == {OLD: "active", NEW: "archived"}


def test_a_contradiction_becomes_a_link_and_hides_nothing(opened, clock) -> None:
    memory = opened(ScriptedJudge("contradicts"))
    old, new = remembered(memory, clock, OLD, NEW, judge="now")
    assert new.kind == "stored" and [one.memory.id for one in new.conflicts] == [old.memory.id]
    assert statuses(memory) == {OLD: "active", NEW: "active"}
    assert [(one.newer.content, one.older.content) for one in memory.contradictions()] == [(NEW, OLD)]


@pytest.mark.parametrize("answer", ["related", "extends", "different"])
def test_what_goes_together_stays(opened, clock, answer) -> None:
    memory = opened(ScriptedJudge(answer))
    _, new = remembered(memory, clock, OLD, NEW, judge="now")
    assert [one.relation for one in new.related] == ([] if answer == "different" else [answer])
    assert statuses(memory) == {OLD: "active", NEW: "active"} and len(memory.log()) == 2


# Two votes


def test_what_would_be_hidden_is_asked_about_twice_in_both_orders(opened, clock) -> None:
    judge = ScriptedJudge("changed")
    remembered(opened(judge), clock, OLD, NEW, judge="now")
    assert judge.pairs == [(OLD, NEW)] * 2
    assert [each.newer_first for each in judge.asked if isinstance(each, HowRelated)] == [False, True]


@pytest.mark.parametrize("first", ["changed", "same"])
@pytest.mark.parametrize("second", ["related", "different", None])
def test_two_different_votes_hide_nothing_and_the_question_stays_told(opened, clock, first, second) -> None:
    memory = opened(ScriptedJudge(lambda question: second if question.newer_first else first))
    _, new = remembered(memory, clock, OLD, NEW, judge="now")
    assert new.kind == "stored" and [one.relation for one in new.related] == ["related"]
    assert statuses(memory) == {OLD: "active", NEW: "active"}


def test_two_votes_that_both_see_a_conflict_tell_it(opened, clock) -> None:
    memory = opened(ScriptedJudge(lambda question: "contradicts" if question.newer_first else "changed"))
    _, new = remembered(memory, clock, OLD, NEW, judge="now")
    assert [one.relation for one in new.conflicts] == ["contradicts"]
    assert statuses(memory) == {OLD: "active", NEW: "active"}


# What a model may not do


def test_a_text_of_low_trust_hides_nothing(opened, clock) -> None:
    memory = opened(ScriptedJudge("changed"))
    memory.remember(OLD)
    clock.advance(60)
    assert memory.remember(NEW, trust=0.2, judge="now").kind == "stored"
    assert statuses(memory) == {OLD: "active", NEW: "active"}


def test_a_text_of_low_trust_takes_in_nothing(opened, clock) -> None:
    memory = opened(ScriptedJudge("same"))
    memory.remember(OLD, trust=0.2)
    clock.advance(60)
    assert memory.remember(NEW, judge="now").kind == "stored"
    assert statuses(memory) == {OLD: "active", NEW: "active"}


def test_a_large_load_is_judged_in_parts(opened, clock) -> None:
    judge = ScriptedJudge("related")
    memory = opened(judge)
    rooms = [f"The backup of database number {n} runs on the blue server at night in room {n}" for n in range(30)]
    outcomes = memory.remember_many(rooms, judge="now")
    open_pairs = [one for outcome in outcomes for one in outcome.related]
    assert len(open_pairs) > 40
    assert len(judge.pairs) == len(open_pairs) and judge.calls > 1


def test_what_was_said_earlier_does_not_replace_what_was_said_later(opened, clock) -> None:
    memory = opened(ScriptedJudge("changed"))
    memory.remember(OLD)
    earlier = clock().replace(year=2024)
    assert memory.remember(NEW, occurred_at=earlier, judge="now").kind == "stored"
    assert statuses(memory) == {OLD: "active", NEW: "active"}


def test_nothing_elsewhere_is_hidden(opened, clock) -> None:
    memory = opened(ScriptedJudge("changed"))
    memory.remember(OLD, scope="global")
    clock.advance(60)
    assert memory.remember(NEW, scope="project", project="shop", judge="now").kind == "stored"
    assert memory.get(memory.list()[-1].id).status == "active"


def test_what_the_gate_refused_is_never_sent(opened, clock) -> None:
    judge = ScriptedJudge("changed")
    memory = opened(judge)
    remembered(memory, clock, OLD, f"{NEW}, password: hunter2-Xq81", judge="now")
    assert all("hunter2" not in text for pair in judge.pairs for text in pair)


def test_what_was_moved_out_of_sight_meanwhile_is_not_sent(opened, clock) -> None:
    gate = Event()
    judge = ScriptedJudge("related", gate)
    memory = opened(judge)
    remembered(memory, clock, OLD, NEW)
    assert judge.busy.wait(30)
    (other,) = remembered(memory, clock, OTHER)
    memory.with_identity(agent="eve").move(other.memory.id, scope="agent", agent="eve")
    gate.set()
    memory.close()
    assert all(OTHER not in pair for pair in judge.pairs)


def test_the_words_of_the_model_are_not_kept(opened, clock) -> None:
    memory = opened(ScriptedJudge("contradicts"))
    remembered(memory, clock, OLD, NEW, judge="now")
    assert all("because" not in (event.reason or "") for event in memory.log())


# Whose act it is


def test_it_is_journalled_as_the_judges_and_a_bare_undo_leaves_it(opened, clock) -> None:
    memory = opened(ScriptedJudge("changed"))
    memory.remember("Kestrels nest on the tower in spring")
    remembered(memory, clock, OLD, NEW)
    memory.close()
    memory = opened()
    last = memory.log(limit=1)[0]
    assert (last.kind, last.origin, last.reason) == (
        "supersede",
        "judge",
        "judged changed by scripted m1 how_related/1",
    )
    assert memory.undo().operation != last.operation
    assert memory.undo().operation != last.operation
    memory.undo()
    with pytest.raises(NotFound, match="operation of yours"):
        memory.undo()


def test_undo_by_name_takes_it_back(opened, clock) -> None:
    memory = opened(ScriptedJudge("changed"))
    remembered(memory, clock, OLD, NEW)
    memory = after_closing(opened, memory)
    undone = memory.undo(memory.log(limit=1)[0].operation)
    assert undone.origin == "judge" and statuses(memory) == {OLD: "active", NEW: "active"}


def test_somebody_elses_needs_force(opened, clock) -> None:
    memory = opened(ScriptedJudge("changed"))
    remembered(memory.with_identity(agent="eve"), clock, OLD, NEW, scope="global")
    memory = after_closing(opened, memory)
    with pytest.raises(NeedsConfirmation, match="not yours"):
        memory.undo(memory.log(limit=1)[0].operation)


@pytest.mark.parametrize("when", ["now", "later"])
def test_a_client_that_undoes_its_own_is_not_told_of_it(opened, clock, when) -> None:
    told: list[str] = []
    memory = opened(ScriptedJudge("changed"))
    remembered(memory.called_by("client", on_commit=told.append), clock, OLD, NEW, judge=when)
    memory = after_closing(opened, memory)
    assert len(told) == 2 and memory.log(limit=1)[0].operation not in told


# When the judge fails, or the store moved


def test_if_it_fails_the_question_stays_told_and_the_outcome_says_so(opened, clock) -> None:
    def broken(question):
        raise ValueError("out of cheese")

    memory = opened(ScriptedJudge(broken))
    _, new = remembered(memory, clock, OLD, NEW, judge="now")
    assert new.kind == "stored" and [one.relation for one in new.related] == ["related"]
    assert any(note.startswith("not judged: ") and "out of cheese" in note for note in new.notes)


def test_in_the_background_doctor_reports_it(opened, clock) -> None:
    done = Event()

    def broken(question):
        done.set()
        raise ValueError("out of cheese")

    memory = opened(ScriptedJudge(broken))
    remembered(memory, clock, OLD, NEW)
    assert done.wait(30)
    memory._runtime.judge_queue.close()
    assert any("out of cheese" in problem for problem in memory.doctor()["problems"])


@pytest.mark.parametrize("change", ["forget", "update", "move"])
def test_if_a_memory_changed_meanwhile_nothing_is_done(opened, clock, change) -> None:
    gate = Event()
    judge = ScriptedJudge("changed", gate)
    memory = opened(judge)
    old, new = remembered(memory, clock, OLD, NEW)
    assert judge.busy.wait(30)
    match change:
        case "forget":
            memory.forget(old.memory.id)
        case "update":
            memory.update(new.memory.id, content="The backup of the shop database is deleted every night")
        case "move":
            memory.move(old.memory.id, scope="project", project="shop")
    count = len(memory.log())
    gate.set()
    memory = after_closing(opened, memory)
    assert len(memory.log()) == count
    assert memory.list(limit=1)[0].supersedes is None


def test_another_new_value_in_between_wins(opened, clock) -> None:
    """Both new values are judged against the old one; the first correction moved the store, so the second is not made."""
    judge = ScriptedJudge(lambda question: "changed" if question.old.text == OLD else "related")
    memory = opened(judge)
    remembered(memory, clock, OLD, NEW, OTHER)
    found = statuses(after_closing(opened, memory))
    assert found[OLD] == "superseded" and found[NEW] == found[OTHER] == "active"


# Nothing waits


def test_a_hanging_judge_delays_neither_remember_nor_recall_nor_close(opened, clock) -> None:
    gate = Event()
    judge = ScriptedJudge("changed", gate)
    memory = opened(judge, judge_seconds=600)
    remembered(memory, clock, OLD, NEW, OTHER)
    assert judge.busy.wait(30)
    assert len(memory.recall("backup of the shop database")) == 3
    (worker,) = [thread for thread in threads() if thread.name == "recollect-judge"]
    closing = Thread(target=memory.close)
    closing.start()
    closing.join(20)
    assert not closing.is_alive()
    gate.set()
    worker.join(30)  # the answer comes when the store is closed
    assert not worker.is_alive()
    assert set(statuses(opened()).values()) == {"active"}


def test_the_queue_is_bounded_and_says_so(opened, clock) -> None:
    gate = Event()
    judge = ScriptedJudge("changed", gate)
    memory = opened(judge)
    remembered(memory, clock, OLD, NEW)
    assert judge.busy.wait(30)
    memory._runtime.judge_queue.most = 0
    (refused,) = remembered(memory, clock, OTHER)
    assert refused.kind == "stored" and any("too many second looks" in note for note in refused.notes)
    gate.set()


def test_without_a_judge_there_is_no_thread_and_now_says_so(opened, clock) -> None:
    before = set(threads())
    memory = opened()
    _, new = remembered(memory, clock, OLD, NEW)
    assert not new.notes and not {thread for thread in threads() if thread.name == "recollect-judge"} - before
    clock.advance(60)
    assert any("no judge is configured" in note for note in memory.remember(OTHER, judge="now").notes)


def test_a_wrong_word_is_refused_before_anything_is_stored(opened) -> None:
    memory = opened()
    with pytest.raises(InvalidInput, match="now, later, off"):
        memory.remember(OLD, judge="soon")
    assert memory.count() == 0


def test_many_writers_and_a_judge_that_changes_its_mind_lose_nothing(opened) -> None:
    """Whatever it answers while others write: every text is still there, and what is hidden has something that replaced it."""
    answers = ("changed", "same", "contradicts", "related", "different", None)
    judge = ScriptedJudge(
        lambda question: answers[(len(question.old.text) * 7 + len(question.new.text)) % len(answers)]
    )
    memory = opened(judge)
    places, servers = ("shop", "bank", "library"), ("red", "green", "yellow", "turquoise")

    def write(colour: str) -> None:
        for place in places:
            for room in range(3):
                memory.remember(
                    f"The backup of the {place} database runs on the {colour} server in room {'I' * (room + 1)}"
                )

    threads_ = [Thread(target=write, args=(colour,)) for colour in servers]
    for thread in threads_:
        thread.start()
    for thread in threads_:
        thread.join(120)
    memory._runtime.judge_queue.close(60)
    assert not [problem for problem in memory.doctor()["problems"] if "judge" in problem]
    stored = {event.memory_id for event in memory.log(limit=500) if event.kind == "remember"}
    found = {record.id: record for record in memory.list(status="all", limit=None)}
    assert stored == found.keys()
    for record in found.values():
        match record.status:
            case "superseded":
                assert found[record.superseded_by].supersedes == record.id
            case "archived":
                assert any(event.origin == "judge" for event in memory.history(record.id))
            case status:
                assert status == "active"
    assert {record.status for record in found.values()} == {"active", "superseded", "archived"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_has_a_worker_of_its_own(tmp_path, clock) -> None:
    gate = Event()
    judge = ScriptedJudge("changed", gate)
    with recollect.open(tmp_path / "m.db", embedder=HashingEmbedder(), clock=clock, judge=judge) as memory:
        remembered(memory, clock, OLD, NEW)
        assert judge.busy.wait(30)
        child = os.fork()
        if not child:
            code = 1
            try:
                judge.gate = None
                remembered(memory, clock, OTHER)
                memory._runtime.judge_queue.close(30)
                assert [new for _, new in judge.pairs if new == OTHER]
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        gate.set()
