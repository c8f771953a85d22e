"""Importing into a store that holds something: ids are kept, newer wins, and what was forgotten or must not be kept stays out."""

import io
import json

import pytest

from recollect import InvalidInput, NotFound, Refused

KEY = "AKIAQYLPMN5HFIQR7XYA"


def export_of(memory, **options) -> io.BytesIO:
    out = io.BytesIO()
    memory.export(out, **options)
    out.seek(0)
    return out


def reworded(raw: io.BytesIO, old: str, new: str) -> io.BytesIO:
    """A file in which somebody wrote another text, its last line included."""
    lines = [line.replace(old, new) for line in raw.getvalue().decode().splitlines()]
    end = json.loads(lines[-1])
    end["end"].pop("sha256", None)
    return io.BytesIO("\n".join([*lines[:-1], json.dumps(end)]).encode() + b"\n")


@pytest.fixture
def other(another):
    return another("other")


def test_importing_twice_adds_nothing(rich, other, exported) -> None:
    raw = export_of(rich, everything=True)
    first = other.import_data(io.BytesIO(raw.getvalue()), everything=True)
    before, log = exported(other, everything=True), other.log(limit=500)
    second = other.import_data(raw, everything=True)
    assert (second.stored, second.updated, second.refused, second.unchanged) == (0, 0, 0, first.stored)
    assert (second.operation, second.others) == (None, {})
    assert exported(other, everything=True) == before
    assert other.log(limit=500) == log


def test_the_newer_of_two_wins_as_an_update_that_can_be_undone(memory, other, clock) -> None:
    kept = memory.remember("The office is in Porto", tags=["place"]).memory
    other.import_data(export_of(memory))
    clock.advance(60)
    memory.update(kept.id, content="The office is in Braga")
    done = other.import_data(export_of(memory))
    assert (done.stored, done.updated, done.changed) == (0, 1, (kept.id,))
    assert other.get(kept.id).content == "The office is in Braga"
    assert other.history(kept.id)[-1].kind == "update"
    assert [hit.memory.id for hit in other.search("Braga", mode="semantic")] == [kept.id]
    other.undo(done.operation)
    assert other.get(kept.id).content == "The office is in Porto"


def test_what_is_newer_here_stays_and_is_told(memory, other, clock) -> None:
    kept = memory.remember("The office is in Porto").memory
    other.import_data(export_of(memory))
    clock.advance(60)
    other.update(kept.id, content="The office is in Faro")
    memory.tag(kept.id, "place")
    done = other.import_data(export_of(memory))
    assert (done.updated, done.unchanged) == (0, 1)
    assert "changed here since" in done.notes[0]
    assert other.get(kept.id).content == "The office is in Faro"


def test_what_was_forgotten_here_does_not_come_back(memory, other) -> None:
    kept = memory.remember("Lunch is at noon in the canteen").memory
    other.forget(other.remember("lunch is at noon in the canteen.").memory.id)
    done = other.import_data(export_of(memory))
    assert (done.stored, done.refused) == (0, 1)
    assert done.left_out[0].reason.startswith("forgotten")
    with pytest.raises(NotFound):
        other.get(kept.id)


def test_a_text_that_was_forgotten_is_refused_wherever_the_file_puts_it(memory, other) -> None:
    text = "Lunch is served at noon in the big canteen"
    other.forget(other.remember(text, project="shop").memory.id)
    same = [memory.remember(text, project=project).memory for project in ("shop", "office")]
    other.forget(other.remember("The spare boat is moored behind the old lighthouse", project="shop").memory.id)
    in_other_words = memory.remember("Our spare boat is moored behind the old lighthouse", project="office").memory
    done = other.import_data(export_of(memory))
    assert {left.id for left in done.left_out} == {in_other_words.id, *(record.id for record in same)}
    assert {left.reason for left in done.left_out} == {"forgotten: this was forgotten on purpose"}
    assert other.list() == []


def test_a_tombstone_of_one_name_does_not_refuse_another_name(memory, other) -> None:
    other.forget(other.remember("In the harbour office Tom keeps all the keys in the blue drawer").memory.id)
    anna = memory.remember("In the harbour office Anna keeps all the keys in the blue drawer").memory
    tom = memory.remember("In our harbour office Tom keeps all the keys in the blue drawer").memory
    done = other.import_data(export_of(memory))
    assert [(left.id, left.reason) for left in done.left_out] == [(tom.id, "forgotten: this was forgotten on purpose")]
    assert [record.id for record in other.list()] == [anna.id]


