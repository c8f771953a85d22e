"""Work on the tables that is no verb: leases, the background work of an open store, and removing what a purge leaves in the files.

Nobody waits for background work: if the process ends before, another one does it later, or `recollect migrate`, or autovacuum.

VACUUM makes the space of deleted rows free, but does not overwrite it. Only writing the tables anew removes the bytes, and that
locks them. So a purge rewrites small tables at once, if it gets the locks quickly; for large ones it says which command does it.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql

from recollect.errors import RecollectError
from recollect.store.postgres.connections import Connection, Connections, Rows, connect_directly, transaction_settings
from recollect.store.postgres.errors import translate_errors
from recollect.store.postgres.options import Address
from recollect.store.postgres.rows import account_number
from recollect.store.postgres.session import PostgresSession
from recollect.store.postgres.sql import queries
from recollect.store.postgres.vector_index import INDEXED_FROM, add_waiting_vectors
from recollect.values.purge import Erasure

# Vectors are added after so many changes of an account, with a rest after each few, so that others have most of the machine.
_CHANGES, _REST = 128, 4.0
_WORK, _LEASE_SECONDS = "vectors that wait of", 60.0
# Statistics are collected after so many new rows, and again whenever an account has grown by half.
_LOADED, _GROWN = 1_000, 0.5
_PATIENCE = 2.0
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


class PostgresLeases:
    """The leases of one database: of many processes, one does a piece of work; if it dies, another may take it over after a while.

    Times are those of the server's clock, which all processes share.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def take(self, work: str, holder: str, seconds: float, account: str | None = None) -> bool:
        """Whether the work is the holder's now, for so long; taking a lease one has extends it."""
        return bool(self._run("take_lease", account, work=work, holder=holder, micros=round(seconds * 1_000_000)))

    def release(self, work: str, holder: str, account: str | None = None) -> bool:
        """Give a lease back; False when somebody else has it already."""
        return bool(self._run("drop_lease", account, work=work, holder=holder))

    @contextmanager
    def held(self, work: str, holder: str, seconds: float, account: str | None = None) -> Iterator[bool]:
        """Take a lease for the length of a block; the block gets whether it was granted."""
        granted = self.take(work, holder, seconds, account)
        try:
            yield granted
        finally:
            if granted:
                self.release(work, holder, account)

    def _run(self, name: str, account: str | None, **values: Any) -> Rows:
        # The lock of "" is that of no account: leases of the store are rows of the store itself.
        session = PostgresSession(self._connections, writes=account or "")
        with translate_errors(self._connections.address):
            try:
                session.changed()
                found = session.read_store(name, **values) if account is None else session.read(name, account, **values)
                session.commit()
                return found
            finally:
                session.end()


class Maintenance:
    """The background thread of one open store; it runs only while there is something to do."""

    def __init__(self, connections: Connections, leases: PostgresLeases) -> None:
        self.problem: str | None = None
        self._connections, self._leases = connections, leases
        self._changes: Counter[str] = Counter()
        self._loaded: Counter[str] = Counter()
        self._tasks: deque[tuple[Callable[[str], None], str]] = deque()
        self._thread: threading.Thread | None = None
        self._lock, self._closing = threading.Lock(), threading.Event()

    def wrote(self, account: str, held: int, inserted: int) -> None:
        """An account of so many memories was changed, and got so many new ones."""
        with self._lock:
            self._loaded[account] += inserted
            if self._loaded[account] >= max(_LOADED, _GROWN * held):
                del self._loaded[account]
                self._start(self._analyze, account)
            if held >= INDEXED_FROM:
                self._changes[account] += 1
                if self._changes[account] >= _CHANGES:
                    del self._changes[account]
                    self._start(self._add_vectors, account)

    def close(self) -> None:
        """Stop after what is being done."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join(_PATIENCE)

    def _start(self, task: Callable[[str], None], account: str) -> None:
        if (task, account) not in self._tasks:
            self._tasks.append((task, account))
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="recollect-maintenance", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._tasks or self._closing.is_set():
                    self._thread = None
                    return
                task, account = self._tasks.popleft()
            try:
                with translate_errors(self._connections.address):
                    task(account)
                self.problem = None
            except RecollectError as error:
                # Nobody waits for this thread; `doctor` tells.
                self.problem = f"background work failed: {error}"

    def _analyze(self, account: str) -> None:
        with connect_directly(self._connections.address) as connection:
            # Without waiting for locks: `migrate` may be building an index on the same partition.
            for table in partitions_of(connection, self._connections.address, account):
                connection.execute(sql.SQL("ANALYZE (SKIP_LOCKED) {}").format(table))

    def _add_vectors(self, account: str) -> None:
        """One process per account at a time."""
        holder, until, rest = f"{socket.gethostname()}:{os.getpid()}", time.monotonic() + _LEASE_SECONDS / 2, 0.0
        # A lease of the store: one of the account would make its writers wait.
        work = f"{_WORK} {account_number(account)}"
        with self._leases.held(work, holder, _LEASE_SECONDS) as granted:
            while granted and not self._closing.wait(rest):
                begun = time.monotonic()
                if not self._add_some(account):
                    break
                rest = _REST * (time.monotonic() - begun)
                if begun > until:
                    granted = self._leases.take(work, holder, _LEASE_SECONDS)
                    until = time.monotonic() + _LEASE_SECONDS / 2

    def _add_some(self, account: str) -> bool:
        connection = self._connections.take()
        try:
            with connection.transaction():
                settings = transaction_settings(self._connections)
                connection.execute(settings.sql, settings.values)
                return add_waiting_vectors(connection, account_number(account)) > 0
        finally:
            self._connections.give_back(connection)


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


def partitions_of(connection: Connection, address: Address, account: str) -> list[sql.Identifier]:
    """The partitions with the rows of an account, as far as the login role may maintain them."""
    values = {"schema": address.schema, "account_id": account_number(account)}
    found = connection.execute(queries()["partitions_of"], values).fetchall()
    return [sql.Identifier(address.schema, name) for (name,) in found]
