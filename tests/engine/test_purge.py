"""Purge erases for good: no byte of the text stays in any file of the store, wherever the text was written."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

import recollect
from recollect import InvalidInput, NotFound
from recollect.testing.clock import FixedClock
from recollect.values.purge import Purged

SECRET = "The password hint is purple-elephant-9917"
MARK = b"purple-elephant-9917"
TEXT = "Tom hides the purple quokka in the cellar"
QUOKKA = b"quokka"
Find = Callable[[bytes], list[str]]
Place = Callable[[recollect.Memory, FixedClock], object]


def files_with(folder: Path, mark: bytes) -> list[str]:
    return [str(path) for path in folder.rglob("*") if path.is_file() and mark in path.read_bytes()]


@pytest.fixture
def find(memory: recollect.Memory, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Find]:
    """Finds bytes in the files of the store: of the file, what is beside it; of a server, all data files of the database."""
    if request.node.callspec.params["memory"] == "file":
        yield lambda mark: files_with(tmp_path, mark)
        return
    # The server reads its own files, so that it may be anywhere.
    search = """WITH home AS (SELECT 'base/' || oid || '/' AS path FROM pg_database WHERE datname = current_database())
        SELECT path || name FROM home CROSS JOIN LATERAL pg_ls_dir(path) AS name
        WHERE position(%s::bytea IN pg_read_binary_file(path || name, 0, 1000000000, true)) > 0"""
    with psycopg.connect(request.getfixturevalue("empty_database"), autocommit=True) as connection:

        def found(mark: bytes) -> list[str]:
            connection.execute("ANALYZE")  # what it samples must not stay in the catalog either
            connection.execute("CHECKPOINT")
            return [name for (name,) in connection.execute(search, [mark])]

        yield found


def other(memory: recollect.Memory, text: str, **fields: object) -> str:
    """A memory in another project, which is not taken for the same."""
    return memory.remember(text, project="attic", scope="project", **fields).memory.id


def undone(memory: recollect.Memory, clock: FixedClock) -> None:
    memory.remember(TEXT)
    memory.undo()


def reworded(memory: recollect.Memory, clock: FixedClock) -> None:
    memory.update(other(memory, TEXT), content="The attic is dry in summer")


def reason(memory: recollect.Memory, clock: FixedClock) -> None:
    memory.forget(memory.remember("The attic has a window").memory.id, reason=TEXT)


def overwritten(memory: recollect.Memory, clock: FixedClock) -> None:
    memory.pools.create("board", data={"found": TEXT, "kept": 1})
    memory.pools.write_key("board", "found", "nothing")


def dropped(memory: recollect.Memory, clock: FixedClock) -> None:
    memory.pools.create("board", data={"deep": {"list": [TEXT]}})
    memory.pools.drop("board")


def expired_pool(memory: recollect.Memory, clock: FixedClock) -> None:
    memory.pools.create("board", data={"found": TEXT}, ttl=10)
    clock.advance(timedelta(seconds=11))


def withdrawn(memory: recollect.Memory, clock: FixedClock) -> None:
    memory.describe_tag("animals", TEXT)
    memory.describe_tag("animals", None)


def asked(memory: recollect.Memory, clock: FixedClock) -> None:
    memory.recall("where does Tom hide the purple quokka?")
    memory.flush()
    assert memory.gaps()


def expired_value(memory: recollect.Memory, clock: FixedClock) -> None:
    memory.working.store("found", TEXT, ttl=10)
    clock.advance(timedelta(seconds=11))


def expired_copy(memory: recollect.Memory, clock: FixedClock) -> None:
    memory.working.store("found", TEXT, ttl=10)
    memory.working.persist_to_database()
    clock.advance(timedelta(seconds=11))


def expired_entry(memory: recollect.Memory, clock: FixedClock) -> None:
    memory.short_term.write("found", TEXT, session="s1", ttl=10)
    clock.advance(timedelta(seconds=11))


def removed_values(memory: recollect.Memory, clock: FixedClock) -> None:
    memory.working.store("found", TEXT)
    memory.working.remove("found")
    memory.short_term.write("found", TEXT, session="s1")
    memory.short_term.remove("found", session="s1")


def restored_context(memory: recollect.Memory, clock: FixedClock) -> None:
    memory.contexts.create("base", type="knowledge_base")
    memory.contexts.snapshot("base", "empty")
    memory.contexts.add("base", TEXT)
    memory.contexts.restore("base", "empty")


# Where only a trace of the text is left; a purge erases it without being asked.
TRACES: dict[str, Place] = {
    "nowhere else": lambda memory, clock: None,
    "an undone memory": undone,
    "an earlier text of another memory": reworded,
    "the reason of a change": reason,
    "an overwritten value of a pool": overwritten,
    "a dropped pool": dropped,
    "an expired pool": expired_pool,
    "a withdrawn description of a tag": withdrawn,
    "a gap": asked,
    "an expired working value": expired_value,
    "an expired copy of a working value": expired_copy,
    "an expired short-term entry": expired_entry,
    "removed working and short-term values": removed_values,
    "an entry that a context was restored without": restored_context,
}


def context_entry(memory: recollect.Memory, clock: FixedClock) -> None:
    memory.contexts.create("base", type="knowledge_base")
    memory.contexts.add("base", TEXT)


def context_versions(memory: recollect.Memory, clock: FixedClock) -> None:
    memory.contexts.create("base", type="knowledge_base")
    entry = memory.contexts.add("base", TEXT).memory
    memory.contexts.update_content("base", entry.id, "Tom gave the animal away")


# Where the text is in use: (what is listed, how it is written).
USES: dict[str, tuple[list[tuple[str, str]], Place]] = {
    "the same sentence": (
        [("memory", "project attic")],
        lambda memory, clock: other(memory, TEXT),
    ),
    "a longer text": (
        [("memory", "project attic")],
        lambda memory, clock: other(memory, f"Yesterday we learned: {TEXT.upper()}, and he feeds it"),
    ),
    "the snippet of another memory": (
        [("memory", "project attic")],
        lambda memory, clock: other(memory, "The cellar is locked", snippet=f"He said: {TEXT}"),
    ),
    "a narrative": (
        [("narrative", "global")],
        lambda memory, clock: memory.narratives.write(f"We found out much. {TEXT}.", session="s1"),
    ),
    "a value of a pool": (
        [("pool", "pool board")],
        lambda memory, clock: memory.pools.create("board", data={"list": [{"of": TEXT}], "kept": "as it was"}),
    ),
    "a key of a pool": (
        [("pool", "pool board")],
        lambda memory, clock: memory.pools.create("board", data={TEXT: 1, "kept": "as it was"}),
    ),
    "the name of a pool": (
        [("pool", f"pool {TEXT}")],
        lambda memory, clock: memory.pools.create(TEXT),
    ),
    "a description of a tag": (
        [("tag", "tag animals")],
        lambda memory, clock: memory.describe_tag("animals", TEXT),
    ),
    "the description of a context": (
        [("context", "context base")],
        lambda memory, clock: memory.contexts.create("base", type="knowledge_base", description=TEXT),
    ),
    "an entry of a context": ([("entry", "context base")], context_entry),
    "versions of an entry": ([("entry", "context base")], context_versions),
    "a working value": (
        [("working", "working memory")],
        lambda memory, clock: memory.working.store("found", {"it": TEXT}),
    ),
    "a short-term entry": (
        [("short_term", "short-term memory")],
        lambda memory, clock: memory.short_term.write("found", TEXT, session="s1"),
    ),
}


def purge(memory: recollect.Memory, **options: bool) -> Purged:
    """Remember the text, with others around it, and purge it."""
    memory.remember_many([f"Ordinary fact {n} about topic {n}" for n in range(30)], verbatim=True)
    kept = memory.remember(TEXT, snippet=f"he said: {TEXT}", tags=["animals"]).memory
    memory.update(kept.id, importance=0.9)
    return memory.purge(kept.id, **options)


@pytest.mark.parametrize("place", TRACES)
def test_no_byte_stays_where_a_trace_of_the_text_was(
    memory: recollect.Memory, clock: FixedClock, find: Find, place: str
) -> None:
    TRACES[place](memory, clock)
    kept = memory.remember(TEXT, snippet=f"he said: {TEXT}", tags=["animals"]).memory
    memory.remember_many([f"Ordinary fact {n} about topic {n}" for n in range(30)], verbatim=True)
    assert find(QUOKKA)
    done = memory.purge(kept.id)
    assert (done.repeats, done.pending, find(QUOKKA)) == ((), (), [])


@pytest.mark.parametrize("place", USES)
def test_what_repeats_the_text_is_listed_and_erased_on_demand(
    memory: recollect.Memory, clock: FixedClock, find: Find, place: str
) -> None:
    listed, write = USES[place]
    write(memory, clock)
    kept = memory.remember(TEXT).memory
    seen = memory.purge(kept.id, dry_run=True)
    assert [(one.kind, one.where) for one in seen.repeats] == listed
    assert memory.get(kept.id) == kept, "a dry run changes nothing"
    done = memory.purge(kept.id, repeats=True)
    assert (done.repeats, [(one.kind, one.where) for one in done.erased]) == ((), listed)
    assert find(QUOKKA) == []
    for pool in memory.pools.list():
        assert pool.data["kept"] == "as it was"


def test_without_being_asked_what_is_in_use_stays(memory: recollect.Memory) -> None:
    memory.pools.create("board", data={"found": TEXT})
    same = other(memory, TEXT)
    done = memory.purge(memory.remember(TEXT).memory.id)
    assert {one.id for one in done.repeats} == {same, memory.pools.get("board").id}
    assert memory.get(same).content == memory.pools.read("board", "found") == TEXT
    memory.undo(memory.history(same)[0].operation)


def test_what_was_derived_from_it_is_listed(memory: recollect.Memory) -> None:
    kept = memory.remember(TEXT).memory
    story = memory.narratives.write("We looked for the animal", session="s1", memories=[kept.id])
    newer = memory.remember("Tom gave the animal to a zoo", supersedes=kept.id).memory
    merged = memory.remember("The zoo has a new animal").memory
    memory.link(merged.id, story.id, "derived_from")
    done = memory.purge(kept.id, repeats=True)
    assert {(one.id, one.why) for one in done.erased} == {(one.id, "derived") for one in (story, merged)}
    for one in (story, merged):
        with pytest.raises(NotFound):
            memory.get(one.id)
    assert memory.get(newer.id).status == "active"


def test_a_short_text_is_only_looked_for_as_a_whole(memory: recollect.Memory) -> None:
    longer = other(memory, "The plan is green and so is the door")
    memory.pools.create("board", data={"colour": "Green."})
    kept = memory.remember("Green").memory
    assert [one.where for one in memory.purge(kept.id, dry_run=True).repeats] == ["pool board"]
    assert memory.get(longer).content.startswith("The plan")


def test_a_memory_that_was_undone_can_be_purged_by_its_id(memory: recollect.Memory, find: Find) -> None:
    kept = memory.remember(TEXT).memory
    memory.undo()
    assert memory.purge(kept.short_id).id == kept.id
    assert find(QUOKKA) == []
    assert memory.remember(TEXT).kind == "refused"
    with pytest.raises(NotFound):
        memory.purge("0123456789ab")


def test_others_rooms_are_neither_listed_nor_changed(memory: recollect.Memory) -> None:
    ada, eve = memory.with_identity(agent="ada"), memory.with_identity(agent="eve")
    hidden = eve.remember(TEXT, scope="agent").memory
    eve.pools.create("diary", type="agent_private", data={"found": TEXT})
    eve.pools.write_key("diary", "found", "nothing")
    eve.working.store("found", TEXT)
    eve.contexts.create("base", type="knowledge_base", scope="agent")
    entry = eve.contexts.add("base", TEXT).memory
    kept = ada.remember(TEXT, scope="agent").memory
    done = ada.purge(kept.id, repeats=True)
    assert (done.repeats, done.erased) == ((), ())
    assert eve.get(hidden.id) == hidden
    assert eve.contexts.get_entry("base", entry.id).content == TEXT
    assert eve.working.retrieve("found") == TEXT
    assert any(TEXT in repr(event.before) for event in eve.log())


def test_what_may_only_be_read_is_listed_and_stays(memory: recollect.Memory) -> None:
    ada, eve = memory.with_identity(agent="ada"), memory.with_identity(agent="eve")
    eve.pools.create("board", data={"found": TEXT}, access={"public_read": True})
    done = ada.purge(ada.remember(TEXT, scope="agent").memory.id, repeats=True)
    assert [one.where for one in done.repeats] == ["pool board"]
    assert eve.pools.read("board", "found") == TEXT


def test_the_purge_says_what_is_out_of_its_reach(memory: recollect.Memory) -> None:
    done = purge(memory)
    assert any("backups" in one for one in done.out_of_reach)
    assert memory.vacuum().out_of_reach == done.out_of_reach


def test_what_lost_its_text_cannot_be_undone_and_reads_as_erased(memory: recollect.Memory, clock: FixedClock) -> None:
    overwritten(memory, clock)
    written = memory.log(limit=1)[0]
    purge(memory)
    (event,) = [event for event in memory.log(limit=100) if event.seq == written.seq]
    assert event.before is not None
    assert event.before["body"]["data"] == {"found": "[erased]"}
    with pytest.raises(InvalidInput, match="for good"):
        memory.undo(written.operation)
    assert memory.pools.read("board") == {"found": "nothing", "kept": 1}


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
    # The question that was just asked is noted as a gap, in the words of who asked it.
    assert files_with(folder, MARK) == []


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


def test_what_a_reader_holds_back_is_told_and_removed_by_vacuum(tmp_path, embedder) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path, embedder=embedder) as memory:
        kept = memory.remember(SECRET).memory
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM memories").fetchone()
            done = memory.purge(kept.id)
            assert len(done.pending) == 1
            assert "recollect vacuum" in done.pending[0]
        assert memory.vacuum().pending == ()
        assert files_with(tmp_path, MARK) == []


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