def test_nor_in_other_words(memory, other) -> None:
    memory.remember("Our lunch is served at noon in the big canteen")
    other.forget(other.remember("Lunch is served at noon in the big canteen").memory.id)
    done = other.import_data(export_of(memory))
    assert (done.stored, done.refused) == (0, 1)
    assert done.left_out[0].reason == "forgotten: this was forgotten on purpose"


def test_nor_under_its_own_id(memory, other, clock) -> None:
    kept = memory.remember("Lunch is at noon in the canteen").memory
    other.import_data(export_of(memory))
    other.forget(kept.id)
    clock.advance(60)
    memory.update(kept.id, importance=0.9)
    done = other.import_data(export_of(memory))
    assert (done.updated, done.refused) == (0, 1)
    assert other.get(kept.id).status == "forgotten"


def test_tombstones_come_along_and_hold(memory, other) -> None:
    gone = memory.remember("Lunch is at noon in the canteen").memory
    memory.forget(gone.id)
    other.import_data(export_of(memory))
    assert other.get(gone.id).status == "forgotten"
    assert isinstance(other.remember("Lunch is at noon in the canteen"), Refused)


def test_a_text_purged_there_is_refused_here_and_on(memory, other, another) -> None:
    memory.purge(memory.remember("The vault code is on the fridge").memory.id)
    other.purge(other.remember("The spare key is under the mat").memory.id)
    other.import_data(export_of(memory))
    third = another("third")
    third.remember("Something else")
    third.import_data(export_of(other))
    for store in (other, third):
        assert isinstance(store.remember("the vault code is on the fridge"), Refused)
        assert isinstance(store.remember("The spare key is under the mat!"), Refused)
    assert third.remember("The vault code is on the fridge", revive=True).kind == "stored"
    assert third.remember("The vault code is on the fridge").kind == "reinforced"


@pytest.mark.parametrize("importer", [None, "ada", "bob"])
def test_a_purged_text_is_refused_where_a_named_agent_took_its_memories(memory, other, importer) -> None:
    ada = memory.with_identity(agent="ada")
    ada.purge(ada.remember("The vault code is on the fridge", scope="agent").memory.id)
    memory.purge(memory.remember("The spare key is under the mat").memory.id)
    kept = ada.remember("The office is in Porto").memory
    there = other.with_identity(agent=importer)
    there.import_data(export_of(ada))
    for writer in (there, other):
        assert isinstance(writer.remember("The spare key is under the mat"), Refused)
    # What was purged in her own room is refused to her, and only she can bring the tombstone.
    writer = other.with_identity(agent="ada")
    assert isinstance(writer.remember("the vault code is on the fridge."), Refused) == (importer == "ada")
    assert not isinstance(other.remember("the vault code is on the fridge."), Refused)
    assert there.remember("The office is in Porto").memory.id == kept.id


def test_a_text_purged_here_is_not_imported(memory, other) -> None:
    memory.remember("The vault code is on the fridge")
    other.purge(other.remember("The vault code is on the fridge").memory.id)
    done = other.import_data(export_of(memory))
    assert (done.stored, done.refused) == (0, 1)
    assert "purged" in done.left_out[0].reason


def test_an_empty_store_takes_the_secret_over_so_that_duplicates_are_still_known(memory, other) -> None:
    memory.purge(memory.remember("The vault code is on the fridge").memory.id)
    kept = memory.remember("The office is in Porto").memory
    other.import_data(export_of(memory))
    assert other.remember("the office is in porto").memory.id == kept.id


def test_a_secret_in_a_file_is_refused_and_never_told(memory, other) -> None:
    memory.remember("The office is in Porto")
    done = other.import_data(reworded(export_of(memory), "is in Porto", f"key is {KEY}"))
    assert (done.stored, done.refused) == (0, 1)
    assert "secret" in done.left_out[0].reason
    assert KEY not in str(done)
    assert other.list(status="all") == []


