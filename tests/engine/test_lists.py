"""Lists: pages that hold everything once whatever happens between them, counts, and iterators over everything."""

from __future__ import annotations

import pytest

from recollect import InvalidInput, NotFound


def _stored(memory, count: int) -> list[str]:
    outcomes = memory.remember_many([f"Berth {number * 7919} is free" for number in range(count)], verbatim=True)
    return [outcome.memory.id for outcome in outcomes]


def test_pages_hold_everything_once_whatever_is_stored_or_goes_between_them(memory) -> None:
    stored = _stored(memory, 23)
    seen: list[str] = []
    gone, page = set(), memory.list(limit=4)
    while True:
        seen += [record.id for record in page]
        if page.next is None:
            break
        last, unseen = page[-1], [id for id in stored if id not in seen and id not in gone]
        memory.remember(f"A new berth number {len(seen)} was built of wood")
        memory.update(unseen[0], importance=0.9)
        if len(seen) % 8:  # the last of the page goes, and one that was not shown yet
            memory.purge(last.id)
            memory.purge(unseen[-1])
            gone.add(unseen[-1])
        else:
            memory.forget(last.id)
        page = memory.list(limit=4, after=page.next)
    assert seen == [id for id in reversed(stored) if id not in gone]


def test_an_undone_memory_still_says_where_its_page_ended(memory) -> None:
    stored = _stored(memory, 3)
    last = memory.remember("The ferry leaves at noon").memory
    page = memory.list(limit=1)
    assert page.next == last.id
    memory.undo()
    assert [record.id for record in memory.list(after=page.next)] == stored[::-1]


@pytest.mark.parametrize("gone", [False, True], ids=["there", "purged"])
def test_no_page_goes_on_after_what_others_have(memory, gone) -> None:
    _stored(memory, 3)
    ulla = memory.with_identity(user="ulla")
    hers = ulla.remember("The key is under the mat").memory
    if gone:
        ulla.purge(hers.id)
    assert ulla.list(after=hers.id, scope="global")
    for stranger in (memory, memory.with_identity(user="uwe"), memory.with_identity(account="other", user="ulla")):
        with pytest.raises(NotFound):
            stranger.list(after=hers.id)


def test_what_is_counted_is_what_is_listed(memory) -> None:
    stored = _stored(memory, 7)
    memory.forget(stored[2])
    memory.update(stored[3], metadata={"kept": True})
    new = memory.supersede(stored[0], stored[1])
    assert new
    for filters, count in (
        ({}, 5),
        ({"status": "all"}, 7),
        ({"status": "superseded"}, 1),
        ({"metadata": {"kept": True}}, 1),
        ({"where": {"OR": [{"status": "forgotten"}, {"metadata": {"kept": True}}]}}, 2),
    ):
        page = memory.list(limit=2, total=True, **filters)
        assert (memory.count(**filters), page.total, len(memory.list(limit=None, **filters))) == (count, count, count)
        assert [one.id for one in memory.iter_all(**filters)] == [one.id for one in memory.list(limit=None, **filters)]
        assert (page.next is None) == (count <= 2)
    assert memory.list().total is None


def test_an_iterator_reads_beyond_its_pages(memory, monkeypatch) -> None:
    monkeypatch.setattr("recollect.listing._PAGE", 3)
    stored = _stored(memory, 10)
    each = memory.iter_all()
    first = next(each)
    memory.remember("What is stored later is not among it")
    memory.purge(stored[4])
    assert [first.id, *(record.id for record in each)] == [id for id in reversed(stored) if id != stored[4]]


@pytest.mark.parametrize("wrong", ["nonsense", "", 7, "ffffffff-ffff-7fff-bfff-ffffffffffff"])
def test_a_page_after_nothing_is_an_error(memory, wrong) -> None:
    with pytest.raises((InvalidInput, NotFound)):
        memory.list(after=wrong)
