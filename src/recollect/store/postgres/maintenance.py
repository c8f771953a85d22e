"""Background work of one open store: adding waiting vectors to vector indexes, and statistics after large loads.

Nobody waits for it. If the process ends before, another one does it later, or `recollect migrate`, or autovacuum.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Callable

from psycopg import sql

from recollect.errors import RecollectError
from recollect.store.postgres.connections import Connection, Connections, connect_directly, transaction_settings
from recollect.store.postgres.errors import translate_errors
from recollect.store.postgres.leases import PostgresLeases
from recollect.store.postgres.options import Address
from recollect.store.postgres.rows import account_number
from recollect.store.postgres.sql import queries
from recollect.store.postgres.vector_index import INDEXED_FROM, add_waiting_vectors

# Vectors are added after so many changes of an account, with a rest after each few, so that others have most of the machine.
_CHANGES, _REST = 128, 4.0
_WORK, _LEASE_SECONDS = "vectors that wait of", 60.0
# Statistics are collected after so many new rows, and again whenever an account has grown by half.
_LOADED, _GROWN = 1_000, 0.5
_PATIENCE = 2.0


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


def partitions_of(connection: Connection, address: Address, account: str) -> list[sql.Identifier]:
    """The partitions with the rows of an account, as far as the login role may maintain them."""
    values = {"schema": address.schema, "account_id": account_number(account)}
    found = connection.execute(queries()["partitions_of"], values).fetchall()
    return [sql.Identifier(address.schema, name) for (name,) in found]
