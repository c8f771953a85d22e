"""PostgresStore: one database, many processes; a pool of connections, one transaction a change, acknowledged after the commit."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from recollect import errors
from recollect.persist.postgres.address import Options, address_of
from recollect.persist.postgres.connection import Connections, direct, prepare
from recollect.persist.postgres.health import health
from recollect.persist.postgres.leases import Leases
from recollect.persist.postgres.link import Shared
from recollect.persist.postgres.linking import Linking
from recollect.persist.postgres.migrate import exists, migrate, newest, version_of
from recollect.persist.postgres.reader import PostgresReader
from recollect.persist.postgres.seam import translated
from recollect.persist.postgres.session import Session
from recollect.persist.postgres.traces import erase_traces
from recollect.persist.postgres.upgrade import upgraded
from recollect.persist.postgres.vector_index import INDEXED_FROM
from recollect.persist.postgres.writer import PostgresTransaction
from recollect.values.event import Operation
from recollect.values.first import First
from recollect.values.ids import new_id
from recollect.values.search import Search

__all__ = ["PostgresStore", "upgraded"]


class PostgresStore:
    """The server back end. Threads share it; processes share the database."""

    def __init__(self, url: str, options: Options | None = None) -> None:
        self.options = options or Options()
        self.address = address_of(url, self.options)
        self.path = self.address.shown
        self.writable = _ready(self)
        self._connections = Connections(self.address, self.options)
        self.leases = Leases(self._connections)
        self._linking = Linking(self._connections, self.leases)
        self._shared = Shared()
        self._inside = threading.local()
        self._closed = False

    @contextmanager
    def reading(self, now: datetime | None = None, first: Search | None = None) -> Iterator[PostgresReader]:
        """One consistent view for several reads; what is superseded is worked out for that moment."""
        self._open_or_raise()
        held: Session | None = getattr(self._inside, "session", None)
        with translated(self.address):
            if held is not None:
                # A view inside a change sees the change; inside a view, the same view.
                yield PostgresReader(held, self._shared, now)
                return
            with self._session(writes=False) as session:
                yield PostgresReader(session, self._shared, now, first)

    @contextmanager
    def transaction(
        self,
        account: str,
        actor: str,
        at: datetime,
        *,
        undoes: str | None = None,
        operation: str | None = None,
        first: First | None = None,
    ) -> Iterator[PostgresTransaction]:
        """All or nothing; returns after the commit is durable."""
        self._open_or_raise()
        if not self.writable:
            raise errors.ReadOnly(self.path, "write to a store that may change: the primary server, or an open one")
        if getattr(self._inside, "session", None) is not None:
            raise errors.StoreError("a change was begun inside another one; end the first")
        with translated(self.address), self._session(writes=True) as session:
            made = Operation(operation or new_id(at), actor, at, undoes)
            change = PostgresTransaction(session, self._shared, account, made, first)
            try:
                yield change
                change.finish()
            except BaseException:  # Ctrl-C too: all or nothing holds whatever ended the block
                change.abandon()
                raise
            if change.held >= INDEXED_FROM:
                self._linking.wrote(account)

    @contextmanager
    def _session(self, *, writes: bool) -> Iterator[Session]:
        session = Session(self._connections, writes=writes)
        self._inside.session = session
        try:
            yield session
        finally:
            self._inside.session = None
            session.end()

    def use_model(self, model: str, dimensions: int) -> None:
        self._shared.model, self._shared.dimensions = model, dimensions

    def freeze(self) -> None:
        self.writable = False

    def erase_traces(self, account: str) -> None:
        """After a purge: no old row version in the tables of the account, as far as the login role may see to it."""
        self._open_or_raise()
        erase_traces(self.address, account)

    def check(self) -> dict[str, Any]:
        """The health of the database, for `doctor`."""
        self._open_or_raise()
        with direct(self.address) as connection, translated(self.address):
            found = health(connection, self.address, self.options)
        if self._linking.problem:
            found["findings"].append(self._linking.problem)
        return {**found, "path": self.path, "writable": self.writable}

    def close(self) -> None:
        """Let go of the connections. Closing twice is fine."""
        if not self._closed:
            self._closed = True
            self._linking.close()
            self._connections.close()

    def _open_or_raise(self) -> None:
        if self._closed:
            raise errors.StoreError(f"{self.path} is closed; open it again")


def _ready(store: PostgresStore) -> bool:
    """Look at the database, make the schema if there is none, and say whether it can be written."""
    address, options = store.address, store.options
    with direct(address) as connection, translated(address):
        if not exists(connection, address.schema):
            migrate(address, options)
        prepare(connection, address, options)
        version = version_of(connection)
        if version > newest():
            raise errors.StoreNewer(
                f"{address.shown} was written by a newer recollect (schema {version}); upgrade recollect to open it"
            )
        if version < newest():
            raise errors.StoreError(
                f"{address.shown} has schema {version}, this recollect needs {newest()}; run `recollect migrate`"
            )
        standby = connection.execute("SELECT pg_is_in_recovery()").fetchone()
        return not (standby and standby[0])
