"""What belongs to a session or a task is seen in the journal and in exports only by those who name it."""

import csv
import io
import json

import pytest

SECRET = "The vault door opens with port 8080"
ROOMS = [{"scope": "session", "session": "s1"}, {"scope": "task", "task": "t1"}]


def exported(memory, **options) -> str:
    out = io.BytesIO()
    memory.export(out, **options)
    return out.getvalue().decode()


@pytest.mark.parametrize("room", ROOMS, ids=["session", "task"])
def test_the_journal_shows_it_to_those_who_share_it(memory, room) -> None:
    where = {key: value for key, value in room.items() if key != "scope"}
    kept = memory.remember(SECRET, **room).memory
    memory.update(kept.id, importance=0.9)
    eve = memory.with_identity(agent="eve")
    for viewer in (memory, eve):
        assert viewer.log() == []
        assert viewer.log(session="s2", task="t2") == []
        assert {event.memory_id for event in viewer.log(**where)} == {kept.id}


@pytest.mark.parametrize("room", ROOMS, ids=["session", "task"])
@pytest.mark.parametrize("options", [{}, {"history": True}, {"format": "csv"}], ids=["plain", "history", "csv"])
def test_an_export_has_it_only_for_those_who_share_it(memory, room, options) -> None:
    where = {key: value for key, value in room.items() if key != "scope"}
    kept = memory.remember(SECRET, **room).memory
    memory.remember("Invoices are due in May")
    eve = memory.with_identity(agent="eve")
    for viewer in (memory, eve):
        raw = exported(viewer, **options)
        assert SECRET not in raw
        assert kept.id not in raw
        assert "Invoices" in raw
        assert SECRET in exported(viewer, **options, **where)
    assert SECRET in exported(memory, **options, everything=True)


def test_what_an_export_leaves_out_is_counted(memory) -> None:
    for room in ROOMS:
        memory.remember(f"{SECRET} for a {room['scope']}", **room)
    out = io.BytesIO()
    assert dict(memory.export(out).left_out) == {"session": 1, "task": 1}
    assert dict(memory.export(io.BytesIO(), session="s1").left_out) == {"task": 1}
    assert dict(memory.export(io.BytesIO(), everything=True).left_out) == {}
    assert not any("memory" in json.loads(line) for line in out.getvalue().splitlines())


def test_a_table_of_them_is_a_table(memory) -> None:
    memory.remember(SECRET, **ROOMS[0])
    rows = list(csv.DictReader(io.StringIO(exported(memory, format="csv", session="s1"))))
    assert [row["content"] for row in rows] == [SECRET]


@pytest.mark.parametrize("room", ROOMS, ids=["session", "task"])
def test_a_link_does_not_name_it(memory, room) -> None:
    public = memory.remember("Invoices are due in May").memory
    hidden = memory.remember(SECRET, **room).memory
    memory.link(public.id, hidden.id)
    eve = memory.with_identity(agent="eve")
    for viewer in (memory, eve):
        assert hidden.id not in repr(viewer.log(limit=50))
        assert hidden.id not in exported(viewer, history=True)


def test_a_revoked_grant_does_not_come_back_when_a_pool_is_dropped(memory) -> None:
    owner, reader = memory.with_identity(agent="owner"), memory.with_identity(agent="reader")
    owner.pools.create("plans", data={"s": "topsecretword"}, access={"read": ["reader"]})
    owner.pools.revoke("plans", "reader")
    owner.pools.drop("plans")
    assert "topsecretword" not in repr(reader.log(limit=50))
    assert "topsecretword" not in exported(reader, history=True)


def told_unasked(memory, derived: str, **where: str) -> str:
    """Everything that verbs show without being given the id of what is in the room."""
    return repr(
        [
            memory.list(limit=50, **where),
            memory.list(limit=50, status="all", **where),
            memory.contradictions(**where),
            memory.contradictions(scan=True, **where),
            memory.provenance(derived, **where).sources,
            memory.tags(**where),
            memory.gaps(**where),
            memory.graph(**where),
        ]
    )


@pytest.mark.parametrize("room", ROOMS, ids=["session", "task"])
def test_lists_show_it_only_to_those_who_share_it(memory, room) -> None:
    where = {key: value for key, value in room.items() if key != "scope"}
    kept = memory.remember(SECRET, tags=["vaultdoor"], **room).memory
    other = {"content": "The vault door opens with port 9090", "tags": ["vaultdoor"], **room}
    (said,) = memory.remember_many([other], verbatim=True)
    memory.link(said.memory.id, kept.id, "contradicts")
    derived = memory.remember("Invoices are due in May", derived_from=[kept.id]).memory
    memory.recall("Who painted the zanzibar fresco?", **where)
    memory.flush()
    eve = memory.with_identity(agent="eve")
    for viewer in (memory, eve):
        for elsewhere in ({}, {"session": "s2", "task": "t2"}):
            told = told_unasked(viewer, derived.id, **elsewhere)
            assert "Invoices" in told
            for word in ("port 8080", "port 9090", "vaultdoor", "zanzibar"):
                assert word not in told, word
    told = told_unasked(memory, derived.id, **where)
    for word in ("port 8080", "port 9090", "vaultdoor", "zanzibar"):
        assert word in told, word
    assert memory.contradictions(**where)


def test_a_filter_by_session_names_the_session(memory) -> None:
    memory.remember(SECRET, **ROOMS[0])
    assert [record.content for record in memory.list(in_session="s1")] == [SECRET]
    assert memory.list(in_session="s2") == []
