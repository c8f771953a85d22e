"""Every way out of a contradiction leaves a sound store: no text active twice, no wanted text forgotten, nothing true hidden."""

import pytest

from recollect import NotFound

OLD, NEW = "The team ships on Friday", "The team does not ship on Friday"


@pytest.fixture
def disputed(memory, clock):
    """Two memories that contradict each other, the newer first."""
    old = memory.remember(OLD).memory
    clock.advance(60)
    outcome = memory.remember(NEW)
    assert [conflict.memory.id for conflict in outcome.conflicts] == [old.id]
    return outcome.memory, old


def active(memory) -> list[str]:
    return sorted(record.content for record in memory.list())


@pytest.mark.parametrize("text", [NEW, NEW.upper(), f"  {NEW}. "])
def test_superseding_with_the_new_text_does_not_store_it_twice(memory, disputed, text) -> None:
    new, old = disputed
    outcome = memory.remember(text, supersedes=old.id, tags=["shipping"])
    assert outcome.kind == "superseded"
    assert (outcome.memory.id, outcome.old.id) == (new.id, old.id)
    assert active(memory) == [NEW]
    assert "shipping" in memory.get(new.id).tags
    assert memory.get(old.id).superseded_by == new.id
    assert memory.contradictions() == []
    memory.undo()
    assert active(memory) == sorted([OLD, NEW])
    assert len(memory.contradictions()) == 1


def test_superseding_twice_keeps_one_chain(memory, disputed) -> None:
    new, old = disputed
    other = memory.remember("The designers rest on Monday").memory
    memory.remember(NEW, supersedes=old.id)
    memory.remember(NEW, supersedes=other.id)
    assert active(memory) == [NEW]
    assert [memory.get(id).status for id in (new.id, old.id, other.id)] == ["active", "superseded", "superseded"]


@pytest.mark.parametrize("way", ["resolve", "by hand"])
def test_updating_the_old_and_forgetting_the_new_keeps_the_wanted_text(memory, disputed, way) -> None:
    new, old = disputed
    if way == "resolve":
        memory.resolve((new.id, old.id), "update")
    else:
        memory.update(old.id, content=NEW)
    memory.forget(new.id)
    assert active(memory) == [NEW]
    # Not forgotten on purpose: it can be said again, here and elsewhere.
    assert memory.remember(NEW).memory.id == old.id
    assert active(memory) == [NEW]
    assert memory.remember(NEW, scope="project", project="shop").kind == "stored"


def test_the_last_copy_that_is_forgotten_is_a_tombstone(memory) -> None:
    first, second = (memory.remember_many([NEW], verbatim=True)[0].memory for _ in range(2))
    memory.forget(first.id)
    memory.forget(second.id)
    assert active(memory) == []
    assert memory.remember(NEW).kind == "refused"


def test_identical_texts_are_no_contradiction(memory, disputed) -> None:
    _, old = disputed
    memory.update(old.id, content=f"{NEW}.")
    assert memory.contradictions() == [] == memory.contradictions(scan=True)


def test_what_was_superseded_can_be_kept_beside_the_new_one(memory, clock) -> None:
    old = memory.remember("The staging server listens on port 8080").memory
    clock.advance(60)
    outcome = memory.remember("The staging server listens on port 9090")
    assert outcome.kind == "superseded"
    new = outcome.memory
    for command in (f"resolve {new.short_id} {old.short_id} keep_both", "recollect undo"):
        assert command in outcome.way_back
    memory.resolve((new.id, old.id), "keep_both")
    assert len(memory.list()) == 2
    assert memory.contradictions() == [] == memory.contradictions(scan=True)
    with pytest.raises(NotFound):
        memory.resolve((new.id, old.id), "keep_both")
    memory.undo()
    assert [record.id for record in memory.list()] == [new.id]


def test_keeping_both_finds_the_link_inside_a_chain(memory) -> None:
    first = memory.remember("The staging server listens on port 8080").memory
    second = memory.remember("The staging server moved to port 9090", supersedes=first.id).memory
    third = memory.remember("Port 7070 is where staging lives", supersedes=second.id).memory
    memory.resolve((memory.get(first.id).superseded_by, first.id), "keep_both")
    assert {record.id for record in memory.list()} == {third.id, first.id}
