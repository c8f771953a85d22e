"""Contexts: containers of memories that nobody sees from outside, with versions, grants and a log of who used them."""

import math
from datetime import timedelta

import pytest

from recollect import InvalidInput, NotFound, ReadOnly
from recollect.values.enums import CONTEXT_TYPES
from recollect.values.tiers import Grants

SECRET = "AKIAQYLPMN5HFIQR7XYA"


@pytest.fixture
def ada(memory):
    return memory.with_identity(agent="ada").contexts


@pytest.fixture
def bob(memory):
    return memory.with_identity(agent="bob").contexts


@pytest.fixture
def base(ada):
    """A knowledge base of ada's."""
    return ada.create("base", type="knowledge_base", description="what we know")


def contents(records) -> list[str]:
    return [record.content for record in records]


def test_a_context_is_made_found_and_listed(ada, base) -> None:
    assert (base.type, base.scope, base.owner, base.archived) == ("knowledge_base", "global", "ada", False)
    assert (base.description, base.access) == ("what we know", Grants())
    assert ada.get("base") == ada.get(base.id) == base
    ada.create("cache", type="tool_cache")
    assert [context.name for context in ada.list()] == ["base", "cache"]
    assert [context.name for context in ada.list(type="tool_cache")] == ["cache"]


@pytest.mark.parametrize("type", CONTEXT_TYPES)
def test_every_type_of_context_can_be_made(ada, type) -> None:
    assert ada.create("x", type=type).type == type


def test_entries_are_memories_that_only_their_context_shows(memory, ada, base) -> None:
    outcome = ada.add("base", "Kestrel builds run nightly", tags=["build"], importance=0.8)
    assert (outcome.kind, outcome.memory.tags, outcome.memory.importance) == ("stored", ("build",), 0.8)
    assert contents(ada.entries("base")) == ["Kestrel builds run nightly"]
    assert ada.get_entry("base", outcome.memory.short_id).id == outcome.memory.id
    whole = memory.with_identity(agent="ada")
    assert list(whole.recall("Kestrel nightly builds")) == []
    assert whole.list(status="all") == []
    with pytest.raises(NotFound):
        whole.get(outcome.memory.id)


def test_a_search_stays_within_its_context(memory, ada, base) -> None:
    ada.create("other", type="knowledge_base")
    memory.remember("Kestrel builds are shown on the dashboard")
    ada.add("base", "Kestrel builds run nightly")
    ada.add("base", "Zoltan pays the invoices")
    ada.add("other", "Kestrel builds are never signed")
    found = ada.search("base", "when do Kestrel builds run?")
    assert found[0].memory.content == "Kestrel builds run nightly"
    assert {hit.memory.content for hit in found} <= {"Kestrel builds run nightly", "Zoltan pays the invoices"}
    assert ada.search("base", "Kestrel builds", limit=1, profile="relevance")[0].score == pytest.approx(0.5)


def test_the_same_text_in_two_contexts_and_outside_is_three_memories(memory, ada, base) -> None:
    ada.create("other", type="knowledge_base")
    memory.remember("Kestrel builds run nightly")
    first = ada.add("base", "Kestrel builds run nightly")
    assert (first.kind, ada.add("other", "Kestrel builds run nightly").kind) == ("stored", "stored")
    assert ada.add("base", "Kestrel builds run nightly").kind == "reinforced"
    assert len(ada.entries("base")) == 1


def test_entries_pass_the_same_screen_as_memories(ada, base) -> None:
    assert ada.add("base", f"the deploy key is {SECRET}").kind == "refused"
    kept = ada.add("base", "Kestrel builds run nightly").memory
    with pytest.raises(InvalidInput, match="secret"):
        ada.update_content("base", kept.id, f"the deploy key is {SECRET}")
    assert contents(ada.entries("base")) == ["Kestrel builds run nightly"]
    with pytest.raises(InvalidInput, match="secret"):
        ada.create("keys", type="tool_cache", description=f"key {SECRET}")


