"""What searches count on is kept in step with the memories, answers only its own account, and large accounts get an index."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import psycopg
import pytest
from numpy.typing import NDArray

from recollect.store.postgres.connections import connect_directly
from recollect.store.postgres.options import Options
from recollect.store.postgres.rows import account_number, marks_of
from recollect.store.postgres.sql import queries, text_of
from recollect.store.postgres.store import PostgresStore, upgrade
from recollect.store.postgres.vector_index import INDEXED_FROM, wanted_indexes
from recollect.testing.contract.samples import ACCOUNT, DIMENSIONS, MODEL, NOW, SEARCH, VIEWER, alter, axis, put, record
from recollect.values.memory import Record
from recollect.values.search import Filter, Search

_RECOUNTED = {
    "SELECT word, memories FROM terms": "SELECT u, count(DISTINCT row) FROM memories, unnest(words) AS u GROUP BY u",
    "SELECT place, held FROM rooms WHERE model = ''": "SELECT place, count(*) FROM memories GROUP BY place",
    "SELECT place, held FROM rooms WHERE model <> ''": (
        "SELECT m.place, count(*) FROM vectors AS v JOIN memories AS m USING (account_id, row) GROUP BY m.place"
    ),
    "SELECT held, words FROM accounts": "SELECT count(*), sum(cardinality(words)) FROM memories",
    "SELECT vectors, 0 FROM centers": "SELECT count(*), 0 FROM vectors WHERE part = 0",
}


def _unit(count: int, seed: int) -> NDArray[np.float32]:
    drawn = np.random.default_rng(seed).normal(size=(count, DIMENSIONS)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def _made(count: int) -> list[Record]:
    return [record(f"valve {n % 7} of lamp {n % 11}", tags=("old",) if n % 3 else ()) for n in range(count)]


def test_what_is_counted_stays_in_step_with_the_memories(store: PostgresStore, superuser: psycopg.Connection) -> None:
    store.use_model(MODEL, DIMENSIONS)
    made = _made(30)
    for number, memory in enumerate(made):
        put(store, memory, vectors=None if number % 5 == 0 else _unit(1 + number % 3, number))
    alter(store, made[1], content="lamp lamp roof", tags=("blue",))
    alter(store, made[2], scope="project", project="zephyr")
    moved = record("there and gone")
    with store.transaction(ACCOUNT, "tester", NOW) as tx:
        tx.set_vectors(ACCOUNT, made[4].id, _unit(2, 50))
        tx.set_vectors(ACCOUNT, made[6].id, None)
        tx.remove(made[7])
        tx.purge(made[8])
        tx.insert(moved, axis(1))
        tx.change(moved, moved.with_(content="roof", scope="team", team="core"), "update", vectors=_unit(3, 51))
        tx.insert(record("never seen"), axis(2))
        tx.remove(moved.with_(content="roof", scope="team", team="core"))
    for kept, counted in _RECOUNTED.items():
        assert sorted(superuser.execute(kept)) == sorted(superuser.execute(counted)), kept
    kept_tallies = superuser.execute("DELETE FROM tallies RETURNING kind, name, room, held").fetchall()
    superuser.execute(text_of("count_tallies.sql"))
    recounted = superuser.execute("SELECT kind, name, room, held FROM tallies").fetchall()
    assert sorted(kept_tallies) == sorted(recounted) and {kind for kind, *_ in recounted} >= {"status", "tag", "event"}
    summed = "SELECT sum(vector::vector) AS total FROM vectors WHERE part = 0"
    (apart,) = superuser.execute(f"SELECT c.total <-> s.total FROM centers AS c, ({summed}) AS s").fetchone() or (9.0,)
    assert apart < 1e-3


def test_an_account_that_lost_everything_leaves_no_counts(store: PostgresStore, superuser: psycopg.Connection) -> None:
    store.use_model(MODEL, DIMENSIONS)
    memory = record("the only one")
    put(store, memory, vectors=axis(0))
    with store.transaction(ACCOUNT, "tester", NOW) as tx:
        tx.purge(memory)
    for table in ("terms", "rooms", "centers", "vectors", "tallies"):
        assert superuser.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table


def test_the_word_index_answers_only_for_the_account_of_the_session(
    store: PostgresStore, superuser: psycopg.Connection
) -> None:
    put(store, record("green door"))
    put(store, record("green door", account="other"))
    every = superuser.execute("SELECT array_agg(DISTINCT u) FROM memories, unnest(words) AS u").fetchone()
    assert every is not None
    with superuser.transaction():
        superuser.execute("SET LOCAL ROLE recollect_app")
        for account, expected in ((None, 0), (ACCOUNT, 1), ("other", 1), ("nobody", 0)):
            value = "" if account is None else str(account_number(account))
            superuser.execute("SELECT set_config('recollect.account', %s, true)", (value,))
            anything = "SELECT count(*) FROM words_any(%s, %s, '{active}', 0, false)"
            assert superuser.execute(anything, (every[0], ['["global","",""]'])).fetchone() == (expected,)
            assert superuser.execute("SELECT count(*) FROM words_all('{}', 9)").fetchone() == (expected,)


def test_a_term_has_another_number_in_every_account() -> None:
    mine, theirs = (marks_of(account_number(name), ("green", "door", "green")) for name in ("acme", "other"))
    assert mine[0] == mine[2] != mine[1]
    assert not set(mine.tolist()) & set(theirs.tolist())


@pytest.mark.parametrize(
    ("memories", "most", "kept"),
    [
        ((5, 100, 30), 1000, {0, 1, 2}),
        ((5, 100, 30), 40, {0, 2}),
        ((500, 100, 300), 40, {1}),
        ((0, 7, 0), 40, {1}),
        ((0, 0, 0), 40, set()),
    ],
)
def test_the_rarest_words_decide_and_never_none_of_them(
    store: PostgresStore, memories: Sequence[int], most: int, kept: set[int]
) -> None:
    with connect_directly(store.address) as connection:
        connection.execute(f"SET search_path TO {store.address.schema}")
        for word, many in enumerate(memories):
            if many:
                connection.execute("INSERT INTO terms (account_id, word, memories) VALUES (7, %s, %s)", [word, many])
        asked = {"account_id": 7, "marks": [0, 1, 2], "most": most}
        found = connection.execute(queries("search.sql")["known_words"], asked).fetchone()
    assert found is not None
    words, counts, deciding = found
    assert dict(zip(words or (), counts or (), strict=True)) == {
        word: many for word, many in enumerate(memories) if many
    }
    assert set(deciding or ()) == kept


def test_a_change_is_seen_by_the_next_view_of_another_process(store: PostgresStore, empty_database: str) -> None:
    other = PostgresStore(empty_database, Options(connections=1))
    old = record("green door")
    put(store, old)
    for _ in range(2):
        with other.view(NOW) as reader:
            assert len(reader.candidates(SEARCH)) == 1
    put(store, record("green gate", supersedes=old.id), record("green roof"))
    with other.view(NOW) as reader:
        found = reader.candidates(SEARCH)
        assert [m.content for m in reader.fetch(ACCOUNT, found.rows.tolist())] == ["green gate", "green roof"]
    other.close()


def test_a_large_account_gets_an_index_of_its_own_and_finds_the_nearest(
    store: PostgresStore, superuser: psycopg.Connection, empty_database: str
) -> None:
    # The name of the model stands in the text of a statement, where it must not be more than a name.
    store.use_model("o'hara %s \\ {where} $1", DIMENSIONS)
    vectors = _unit(INDEXED_FROM, 7)
    put(store, record("small", account="other"), vectors=axis(0))
    with store.transaction(ACCOUNT, "tester", NOW) as tx:
        for number, vector in enumerate(vectors):
            place = {"scope": "project", "project": "atlas"} if number % 50 == 0 else {}
            tx.insert(record(f"n{number}", **place), vector[None, :])
    assert [(index.memories, index.valid) for index in wanted_indexes(superuser)] == [(INDEXED_FROM, False)]
    asked = _unit(8, 99)
    before = [_nearest(store, vector) for vector in asked]
    assert [name for name, _ in upgrade(empty_database, store.options, dry_run=False)] == ["vector index"]
    (index,) = wanted_indexes(superuser)
    assert index.valid
    assert upgrade(empty_database, store.options, dry_run=False) == []
    after = [_nearest(store, vector) for vector in asked]
    shared = [len(set(one) & set(two)) / len(one) for one, two in zip(before, after, strict=True)]
    assert np.mean(shared) >= 0.98
    exact = np.argsort(-(vectors.astype(np.float16).astype(np.float32) @ asked[0]))
    narrow = [f"n{number}" for number in exact if number % 50 == 0][:10]
    assert _nearest(store, asked[0], Filter(project="atlas")) == narrow
    _walk_until_counted(store, superuser, index.name, asked)
    superuser.execute(f"DROP INDEX {index.name}")


def _walk_until_counted(
    store: PostgresStore, superuser: psycopg.Connection, index: str, asked: NDArray[np.float32]
) -> None:
    """Both kinds of search go through the index. The server tells its counts about once a second, so it is asked more often
    than could have been left uncounted by what came before."""
    for ask in (_nearest, _candidates):
        used, deadline = _walks(superuser, index), time.monotonic() + 20
        while _walks(superuser, index) < used + 60:
            assert time.monotonic() < deadline, f"{ask.__name__} does not use the index"
            for vector in asked:
                ask(store, vector)


def _walks(superuser: psycopg.Connection, index: str) -> int:
    found = superuser.execute("SELECT idx_scan FROM pg_stat_all_indexes WHERE indexrelname = %s", [index]).fetchone()
    assert found is not None
    return int(found[0])


def _candidates(store: PostgresStore, vector: NDArray[np.float32]) -> int:
    with store.view(NOW) as reader:
        return len(reader.candidates(Search(VIEWER, Filter(), NOW.timestamp(), depth=10, vector=vector)))


def _nearest(store: PostgresStore, vector: NDArray[np.float32], wanted: Filter | None = None) -> list[str]:
    search = Search(VIEWER, wanted or Filter(), NOW.timestamp(), depth=10)
    with store.view(NOW) as reader:
        (near,) = reader.near(search, [vector])
        return [memory.content for memory in reader.fetch(ACCOUNT, near.rows.tolist())]