def test_what_the_policy_redacts_is_redacted_and_loses_its_vector(memory, another) -> None:
    kept = memory.remember("Write to ada@example.org about it").memory
    strict = another("strict", personal={"email": "redact"})
    done = strict.import_data(export_of(memory))
    assert done.stored == 1
    assert any("redacted" in note for note in done.notes)
    assert "ada@example.org" not in strict.get(kept.id).content
    assert strict.stats()["unembedded"] == 1


def test_a_secret_in_a_pool_or_in_the_journal_is_not_kept(memory, other) -> None:
    memory.pools.create("plan", data={"step": "one small step"})
    kept = memory.remember("The office is in Porto").memory
    memory.update(kept.id, content="The office is in Braga")
    spoiled = reworded(export_of(memory, history=True), "one small step", KEY)
    done = other.import_data(reworded(spoiled, "The office is in Porto", f"The key is {KEY}"))
    assert done.others["refused"] >= 2
    assert other.pools.list() == []
    assert KEY not in export_of(other, history=True, everything=True).getvalue().decode()


def test_memories_of_another_account_become_those_of_mine(memory, other) -> None:
    kept = memory.with_identity(account="acme").remember("The office is in Porto").memory
    other.import_data(export_of(memory.with_identity(account="acme"), history=True))
    assert other.get(kept.id).account == "default"
    other.with_identity(account="third")
    with pytest.raises(InvalidInput, match="account"):
        other.import_data(export_of(memory.with_identity(account="acme")), account=" ")


def test_an_account_can_be_named(memory, other) -> None:
    kept = memory.remember("The office is in Porto").memory
    other.import_data(export_of(memory), account="acme")
    assert other.list() == []
    assert other.with_identity(account="acme").get(kept.id).account == "acme"


def test_ids_that_another_account_has_are_refused_one_by_one(memory) -> None:
    memory.remember("The office is in Porto")
    memory.pools.create("plan", data={"step": 1})
    memory.describe_tag("deploy", "how things get out")
    raw = export_of(memory)
    theirs = memory.with_identity(account="acme")
    theirs.remember("Something of their own")
    done = theirs.import_data(raw)
    assert (done.stored, done.refused) == (0, 1)
    assert memory.pools.read("plan") == {"step": 1}
    assert [record.content for record in theirs.list()] == ["Something of their own"]


def test_a_view_takes_out_only_what_it_reaches(rich, exported) -> None:
    ada, bob = rich.with_identity(agent="ada", teams=["core"]), rich.with_identity(agent="bob")
    assert b"diary" in exported(ada)
    assert b"core team" in exported(ada)
    assert b"short meetings" in exported(ada)
    for raw in (exported(bob), exported(bob, history=True), exported(rich, history=True)):
        assert b"diary" not in raw
        assert b"core team" not in raw
        assert b"short meetings" not in raw
    assert b"diary" in exported(rich, everything=True)


def test_a_view_names_no_memory_of_a_room_it_does_not_reach(memory, exported) -> None:
    hidden = memory.with_identity(agent="ada").remember("Ada keeps a diary", scope="agent").memory
    seen = memory.remember("The office is in Porto").memory
    memory.with_identity(agent="ada").link(seen.id, hidden.id)
    assert hidden.id.encode() not in exported(memory.with_identity(agent="bob"), history=True)
    assert hidden.id.encode() in exported(memory, everything=True)


def test_a_view_fills_no_room_it_does_not_reach(rich, other) -> None:
    raw = export_of(rich, everything=True)
    done = other.with_identity(agent="bob").import_data(io.BytesIO(raw.getvalue()))
    reasons = " ".join(left.reason for left in done.left_out)
    assert "its scope (agent) is out of reach" in reasons
    assert "belongs to another" in reasons
    assert other.with_identity(agent="ada", teams=["core"]).list(scope=["agent", "team"]) == []
    assert other.import_data(raw, everything=True).refused == 0
    assert len(other.with_identity(agent="ada", teams=["core"]).list(scope=["agent", "team"])) == 2


def test_a_file_makes_nobody_the_owner_of_a_pool(memory, clock) -> None:
    ada, bob = memory.with_identity(agent="ada"), memory.with_identity(agent="bob")
    ada.pools.create("plan", data={"step": 1})
    clock.advance(60)
    raw = reworded(export_of(memory, everything=True), '"owner":"ada"', '"owner":"bob"')
    raw = reworded(raw, '"updated_at":"2026-01-01T12:00:00+00:00"', '"updated_at":"2026-01-01T13:00:00+00:00"')
    done = bob.import_data(raw)
    assert "belongs to another" in done.left_out[0].reason
    assert ada.pools.get("plan").owner == "ada"


