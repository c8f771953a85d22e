"""Migrating: make the schema, or bring it up to date. Each step is one transaction; a dry run does it and takes it back."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from recollect import errors
from recollect.persist.postgres.address import Address, Options
from recollect.persist.postgres.connection import Connection, direct
from recollect.persist.postgres.rows import STORE
from recollect.persist.postgres.seam import translated
from recollect.persist.postgres.sql import migrations, queries, text_of
from recollect.persist.rows import time_of
from recollect.values.ids import new_id

OLDEST_SERVER = 160000
OLDEST_VECTOR = (0, 8)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was done, or would be."""

    name: str
    detail: str


def newest() -> int:
    """The schema this recollect works with."""
    return migrations()[-1][0]


def migrate(address: Address, options: Options, *, dry_run: bool = False) -> list[Step]:
    """Bring a database up to date; returns what was done."""
    if not options.role:
        raise errors.SettingsError("postgres_role", "is empty", "name the role that works with the tables")
    with direct(address) as connection, translated(address), _alone(connection):
        return _migrate(connection, address, options, dry_run)


def exists(connection: Connection, schema: str) -> bool:
    """Whether our tables are there; a schema of something else is left alone."""
    found = connection.execute(queries()["what_is_there"], {"schema": schema}).fetchone()
    tables, ours = found or (0, False)
    if tables and not ours:
        raise errors.StoreDamaged(f"the schema {schema!r} is of something else; choose another with ?schema=name")
    return bool(ours)


def version_of(connection: Connection) -> int:
    """The version of the schema that is looked at."""
    found = connection.execute(queries()["get_version"]).fetchone()
    return int(found[0]) if found else 0


def require(connection: Connection) -> None:
    """Refuse a server that lacks what recollect is built on."""
    if connection.info.server_version < OLDEST_SERVER:
        raise errors.StoreError("recollect needs PostgreSQL 16 or newer; upgrade the server")
    found = connection.execute(queries()["vector_version"]).fetchone()
    version = found[0] or found[1] if found else None
    if version is None:
        raise errors.StoreError("the server lacks the extension vector; install pgvector 0.8 or newer on it")
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_VECTOR:
        raise errors.StoreError(f"pgvector {version} is too old; ALTER EXTENSION vector UPDATE to 0.8 or newer")


@contextmanager
def _alone(connection: Connection) -> Iterator[None]:
    """One migration at a time in a database."""
    connection.execute(queries()["lock_migration"])
    try:
        yield
    finally:
        if not connection.closed:
            connection.execute(queries()["unlock_migration"])


def _migrate(connection: Connection, address: Address, options: Options, dry_run: bool) -> list[Step]:
    require(connection)
    with connection.transaction(force_rollback=dry_run):
        values = {"schema": address.schema, "role": options.role, "partitions": str(options.partitions)}
        connection.execute(queries()["migration_settings"], values)
        connection.execute(text_of("ground.sql"))
        connection.execute(queries()["migration_path"], values)
        connection.execute(text_of("schema_name.sql"))
        version = version_of(connection) if exists(connection, address.schema) else 0
        if version > newest():
            raise errors.StoreNewer(
                f"{address.shown} was written by a newer recollect (schema {version}); upgrade recollect to open it"
            )
        steps = _built(connection, options) if version == 0 else _upgraded(connection, version)
        connection.execute(text_of("wall.sql"))
        connection.execute(queries()["set_note"], {"account_id": STORE, "name": "schema", "value": str(newest())})
    return steps


def _built(connection: Connection, options: Options) -> list[Step]:
    connection.execute(text_of("schema.sql"))
    notes = {"store": new_id(time_of(0)), "secret": secrets.token_hex(32), "partitions": str(options.partitions)}
    # The notes get their parts with the wall, so that comes first here.
    connection.execute(text_of("wall.sql"))
    for name, value in notes.items():
        connection.execute(queries()["set_note"], {"account_id": STORE, "name": name, "value": value})
    return [Step("create", f"schema {newest()} with {options.partitions} parts a table, for the role {options.role}")]


def _upgraded(connection: Connection, version: int) -> list[Step]:
    steps = []
    for number, script in migrations():
        if number > version:
            connection.execute(script)
            first = script.lstrip("- ").splitlines()[0]
            steps.append(Step(f"migration {number:04}", first))
    return steps
