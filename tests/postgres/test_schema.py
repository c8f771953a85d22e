"""The schema: made and upgraded as the files say, keyed so that a cluster can take it, and refused when it is not ours."""

from __future__ import annotations

import re

import psycopg
import pytest

import recollect
from recollect.errors import SettingsError, StoreDamaged, StoreError, StoreNewer
from recollect.store.postgres.options import Options, parse_address
from recollect.store.postgres.schema import migrate
from recollect.store.postgres.sql import migrations, queries, text_of
from recollect.store.postgres.store import PostgresStore, upgrade

DESCRIBED = """
SELECT 'column', table_name || '.' || column_name, concat_ws(' ', data_type, udt_name, is_nullable, column_default, collation_name)
FROM information_schema.columns WHERE table_schema = %(schema)s
UNION ALL SELECT 'index', indexname, indexdef FROM pg_indexes WHERE schemaname = %(schema)s
UNION ALL SELECT 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = %(schema)s::regnamespace
UNION ALL SELECT 'function', proname, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = %(schema)s::regnamespace
ORDER BY 1, 2, 3
"""


def described(url: str, *scripts: str) -> list[tuple[str, ...]]:
    """What some scripts make, in words without the name of the schema."""
    with psycopg.connect(url) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
        connection.execute("CREATE SCHEMA made")
        connection.execute("SET LOCAL search_path = made, public")
        for script in scripts:
            connection.execute(script)
        found = connection.execute(DESCRIBED, {"schema": "made"}).fetchall()
        connection.rollback()
    return found


def test_all_migrations_together_give_the_schema(fresh_database: str) -> None:
    made = described(fresh_database, text_of("schema.sql"))
    assert described(fresh_database, *(script for _, script in migrations())) == made
    assert len(made) > 150


def test_migrations_are_numbered_without_gaps() -> None:
    assert [number for number, _ in migrations()] == list(range(1, len(migrations()) + 1))


def test_every_key_is_led_by_the_account_and_every_table_split_by_it(superuser: psycopg.Connection) -> None:
    tables = superuser.execute(
        "SELECT c.oid::regclass::text, c.relkind, pg_get_partkeydef(c.oid) FROM pg_class AS c"
        " WHERE c.relnamespace = 'recollect'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
    ).fetchall()
    assert len(tables) >= 15
    assert {(kind, key) for _, kind, key in tables} == {("p", "HASH (account_id)")}
    keys = superuser.execute(
        "SELECT i.indrelid::regclass::text, a.attname FROM pg_index AS i"
        " JOIN pg_class AS c ON c.oid = i.indrelid AND c.relnamespace = 'recollect'::regnamespace AND c.relkind = 'p'"
        " LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] WHERE i.indisunique"
    ).fetchall()
    assert {name for _, name in keys} == {"account_id"}
    assert {table for table, _ in keys} == {table for table, _, _ in tables}


def test_no_constraint_spans_two_accounts(superuser: psycopg.Connection) -> None:
    found = superuser.execute(
        "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE connamespace = 'recollect'::regnamespace AND contype = 'f' AND conparentid = 0"
    ).fetchall()
    assert len(found) >= 4
    for table, definition in found:
        assert re.match(r'FOREIGN KEY \(account_id, "?\w+"?\) REFERENCES \w+\(account_id, "?\w+"?\)', definition), table


def test_every_table_has_as_many_parts_as_were_asked_for(fresh_database: str) -> None:
    PostgresStore(fresh_database, Options(partitions=3)).close()
    with psycopg.connect(fresh_database) as connection:
        found = connection.execute(
            "SELECT count(*) FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhparent"
            " WHERE c.relkind = 'p' AND c.relnamespace = 'recollect'::regnamespace GROUP BY c.oid"
        ).fetchall()
    assert {count for (count,) in found} == {3}


def test_every_named_query_is_valid_sql(superuser: psycopg.Connection) -> None:
    """The server itself parses each; pieces of queries and what a migration is told are left out."""
    pieces = {
        "memory",
        "document",
        "event",
        "find_memories",
        "count_memories",
        "page",
        "count_tags",
        "by_tag",
        "find_events",
    }
    for name, query in queries().items():
        query = query.replace("{asked}", queries()["ids_given"])
        if name in pieces or query.split()[0] not in ("SELECT", "INSERT", "UPDATE", "DELETE"):
            continue
        numbered, known = query, []
        for parameter in dict.fromkeys(re.findall(r"%\((\w+)\)s", query)):
            known.append(parameter)
            numbered = numbered.replace(f"%({parameter})s", f"${len(known)}")
        superuser.execute(f"PREPARE tried AS {numbered}")
        superuser.execute("DEALLOCATE tried")


def test_a_store_is_made_at_the_first_opening_and_found_at_the_next(fresh_database: str) -> None:
    with recollect.open(fresh_database, embedder="none", postgres_partitions=2) as memory:
        kept = memory.remember("The vault is in Bern").memory
    with recollect.open(fresh_database, embedder="none") as memory:
        assert [hit.memory.id for hit in memory.recall("vault")] == [kept.id]


def test_two_schemas_of_one_database_know_nothing_of_each_other(fresh_database: str) -> None:
    other = f"{fresh_database}&schema=other" if "?" in fresh_database else f"{fresh_database}?schema=other"
    for url, text in ((fresh_database, "The vault is in Bern"), (other, "The vault is in Basel")):
        with recollect.open(url, embedder="none", postgres_partitions=1) as memory:
            memory.remember(text)
            assert [hit.memory.content for hit in memory.recall("vault")] == [text]