@pytest.mark.parametrize(
    "field", [{"scope": "global"}, {"team": "core"}, {"project": "shop"}, {"agent": "bob"}, {"supersedes": "abcd1234"}]
)
def test_an_entry_belongs_where_its_context_says(ada, base, field) -> None:
    with pytest.raises(InvalidInput, match="not for entries"):
        ada.add("base", "Kestrel builds run nightly", **field)


def test_a_context_cannot_be_entered_from_outside(memory, ada, base) -> None:
    ada.add("base", "Kestrel builds run nightly")
    room = f"context:{base.id}"
    with pytest.raises(InvalidInput, match="context"):
        memory.with_identity(teams=[room])
    with pytest.raises(InvalidInput, match="context"):
        memory.remember("planted", scope="team", team=room)


def test_an_update_is_a_new_version_and_the_old_one_stays(memory, ada, base, clock) -> None:
    old = ada.add("base", "Builds run nightly", tags=["x"], importance=0.9, confidence=0.7, type="decision").memory
    clock.advance(60)
    new = ada.update_content("base", old.id, "Builds run hourly", editor="Zoe")
    assert (new.supersedes, new.tags, new.importance, new.confidence) == (old.id, old.tags, 0.9, 0.7)
    assert (new.type, new.speaker, new.created_at) == ("decision", "Zoe", clock())
    assert contents(ada.entries("base")) == ["Builds run hourly"]
    assert contents(ada.versions("base", old.id)) == ["Builds run hourly", "Builds run nightly"]
    assert ada.versions("base", new.id) == ada.versions("base", old.id)
    assert ada.get_entry("base", old.id).status == "superseded"
    with memory._runtime.store.view() as reader:
        assert set(reader.vectors("default", [old.id, new.id])) == {old.id, new.id}


def test_updating_an_old_version_goes_on_from_the_newest(ada, base, clock) -> None:
    first = ada.add("base", "Builds run nightly").memory
    for text in ("Builds run hourly", "Builds run on demand"):
        clock.advance(1)
        ada.update_content("base", first.id, text)
    assert contents(ada.versions("base", first.id)) == [
        "Builds run on demand",
        "Builds run hourly",
        "Builds run nightly",
    ]
    with pytest.raises(InvalidInput, match="says already"):
        ada.update_content("base", first.id, "Builds run on demand")


def test_importance_is_boosted_and_reduced_within_bounds(ada, base) -> None:
    entry = ada.add("base", "Builds run nightly", importance=0.9).memory
    assert ada.boost_importance("base", entry.id).importance == 1.0
    assert ada.boost_importance("base", entry.id, 0.5).importance == 1.0
    assert ada.reduce_importance("base", entry.id, 0.25).importance == 0.75
    assert ada.reduce_importance("base", entry.id, by=1).importance == 0.0
    for by in (0, -0.1, 1.5, True, "much", float("nan")):
        with pytest.raises(InvalidInput, match="by"):
            ada.boost_importance("base", entry.id, by)


def test_effective_relevance_fades_and_a_search_renews_it(ada, base, clock) -> None:
    entry = ada.add("base", "Builds run nightly", importance=0.8, confidence=0.5).memory
    assert ada.effective_relevance("base", entry.id) == pytest.approx(0.4)
    clock.advance(timedelta(days=30))
    assert ada.effective_relevance("base", entry.id) == pytest.approx(0.4 * math.exp(-0.3))
    ada.search("base", "builds nightly")
    assert ada.effective_relevance("base", entry.id) == pytest.approx(0.4)


def test_a_removed_entry_goes_with_its_versions_and_does_not_come_back(ada, base, clock) -> None:
    entry = ada.add("base", "Builds run nightly").memory
    clock.advance(1)
    new = ada.update_content("base", entry.id, "Builds run hourly")
    ada.remove_entry("base", new.id)
    assert ada.entries("base") == []
    assert list(ada.search("base", "builds")) == []
    assert ada.add("base", "Builds run hourly").kind == "refused"


