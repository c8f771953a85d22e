"""What a filter selects is counted first, changed as one operation, and taken back by one undo."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect import Changed, Disabled, InvalidInput, NeedsConfirmation, PartlyDone, Selection
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder
from recollect.values.event import to_image

# The fields that a change may move without being its purpose.
BESIDE = ("updated_at", "hit_at", "accessed_at", "access_count")
Change = Callable[..., Changed]

CHANGES: dict[str, Change] = {
    "forget": lambda chosen, **how: chosen.forget("no longer needed", **how),
    "tag": lambda chosen, **how: chosen.tag("reviewed", "old", **how),
    "untag": lambda chosen, **how: chosen.untag("sea", **how),
    "update": lambda chosen, **how: chosen.update(importance=0.9, metadata={"batch": 7}, **how),
    "move": lambda chosen, **how: chosen.move(scope="project", project="harbour", **how),
    "archive": lambda chosen, **how: chosen.archive(**how),
    "unarchive": lambda chosen, **how: chosen.unarchive(**how),
    "purge": lambda chosen, **how: chosen.purge(**how),
}
SHOWN: dict[str, Callable[[recollect.Record], bool]] = {
    "forget": lambda one: one.status == "forgotten",
    "tag": lambda one: {"reviewed", "old"} <= set(one.tags),
    "untag": lambda one: "sea" not in one.tags,
    "update": lambda one: one.importance == 0.9 and one.metadata["batch"] == 7,
    "move": lambda one: one.place == ("project", "harbour", ""),
    "archive": lambda one: one.status == "archived",
    "unarchive": lambda one: one.status == "active",
}
FILTERS: dict[str, dict[str, Any]] = {
    "tags": {"tags": "sea"},
    "any_tags": {"any_tags": ["sea", "moon"]},
    "metadata": {"metadata": {"part": {"$gte": 100}}},
    "where": {"where": {"OR": [{"tags": "sea"}, {"metadata": {"part": -1}}]}},
    "in_session": {"in_session": "s1"},
    "type and time": {"type": "observation", "created_until": "2100-01-01T00:00:00+00:00"},
}


def fill(memory: recollect.Memory, count: int = 3) -> list[str]:
    """Memories that every filter above selects, between others that none does."""
    drafts = [
        {
            "content": f"Ship number {number} lies at quay {number * 7}", "tags": ["sea"], "session": "s1",
            "metadata": {"part": 100 + number}, "type": "observation", "delivery": "pinned" if number == 0 else None,
        }
        for number in range(count)
    ]  # fmt: skip
    others = [{"content": f"The goat {name} eats grass", "tags": ["farm"]} for name in ("Ada", "Bea", "Cleo")]
    made = memory.remember_many([others[0], *drafts, *others[1:]], verbatim=True)
    return [outcome.memory.id for outcome in made[1 : count + 1]]


def state(memory: recollect.Memory) -> dict[str, dict[str, Any]]:
    """Every memory with all fields, but those that any change moves."""
    return {
        one.id: {name: value for name, value in to_image(one).items() if name not in BESIDE}
        for one in memory.iter_all(status="all")
    }


def prepare(memory: recollect.Memory, verb: str, ids: list[str]) -> None:
    if verb == "unarchive":
        for each in ids:
            memory.archive(each)


@pytest.mark.parametrize("how", FILTERS)
@pytest.mark.parametrize("verb", CHANGES)
def test_every_verb_changes_what_every_filter_selects_and_nothing_else(
    memory: recollect.Memory, verb: str, how: str
) -> None:
    ids = fill(memory)
    prepare(memory, verb, ids)
    before = state(memory)
    chosen = memory.select(**FILTERS[how])
    looked = CHANGES[verb](chosen, dry_run=True)
    assert (looked.count, set(looked.ids), looked.operation, looked.dry_run) == (3, set(ids), None, True)
    assert looked.pinned == 1
    assert [one.content for one in looked.first] == [memory.get(each).content for each in reversed(ids)]
    assert state(memory) == before, "a dry run changes nothing"
    done = CHANGES[verb](chosen, force=True)
    assert (done.verb, done.count, set(done.ids), done.dry_run, done.refused) == (verb, 3, set(ids), False, ())
    after = state(memory)
    assert {each for each in before if after.get(each) != before[each]} == set(ids)
    if verb == "purge":
        assert not set(ids) & after.keys()
    else:
        assert all(SHOWN[verb](memory.get(each)) for each in ids)
    assert json.dumps(done.to_dict())


@pytest.mark.parametrize("verb", [verb for verb in CHANGES if verb != "purge"])
def test_all_pages_are_one_operation_and_one_undo_takes_it_back_exactly(memory: recollect.Memory, verb: str) -> None:
    ids = fill(memory, 230)
    if verb == "unarchive":
        memory.select(tags="sea").archive(force=True)
    before, last = state(memory), memory.log(limit=1)[0].seq
    done = CHANGES[verb](memory.select(tags="sea"), force=True)
    assert done.count == 230
    assert len(done.first) == 20
    operations = {event.operation for event in memory.log(limit=1000) if event.seq > last}
    assert operations == {done.operation}
    with pytest.raises(NeedsConfirmation):
        memory.undo(done.operation)
    undone = memory.undo(done.operation, force=True)
    assert set(undone.memories) == set(ids)
    assert state(memory) == before


def test_a_purge_needs_force_and_cannot_be_undone(memory: recollect.Memory) -> None:
    fill(memory, 5)
    chosen = memory.select(tags="sea")
    with pytest.raises(NeedsConfirmation, match="nothing restores"):
        chosen.purge()
    assert chosen.count() == 5
    done = chosen.purge(force=True)
    assert (done.count, chosen.count(), done.repeats) == (5, 0, ())
    with pytest.raises(InvalidInput, match="erases for good"):
        memory.undo(done.operation, force=True)


def test_a_purge_tells_what_repeats_the_texts_and_erases_it_on_demand(memory: recollect.Memory) -> None:
    fill(memory)
    kept = memory.remember("Log: Ship number 1 lies at quay 7, said the pilot", project="log", scope="project").memory
    memory.working.store("note", "Ship number 2 lies at quay 14")
    looked = memory.select(tags="sea").purge(dry_run=True)
    assert {(one.kind, one.id) for one in looked.repeats} == {("memory", kept.id), ("working", "note")}
    looked = memory.select(tags="sea").purge(dry_run=True, repeats=True)
    assert looked.repeats == ()
    assert {one.id for one in looked.erased} == {kept.id, "note"}
    done = memory.select(tags="sea").purge(repeats=True, force=True)
    assert {one.id for one in done.erased} == {kept.id, "note"}
    assert memory.working.retrieve("note") is None
    assert [one.tags for one in memory.list(status="all")] == [("farm",)] * 3


@pytest.mark.parametrize("verb", [verb for verb in CHANGES if verb not in ("purge", "unarchive")])
def test_more_than_twenty_memories_need_force(memory: recollect.Memory, verb: str) -> None:
    fill(memory, 21)
    before = state(memory)
    with pytest.raises(NeedsConfirmation, match="selects 21 memories"):
        CHANGES[verb](memory.select(tags="sea"))
    assert state(memory) == before
    assert CHANGES[verb](memory.select(metadata={"part": {"$lt": 120}})).count == 20


NARROW: tuple[dict[str, Any], ...] = (
    {"tags": "sea"}, {"status": "archived"}, {"where": {"tags": "x"}}, {"where": {"NOT": {"tags": "x"}}},
    {"where": {"OR": [{"tags": "x"}, {"type": "fact"}]}}, {"min_trust": 0.5}, {"in_project": "shop"},
)  # fmt: skip
EVERYTHING: tuple[dict[str, Any], ...] = (
    {}, {"status": "all"}, {"status": "active"}, {"where": {}}, {"where": {"OR": [{}, {"tags": "x"}]}}, {"min_trust": 0.0},
    {"where": {"AND": [{}, {"OR": [{}]}]}}, {"tags": []}, {"metadata": {}},
)  # fmt: skip


@pytest.mark.parametrize("filters", EVERYTHING)
def test_a_filter_that_selects_everything_needs_consent(memory: recollect.Memory, filters: dict[str, Any]) -> None:
    fill(memory)
    with pytest.raises(InvalidInput, match="selects everything"):
        memory.select(**filters)
    assert memory.select(**filters, everything=True).count() == 6


@pytest.mark.parametrize("filters", NARROW)
def test_a_filter_that_leaves_something_out_needs_none(memory: recollect.Memory, filters: dict[str, Any]) -> None:
    assert isinstance(memory.select(**filters), Selection)


def test_what_is_as_wanted_is_not_changed_again(memory: recollect.Memory) -> None:
    fill(memory)
    for verb in ("tag", "update", "archive"):
        wanted = {"tags": ["sea"], "status": ["active", "archived"]}
        assert CHANGES[verb](memory.select(**wanted)).count == 3
        assert CHANGES[verb](memory.select(**wanted)).count == 0, verb
    before = len(memory.log(limit=100))
    assert CHANGES["archive"](memory.select(tags="sea", status="archived")).operation is None
    assert len(memory.log(limit=100)) == before


def test_a_selection_counts_and_iterates_what_a_list_shows(memory: recollect.Memory) -> None:
    fill(memory)
    chosen = memory.select(tags="sea")
    assert [one.id for one in chosen] == [one.id for one in memory.list(tags="sea")]
    assert chosen.count() == len(list(chosen)) == 3


class BusyClock(FixedClock):
    """A clock that lets something happen once, as soon as it is due: between two pages, when no transaction is open."""

    def __init__(self) -> None:
        super().__init__()
        self.due: Callable[[], bool] | None = None
        self.happens: Callable[[], object] = lambda: None

    def __call__(self) -> Any:
        if self.due is not None and self.due():
            self.due = None
            self.happens()
        return super().__call__()


@pytest.fixture
def clock() -> BusyClock:
    return BusyClock()


@pytest.fixture
def other(
    memory: recollect.Memory, request: pytest.FixtureRequest, tmp_path: Path, embedder: HashingEmbedder
) -> Iterator[recollect.Memory]:
    """The same store, opened by somebody else."""
    on_server = request.node.callspec.params["memory"] == "postgres"
    place = request.getfixturevalue("empty_database") if on_server else str(tmp_path / "memory.db")
    with recollect.open(place, embedder=embedder, clock=FixedClock(), postgres_connections=2) as opened:
        yield opened


def after_one_page(clock: BusyClock, other: recollect.Memory, happens: Callable[[], object]) -> None:
    """Let something happen when the first page of an archiving is done."""
    clock.due = lambda: other.count(status="archived") > 0
    clock.happens = happens


def test_what_is_stored_meanwhile_is_not_touched(
    memory: recollect.Memory, other: recollect.Memory, clock: BusyClock
) -> None:
    ids = fill(memory, 230)
    late: list[str] = []
    after_one_page(clock, other, lambda: late.append(other.remember("A late ship comes in", tags=["sea"]).memory.id))
    done = memory.select(tags="sea").archive(force=True)
    assert done.count == len(ids)
    assert memory.get(late[0]).status == "active"


def test_a_page_that_fails_leaves_the_pages_before_it_and_says_how_to_go_on(
    memory: recollect.Memory, other: recollect.Memory, clock: BusyClock
) -> None:
    fill(memory, 230)
    before = state(memory)
    after_one_page(clock, other, lambda: other.disable(everywhere=True))
    with pytest.raises(PartlyDone, match=r"stopped after 200 memories: memory is off.* call it again") as failed:
        memory.select(tags="sea").archive(force=True)
    assert isinstance(failed.value.__cause__, Disabled)
    assert failed.value.count == 200
    other.enable(everywhere=True)
    assert (memory.count(tags="sea"), memory.count(tags="sea", status="archived")) == (30, 200)
    memory.undo(failed.value.operation, force=True)
    assert state(memory) == before
    memory.select(tags="sea").archive(force=True)
    assert memory.count(tags="sea", status="archived") == 230


def test_a_purge_that_stops_in_between_leaves_no_trace_of_what_it_erased(
    memory: recollect.Memory, other: recollect.Memory, clock: BusyClock
) -> None:
    fill(memory, 1005)
    clock.due = lambda: other.count(tags="sea") < 1005
    clock.happens = lambda: other.disable(everywhere=True)
    with pytest.raises(PartlyDone, match="erased for good"):
        memory.select(tags="sea").purge(force=True)
    other.enable(everywhere=True)
    assert memory.count(tags="sea") == 5
    assert memory.select(tags="sea").purge(force=True).count == 5


def test_the_first_page_fails_as_a_single_change_does(memory: recollect.Memory) -> None:
    fill(memory)
    memory.disable(everywhere=True)
    with pytest.raises(Disabled):
        memory.select(tags="sea").tag("x")


# Rights


def test_a_selection_reaches_no_further_than_a_list(memory: recollect.Memory) -> None:
    bob, eve = memory.with_identity(agent="bob"), memory.with_identity(agent="eve")
    hers = eve.remember("Eve keeps a boat", scope="agent", tags=["sea"]).memory.id
    memory.with_identity(user="ada").remember("Ada keeps a boat", tags=["sea"])
    memory.remember("The crew keeps a boat", scope="session", session="s1", tags=["sea"])
    for verb, change in CHANGES.items():
        assert change(bob.select(tags="sea"), force=True).count == 0, verb
    assert eve.get(hers).status == "active"
    assert bob.select(tags="sea", session="s1").count() == 1


TARGETS: dict[str, tuple[dict[str, Any], str]] = {
    "another agent": ({"scope": "agent", "agent": "eve"}, "you are not 'eve'"),
    "a team of others": ({"scope": "team", "team": "ops"}, "you are not in 'ops'"),
    "another user": ({"scope": "user", "user": "ada"}, "you do not serve 'ada'"),
    "a context": ({"scope": "team", "team": "context:1"}, "is a context's"),
    "no user": ({"scope": "user"}, "user: is missing"),
    "a team without its scope": ({"team": "core"}, "use scope='team' too"),
    "nowhere": ({}, "no place is named"),
    "an unknown scope": ({"scope": "moon"}, "is unknown"),
}


@pytest.mark.parametrize("where", TARGETS)
def test_nobody_moves_memories_where_they_may_not_write(memory: recollect.Memory, where: str) -> None:
    bob = memory.with_identity(agent="bob", teams=["core"])
    fill(memory)
    before = state(memory)
    target, problem = TARGETS[where]
    for move in (bob.select(tags="sea").move, lambda **given: bob.move(memory.list(tags="sea")[0].id, **given)):
        with pytest.raises(InvalidInput, match=problem):
            move(**target)
    assert state(memory) == before


PLACES: dict[str, tuple[dict[str, Any], tuple[str, str, str]]] = {
    "global": ({"scope": "global"}, ("global", "", "")),
    "project": ({"scope": "project", "project": "harbour"}, ("project", "harbour", "")),
    "own agent": ({"scope": "agent"}, ("agent", "bob", "")),
    "own team": ({"scope": "team"}, ("team", "core", "")),
    "session": ({"scope": "session", "session": "s9"}, ("session", "s9", "")),
    "task in a project": ({"scope": "task", "task": "t1", "project": "harbour"}, ("task", "t1", "harbour")),
}


@pytest.mark.parametrize("where", PLACES)
def test_memories_move_to_every_place_of_ones_own(memory: recollect.Memory, where: str) -> None:
    bob = memory.with_identity(agent="bob", teams=["core"])
    ids = fill(memory)
    target, place = PLACES[where]
    bob.select(tags="sea").move(**target)
    assert {bob.get(each).place for each in ids} == {place}


def test_a_move_leaves_what_the_target_has_already(memory: recollect.Memory) -> None:
    there = memory.remember("Ship number 1 lies at quay 7", scope="project", project="harbour").memory
    keyed = memory.remember("The lamp is lit", scope="project", project="harbour", key="lamp").memory
    mine = memory.remember("The lamp burns", key="lamp", tags=["sea"]).memory
    _, second, _ = fill(memory)
    for done in (
        memory.select(tags="sea").move(scope="project", project="harbour", dry_run=True),
        memory.select(tags="sea").move(scope="project", project="harbour"),
    ):
        assert done.count == 2
        assert {one.id: one.reason for one in done.refused} == {
            second: f"the same text is stored there already, as {there.short_id}",
            mine.id: "its key 'lamp' is used there already",
        }
    assert memory.get(second).scope == memory.get(mine.id).scope == "global"
    assert memory.get(keyed.id).content == "The lamp is lit"
    refused = memory.move(second, scope="project", project="harbour")
    assert isinstance(refused, recollect.Refused)


def test_what_was_forgotten_is_not_moved_to_those_who_forgot_it(memory: recollect.Memory) -> None:
    bob = memory.with_identity(agent="bob")
    mine = bob.remember("The captain keeps a parrot", scope="agent", tags=["sea"]).memory
    memory.forget(memory.remember("The captain keeps a parrot").memory.id)
    done = bob.select(tags="sea").move(scope="global")
    assert (done.count, [one.id for one in done.refused]) == (0, [mine.id])
    assert "forgotten" in done.refused[0].reason
    assert bob.select(tags="sea", status="all").move(scope="global").count == 0


def test_an_undone_move_does_not_bring_back_what_was_forgotten_since(memory: recollect.Memory) -> None:
    bob = memory.with_identity(agent="bob")
    memory.remember("The captain keeps a parrot", tags=["sea"])
    moved = bob.select(tags="sea").move(scope="agent")
    memory.forget(memory.remember("The captain keeps a parrot").memory.id)
    with pytest.raises(InvalidInput, match="forgotten"):
        bob.undo(moved.operation)
    assert [one.status for one in memory.list(status="all")] == ["forgotten"]


def test_what_a_memory_supersedes_moves_along(memory: recollect.Memory) -> None:
    bob = memory.with_identity(agent="bob")
    old = memory.remember("The quay closes at nine").memory
    new = memory.remember("The quay closes at ten", supersedes=old.id, tags=["sea"]).memory
    done = bob.select(tags="sea").move(scope="agent")
    assert done.count == 2
    assert {bob.get(each).place for each in (old.id, new.id)} == {("agent", "bob", "")}
    assert memory.list(status="all") == []
    bob.undo()
    assert [one.id for one in memory.list()] == [new.id]


def test_a_superseded_memory_does_not_move_away_from_what_superseded_it(memory: recollect.Memory) -> None:
    bob = memory.with_identity(agent="bob")
    old = bob.remember("The quay closes at nine", scope="agent", tags=["sea"]).memory
    bob.remember("The quay closes at ten", scope="agent", supersedes=old.id)
    done = bob.select(tags="sea", status="superseded").move(scope="global")
    assert (done.count, [one.id for one in done.refused]) == (0, [old.id])
    assert memory.list(status="all") == []


def test_copies_are_forgotten_with_what_is_selected(memory: recollect.Memory) -> None:
    text = "Ship number 0 lies at quay 0"
    old = memory.remember(text).memory.id
    memory.remember("Ship number 0 lies at quay 1", supersedes=old)
    fill(memory)
    memory.remember_many([text, text], verbatim=True)
    done = memory.select(tags="sea").forget()
    assert done.count == 6
    assert all(hit.memory.content != text for hit in memory.recall(text).hits)
    assert isinstance(memory.remember(text), recollect.Refused)


def test_archived_memories_are_not_recalled_and_come_back_unless_they_must_not(memory: recollect.Memory) -> None:
    one, two, three = fill(memory)
    memory.select(tags="sea").archive()
    assert not {one, two, three} & {hit.memory.id for hit in memory.recall("ship at quay").hits}
    texts = [memory.get(each).content for each in (one, two)]
    stored, forgotten = (outcome.memory for outcome in memory.remember_many(texts, verbatim=True))
    memory.forget(forgotten.id)
    done = memory.select(tags="sea").unarchive()
    assert (done.count, done.ids) == (1, (three,))
    reasons = {each.id: each.reason for each in done.refused}
    assert stored.short_id in reasons[one]
    assert "forgotten" in reasons[two]
    for verb in (memory.archive, memory.unarchive):
        assert isinstance(verb(forgotten.id), recollect.Refused), "the tombstone stays"
    assert memory.get(forgotten.id).status == "forgotten"


UPDATES: dict[str, tuple[dict[str, Any], str]] = {
    "content": ({"content": "The same for all"}, "several memories at once"),
    "triggers": ({"triggers": ["word:ship"]}, "several memories at once"),
    "an unknown field": ({"key": "k"}, "cannot be changed"),
    "a wrong value": ({"importance": 7}, "importance"),
    "nothing": ({}, "nothing to change"),
}


@pytest.mark.parametrize("what", UPDATES)
def test_a_wrong_update_changes_nothing_also_where_nothing_is_selected(memory: recollect.Memory, what: str) -> None:
    changes, problem = UPDATES[what]
    for _ in range(2):
        with pytest.raises(InvalidInput, match=problem):
            memory.select(tags="sea").update(**changes)
        fill(memory)


def test_what_is_given_to_several_passes_the_gate(memory: recollect.Memory) -> None:
    fill(memory)
    before = state(memory)
    secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    for change in (
        lambda chosen: chosen.tag(secret),
        lambda chosen: chosen.forget(f"the token is {secret}"),
        lambda chosen: chosen.move(scope="project", project=secret),
    ):
        with pytest.raises(InvalidInput):
            change(memory.select(tags="sea"))
    done = memory.select(tags="sea").update(metadata={"token": secret})
    assert (done.count, len(done.refused)) == (0, 3)
    memory.forget(memory.remember("The captain keeps a parrot").memory.id)
    with pytest.raises(InvalidInput, match="forgotten"):
        memory.select(tags="sea").update(metadata={"note": "the captain keeps a parrot"})
    after = state(memory)
    assert {each: after[each] for each in before} == before


def test_a_selection_is_exported_and_nothing_else(memory: recollect.Memory, tmp_path: Path) -> None:
    ids = fill(memory)
    memory.pools.create("board", data={"a": 1})
    chosen = memory.select(tags="sea")
    assert chosen.export(tmp_path / "sea.jsonl").counts == {"memory": 3}
    assert chosen.export(tmp_path / "sea.csv").counts == {"memory": 3}
    assert chosen.export(tmp_path / "sea", format="markdown").counts["memory"] == 3
    with recollect.open(":memory:", embedder="none") as target:
        target.import_data(tmp_path / "sea.jsonl")
        assert [one.id for one in target.list()] == ids[::-1]
        assert [one.metadata["part"] for one in target.list()] == [102, 101, 100]
    hidden = memory.with_identity(agent="eve").remember("Eve keeps a boat", scope="agent", tags=["sea"]).memory
    chosen.export(tmp_path / "again.jsonl")
    assert hidden.id not in (tmp_path / "again.jsonl").read_text()


def test_a_change_of_the_past_is_refused(memory: recollect.Memory, clock: BusyClock) -> None:
    fill(memory)
    then = clock()
    clock.advance(timedelta(days=1))
    with memory.as_of(then) as past:
        assert past.select(tags="sea").count() == 3
        with pytest.raises(recollect.ReadOnly):
            past.select(tags="sea").archive()
