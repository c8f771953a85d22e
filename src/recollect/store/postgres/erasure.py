"""After a purge: remove what deleted rows leave in the data files of the server.

VACUUM makes the space of deleted rows free, but does not overwrite it. Only writing the tables anew removes the bytes, and that
locks them. So a purge rewrites small tables at once, if it gets the locks quickly; for large ones it says which command does it.
"""

from __future__ import annotations

import time

import psycopg
from psycopg import sql

from recollect.store.postgres.connections import Connection, connect_directly
from recollect.store.postgres.errors import translate_errors
from recollect.store.postgres.maintenance import partitions_of
from recollect.store.postgres.options import Address
from recollect.store.postgres.sql import queries
from recollect.values.purge import Erasure

# Tables up to this size together, indexes included, are written anew in about a second.
REWRITTEN_AT_ONCE = 64 * 2**20
# How long a rewrite waits for each lock and for older transactions to end, in seconds: of a purge, and on demand.
_SOON, _PATIENT = 2.0, 60.0
_STEP = 0.05

NOT_OWNER = "this login may not rewrite the tables: have their owner run `recollect vacuum`"
LARGE = "the tables are large and were not rewritten: the data files contain old rows until `recollect vacuum`"
LOCKED = "the tables are in use and were not rewritten: the data files contain old rows until `recollect vacuum`"
HELD_BACK = "an older transaction still sees the old rows: run `recollect vacuum` when it has ended"
OUT_OF_REACH = (
    "the write-ahead log of the server and its archive, until they are recycled",
    "standbys, backups and dumps of the database",
    "exports and other copies",
)


def erase_deleted(address: Address, account: str, *, rewrite: bool, at_once: int = REWRITTEN_AT_ONCE) -> Erasure:
    """Remove deleted rows from the tables of an account, as far as the login role may; returns which copies are left.

    Without `rewrite`, only tables of at most `at_once` bytes together are written anew.
    """
    with connect_directly(address) as connection, translate_errors(address):
        tables = partitions_of(connection, address, account)
        if not tables:
            return Erasure((NOT_OWNER,), OUT_OF_REACH)
        small = _size(connection, tables) <= at_once
        pending = _rewrite(connection, tables, _PATIENT if rewrite else _SOON) if rewrite or small else LARGE
        if pending is not None:
            # It takes no lock that others wait for; at least the rows cannot be reached by SQL afterwards.
            connection.execute(sql.SQL("VACUUM (INDEX_CLEANUP ON, TRUNCATE ON) {}").format(_list(tables)))
    return Erasure(() if pending is None else (pending,), OUT_OF_REACH)


def _rewrite(connection: Connection, tables: list[sql.Identifier], patience: float) -> str | None:
    """Write the tables and their indexes anew; returns what stood in the way."""
    held_back = not _wait_for_older(connection, patience)
    connection.execute(queries()["lock_patience"], {"milliseconds": str(int(patience * 1000))})
    try:
        # One statement for all: VACUUM takes a list of tables, each in a transaction of its own.
        connection.execute(sql.SQL("VACUUM (FULL) {}").format(_list(tables)))
    except psycopg.errors.LockNotAvailable:
        return LOCKED
    return HELD_BACK if held_back else None


def _wait_for_older(connection: Connection, patience: float) -> bool:
    """Wait until no other transaction can see rows that are deleted by now: a rewrite keeps those. False after a while."""
    until = time.monotonic() + patience
    while connection.execute(queries()["older_snapshots"]).fetchone() != (0,):
        if time.monotonic() > until:
            return False
        time.sleep(_STEP)
    return True


def _size(connection: Connection, tables: list[sql.Identifier]) -> int:
    names = [table.as_string(connection) for table in tables]
    found = connection.execute(queries()["size_of_tables"], {"names": names}).fetchone()
    return int(found[0]) if found else 0


def _list(tables: list[sql.Identifier]) -> sql.Composed:
    return sql.SQL(", ").join(tables)