def test_a_dry_run_changes_nothing_and_says_the_same(rich, other, exported) -> None:
    other.forget(other.remember("Kestrel runs on port 8080").memory.id)
    before = exported(other, history=True, everything=True)
    raw = export_of(rich, everything=True)
    dry = other.import_data(io.BytesIO(raw.getvalue()), everything=True, dry_run=True)
    assert exported(other, history=True, everything=True) == before
    assert (dry.dry_run, dry.operation) == (True, None)
    real = other.import_data(raw, everything=True)
    for name in ("stored", "updated", "unchanged", "refused", "others", "left_out"):
        assert getattr(dry, name) == getattr(real, name)


def test_a_key_that_is_taken_is_told(memory, other) -> None:
    memory.remember("The office is in Porto", key="office")
    other.remember("The office is in Faro, by the sea", key="office")
    done = other.import_data(export_of(memory))
    assert (done.stored, done.refused) == (0, 1)
    assert "key" in done.left_out[0].reason


def test_a_history_goes_only_where_there_is_none(memory, other) -> None:
    memory.remember("The office is in Porto")
    other.remember("Something else")
    done = other.import_data(export_of(memory, history=True))
    assert "history was left out" in done.notes[0]
    assert [event.kind for event in other.log()] == ["import", "remember"]


def test_vectors_that_do_not_fit_are_left_out(memory, other) -> None:
    kept = memory.remember("The office is in Porto").memory
    done = other.import_data(reworded(export_of(memory), '"dimensions":128', '"dimensions":64'))
    assert done.stored == 1
    assert other.stats()["unembedded"] == 1
    assert other.recall("office in Porto")[0].memory.id == kept.id


def test_memory_that_is_off_takes_nothing_in(memory, other) -> None:
    memory.remember("The office is in Porto", project="shop")
    other.disable("shop")
    done = other.import_data(export_of(memory))
    assert (done.stored, done.left_out[0].reason) == (0, "memory is off for shop")


@pytest.mark.parametrize(
    "said",
    ["{} is looking for a new job", "Our neighbour {} is looking for a new job as a carpenter near the old bridge"],
)
def test_what_was_forgotten_of_one_person_does_not_keep_out_the_same_of_another(memory, other, said) -> None:
    memory.forget(memory.remember(said.format("Tom")).memory.id)
    other.remember_many([said.format("Anna"), said.format("Tom")], verbatim=True)
    done = memory.import_data(export_of(other))
    assert (done.stored, done.refused) == (1, 1)
    assert [record.content for record in memory.list()] == [said.format("Anna")]


@pytest.mark.parametrize("room", [{"scope": "agent"}, {"scope": "team", "team": "ops"}])
@pytest.mark.parametrize("text", ["Tom is looking for a new job", "Tom is looking for a brand new job"])
def test_what_was_forgotten_in_one_room_does_not_keep_out_another_room(memory, other, room, text) -> None:
    """A tombstone holds where its forgetter reaches: that somebody forgot something is nobody else's to learn."""
    eve, ada = (memory.with_identity(agent=name, teams=teams) for name, teams in (("eve", ["ops"]), ("ada", ["core"])))
    eve.forget(eve.remember("Tom is looking for a new job", **room).memory.id)
    there = other.with_identity(agent="ada", teams=["core"])
    there.remember(text, scope="agent")
    done = ada.import_data(export_of(there))
    assert (done.stored, done.refused) == (1, 0)
    owner = other.with_identity(agent="eve", teams=["ops"])
    owner.remember(text, **room)
    done = eve.import_data(export_of(owner))
    assert (done.stored, done.refused) == (0, 1)


def test_a_damaged_stream_changes_nothing(memory, other) -> None:
    memory.remember("The office is in Porto")
    memory.disable("shop")
    raw = export_of(memory, everything=True, history=True).getvalue().replace(b"Porto", b"Braga")
    before = other.log(limit=50), other.list(), other.stats()
    with pytest.raises(InvalidInput, match="changed or damaged"):
        other.import_data(io.BytesIO(raw), everything=True)
    assert (other.log(limit=50), other.list(), other.stats()) == before
