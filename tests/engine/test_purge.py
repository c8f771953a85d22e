"""Purge erases for good: no byte of the text stays in any file of the store."""

from pathlib import Path

import pytest

import recollect
from recollect import InvalidInput, NotFound

SECRET = "The password hint is purple-elephant-9917"
MARK = b"purple-elephant-9917"


def files_with(folder: Path, mark: bytes) -> list[str]:
    return [str(path) for path in folder.rglob("*") if path.is_file() and mark in path.read_bytes()]


def test_no_byte_of_a_purged_text_stays_in_any_file(tmp_path, clock, embedder) -> None:
    folder = tmp_path / "store"
    with recollect.open(folder / "m.db", embedder=embedder, clock=clock) as memory:
        memory.remember_many([f"Ordinary fact {n} about topic {n}" for n in range(600)], verbatim=True)
        kept = memory.remember(SECRET, snippet=f"he said: {SECRET}")
        memory.update(kept.memory.id, content=SECRET + " indeed")
        memory.recall("password hint")
    assert files_with(folder, MARK)
    with recollect.open(folder / "m.db", embedder=embedder, clock=clock) as memory:
        memory.recall("password hint")
        memory.purge(kept.memory.id)
        assert files_with(folder, MARK) == []
        assert files_with(folder, b"eleph") == []
        with pytest.raises(NotFound):
            memory.get(kept.memory.id)
        assert not [h for h in memory.recall("purple elephant") if "elephant" in h.memory.content]
    assert files_with(folder, b"eleph") == []


def test_a_process_that_knew_the_text_does_not_write_it_back(tmp_path, clock, embedder) -> None:
    folder = tmp_path / "store"
    path = folder / "m.db"
    idle = recollect.open(path, embedder=embedder, clock=clock)
    idle.remember_many([f"Ordinary fact {n} about topic {n}" for n in range(600)], verbatim=True)
    kept = idle.remember(SECRET).memory
    idle.recall("password hint")
    busy = recollect.open(path, embedder=embedder, clock=clock)
    busy.remember_many([f"Extra fact {n} about matter {n}" for n in range(600)], verbatim=True)
    busy.recall("password hint")
    with recollect.open(path, embedder=embedder, clock=clock) as third:
        third.purge(kept.id)
    busy.recall("password hint")
    busy.close()
    idle.close()
    assert files_with(folder, b"eleph") == []
    with recollect.open(path, embedder=embedder, clock=clock) as memory:
        assert not [h for h in memory.recall("purple elephant") if "elephant" in h.memory.content]


def test_a_purged_text_does_not_come_back_by_itself(memory) -> None:
    kept = memory.remember(SECRET).memory
    memory.purge(kept.id)
    assert memory.remember(SECRET).kind == "refused"
    assert memory.remember(SECRET, revive=True).kind == "stored"


def test_the_journal_keeps_that_something_was_purged_but_not_what(memory) -> None:
    kept = memory.remember(SECRET).memory
    memory.update(kept.id, importance=0.9)
    memory.purge(kept.id)
    events = memory.log()
    assert [e.kind for e in events] == ["purge", "update", "remember"]
    assert all(e.before is None and e.after in (None, {"place": ["global", "", ""]}) for e in events)
    with pytest.raises(InvalidInput, match="for good"):
        memory.undo(events[0].operation)


def test_other_memories_survive_a_purge(memory) -> None:
    kept = memory.remember("Keep me around please").memory
    gone = memory.remember(SECRET).memory
    memory.purge(gone.id)
    assert [h.memory.id for h in memory.recall("keep me around")] == [kept.id]


def test_the_file_is_for_its_owner_alone(tmp_path, embedder) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path, embedder=embedder):
        assert path.stat().st_mode & 0o077 == 0
