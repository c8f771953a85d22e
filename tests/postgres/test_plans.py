"""What the server reads to answer: no more than the answer needs, in a part that a large account shares with others too."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import psycopg
import pytest

from recollect.filters import filter_from
from recollect.store.postgres.options import Options
from recollect.store.postgres.reader import PostgresReader
from recollect.store.postgres.rows import account_number, marks_of
from recollect.store.postgres.store import PostgresStore
from recollect.testing.contract.samples import NOW, put, record
from recollect.values.metadata import entry_value
from recollect.values.scope import Identity, Viewer
from recollect.values.search import Filter, Search

_HELD, _TELLING, _TINY = 20_000, 400, 10_000
_TABLES = "WHERE schemaname = 'recollect' AND relname ~ '^(memories|metadata)'"
_COUNTED = f"SELECT sum(idx_tup_read)::bigint FROM pg_stat_all_indexes {_TABLES}"

_OTHERS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
_ANALYZED = (
    "SELECT bool_and(last_analyze IS NOT NULL) FROM pg_stat_all_tables"
    " WHERE schemaname = 'recollect' AND relname IN ('memories_p000', 'events_p000', 'terms_p000')"
)
# What differs from row to row.
_FRESH = {
    "account_id": "n", "row": "nextval('memory_rows')", "id": "gen_random_uuid()", "digest": "decode(md5(n::text), 'hex')",
}  # fmt: skip


@pytest.fixture
def shared_part(fresh_database: str) -> Iterator[psycopg.Connection]:
    """Two large accounts in one part, in each of which a telling word stands in few memories."""
    store = PostgresStore(fresh_database, Options(connections=1, partitions=1))
    with psycopg.connect(fresh_database, autocommit=True) as superuser:
        superuser.execute("SET search_path = recollect, public")
        for account in ("one", "two"):
            put(store, record("plain", account=account))
            _multiply(superuser, account)
        superuser.execute("VACUUM (ANALYZE) memories")
        yield superuser
    store.close()


def _columns(superuser: psycopg.Connection) -> list[str]:
    found = superuser.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = 'memories'::regclass"
        " AND attnum > 0 AND attgenerated = '' ORDER BY attnum"
    )
    return [name for (name,) in found]


def _multiply(superuser: psycopg.Connection, account: str) -> None:
    """As many rows like the one there is, as a load would leave them, some of them with the telling word."""
    own = account_number(account)
    told = int(marks_of(own, ("telling",))[0])
    fresh = {**_FRESH, "account_id": "m.account_id",
             "packed_words": "m.packed_words || CASE WHEN n %% %s = 0 THEN %s ELSE ''::bytea END",
             "words": "m.words || CASE WHEN n %% %s = 0 THEN %s ELSE n END"}  # fmt: skip
    columns = ", ".join(f'"{name}"' for name in _columns(superuser))
    chosen = ", ".join(fresh.get(name, f'm."{name}"') for name in _columns(superuser))
    superuser.execute(
        f"INSERT INTO memories ({columns}) SELECT {chosen} FROM memories AS m, generate_series(1, %s) AS n WHERE m.account_id = %s",
        [_HELD // _TELLING, told.to_bytes(4, "little", signed=True), _HELD // _TELLING, told, _HELD, own],
    )
    superuser.execute("INSERT INTO terms VALUES (%s, %s, %s)", [own, told, _TELLING])
    for counts in ("accounts", "rooms"):
        superuser.execute(f"UPDATE {counts} SET held = held + %s WHERE account_id = %s", [_HELD, own])


@pytest.fixture
def crowded_part(shared_part: psycopg.Connection) -> psycopg.Connection:
    """The same part with thousands of accounts of one memory each: on average an account is small."""
    columns = ", ".join(f'"{name}"' for name in _columns(shared_part))
    chosen = ", ".join(_FRESH.get(name, f'm."{name}"') for name in _columns(shared_part))
    shared_part.execute(
        f"INSERT INTO memories ({columns}) SELECT {chosen} FROM (SELECT * FROM memories WHERE account_id = %s LIMIT 1) AS m,"
        " generate_series(1, %s) AS n",
        [account_number("one"), _TINY],
    )
    shared_part.execute("VACUUM (ANALYZE) memories")
    return shared_part


@pytest.mark.parametrize("part", ["shared_part", "crowded_part"])
def test_a_word_of_a_large_account_is_looked_up_without_going_through_the_account(
    request: pytest.FixtureRequest, part: str
) -> None:
    shared_part: psycopg.Connection = request.getfixturevalue(part)
    own = account_number("one")
    shared_part.execute("SELECT set_config('recollect.account', %s, false)", [str(own)])
    marks = marks_of(own, ("telling",)).tolist()
    before = _entries_read(shared_part)
    for statement, values in (
        ("SELECT count(*) FROM words_any(%s, %s, '{active}', %s, false)",
         [marks, ['["global","",""]'], int(NOW.timestamp() * 1e6)]),
        ("SELECT count(*) FROM words_all(%s, 1000)", [marks]),
    ):  # fmt: skip
        found = shared_part.execute(statement, values).fetchone()
        assert found is not None
        assert found[0] in range(_TELLING - 1, _TELLING + 2)
    assert _entries_read(shared_part) - before < 4 * _TELLING


@pytest.mark.parametrize("part", ["shared_part", "crowded_part"])
def test_the_doctor_tells_which_index_is_asked_for_words(
    request: pytest.FixtureRequest, part: str, fresh_database: str
) -> None:
    superuser: psycopg.Connection = request.getfixturevalue(part)
    store = PostgresStore(fresh_database, Options(connections=1))
    told = store.check()
    assert told["server"]["found by words"] == "through memories_p000_words_idx"
    assert not [finding for finding in told["findings"] if "words" in finding]
    superuser.execute("DROP INDEX memories_words")
    told = store.check()
    store.close()
    assert told["server"]["found by words"] != "through memories_p000_words_idx"
    assert [finding for finding in told["findings"] if finding.startswith("words are looked up through the entries")]


def _entries_read(superuser: psycopg.Connection) -> int:
    superuser.execute("SELECT pg_stat_force_next_flush()")
    found = superuser.execute(_COUNTED).fetchone()
    assert found is not None
    return int(found[0] or 0)


def test_words_under_a_filter_are_looked_up_without_going_through_the_account(
    shared_part: psycopg.Connection, fresh_database: str
) -> None:
    others = shared_part.execute(_OTHERS).fetchone()
    store = PostgresStore(fresh_database, Options(connections=1))
    viewer = Viewer(Identity("one"))
    search = Search(viewer, Filter(types=("fact",)), NOW.timestamp() + 9, None, ("telling",), depth=20)
    before = _entries_read(shared_part)
    with store.view() as reader:
        found = reader.candidates(search)
    store.close()
    assert len(found.rows) == 20
    deadline = time.monotonic() + 10
    while shared_part.execute(_OTHERS).fetchone() != others:  # what a connection read is told when it ends
        assert time.monotonic() < deadline
    assert _TELLING <= _entries_read(shared_part) - before < 8 * _TELLING


_LOOKUPS: dict[str, Callable[[PostgresReader, str], object]] = {
    "the first page of a list": lambda reader, _: reader.find(Identity("one"), Filter(), NOW, limit=5),
    "a whole id": lambda reader, id: reader.get("one", [id]),
    "the beginning of an id": lambda reader, id: reader.find_by_id("one", id[:18]),
    "the end of an id": lambda reader, id: reader.find_by_id("one", id[-8:]),
    "counts": lambda reader, _: reader.count("one", NOW, Identity("one")),
}


@pytest.mark.parametrize("wanted", list(_LOOKUPS))
def test_what_is_looked_up_in_a_large_account_reads_a_few_rows_of_it(
    shared_part: psycopg.Connection, fresh_database: str, wanted: str
) -> None:
    others = shared_part.execute(_OTHERS).fetchone()
    found = shared_part.execute("SELECT id::text FROM memories WHERE account_id = %s LIMIT 1", [account_number("one")])
    (id,) = found.fetchone() or ("",)
    store = PostgresStore(fresh_database, Options(connections=1))
    before = _rows_read(shared_part)
    with store.view(NOW) as reader:
        assert _LOOKUPS[wanted](reader, id)
    store.close()
    deadline = time.monotonic() + 10
    while shared_part.execute(_OTHERS).fetchone() != others:  # what a connection read is told when it ends
        assert time.monotonic() < deadline
    assert _rows_read(shared_part) - before < 200


_DESCRIBED = {
    "a value": {"bucket": 7},
    "a span": {"bucket": {"$gte": 7, "$lt": 8}},
    "a value of some": {"bucket": {"$in": [7, 1007]}},
    "no value": {"bucket": 1007},
}


@pytest.mark.parametrize("wanted", list(_DESCRIBED))
def test_a_filter_on_metadata_reads_what_passes_it_and_nothing_of_others(
    shared_part: psycopg.Connection, fresh_database: str, wanted: str
) -> None:
    others = shared_part.execute(_OTHERS).fetchone()
    for account in ("one", "two"):
        shared_part.execute(
            "INSERT INTO metadata (account_id, path, value, row) SELECT account_id, 'bucket', %s || (row %% 100), row"
            " FROM memories WHERE account_id = %s",
            [entry_value(7)[:-1], account_number(account)],
        )
    shared_part.execute("ANALYZE metadata")
    store = PostgresStore(fresh_database, Options(connections=1))
    passing = filter_from({"metadata": _DESCRIBED[wanted]})
    search = Search(Viewer(Identity("one")), passing, NOW.timestamp() + 9, None, ("telling",), depth=20)
    before = _rows_read(shared_part)
    with store.view(NOW) as reader:
        count = reader.count_found(Identity("one"), passing, NOW)
        assert len(reader.find(Identity("one"), passing, NOW, limit=50)) == min(count, 50)
        reader.candidates(search)
    store.close()
    deadline = time.monotonic() + 10
    while shared_part.execute(_OTHERS).fetchone() != others:  # what a connection read is told when it ends
        assert time.monotonic() < deadline
    # Of much of an account, all of that account may be read, once a question; never what others have.
    assert _rows_read(shared_part) - before < (3 * _HELD if wanted == "a span" else 5_000)


def _rows_read(superuser: psycopg.Connection) -> int:
    superuser.execute("SELECT pg_stat_force_next_flush()")
    sequential = superuser.execute(f"SELECT sum(seq_tup_read)::bigint FROM pg_stat_all_tables {_TABLES}").fetchone()
    assert sequential is not None
    return _entries_read(superuser) + int(sequential[0] or 0)


def test_statistics_are_collected_after_a_load(fresh_database: str) -> None:
    store = PostgresStore(fresh_database, Options(connections=2, partitions=1))
    put(store, *(record(f"number {number}") for number in range(1_000)))
    with psycopg.connect(fresh_database, autocommit=True) as superuser:
        deadline = time.monotonic() + 30
        while superuser.execute(_ANALYZED).fetchone() != (True,):
            assert time.monotonic() < deadline, "nobody collected statistics"
    store.close()
