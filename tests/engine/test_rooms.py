"""Rooms inside an account (an agent's, a team's) keep what is in them, whatever verb asks."""

from datetime import timedelta

import pytest

from recollect import InvalidInput, NotFound

PRIVATE = "Ada keeps the launch code in the green folder"


@pytest.fixture
def rooms(memory):
    ada, bob = memory.with_identity(agent="ada"), memory.with_identity(agent="bob")
    kept = ada.remember(PRIVATE, scope="agent", key="k1").memory
    ada.update(kept.id, importance=0.9)
    return ada, bob, kept


def test_another_room_cannot_be_superseded_into_view(rooms) -> None:
    _, bob, kept = rooms
    with pytest.raises(InvalidInput):
        bob.remember("Bob's version of the launch code story", supersedes=kept.id)
    with pytest.raises(NotFound):
        bob.supersede(kept.id, bob.remember("Some other long story").memory.id)


def test_a_key_of_another_room_neither_leaks_nor_blocks(rooms) -> None:
    _, bob, kept = rooms
    mine = bob.remember("Bob's own diary entry", scope="agent", key="k1")
    assert mine.kind == "stored" and mine.memory.id != kept.id


def test_the_journal_of_another_room_is_not_shown(rooms) -> None:
    ada, bob, kept = rooms
    assert kept.id not in {event.memory_id for event in bob.log()}
    assert kept.id in {event.memory_id for event in ada.log()}
    with pytest.raises(NotFound):
        bob.history(kept.id)


def test_the_changes_of_another_room_cannot_be_undone(rooms) -> None:
    ada, bob, kept = rooms
    with pytest.raises(NotFound):
        bob.undo()
    with pytest.raises(NotFound):
        bob.undo(ada.log()[0].operation)
    ada.undo()
    assert ada.get(kept.id).importance == 0.5


def test_a_removed_memory_of_another_room_stays_out_of_the_log(memory, rooms) -> None:
    ada, bob, _ = rooms
    ada.undo()
    ada.undo()
    assert bob.log() == memory.log() == []
    assert PRIVATE not in str(bob.log())


def test_a_text_said_again_after_it_expired_is_known_again(memory, clock) -> None:
    memory.remember("The wifi is called larch", ttl=60)
    clock.advance(timedelta(seconds=120))
    assert not memory.recall("wifi")
    assert memory.remember("The wifi is called larch").kind == "reinforced"
    assert memory.recall("wifi")[0].memory.expires_at is None


def test_what_an_expired_superseder_gave_back_is_active_everywhere(memory, clock) -> None:
    old = memory.remember("Releases happen on Tuesday").memory
    memory.remember("Releases are frozen for now", supersedes=old.id, ttl=60)
    clock.advance(timedelta(seconds=61))
    assert memory.get(old.id).status == memory.recall("releases")[0].memory.status == "active"
    assert memory.remember("Releases happen on Tuesday").kind == "reinforced"


def test_supersession_cannot_go_in_a_circle(memory) -> None:
    a, b, c = (memory.remember(text).memory for text in ("Alpha rules", "Bravo rules the sea", "Charlie has a choir"))
    memory.supersede(a.id, b.id)
    memory.supersede(b.id, c.id)
    with pytest.raises(InvalidInput, match="circle"):
        memory.supersede(c.id, a.id)
    with pytest.raises(InvalidInput, match="circle"):
        memory.supersede(a.id, a.id)
    assert [m.id for m in memory.list()] == [c.id]


def test_one_memory_may_replace_several(memory) -> None:
    one, two, new = (
        memory.remember(text).memory for text in ("Use npm here", "Or yarn if you like", "Bun is the tool")
    )
    memory.supersede(one.id, new.id)
    memory.supersede(two.id, new.id)
    assert [m.id for m in memory.list()] == [new.id]
    memory.undo()
    assert {m.id for m in memory.list()} == {new.id, two.id}


def test_a_key_that_was_used_again_is_not_taken_back_by_an_undo(memory) -> None:
    memory.remember("First text for the key", key="k")
    memory.undo()
    undone = memory.log()[0].operation
    memory.remember("Second text for the key", key="k")
    with pytest.raises(InvalidInput, match="key"):
        memory.undo(undone)
