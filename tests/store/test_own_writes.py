"""What a process wrote itself it need not read back, and nobody can tell: not by what is found, nor after a rollback."""

import sqlite3
from contextlib import closing, suppress
from dataclasses import replace

import numpy as np
import pytest

from recollect.store.sqlite.store import SqliteStore
from recollect.testing.contract.samples import (
    ACCOUNT,
    EVERY_STATUS,
    MODEL,
    NOW,
    SEARCH,
    alter,
    axis,
    leaning,
    put,
    record,
)
from recollect.values.document import Document
from recollect.values.ids import new_id
from recollect.values.memory import Breadcrumb
from recollect.values.search import Candidates, Filter

EVERYTHING = replace(SEARCH, filter=Filter(statuses=EVERY_STATUS), vector=axis(0)[0], depth=50)
MEMORIES = {
    "plain": {},
    "of a project, tagged": {"scope": "project", "project": "atlas", "tags": ("green", "Zürich")},
    "of a session": {"scope": "session", "session": "s1", "position": 7, "speaker": "Ada", "occurred_at": NOW},
    "of a team, for a time": {"scope": "team", "team": "core", "valid_from": NOW, "expires_at": NOW.replace(year=2030)},
    "forgotten": {"status": "forgotten", "strength": 3, "hit_at": NOW, "score": -2},
    "said to be superseded": {"status": "superseded"},
    "rich": {"season": "winter", "delivery": "pinned", "breadcrumbs": (Breadcrumb("s0", 2, NOW),), "trust": 0.3},
    "measured": {"importance": 1 / 3, "weight": 0.7, "confidence": 0.1, "access_count": 4, "type": "preference"},
}


def found(store: SqliteStore) -> Candidates:
    with store.view() as reader:
        return reader.candidates(EVERYTHING)


def contents(store: SqliteStore) -> list[str]:
    with store.view() as reader:
        return [memory.content for memory in reader.fetch(ACCOUNT, reader.candidates(EVERYTHING).rows.tolist())]


