"""Users: what is kept for one of the people an agent serves is that person's alone, and shared only where somebody says so."""

from __future__ import annotations

import pytest

import recollect
from recollect import InvalidInput, NotFound, SettingsError
from recollect.testing.embedding import HashingEmbedder

FACT = "The doctor is called Grant"


@pytest.fixture
def ulla(memory):
    return memory.with_identity(agent="desk", user="ulla")


@pytest.fixture
def uwe(memory):
    return memory.with_identity(agent="desk", user="uwe")


def test_what_is_stored_for_a_user_is_in_that_users_scope(memory, ulla, uwe) -> None:
    kept = ulla.remember(FACT, project="clinic").memory
    assert (kept.scope, kept.user, kept.project) == ("user", "ulla", "clinic")
    assert [found.id for found in memory.with_identity(user="ulla").list()] == [kept.id]
    for other in (memory, uwe, memory.with_identity(agent="desk")):
        assert other.list() == []
        assert list(other.recall("who is the doctor?", project="clinic")) == []
        with pytest.raises(NotFound):
            other.get(kept.id)


def test_another_scope_is_shared_as_it_says(memory, ulla, uwe) -> None:
    shared = ulla.remember(FACT, scope="global").memory
    own = ulla.remember("Desk rules are strict", scope="agent").memory
    assert shared.user is None
    assert {found.id for found in uwe.list()} == {shared.id, own.id}
    assert {found.id for found in memory.with_identity(user="uwe").list()} == {shared.id}


def test_containers_and_entries_are_the_users_too(ulla, uwe, memory) -> None:
    ulla.pools.create("plan", data={"to": "Oslo"})
    ulla.contexts.create("notes", type="agent_memory")
    ulla.contexts.add("notes", "Packs light")
    ulla.short_term.write("seat", "window", session="trip")
    ulla.working.store("step", 2)
    helper = memory.with_identity(agent="helper", user="ulla")
    assert helper.pools.read("plan", "to") == "Oslo"
    assert [entry.content for entry in helper.contexts.entries("notes")] == ["Packs light"]
    helper.pools.merge("plan", {"by": "train"})
    assert ulla.pools.read("plan", "by") == "train"
    for other in (uwe, memory, memory.with_identity(agent="desk")):
        assert (other.pools.list(), other.contexts.list(), other.short_term.entries("trip")) == ([], [], [])
        assert other.working.retrieve("step") is None
    # What an agent is in the middle of is its own, for that user.
    assert (helper.short_term.entries("trip"), helper.working.retrieve("step")) == ([], None)
    for served in (ulla, uwe):
        assert served.pools.create("same name").scope == "user"


def test_two_agents_of_one_user_recall_what_either_stored(memory, ulla) -> None:
    kept = ulla.remember(FACT).memory
    helper = memory.with_identity(agent="helper", user="ulla")
    assert [hit.memory.id for hit in helper.recall("who is the doctor?")] == [kept.id]
    assert helper.remember(FACT).memory.id == kept.id
    helper.forget(kept.id)
    assert ulla.remember(FACT).kind == "refused"


def test_what_one_user_forgot_another_may_store(ulla, uwe, memory) -> None:
    ulla.forget(ulla.remember(FACT).memory.id)
    ulla.purge(ulla.remember("The old code is Wren").memory.id)
    for text in (FACT, "The old code is Wren"):
        assert (ulla.remember(text).kind, uwe.remember(text).kind) == ("refused", "stored")
        assert memory.remember(text, scope="global").kind == "stored"


def test_an_agent_does_not_take_back_for_one_user_what_it_did_for_another(ulla, uwe) -> None:
    first = ulla.remember(FACT).memory
    uwe.remember("The dentist is called Lee")
    assert ulla.undo().memories == (first.id,)
    with pytest.raises(NotFound, match="of yours"):
        ulla.undo()
    assert len(uwe.list()) == 1


@pytest.mark.parametrize("scope", [None, "user"])
def test_a_name_gives_no_right(memory, ulla, scope) -> None:
    for writer in (memory, memory.with_identity(agent="desk"), memory.with_identity(user="uwe"), ulla):
        with pytest.raises(InvalidInput, match="you do not serve 'maria'"):
            writer.remember(FACT, user="maria", scope=scope)
        with pytest.raises(InvalidInput, match="you do not serve 'maria'"):
            writer.remember_many([{"content": FACT, "user": "maria", "scope": scope}], verbatim=True)
    maria = memory.with_identity(user="maria")
    assert maria.list(status="all") == []


def test_an_import_does_not_write_to_users_the_caller_does_not_serve(memory, ulla, tmp_path) -> None:
    ulla.remember(FACT)
    memory.export(tmp_path / "all.jsonl", everything=True)
    with recollect.open(tmp_path / "copy.db", embedder=HashingEmbedder()) as copy:
        hers = copy.with_identity(user="ulla")
        for importer in (copy.with_identity(agent="desk"), copy.with_identity(user="uwe"), copy):
            importer.import_data(tmp_path / "all.jsonl")
            assert hers.list() == []
        hers.import_data(tmp_path / "all.jsonl")
        assert [record.content for record in hers.list()] == [FACT]


def test_no_agent_has_the_name_that_a_user_has_in_the_journal(memory) -> None:
    user = memory.with_identity(user="ulla")
    user.remember(FACT)
    assert user.log()[0].actor == "user:ulla"
    with pytest.raises(InvalidInput, match="those of users"):
        memory.with_identity(agent="user:ulla")


def test_a_process_may_serve_one_user(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("RECOLLECT_USER", "ulla")
    with recollect.open(tmp_path / "one.db", embedder=HashingEmbedder()) as memory:
        assert memory.remember(FACT).memory.user == "ulla"
    with recollect.open(tmp_path / "one.db", embedder=HashingEmbedder(), user="uwe") as memory:
        assert memory.list() == []
    for wrong in ("a\nb", "x" * 600):
        with pytest.raises(SettingsError, match="user"):
            recollect.open(tmp_path / "one.db", embedder="none", user=wrong)
    with pytest.raises(SettingsError, match="those of users"):
        recollect.open(tmp_path / "one.db", embedder="none", agent="user:ulla")