def test_a_purged_entry_leaves_no_version(ada, base, clock) -> None:
    entry = ada.add("base", "Builds run nightly").memory
    clock.advance(1)
    ada.update_content("base", entry.id, "Builds run hourly")
    assert ada.purge_entry("base", entry.id) == 2
    with pytest.raises(NotFound):
        ada.get_entry("base", entry.id)
    other = ada.add("base", "Zoltan pays").memory
    with pytest.raises(InvalidInput, match="erased"):
        ada.update_content("base", other.id, "Builds run nightly")


def test_an_entry_of_another_context_is_not_found(memory, ada, base) -> None:
    ada.create("other", type="knowledge_base")
    there = ada.add("other", "Builds run nightly").memory
    outside = memory.remember("Zoltan pays").memory
    for id in (there.id, outside.id):
        for verb in ("get_entry", "versions", "boost_importance", "remove_entry", "purge_entry", "effective_relevance"):
            with pytest.raises(NotFound, match="entry"):
                getattr(ada, verb)("base", id)
        with pytest.raises(NotFound, match="entry"):
            ada.update_content("base", id, "new text")


def test_an_archived_context_is_neither_searched_nor_written(memory, ada, base) -> None:
    entry = ada.add("base", "Builds run nightly").memory
    assert ada.archive("base").archived
    for call in (
        lambda: ada.search("base", "builds"),
        lambda: ada.add("base", "more"),
        lambda: ada.update_content("base", entry.id, "other"),
        lambda: ada.boost_importance("base", entry.id),
        lambda: ada.remove_entry("base", entry.id),
        lambda: ada.snapshot("base", "s"),
    ):
        with pytest.raises(InvalidInput, match="unarchive"):
            call()
    assert contents(ada.entries("base")) == ["Builds run nightly"]
    assert (ada.list(), [context.name for context in ada.list(archived=True)]) == ([], ["base"])
    with pytest.raises(InvalidInput, match="archived already"):
        ada.archive("base")
    assert not ada.unarchive("base").archived
    memory.with_identity(agent="ada").undo()
    assert ada.get("base").archived


def test_without_a_grant_a_context_is_not_there(bob, ada, base) -> None:
    entry = ada.add("base", "Builds run nightly").memory
    for call in (
        lambda: bob.get("base"),
        lambda: bob.entries(base.id),
        lambda: bob.search("base", "builds"),
        lambda: bob.add("base", "more"),
        lambda: bob.get_entry("base", entry.id),
        lambda: bob.archive("base"),
        lambda: bob.access_log("base"),
        lambda: bob.snapshots("base"),
        lambda: bob.grant("base", "bob", "write"),
    ):
        with pytest.raises(NotFound):
            call()
    assert bob.list() == []


def test_grants_give_reading_or_writing_and_are_taken_back(memory, ada, bob, base) -> None:
    entry = ada.add("base", "Builds run nightly").memory
    assert ada.grant("base", "bob", "read").access == Grants(read=("bob",))
    assert contents(bob.entries("base")) == ["Builds run nightly"]
    for call in (
        lambda: bob.add("base", "x"),
        lambda: bob.remove_entry("base", entry.id),
        lambda: bob.snapshot("base", "s"),
    ):
        with pytest.raises(ReadOnly, match="ask ada"):
            call()
    ada.grant("base", "bob", "write")
    bob.update_content("base", entry.id, "Builds run hourly")
    for call in (lambda: bob.grant("base", "eve", "read"), lambda: bob.archive("base"), lambda: bob.access_log("base")):
        with pytest.raises(ReadOnly, match="ask ada"):
            call()
    assert ada.accessible_by("base", "bob", "write")
    ada.revoke("base", "bob")
    assert not ada.accessible_by("base", "bob")
    with pytest.raises(NotFound):
        bob.search("base", "builds")
    memory.with_identity(agent="ada").undo()
    assert len(bob.search("base", "builds")) == 1


