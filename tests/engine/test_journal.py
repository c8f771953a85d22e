"""Every change is one operation of the journal: it can be seen, taken back, and looked behind."""

from datetime import timedelta

import pytest

from recollect import InvalidInput, NeedsConfirmation, NotFound, ReadOnly


def contents(found) -> list[str]:
    return [getattr(item, "memory", item).content for item in found]


def test_history_tells_who_changed_what_when(memory, clock) -> None:
    kept = memory.remember("The API returns XML").memory
    clock.advance(timedelta(hours=1))
    memory.update(kept.id, content="The API returns JSON", importance=0.9)
    first, second = memory.history(kept.id)
    assert (first.kind, first.before, first.actor) == ("remember", None, "user")
    assert second.kind == "update" and second.at == clock()
    assert second.before["content"] == "The API returns XML" and second.after["content"] == "The API returns JSON"
    assert "type" not in second.before


CHANGES = {
    "update": lambda m, i: m.update(i, content="The API returns JSON", importance=0.1, weight=0.2),
    "forget": lambda m, i: m.forget(i),
    "tag": lambda m, i: m.tag(i, "api"),
    "untag": lambda m, i: m.untag(i, "old"),
    "reinforce": lambda m, i: m.reinforce(i),
    "demote": lambda m, i: m.demote(i),
    "feedback": lambda m, i: m.feedback(i, helpful=True),
    "remember again": lambda m, i: m.remember("The API returns XML"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_any_change_can_be_undone_and_the_undo_undone(memory, change) -> None:
    kept = memory.remember("The API returns XML", tags=["old"]).memory
    before = memory.get(kept.id)
    change(memory, kept.id)
    changed = memory.get(kept.id)
    assert changed != before
    assert memory.undo().memories == (kept.id,)
    assert memory.get(kept.id) == before
    memory.undo(memory.log(limit=1)[0].operation)
    assert memory.get(kept.id) == changed


def test_undoing_a_remember_takes_the_memory_away_and_redo_brings_it_back(memory) -> None:
    kept = memory.remember("The build uses Bazel").memory
    memory.undo()
    with pytest.raises(NotFound):
        memory.get(kept.id)
    assert memory.recall("build").hits == ()
    assert memory.remember("The build uses Bazel").kind == "stored"
    memory.undo()
    memory.undo(memory.log(limit=1)[0].operation)
    assert contents(memory.recall("build")) == ["The build uses Bazel"]


def test_undoing_a_supersession_gives_the_old_belief_back(memory) -> None:
    old = memory.remember("We deploy with make deploy").memory
    memory.remember("We deploy with fly deploy now")
    memory.undo()
    assert contents(memory.recall("how do we deploy")) == [old.content]


def test_the_drafts_of_one_call_are_undone_together(memory) -> None:
    memory.remember_many(["Alpha is the first service", "Beta is the second database", "Gamma rays are radiation"])
    assert len(memory.undo().memories) == 3
    assert memory.list() == []


def test_many_batches_of_one_call_are_one_operation(memory) -> None:
    memory.remember_many([f"Fact number {n} about system {n * 7}" for n in range(100)])
    assert len({event.operation for event in memory.log(limit=200)}) == 1
    with pytest.raises(NeedsConfirmation, match="100 memories"):
        memory.undo()
    assert len(memory.undo(force=True).memories) == 100
    assert memory.remember_many([]) == []


def test_undo_steps_back_one_change_at_a_time(memory) -> None:
    kept = memory.remember("The limit is ten").memory
    memory.update(kept.id, importance=0.9)
    memory.tag(kept.id, "limits")
    memory.undo()
    assert memory.get(kept.id).tags == () and memory.get(kept.id).importance == 0.9
    memory.undo()
    assert memory.get(kept.id).importance == 0.5
    memory.undo()
    with pytest.raises(NotFound):
        memory.undo()


def test_undo_does_not_overwrite_a_later_change(memory) -> None:
    kept = memory.remember("The limit is ten").memory
    memory.update(kept.id, content="The limit is twenty")
    middle = memory.log(limit=1)[0].operation
    memory.update(kept.id, content="The limit is thirty")
    with pytest.raises(InvalidInput, match="changed again later"):
        memory.undo(middle)
    assert memory.get(kept.id).content == "The limit is thirty"


def test_undoing_an_older_reinforcement_keeps_the_later_ones(memory) -> None:
    kept = memory.remember("The limit is ten").memory
    start = memory.get(kept.id).score
    memory.reinforce(kept.id)
    middle = memory.log(limit=1)[0].operation
    gained = memory.get(kept.id).score - start
    memory.reinforce(kept.id)
    memory.demote(kept.id)
    before = memory.get(kept.id).score
    assert before not in (start + gained, start)
    memory.undo(middle)
    assert memory.get(kept.id).score == before - gained


def test_what_is_undone_cannot_be_undone_twice(memory) -> None:
    memory.remember("The limit is ten")
    operation = memory.log()[0].operation
    memory.undo(operation)
    with pytest.raises(InvalidInput, match="undone already"):
        memory.undo(operation)


def test_an_unknown_operation_is_not_found(memory) -> None:
    with pytest.raises(NotFound):
        memory.undo("01a1e108-5c9b-7f73-891f-c8dd8729b743")


def test_as_of_shows_what_was_believed_then(memory, clock) -> None:
    kept = memory.remember("The server is in Paris").memory
    clock.advance(timedelta(days=1))
    monday = clock()
    clock.advance(timedelta(days=1))
    memory.update(kept.id, content="The server is in Berlin")
    gone = memory.remember("The backup runs at night").memory
    clock.advance(timedelta(days=1))
    tuesday = clock()
    clock.advance(timedelta(days=1))
    memory.forget(gone.id)
    memory.remember("The server is in Oslo", supersedes=kept.id)
    assert contents(memory.recall("where is the server")) == ["The server is in Oslo"]
    assert contents(memory.as_of(monday).recall("where is the server")) == ["The server is in Paris"]
    then = memory.as_of(tuesday)
    assert contents(then.recall("where is the server", limit=1)) == ["The server is in Berlin"]
    assert set(contents(then.list())) == {"The server is in Berlin", "The backup runs at night"}
    assert contents(then.search("backup", mode="lexical")) == ["The backup runs at night"]
    assert memory.as_of(kept.created_at).get(kept.id).content == "The server is in Paris"


def test_as_of_is_read_only_and_changes_nothing(memory, clock) -> None:
    kept = memory.remember("The server is in Paris").memory
    clock.advance(timedelta(days=1))
    view = memory.as_of(clock())
    clock.advance(timedelta(days=1))
    for call in (
        lambda: view.remember("A new thing entirely"),
        lambda: view.forget(kept.id),
        lambda: view.update(kept.id, importance=1.0),
        lambda: view.purge(kept.id),
    ):
        with pytest.raises(ReadOnly):
            call()
    view.recall("server")
    assert memory.get(kept.id).access_count == 0


def test_as_of_before_an_undo_shows_what_was_undone(memory, clock) -> None:
    memory.remember("A short-lived belief")
    clock.advance(timedelta(hours=1))
    then = clock()
    clock.advance(timedelta(hours=1))
    memory.undo()
    assert contents(memory.as_of(then).list()) == ["A short-lived belief"]
