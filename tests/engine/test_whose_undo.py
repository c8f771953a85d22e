"""Whose change it was: an `undo` without a name takes back the caller's own last operation here, and nothing else."""

import io

import pytest

from recollect import Disabled, NeedsConfirmation, NotFound
from recollect.testing.embedding import HashingEmbedder
from recollect.wiring import open_memory


def test_the_change_of_another_is_not_what_undo_takes_back(memory) -> None:
    mine = memory.remember("The gateway listens on port 8080").memory
    memory.with_identity(agent="eve").remember("The harbour closes at ten")
    assert memory.undo().memories == (mine.id,)
    with pytest.raises(NotFound, match="of yours"):
        memory.undo()
    assert [record.content for record in memory.list()] == ["The harbour closes at ten"]


def test_two_programs_of_one_identity_have_each_their_own_last_change(memory) -> None:
    one, other = memory.called_by("editor"), memory.called_by("terminal")
    first = one.remember("The gateway listens on port 8080").memory
    other.remember("The harbour closes at ten")
    assert memory.log()[0].actor == "terminal"
    undone = one.undo()
    assert (undone.memories, undone.actor, undone.origin) == ((first.id,), "editor", "agent")


def test_a_change_in_another_project_is_not_taken_back_from_here(memory, tmp_path) -> None:
    path = tmp_path / "projects.db"
    with open_memory(path, embedder=HashingEmbedder(), project="shop") as shop:
        here = shop.remember("The gateway listens on port 8080").memory
    with open_memory(path, embedder=HashingEmbedder(), project="office") as office:
        office.remember("The harbour closes at ten")
    with open_memory(path, embedder=HashingEmbedder(), project="shop") as shop:
        assert shop.undo().memories == (here.id,)
        with pytest.raises(NotFound):
            shop.undo()


def test_what_somebody_else_did_needs_force(memory) -> None:
    eve = memory.with_identity(agent="eve")
    kept = eve.remember("The harbour closes at ten").memory
    operation = memory.log()[0].operation
    with pytest.raises(NeedsConfirmation, match="eve made it"):
        memory.undo(operation)
    assert memory.get(kept.id)
    assert memory.undo(operation, force=True).actor == "eve"


@pytest.mark.parametrize(("count", "asks"), [(20, False), (21, True)])
def test_what_changed_many_memories_needs_force(memory, count, asks) -> None:
    memory.remember_many([f"Invoice {number * 7919} was paid" for number in range(count)], verbatim=True)
    if asks:
        with pytest.raises(NeedsConfirmation, match=f"{count} memories"):
            memory.undo()
        assert len(memory.list(limit=100)) == count
    undone = memory.undo(force=asks)
    assert (len(undone.memories), dict(undone.changes)) == (count, {"remember": count})
    assert memory.list() == []


def test_an_import_is_not_what_undo_hits(memory, tmp_path) -> None:
    with open_memory(tmp_path / "other.db", embedder=HashingEmbedder()) as other:
        other.remember("The harbour closes at ten")
        raw = io.BytesIO()
        other.export(raw)
    raw.seek(0)
    mine = memory.remember("The gateway listens on port 8080").memory
    done = memory.import_data(raw)
    assert memory.log()[0].origin == "import"
    assert memory.undo().memories == (mine.id,)
    assert len(memory.list()) == 1
    assert memory.undo(done.operation).origin == "import"


def test_background_work_is_not_what_undo_hits(memory) -> None:
    mine = memory.remember("The gateway listens on port 8080").memory
    memory.reembed()
    memory.clusters(refresh=True)
    assert memory.undo().memories == (mine.id,)


def test_one_verdict_on_several_memories_is_one_operation(memory) -> None:
    kept = [memory.remember(text).memory for text in ("The gateway listens on port 8080", "Invoices are due in May")]
    memory.feedback_many([record.id for record in kept], "reinforce")
    undone = memory.undo()
    assert sorted(undone.memories) == sorted(record.id for record in kept)
    assert [record.score for record in memory.list()] == [0, 0]


def test_a_verdict_on_an_unknown_memory_changes_none(memory) -> None:
    kept = memory.remember("The gateway listens on port 8080").memory
    with pytest.raises(NotFound):
        memory.feedback_many([kept.id, "deadbeef"], "reinforce")
    assert memory.get(kept.id).score == 0


def test_documents_of_another_project_are_not_taken_back_from_here(tmp_path) -> None:
    path = tmp_path / "projects.db"
    with open_memory(path, embedder=HashingEmbedder(), project="office") as office:
        office.pools.create("plans", scope="project", data={"a": 1})
        office.contexts.create("talks", type="agent_memory", scope="project")
        office.contexts.add("talks", "The harbour closes at ten")
    with open_memory(path, embedder=HashingEmbedder(), project="shop") as shop, pytest.raises(NotFound):
        shop.undo()


def test_a_program_with_the_name_of_a_person_is_not_that_person(memory) -> None:
    program = memory.called_by("user")
    program.remember("The harbour closes at ten")
    with pytest.raises(NotFound):
        memory.undo()
    memory.remember("The gateway listens on port 8080")
    assert program.undo().origin == "agent"


def test_nothing_is_undone_where_memory_is_off(memory) -> None:
    kept = memory.remember("The gateway listens on port 8080", project="shop").memory
    memory.forget(kept.id)
    memory.disable("shop")
    with pytest.raises(Disabled):
        memory.undo()


def test_what_is_shown_of_an_id_may_consist_of_digits_only(memory) -> None:
    first, number = memory.remember("The harbour closes at ten").memory, 0
    while not (operation := memory.log(limit=1)[0].operation)[-8:].isdecimal():
        number += 1
        memory.tag(first.id, f"tag{number}")
    assert memory.undo(operation[-8:]).operation == operation
    with pytest.raises(NotFound):
        memory.undo(operation[-4:])  # as a number there is none, and so few digits name no id
    assert memory.undo("1").memories == (first.id,)
