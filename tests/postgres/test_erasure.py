"""After a purge: the tables are rewritten, no statistics repeat a text, and what could not be done is said."""

from __future__ import annotations

from collections.abc import Callable

import psycopg

from recollect.store.postgres import maintenance
from recollect.store.postgres.options import Options, parse_address
from recollect.store.postgres.schema import migrate
from recollect.store.postgres.store import PostgresStore
from recollect.testing.contract.samples import ACCOUNT, NOW, put, record

FILES = """SELECT c.relname, pg_relation_filenode(c.oid) FROM pg_class AS c
    WHERE c.relnamespace = 'recollect'::regnamespace AND c.relkind = 'r'"""
IN_FILES = """WITH home AS (SELECT 'base/' || oid || '/' AS path FROM pg_database WHERE datname = current_database())
    SELECT path || name FROM home CROSS JOIN LATERAL pg_ls_dir(path) AS name
    WHERE position(%s::bytea IN pg_read_binary_file(path || name, 0, 1000000000, true)) > 0"""
TEXTS = tuple(f"the green safe number {number} opens with 4711-{number}" for number in range(3))


def purge(store: PostgresStore, *texts: str) -> None:
    memories = [record(text) for text in texts]
    put(store, *memories)
    with store.transaction(ACCOUNT, "tester", NOW) as tx:
        for memory in memories:
            tx.purge(memory)


def in_files(superuser: psycopg.Connection, text: str) -> list[str]:
    superuser.execute("CHECKPOINT")
    return [name for (name,) in superuser.execute(IN_FILES, [text.encode()])]


def test_the_parts_that_had_the_text_are_rewritten_and_no_others(
    store: PostgresStore, superuser: psycopg.Connection
) -> None:
    put(store, record("the green door is open"))
    purge(store, *TEXTS)
    assert all(in_files(superuser, text) for text in TEXTS)
    before = dict(superuser.execute(FILES).fetchall())
    assert store.erase_traces(ACCOUNT).pending == ()
    after = dict(superuser.execute(FILES).fetchall())
    changed = {name for name in after if after[name] != before[name]}
    assert {name[:-5] for name in changed} >= {"memories", "events", "tags", "documents", "tallies", "rooms"}
    assert len({name[-4:] for name in changed}) == 1, "the parts of other accounts are left alone"
    assert [in_files(superuser, text) for text in TEXTS] == [[], [], []]


def test_large_tables_are_rewritten_on_demand_and_the_command_is_named(
    store: PostgresStore, superuser: psycopg.Connection
) -> None:
    put(store, record("the green door is open"))
    purge(store, TEXTS[0])
    left = maintenance.erase_deleted(store.address, ACCOUNT, rewrite=False, at_once=0)
    assert len(left.pending) == 1
    assert "recollect vacuum" in left.pending[0]
    assert in_files(superuser, TEXTS[0])
    assert maintenance.erase_deleted(store.address, ACCOUNT, rewrite=True, at_once=0).pending == ()
    assert in_files(superuser, TEXTS[0]) == []


def test_a_table_in_use_and_an_older_transaction_are_told(store: PostgresStore, superuser: psycopg.Connection) -> None:
    purge(store, TEXTS[0])
    url = superuser.info.dsn
    with psycopg.connect(url) as other:
        other.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        other.execute("SELECT count(*) FROM pg_class")
        assert store.erase_traces(ACCOUNT).pending == (maintenance.HELD_BACK,)
        other.execute("LOCK TABLE recollect.memories IN ACCESS SHARE MODE")
        assert store.erase_traces(ACCOUNT).pending == (maintenance.LOCKED,)
    assert store.erase_traces(ACCOUNT).pending == ()


def test_who_does_not_own_the_tables_is_told_who_can_rewrite_them(
    store: PostgresStore, tenant: Callable[[str], str]
) -> None:
    other = PostgresStore(tenant("tenant_a"), Options(connections=1))
    purge(other, TEXTS[0])
    assert other.erase_traces(ACCOUNT).pending == (maintenance.NOT_OWNER,)
    other.close()


def test_what_is_out_of_reach_is_named(store: PostgresStore) -> None:
    said = " ".join(store.erase_traces(ACCOUNT).out_of_reach)
    for copy in ("write-ahead log", "standbys", "backups", "exports"):
        assert copy in said


def test_no_statistics_are_kept_of_texts_and_vectors(store: PostgresStore, superuser: psycopg.Connection) -> None:
    put(store, *(record(f"the green door number {number}", tags=("door",)) for number in range(50)))
    superuser.execute("ANALYZE")
    kept = superuser.execute(
        "SELECT s.attname FROM pg_stats AS s JOIN information_schema.columns AS c ON c.table_schema = s.schemaname"
        " AND c.table_name = s.tablename AND c.column_name = s.attname WHERE s.schemaname = 'recollect'"
        " AND c.data_type NOT IN ('bigint', 'integer', 'smallint', 'boolean', 'double precision', 'uuid')"
        " AND NOT (c.data_type = 'ARRAY' AND c.udt_name = '_int4')"
    ).fetchall()
    # The last digits of ids, which say nothing.
    assert {name for (name,) in kept} <= {"id_tail", "operation_tail"}
    assert superuser.execute("SELECT count(*) > 0 FROM pg_stats WHERE schemaname = 'recollect'").fetchone() == (True,)


def test_a_migration_drops_the_statistics_that_an_older_schema_kept(
    fresh_database: str,
) -> None:
    options = Options(partitions=1)
    store = PostgresStore(fresh_database, options)
    put(store, *(record(f"the green door number {number}") for number in range(50)))
    store.close()
    with psycopg.connect(fresh_database, autocommit=True) as connection:
        connection.execute("SET search_path = recollect, public")
        connection.execute("ALTER TABLE memories ALTER COLUMN content SET STATISTICS 100")
        connection.execute("DROP POLICY wall ON notes")
        connection.execute("ANALYZE memories")
        asked = "SELECT count(*) FROM pg_stats WHERE attname = 'content'"
        assert connection.execute(asked).fetchone() != (0,)
        connection.execute("UPDATE notes SET value = '3' WHERE name = 'schema'")
        migrate(parse_address(fresh_database, options), options)
        assert connection.execute(asked).fetchone() == (0,)
        connection.execute("ANALYZE memories")
        assert connection.execute(asked).fetchone() == (0,)