def assert_alike(one: Candidates, other: Candidates) -> None:
    for name in ("rows", "cosine", "bm25", "matches", "selected", "idf"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    for name in one.columns.__slots__:
        np.testing.assert_array_equal(getattr(one.columns, name), getattr(other.columns, name), err_msg=name)
    assert (one.mean_length, one.visible, one.considered) == (other.mean_length, other.visible, other.considered)


def test_whoever_searches_between_many_writes_is_shown_what_a_fresh_look_shows(opened) -> None:
    writer = opened()
    viewers = [replace(EVERYTHING.viewer, project=project) for project in (None, "atlas", "harbour")]
    for number in range(300):
        place = {"scope": "project", "project": ("atlas", "harbour")[number % 2]} if number % 3 else {}
        status = "forgotten" if number % 5 == 0 else "active"
        put(writer, record(f"green lamp {number}", status=status, **place), vectors=axis(0) if number % 7 else None)
        with writer.view() as reader:  # each viewer after another number of writes
            reader.candidates(replace(EVERYTHING, viewer=viewers[number % 11 % 3]))
    for viewer in viewers:
        for statuses in (EVERY_STATUS, ("active",)):
            search = replace(EVERYTHING, viewer=viewer, filter=Filter(statuses=statuses), terms=("lamp",), depth=400)
            with writer.view() as lived, opened().view() as fresh:
                assert_alike(lived.candidates(search), fresh.candidates(search))


@pytest.mark.parametrize("fields", MEMORIES.values(), ids=MEMORIES)
def test_what_this_process_wrote_is_found_as_another_process_finds_it(opened, fields) -> None:
    writer, other = opened(), opened()
    put(writer, record("the first green lamp"), vectors=axis(0))
    assert contents(writer) == contents(other) == ["the first green lamp"]
    put(writer, record("a green door", **fields), vectors=np.concatenate([leaning(0.6), leaning(0.123)]))
    put(writer, record("a green wall without a vector"))
    assert_alike(found(writer), found(other))
    assert_alike(found(writer), found(opened()))


def test_what_another_process_wrote_in_between_is_found(opened) -> None:
    writer, other = opened(), opened()
    put(writer, record("one green"), vectors=axis(0))
    assert contents(writer) == ["one green"]
    put(writer, record("two green"), vectors=axis(0))
    put(other, record("three green"), vectors=axis(1))
    put(writer, record("four green"), vectors=axis(0))
    assert contents(writer) == ["one green", "two green", "three green", "four green"]


def test_what_another_process_changed_in_between_is_found_as_it_is(opened) -> None:
    writer, other = opened(), opened()
    put(writer, record("one green"), vectors=axis(0))
    assert contents(writer) == ["one green"]
    door = record("the door is green", importance=0.2)
    put(writer, door, vectors=axis(0))
    alter(other, door, content="the green door was painted red", importance=0.9)
    assert contents(writer) == ["one green", "the green door was painted red"]
    assert_alike(found(writer), found(opened()))


def test_a_write_that_is_rolled_back_leaves_nothing_behind(opened) -> None:
    writer = opened()
    put(writer, record("one green"), vectors=axis(0))
    assert contents(writer) == ["one green"]
    with suppress(KeyError), writer.transaction(ACCOUNT, "tester", NOW) as tx:
        tx.insert(record("two green"), axis(0))
        raise KeyError
    assert contents(writer) == ["one green"]
    # Takes the row of what never was, and the number of its event.
    put(opened(), record("not two but three, which are green"), vectors=axis(1))
    assert_alike(found(writer), found(opened()))


def test_a_bulk_load_is_found_as_another_process_finds_it_and_not_by_views_from_before(opened) -> None:
    writer, other = opened(), opened()
    put(writer, record("one green"), vectors=axis(0))
    waited_for = record("superseded by what came before it")
    put(other, record("came before", supersedes=waited_for.id), vectors=axis(1))
    with writer.view() as before:
        known = before.candidates(EVERYTHING).rows.tolist()
        for load in range(3):
            many = [record(f"green lamp {load} {number}") for number in range(400)]
            put(writer, *many, *([waited_for] if load == 1 else []), vectors=axis(0))
            put(other, record(f"in between {load}"), vectors=axis(0))
        assert before.candidates(EVERYTHING).rows.tolist() == known
    assert found(writer).considered == 1206
    assert_alike(found(writer), found(opened()))


def test_the_first_search_after_a_bulk_load_does_not_read_the_rows_back(opened) -> None:
    writer = opened()
    put(writer, *(record(f"green lamp {number}") for number in range(400)), vectors=axis(0))
    with closing(sqlite3.connect(writer.path)) as file:  # behind our back: whoever reads the rows finds no lamp
        file.execute("UPDATE memories SET content = 'gone'")
        file.commit()
    with writer.view() as lived, opened().view() as fresh:
        search = replace(EVERYTHING, vector=None, terms=("lamp",), depth=400)
        assert len(lived.candidates(search)) == 400
        assert len(fresh.candidates(search)) == 0


def test_a_bulk_load_that_is_rolled_back_leaves_nothing_behind(opened) -> None:
    writer = opened()
    put(writer, record("one green"), vectors=axis(0))
    with suppress(KeyError), writer.transaction(ACCOUNT, "tester", NOW) as tx:
        for number in range(400):
            tx.insert(record(f"two green {number}"), axis(0))
        tx.candidates(EVERYTHING)
        raise KeyError
    assert contents(writer) == ["one green"]
    put(writer, *(record(f"three green {number}") for number in range(400)), vectors=axis(1))
    assert_alike(found(writer), found(opened()))


def test_a_memory_that_something_waited_for_is_superseded_at_once(opened) -> None:
    writer = opened()
    old = record("the door is green")
    put(writer, record("the green door is red", supersedes=old.id), vectors=axis(0))
    assert contents(writer) == ["the green door is red"]
    put(writer, old, vectors=axis(0))
    assert_alike(found(writer), found(opened()))


def test_a_memory_that_supersedes_another_hides_it_at_once(opened) -> None:
    writer = opened()
    old = record("the door is green")
    put(writer, old, vectors=axis(0))
    assert contents(writer) == ["the door is green"]
    put(writer, record("the green door is red", supersedes=old.id), vectors=axis(0))
    assert_alike(found(writer), found(opened()))


def test_an_access_counts_for_a_memory_that_was_just_written(opened) -> None:
    writer = opened()
    put(writer, record("one green"), vectors=axis(0))
    assert contents(writer) == ["one green"]
    fresh = record("two green")
    put(writer, fresh, vectors=axis(0))
    with writer.transaction(ACCOUNT, "tester", NOW) as tx:
        tx.touch(ACCOUNT, dict.fromkeys(tx.rows_of(ACCOUNT, [fresh.id]), (5, NOW)))
    assert_alike(found(writer), found(opened()))


def test_vectors_that_come_after_their_memory_are_searched(opened) -> None:
    writer = opened()
    put(writer, record("one green"), vectors=axis(0))
    assert contents(writer) == ["one green"]
    with writer.transaction(ACCOUNT, "tester", NOW) as tx:
        fresh = record("two green")
        tx.insert(fresh, None)
        tx.keep_vectors(fresh, MODEL, leaning(0.5))
    assert_alike(found(writer), found(opened()))


def gap(name: str) -> Document:
    return Document(new_id(NOW), ACCOUNT, "gap", name, NOW, NOW, body={"terms": [name]})


def test_gaps_are_those_of_this_moment_whoever_changed_them(opened) -> None:
    mine, other = opened(), opened()

    def names(store: SqliteStore) -> list[str]:
        with store.view() as reader:
            return [held.name for held in reader.documents(ACCOUNT, "gap")]

    def keep(store: SqliteStore, before: Document | None, after: Document | None) -> None:
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.put_document(before, after, None)

    one, two, three = gap("one"), gap("two"), gap("three")
    keep(mine, None, one)
    assert names(mine) == names(other) == ["one"]
    keep(other, None, two)
    assert sorted(names(mine)) == ["one", "two"]
    keep(mine, one, None)
    assert names(mine) == names(other) == ["two"]
    with suppress(KeyError), mine.transaction(ACCOUNT, "tester", NOW) as tx:
        tx.put_document(None, three, "miss")
        assert len(tx.documents(ACCOUNT, "gap")) == 2
        raise KeyError
    assert names(mine) == ["two"]
    with mine.transaction(ACCOUNT, "tester", NOW) as tx:
        tx.purge_document(two)
    assert names(mine) == names(other) == []
