"""What the server reads to answer: no more than the answer needs, in a part that a large account shares with others too."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from recollect.persist.postgres.address import Options
from recollect.persist.postgres.rows import account_number
from recollect.persist.postgres.store import PostgresStore
from recollect.persist.postgres.words import marks_of
from recollect.testing.contract.samples import NOW, put, record

_HELD, _TELLING = 20_000, 400
_COUNTED = "SELECT sum(idx_tup_read)::bigint FROM pg_stat_all_indexes WHERE schemaname = 'recollect' AND relname LIKE 'memories%'"


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


def _multiply(superuser: psycopg.Connection, account: str) -> None:
    """As many rows like the one there is, as a load would leave them, some of them with the telling word."""
    own = account_number(account)
    told = int(marks_of(own, ("telling",))[0])
    columns = [
        name
        for (name,) in superuser.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'memories'::regclass AND attnum > 0 ORDER BY attnum"
        )
    ]
    fresh = {"row": "nextval('memory_rows')", "id": "gen_random_uuid()", "digest": "decode(md5(n::text), 'hex')",
             "words": "m.words || CASE WHEN n %% %s = 0 THEN %s ELSE n END"}  # fmt: skip
    chosen = ", ".join(fresh.get(name, f'm."{name}"') for name in columns)
    superuser.execute(
        f"INSERT INTO memories SELECT {chosen} FROM memories AS m, generate_series(1, %s) AS n WHERE m.account_id = %s",
        [_HELD // _TELLING, told, _HELD, own],
    )


def test_a_word_of_a_large_account_is_looked_up_without_going_through_the_account(
    shared_part: psycopg.Connection,
) -> None:
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


def _entries_read(superuser: psycopg.Connection) -> int:
    superuser.execute("SELECT pg_stat_force_next_flush()")
    found = superuser.execute(_COUNTED).fetchone()
    assert found is not None
    return int(found[0] or 0)