def test_a_dry_run_says_what_it_would_do_and_leaves_nothing(fresh_database: str) -> None:
    options = Options(partitions=2)
    first = upgrade(fresh_database, options, dry_run=True)
    assert [name for name, _ in first] == ["create"]
    assert upgrade(fresh_database, options, dry_run=False) == first
    assert upgrade(fresh_database, options, dry_run=False) == upgrade(fresh_database, options, dry_run=True) == []


def test_a_newer_schema_is_refused_and_an_older_one_asks_to_be_migrated(
    empty_database: str, superuser: psycopg.Connection
) -> None:
    try:
        for version, error, message in (("999", StoreNewer, "upgrade"), ("0", StoreError, "recollect migrate")):
            superuser.execute("UPDATE notes SET value = %s WHERE name = 'schema'", [version])
            with pytest.raises(error, match=message):
                PostgresStore(empty_database)
        superuser.execute("UPDATE notes SET value = '999' WHERE name = 'schema'")
        with pytest.raises(StoreNewer, match="upgrade"):
            migrate(parse_address(empty_database, Options()), Options())
    finally:
        superuser.execute("UPDATE notes SET value = %s WHERE name = 'schema'", [str(migrations()[-1][0])])


def test_a_migration_gives_each_account_the_key_and_the_counters_that_the_store_had(fresh_database: str) -> None:
    options = Options(partitions=1)
    with recollect.open(fresh_database, embedder="none", postgres_partitions=1, account="ada") as memory:
        kept = memory.remember("The vault is in Bern").memory
        pool = memory.pools.create("board").id
    with psycopg.connect(fresh_database, autocommit=True) as connection:
        connection.execute("SET search_path = recollect, public")
        # As it was before: everything among the notes of the store.
        connection.execute("DROP POLICY wall ON notes")
        connection.execute("UPDATE notes SET account_id = 0 WHERE account_id <> 0")
        connection.execute("INSERT INTO notes VALUES (0, 'recalls:ada', '7'), (0, 'ingested:ada:k', 'x')")
        connection.execute("UPDATE notes SET value = '3' WHERE name = 'schema'")
        migrate(parse_address(fresh_database, options), options)
        found = connection.execute("SELECT name FROM notes WHERE account_id <> 0 ORDER BY name").fetchall()
        assert [name for (name,) in found] == ["ingested:k", f"pool:{pool}", "recalls", "secret"]
        left = connection.execute("SELECT name FROM notes WHERE account_id = 0 ORDER BY name").fetchall()
        assert [name for (name,) in left] == ["partitions", "schema", "store"]
    with recollect.open(fresh_database, embedder="none", account="ada") as memory:
        assert memory.remember("The vault is in Bern").memory.id == kept.id


def test_an_upgrade_from_before_metadata_keeps_every_memory_and_gives_it_metadata(fresh_database: str) -> None:
    with recollect.open(fresh_database, embedder="none", postgres_partitions=2) as memory:
        kept = memory.remember("The vault is in Bern", tags=["bank"], key="vault").memory
    with psycopg.connect(fresh_database, autocommit=True) as connection:
        connection.execute("SET search_path = recollect, public")
        connection.execute("DROP TABLE metadata")
        connection.execute('ALTER TABLE memories DROP COLUMN "user"')
        connection.execute("UPDATE notes SET value = '6' WHERE name = 'schema'")
    with pytest.raises(StoreError, match="recollect migrate"):
        recollect.open(fresh_database, embedder="none")
    assert [name for name, _ in upgrade(fresh_database, Options(partitions=7), dry_run=False)] == ["migration 0007"]
    with psycopg.connect(fresh_database) as connection:
        parts = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'recollect.metadata'::regclass"
        assert connection.execute(parts).fetchone() == (2,)
    with recollect.open(fresh_database, embedder="none") as memory:
        assert memory.list() == [kept]
        assert memory.remember("The vault is in Bern", key="vault").memory.id == kept.id
        memory.update(kept.id, metadata={"floor": 2})
        hers = memory.with_identity(user="ulla").remember("The vault closes at six", metadata={"floor": 3}).memory
        assert [found.id for found in memory.list(metadata={"floor": {"$gte": 2}})] == [kept.id]
        assert [found.id for found in memory.with_identity(user="ulla").list(metadata={"floor": 3})] == [hers.id]


def test_a_schema_of_something_else_is_left_alone(fresh_database: str) -> None:
    with psycopg.connect(fresh_database, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA recollect CREATE TABLE cats (name text)")
        with pytest.raises(StoreDamaged, match="something else"):
            PostgresStore(fresh_database)
        found = connection.execute("SELECT relname FROM pg_class WHERE relnamespace = 'recollect'::regnamespace")
        assert found.fetchall() == [("cats",)]


def test_a_password_is_in_no_message() -> None:
    urls = (
        "postgresql://bob:hush77@127.0.0.1:1/x",
        "postgresql://bob:hush77@127.0.0.1:x/y",
        "postgresql://:hush77@[/x",
    )
    for url in urls:
        with pytest.raises((StoreError, SettingsError)) as caught:
            PostgresStore(url)
        said = "".join(str(error) for error in (caught.value, caught.value.__cause__))
        assert "hush77" not in said