def test_a_teams_context_is_its_members(memory, bob) -> None:
    one = memory.with_identity(agent="ada", teams=["core"]).contexts
    two = memory.with_identity(agent="eve", teams=["core"]).contexts
    one.create("board", type="shared_context", scope="team")
    two.add("board", "Builds run nightly")
    assert contents(one.entries("board")) == ["Builds run nightly"]
    with pytest.raises(NotFound):
        bob.entries("board")
    with pytest.raises(InvalidInput, match="members of its team"):
        one.grant("board", "bob", "read")


def test_every_use_is_in_the_log_by_agent(ada, bob, base, clock) -> None:
    ada.grant("base", "bob", "write")
    entry = ada.add("base", "Builds run nightly").memory
    clock.advance(1)
    bob.search("base", "builds")
    bob.get_entry("base", entry.id)
    new = bob.update_content("base", entry.id, "Builds run hourly")
    bob.boost_importance("base", new.id)
    bob.reduce_importance("base", new.id)
    bob.remove_entry("base", new.id)
    bob.snapshot("base", "s")
    bob.restore("base", "s")
    ada.entries("base")
    ada.revoke("base", "bob")
    ada.archive("base")
    ada.unarchive("base")
    told = [(access.agent, access.action, access.memory_id) for access in reversed(ada.access_log("base"))]
    assert told == [
        ("ada", "grant", None),
        ("ada", "add", entry.id),
        ("bob", "search", None),
        ("bob", "read", entry.id),
        ("bob", "update", new.id),
        ("bob", "boost", new.id),
        ("bob", "reduce", new.id),
        ("bob", "remove", new.id),
        ("bob", "snapshot", None),
        ("bob", "restore", None),
        ("ada", "read", None),
        ("ada", "revoke", None),
        ("ada", "archive", None),
        ("ada", "unarchive", None),
    ]
    assert ada.access_log("base", limit=1)[0].at == clock()


def test_contexts_of_another_account_are_another_world(memory, ada, base) -> None:
    ada.add("base", "Builds run nightly")
    other = memory.with_identity(account="other", agent="ada").contexts
    with pytest.raises(NotFound):
        other.entries("base")
    other.create("base", type="knowledge_base")
    assert other.entries("base") == []


def test_a_context_is_off_with_its_project(memory) -> None:
    contexts = memory.contexts
    contexts.create("board", type="project_context", scope="project", project="shop")
    memory.disable("shop")
    assert contexts.list() == []
    for call in (lambda: contexts.add("board", "x"), lambda: contexts.search("board", "x")):
        with pytest.raises(Exception, match="memory is off for shop"):
            call()


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda c: c.create("base", type="knowledge_base"), "taken"),
        (lambda c: c.create("x", type="nonsense"), "agent_memory, knowledge_base"),
        (lambda c: c.create("x", type=None), "type"),
        (lambda c: c.create("", type="tool_cache"), "name"),
        (lambda c: c.create("x", type="tool_cache", colour="red"), "not a field"),
        (lambda c: c.create("x", type="tool_cache", access={"read": [""]}), "access.read"),
        (lambda c: c.list(type="nonsense"), "agent_memory"),
        (lambda c: c.entries("base", 0), "limit"),
        (lambda c: c.search("base", "x", limit=0), "limit"),
        (lambda c: c.search("base", "x", profile="nonsense"), "profile"),
        (lambda c: c.get_entry("base", "zz"), "id"),
        (lambda c: c.grant("base", "", "read"), "agent"),
        (lambda c: c.grant("base", "bob", "admin"), "level"),
        (lambda c: c.access_log("base", 0), "limit"),
    ],
)
def test_a_wrong_call_says_what_to_do_and_changes_nothing(memory, ada, base, call, problem) -> None:
    before, log = memory.with_identity(agent="ada").log(), ada.access_log("base")
    with pytest.raises(InvalidInput, match=problem):
        call(ada)
    assert (memory.with_identity(agent="ada").log(), ada.access_log("base") == log) == (before, True)
