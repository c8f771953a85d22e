"""The schema: make it, bring it up to date, and build the vector indexes of large accounts; what `recollect migrate` does.

Each step is one transaction; a dry run makes it and rolls it back.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from recollect import errors
from recollect.log import timed
from recollect.store.postgres.connections import (
    Connection,
    Connections,
    Deadlines,
    connect_directly,
    keeps_prepared_statements,
    search_path_of,
)
from recollect.store.postgres.errors import translate_errors
from recollect.store.postgres.maintenance import PostgresLeases
from recollect.store.postgres.options import Address, Options, parse_address
from recollect.store.postgres.rows import STORE
from recollect.store.postgres.sql import migrations, queries, text_of
from recollect.store.postgres.vector_index import VectorIndex, add_waiting_vectors, make_index, wanted_indexes
from recollect.store.rows import time_of
from recollect.values.ids import new_id

_OLDEST_SERVER = 160000
_OLDEST_VECTOR = (0, 8)
# The first schema with counters for `stats`.
_COUNTED = 3
_WORK, _SECONDS = "vector indexes", 6 * 3600.0


@dataclass(frozen=True, slots=True)
class MigrationStep:
    """One thing that was done, or would be."""

    name: str
    detail: str


def newest() -> int:
    """The version of the schema that this code works with."""
    return migrations()[-1][0]


def upgrade(
    url: str, options: Options, *, dry_run: bool, progress: Callable[[str], None] | None = None
) -> list[tuple[str, str]]:
    """Bring a database up to date: first the schema, then the vector indexes; returns what was done, or would be."""
    address = parse_address(url, options)
    report = progress or (lambda _: None)
    report("the schema")
    with timed("schema of the database") as counts:
        done = [(step.name, step.detail) for step in migrate(address, options, dry_run=dry_run)]
        counts["steps"] = len(done)
    with timed("vector indexes") as counts:
        made = _build_indexes(address, options, dry_run, report)
        counts["indexes"] = len(made)
    return done + made


def migrate(address: Address, options: Options, *, dry_run: bool = False) -> list[MigrationStep]:
    """Bring the schema up to date; returns what was done."""
    if not options.role:
        raise errors.SettingsError("postgres_role", "is empty", "name the role that works with the tables")
    with connect_directly(address) as connection, translate_errors(address), _one_at_a_time(connection):
        return _migrate(connection, address, options, dry_run)


def exists(connection: Connection, schema: str) -> bool:
    """Whether our tables are there; a schema of something else is left alone."""
    found = connection.execute(queries()["what_is_there"], {"schema": schema}).fetchone()
    tables, ours = found or (0, False)
    if tables and not ours:
        raise errors.StoreDamaged(f"the schema {schema!r} is of something else; choose another with ?schema=name")
    return bool(ours)


def version_of(connection: Connection) -> int:
    """The version of the schema in the search path."""
    found = connection.execute(queries()["get_version"]).fetchone()
    return int(found[0]) if found else 0


def look_at_schema(connection: Connection, schema: str) -> str:
    """Set the search path of a connection outside the pool; returns it."""
    path = search_path_of(connection, schema)
    connection.execute(queries()["session_path"], {"search_path": path})
    return path


def open_database(address: Address, options: Options, deadlines: Deadlines) -> tuple[Options, str, bool]:
    """Make the schema if there is none and check its version; returns the options as they can be used (nothing is prepared behind
    a pooler), the search path, and whether the database can be written."""
    seconds = options.statement_seconds
    with translate_errors(address), connect_directly(address) as connection:
        with deadlines.within(connection, seconds):
            there = exists(connection, address.schema)
        if not there:
            migrate(address, options)
        with deadlines.within(connection, seconds), connection.transaction():
            path = search_path_of(connection, address.schema)
            connection.execute(queries()["migration_path"], {"search_path": path})
            connection.execute(queries()["set_role"], {"role": options.role or "none"})
            _check_version(address, version_of(connection))
        with deadlines.within(connection, seconds):
            standby = connection.execute("SELECT pg_is_in_recovery()").fetchone()
            prepared = options.prepared and keeps_prepared_statements(connection)
        return replace(options, prepared=prepared), path, not (standby and standby[0])


def _check_version(address: Address, version: int) -> None:
    if version > newest():
        raise errors.StoreNewer(
            f"{address.shown} was written by a newer recollect (schema {version}); upgrade recollect to open it"
        )
    if version < newest():
        raise errors.StoreError(
            f"{address.shown} has schema {version}, this recollect needs {newest()}; run `recollect migrate`"
        )


def _require_versions(connection: Connection) -> None:
    """Refuse a server that lacks what recollect is built on."""
    if connection.info.server_version < _OLDEST_SERVER:
        raise errors.StoreError("recollect needs PostgreSQL 16 or newer; upgrade the server")
    found = connection.execute(queries()["vector_version"]).fetchone()
    version = found[0] or found[1] if found else None
    if version is None:
        raise errors.StoreError("the server lacks the extension vector; install pgvector 0.8 or newer on it")
    if tuple(int(part) for part in version.split(".")[:2]) < _OLDEST_VECTOR:
        raise errors.StoreError(f"pgvector {version} is too old; ALTER EXTENSION vector UPDATE to 0.8 or newer")


@contextmanager
def _one_at_a_time(connection: Connection) -> Iterator[None]:
    """One migration at a time in a database."""
    connection.execute(queries()["lock_migration"])
    try:
        yield
    finally:
        if not connection.closed:
            connection.execute(queries()["unlock_migration"])


def _migrate(connection: Connection, address: Address, options: Options, dry_run: bool) -> list[MigrationStep]:
    _require_versions(connection)
    with connection.transaction(force_rollback=dry_run):
        values = {"schema": address.schema, "role": options.role, "partitions": str(options.partitions)}
        connection.execute(queries()["migration_settings"], values)
        connection.execute(text_of("role.sql"))
        path = search_path_of(connection, address.schema)
        connection.execute(queries()["migration_path"], {"search_path": path})
        connection.execute(text_of("schema_name.sql"))
        version = version_of(connection) if exists(connection, address.schema) else 0
        if version > newest():
            _check_version(address, version)
        steps = _create(connection, options) if version == 0 else _run_migrations(connection, version)
        connection.execute(text_of("row_security.sql"))
        if 0 < version < _COUNTED:
            _count_tallies(connection)
        connection.execute(queries()["set_note"], {"account_id": STORE, "name": "schema", "value": str(newest())})
    return steps


def _create(connection: Connection, options: Options) -> list[MigrationStep]:
    connection.execute(text_of("schema.sql"))
    notes = {"store": new_id(time_of(0)), "partitions": str(options.partitions)}
    # The notes get their partitions with row-level security, so that comes first here.
    connection.execute(text_of("row_security.sql"))
    for name, value in notes.items():
        connection.execute(queries()["set_note"], {"account_id": STORE, "name": name, "value": value})
    made = f"schema {newest()} with {options.partitions} partitions per table, for the role {options.role}"
    return [MigrationStep("create", made)]


def _run_migrations(connection: Connection, version: int) -> list[MigrationStep]:
    connection.execute(queries()["as_many_partitions"])
    steps = []
    for number, script in migrations():
        if number > version:
            connection.execute(script)
            first = script.lstrip("- ").splitlines()[0]
            steps.append(MigrationStep(f"migration {number:04}", first))
    return steps


def _count_tallies(connection: Connection) -> None:
    """Fill the counters of a database that had none; the owner sees all accounts while row-level security is not forced."""
    tables = ("memories", "vectors", "events", "tallies")
    for table in tables:
        connection.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    connection.execute(text_of("count_tallies.sql"))
    for table in tables:
        connection.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")


def _build_indexes(
    address: Address, options: Options, dry_run: bool, report: Callable[[str], None]
) -> list[tuple[str, str]]:
    """The vector indexes that large accounts lack, and what waits beside those they have."""
    with connect_directly(address) as connection, translate_errors(address):
        if dry_run and not exists(connection, address.schema):
            return []
        path = look_at_schema(connection, address.schema)
        wanted = wanted_indexes(connection)
        missing = [index for index in wanted if not index.valid]
        if missing and not dry_run:
            _make_indexes(connection, Connections(address, options, search_path=path), missing, report)
        for index in () if dry_run else wanted:
            while add_waiting_vectors(connection, index.account_id):
                report(index.name)
    return [("vector index", f"{index.memories:,} memories of {index.model}: {index.name}") for index in missing]


def _make_indexes(
    connection: Connection, connections: Connections, missing: list[VectorIndex], report: Callable[[str], None]
) -> None:
    """One process at a time: two would build the same index twice."""
    try:
        holder = f"{socket.gethostname()}:{os.getpid()}"
        with PostgresLeases(connections).held(_WORK, holder, _SECONDS) as granted:
            for index in missing if granted else ():
                report(index.name)
                make_index(connection, index)
    finally:
        connections.close()
