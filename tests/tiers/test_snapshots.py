"""Snapshots: a context compared with what it was, and brought back to it in one step that can be undone."""

from datetime import timedelta

import pytest

from recollect import InvalidInput, NotFound


@pytest.fixture
def ada(memory):
    return memory.with_identity(agent="ada").contexts


@pytest.fixture
def base(ada):
    """A context with three entries and a snapshot of it."""
    context = ada.create("base", type="knowledge_base")
    for text in ("Kestrel builds run nightly", "Zoltan pays the invoices", "The office is in Porto"):
        ada.add("base", text)
    ada.snapshot("base", "first")
    return context


def contents(ada) -> list[str]:
    return sorted(entry.content for entry in ada.entries("base"))


def one(ada, word: str):
    return next(entry for entry in ada.entries("base") if word in entry.content)


def changed(ada, clock) -> None:
    """One entry said anew, one removed, one added, one boosted."""
    clock.advance(60)
    ada.update_content("base", one(ada, "Kestrel").id, "Kestrel builds run hourly")
    ada.remove_entry("base", one(ada, "Zoltan").id)
    ada.add("base", "Lunch is at noon")
    ada.boost_importance("base", one(ada, "Porto").id, 0.2)


def test_a_snapshot_is_named_counted_and_listed(ada, base, clock) -> None:
    clock.advance(1)
    ada.add("base", "Lunch is at noon")
    second = ada.snapshot("base", "second")
    assert (second.name, second.context, second.at, second.entries) == ("second", base.id, clock(), 4)
    assert [(snapshot.name, snapshot.entries) for snapshot in ada.snapshots("base")] == [("second", 4), ("first", 3)]
    with pytest.raises(InvalidInput, match="another snapshot"):
        ada.snapshot("base", "first")


def test_a_difference_tells_what_was_added_removed_and_changed(ada, base, clock) -> None:
    assert not ada.diff("base", "first")
    changed(ada, clock)
    found = ada.diff("base", "first")
    assert [entry.content for entry in found.added] == ["Lunch is at noon"]
    assert [entry.content for entry in found.removed] == ["Zoltan pays the invoices"]
    told = {(str(change.before), str(change.after)) for change in found.changed}
    assert told == {
        ("{'content': 'Kestrel builds run nightly'}", "{'content': 'Kestrel builds run hourly'}"),
        ("{'importance': 0.5}", "{'importance': 0.7}"),
    }
    reworded = next(change for change in found.changed if "content" in change.after)
    assert reworded.id == one(ada, "hourly").id != reworded.old_id


def test_two_snapshots_and_moments_are_compared(ada, base, clock) -> None:
    then = clock()
    changed(ada, clock)
    second = ada.snapshot("base", "second")
    clock.advance(60)
    ada.add("base", "Tea is at five")
    assert (
        ada.diff("base", "first", second)
        == ada.diff("base", then, "second")
        == ada.diff("base", "first", clock() - timedelta(1e-5))
    )
    assert [entry.content for entry in ada.diff("base", "second").added] == ["Tea is at five"]
    back = ada.diff("base", "second", "first")
    assert [entry.content for entry in back.removed] == ["Lunch is at noon"]


def test_what_expired_in_between_is_told_as_removed(ada, base, clock) -> None:
    ada.add("base", "The code of the day is blue", ttl=60)
    ada.snapshot("base", "second")
    clock.advance(61)
    assert [entry.content for entry in ada.diff("base", "second").removed] == ["The code of the day is blue"]


def test_a_restore_brings_the_entries_back_and_can_be_undone(memory, ada, base, clock) -> None:
    before = contents(ada)
    changed(ada, clock)
    after = contents(ada)
    clock.advance(60)
    assert ada.restore("base", "first") == 4
    assert contents(ada) == before
    assert not ada.diff("base", "first")
    assert ada.search("base", "when do Kestrel builds run?")[0].memory.content == "Kestrel builds run nightly"
    assert one(ada, "Porto").importance == 0.5
    memory.with_identity(agent="ada").undo()
    assert contents(ada) == after
    assert one(ada, "Porto").importance == 0.7
    assert ada.search("base", "when is lunch?")[0].memory.content == "Lunch is at noon"


def test_a_restore_to_the_same_instant_still_takes_back_what_came_after_the_snapshot(ada, base) -> None:
    ada.add("base", "Lunch is at noon")
    assert ada.restore("base", "first") == 1
    assert "Lunch is at noon" not in contents(ada)


def test_a_restore_changes_nothing_where_nothing_changed(memory, ada, base) -> None:
    before = memory.with_identity(agent="ada").log()
    assert ada.restore("base", "first") == 0
    assert memory.with_identity(agent="ada").log() == before


def test_a_context_goes_back_to_a_moment_and_forth_again(ada, base, clock) -> None:
    then = clock()
    changed(ada, clock)
    after, later = contents(ada), clock()
    clock.advance(60)
    assert ada.restore("base", then.isoformat()) == 4
    clock.advance(60)
    assert "Kestrel builds run nightly" in contents(ada)
    assert ada.restore("base", later) == 4
    assert contents(ada) == after


def test_what_was_purged_does_not_come_back(ada, base, clock) -> None:
    clock.advance(60)
    ada.purge_entry("base", one(ada, "Zoltan").id)
    clock.advance(60)
    assert ada.restore("base", "first") == 0
    assert contents(ada) == ["Kestrel builds run nightly", "The office is in Porto"]


def test_what_was_removed_by_a_restore_and_purged_by_its_text_stays_gone(ada, base, clock) -> None:
    clock.advance(60)
    ada.add("base", "Lunch is at noon")
    ada.snapshot("base", "second")
    ada.restore("base", "first")
    ada.purge_entry("base", ada.add("base", "Lunch is at noon").memory.id)
    ada.restore("base", "second")
    assert "Lunch is at noon" not in contents(ada)


def test_a_restore_leaves_everything_else_alone(memory, ada, base, clock) -> None:
    ada.create("other", type="knowledge_base")
    clock.advance(60)
    changed(ada, clock)
    ada.add("other", "Builds are signed")
    kept = memory.remember("Tea is at five").memory
    ada.restore("base", "first")
    assert [entry.content for entry in ada.entries("other")] == ["Builds are signed"]
    assert memory.get(kept.id).status == "active"


def test_a_restored_context_reads_the_same_after_reopening(memory, ada, base, clock, tmp_path, embedder) -> None:
    import recollect

    changed(ada, clock)
    clock.advance(60)
    ada.restore("base", "first")
    memory.close()
    with recollect.open(tmp_path / "memory.db", embedder=embedder, clock=clock) as again:
        found = again.with_identity(agent="ada").contexts
        assert contents(found) == ["Kestrel builds run nightly", "The office is in Porto", "Zoltan pays the invoices"]
        assert found.search("base", "who pays invoices?")[0].memory.content == "Zoltan pays the invoices"


@pytest.mark.parametrize("when", ["nothing", "", None, 7, "2020-01-01T00:00:00+00:00", "2030-01-01T00:00:00+00:00"])
def test_an_unknown_snapshot_or_moment_changes_nothing(ada, base, clock, when) -> None:
    changed(ada, clock)
    before = contents(ada)
    with pytest.raises((NotFound, InvalidInput)):
        ada.restore("base", when)
    assert contents(ada) == before


def test_a_snapshot_of_another_context_is_not_found(ada, base) -> None:
    ada.create("other", type="knowledge_base")
    with pytest.raises(NotFound, match="snapshot first"):
        ada.restore("other", "first")
    with pytest.raises(NotFound):
        ada.diff("other", ada.snapshots("base")[0])
