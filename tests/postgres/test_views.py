"""A view that begins with its first search: one round trip fewer, and the same answers, whatever others did since."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import psycopg
import pytest
from tests.postgres.conftest import unit

from recollect.persist.postgres.address import Options
from recollect.persist.postgres.ahead import Outlook
from recollect.persist.postgres.gathering import gathered
from recollect.persist.postgres.legs import Chosen, all_chosen
from recollect.persist.postgres.look import Look
from recollect.persist.postgres.reader import PostgresReader
from recollect.persist.postgres.store import PostgresStore
from recollect.testing.contract.samples import ACCOUNT, DIMENSIONS, MODEL, NOW, SEARCH, put, record
from recollect.values.search import Candidates, Search

(VECTOR,) = unit(1, 99)
LATE = replace(SEARCH, terms=("late",), vector=VECTOR, depth=12, neighbours=2, mean=True)
MOVE = "UPDATE memories SET access_count = access_count + 100"


@pytest.fixture
def small(store: PostgresStore) -> PostgresStore:
    """A small account, where people talk."""
    store.use_model(MODEL, DIMENSIONS)
    for number, vector in enumerate(unit(30, 7)):
        said = record(f"late {number}", session="s", position=number, speaker="Zoë")
        put(store, said, vectors=vector[None, :])
    return store


def seen(found: Candidates) -> dict[str, Any]:
    """Everything a search says."""
    whole = {
        name: getattr(found, name) for name in ("considered", "visible", "in_window", "mean_cosine", "mean_length")
    }
    arrays = {name: str(getattr(found, name).tolist()) for name in ("cosine", "bm25", "matches", "selected", "idf")}
    columns = {name: str(getattr(found.columns, name).tolist()) for name in found.columns.__slots__}
    return whole | arrays | columns | {"rows": found.rows.tolist()}


def asked(store: PostgresStore, search: Search, first: Search | None) -> tuple[dict[str, Any], bool]:
    """What a view says, and whether its first search went with its beginning."""
    with store.reading(first=first) as reader:
        ahead = reader._outlook is not None
        return seen(reader.candidates(search)), ahead


@pytest.mark.parametrize("which", ["small", "large"])
def test_what_is_searched_with_the_beginning_is_answered_as_afterwards(
    request: pytest.FixtureRequest, which: str
) -> None:
    known = request.getfixturevalue(which)
    plain, ahead = asked(known, LATE, None)
    assert not ahead and plain["rows"]
    for _ in range(2):
        assert asked(known, LATE, LATE) == (plain, True)


def test_an_account_met_for_the_first_time_is_known_with_the_beginning(
    small: PostgresStore, empty_database: str
) -> None:
    plain, _ = asked(small, LATE, None)
    other = PostgresStore(empty_database, Options(connections=1))
    other.use_model(MODEL, DIMENSIONS)
    assert [asked(other, LATE, LATE) for _ in range(2)] == [(plain, False), (plain, True)]
    other.close()


def test_another_search_than_the_one_told_is_answered_too(small: PostgresStore) -> None:
    asked(small, LATE, None)
    other = replace(LATE, terms=("3",), vector=-VECTOR)
    assert asked(small, other, LATE)[0] == asked(small, other, None)[0]


def test_rows_that_are_named_besides_come_with_what_was_searched(small: PostgresStore) -> None:
    put(small, far := record("kettle"))
    asked(small, LATE, None)
    with small.reading() as reader:
        (row,) = reader.rows_of(ACCOUNT, [far.id])
    named = replace(LATE, rows=(row,))
    with small.reading(first=LATE) as reader:
        assert reader._outlook is not None and reader._outlook.serves(named)
        found = seen(reader.candidates(named))
    assert row in found["rows"] and found == asked(small, named, None)[0]


def test_a_view_that_looked_at_another_account_meanwhile_answers_for_its_own(little: PostgresStore) -> None:
    put(little, record("late elsewhere", account="other"))
    plain, _ = asked(little, LATE, None)
    with little.reading(first=LATE) as reader:
        assert reader._outlook is not None
        assert len(reader.same_text("other", "late elsewhere")) == 1
        assert seen(reader.candidates(LATE)) == plain


def test_the_same_question_of_another_viewer_or_moment_is_not_answered_by_the_first(small: PostgresStore) -> None:
    asked(small, LATE, None)
    with small.reading(first=LATE) as reader:
        outlook = reader._outlook
    assert isinstance(outlook, Outlook)
    for other in (
        replace(LATE, now=LATE.now + 1),
        replace(LATE, viewer=replace(LATE.viewer, project="elsewhere")),
        replace(LATE, vector=VECTOR.copy()),
        replace(LATE, past=True),
    ):
        assert not outlook.serves(other)


def changed_by_another(url: str, change: Callable[[PostgresStore], object]) -> None:
    other = PostgresStore(url, Options(connections=1))
    other.use_model(MODEL, DIMENSIONS)
    change(other)
    other.close()


@pytest.mark.parametrize("times", [1, 30])
def test_what_another_process_stored_since_is_found(small: PostgresStore, empty_database: str, times: int) -> None:
    asked(small, LATE, LATE)

    def store_more(other: PostgresStore) -> None:
        for number in range(times):
            put(other, record(f"late and new {number}"), vectors=VECTOR[None, :])

    changed_by_another(empty_database, store_more)
    with small.reading(first=LATE) as reader:
        # Hardly grown, it is searched the same way; much, the way is chosen anew.
        assert (reader._outlook is not None) == (times == 1)
        found = seen(reader.candidates(LATE))
    assert found == asked(small, LATE, None)[0]
    with small.reading() as reader:
        texts = {memory.content for memory in reader.fetch(ACCOUNT, found["rows"])}
    assert len([text for text in texts if text.startswith("late and new")]) >= min(times, LATE.depth)


def test_what_another_process_replaced_or_brought_back_since_is_seen(small: PostgresStore, empty_database: str) -> None:
    with small.reading() as reader:
        old = reader.same_text(ACCOUNT, "late 3")[0]
        (row,) = reader.rows_of(ACCOUNT, [old.id])
    assert row in asked(small, LATE, LATE)[0]["rows"]
    heir = record("late three", supersedes=old.id)
    changed_by_another(empty_database, lambda other: put(other, heir, vectors=VECTOR[None, :]))
    found, ahead = asked(small, LATE, LATE)
    assert row not in found["rows"] and not ahead
    # Known as it is now, it is asked ahead again, without what is replaced.
    assert asked(small, LATE, LATE) == (found, True)

    def end(other: PostgresStore) -> None:
        with other.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.change(heir, heir.with_(status="forgotten"), "forget")

    changed_by_another(empty_database, end)
    assert row in asked(small, LATE, LATE)[0]["rows"]


def test_a_connection_that_died_meanwhile_is_replaced(small: PostgresStore, superuser: psycopg.Connection) -> None:
    plain, _ = asked(small, LATE, LATE)
    # The end of that view is heard now: later it might tell that the connection died, and another would be taken at once.
    small._connections.give(small._connections.take())
    superuser.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
        " WHERE pid <> pg_backend_pid() AND datname = current_database()"
    )
    assert asked(small, LATE, LATE) == (plain, False)
    assert asked(small, LATE, LATE) == (plain, True)


def columns_after(reader: PostgresReader, meanwhile: Callable[[], object]) -> tuple[Chosen, dict[str, Any] | None]:
    """The two stages of a search, and what happens between them."""
    link = reader._link(ACCOUNT)
    look = Look(link, LATE)
    (_, worded), near, _, _ = look.set_out(link.facts(LATE)).to_the_end(link)
    chosen = all_chosen([worded.best(9)])
    assert len(chosen.rows) == 9 and chosen.spots is not None
    meanwhile()
    return chosen, gathered(link, LATE, look._filter, chosen, chosen, near.measured, named=False)


@pytest.mark.parametrize("changing", [False, True], ids=["view", "change"])
def test_rows_that_others_count_meanwhile_are_read_all_the_same(
    small: PostgresStore, superuser: psycopg.Connection, *, changing: bool
) -> None:
    around = small.transaction(ACCOUNT, "tester", NOW) if changing else small.reading()
    with around as reader:
        chosen, found = columns_after(reader, lambda: superuser.execute(MOVE))
    assert found is not None and set(chosen.rows.tolist()) <= set(found["row"].tolist())
    # A view is of one moment; a change sees what others have committed meanwhile.
    assert set(found["access_count"].tolist()) == ({100} if changing else {0})


def test_rows_are_read_where_they_stand_also_after_they_moved(
    small: PostgresStore, superuser: psycopg.Connection
) -> None:
    for _ in range(3):
        superuser.execute(MOVE)
        superuser.execute("VACUUM memories")
        found, _ = asked(small, LATE, LATE)
        with small.reading() as reader:
            texts = [memory.content for memory in reader.fetch(ACCOUNT, found["rows"])]
        assert len(texts) == len(set(texts)) == len(found["rows"]) and all(text.startswith("late") for text in texts)


def test_a_row_reached_from_several_sides_comes_once(small: PostgresStore) -> None:
    with small.reading() as reader:
        rows = reader.candidates(LATE).rows
    assert len(rows) == len(np.unique(rows)) and (np.diff(rows) > 0).all()
