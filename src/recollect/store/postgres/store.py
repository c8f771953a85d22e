"""PostgresStore: one database, many processes; a pool of connections, one transaction per change, acknowledged after the commit."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from recollect import errors
from recollect.forking import follow_forks
from recollect.store.postgres.account import Shared
from recollect.store.postgres.connections import Connections, Deadlines, Waits, connect_directly
from recollect.store.postgres.errors import translate_errors
from recollect.store.postgres.health import health
from recollect.store.postgres.maintenance import Maintenance, PostgresLeases, erase_deleted
from recollect.store.postgres.options import Options, parse_address
from recollect.store.postgres.reader import PostgresReader
from recollect.store.postgres.schema import open_database, upgrade
from recollect.store.postgres.session import PostgresSession
from recollect.store.postgres.writer import PostgresTransaction
from recollect.values.enums import ChangeOrigin
from recollect.values.event import Operation
from recollect.values.ids import new_id
from recollect.values.purge import Erasure

__all__ = ["PostgresStore", "upgrade"]


class PostgresStore:
    """The server back end. Threads share it; processes share the database."""

    def __init__(self, url: str, options: Options | None = None) -> None:
        self.address = parse_address(url, options or Options())
        self.path = self.address.shown
        deadlines = Deadlines()
        self.options, search_path, self.writable = open_database(self.address, options or Options(), deadlines)
        self._connections = Connections(self.address, self.options, search_path=search_path, deadlines=deadlines)
        self.leases = PostgresLeases(self._connections)
        self._closed = False
        self._model: tuple[str, int] | None = None
        self._start()
        follow_forks(self)

    def _start(self) -> None:
        """What a process has of its own."""
        self._maintenance = Maintenance(self._connections, self.leases)
        self._shared = Shared()
        self._current = threading.local()
        if self._model is not None:
            self.use_model(*self._model)

    def before_fork(self) -> None:
        """Nothing to let go of: the connections stay the parent's (see `Connections.after_fork`)."""

    def after_fork(self, *, child: bool) -> None:
        """The child knows nothing yet, and does its own background work."""
        if child:
            self._start()

    @property
    def waits(self) -> Waits:
        """How often the current thread has waited for the server."""
        return self._connections.waits

    @contextmanager
    def view(self, now: datetime | None = None) -> Iterator[PostgresReader]:
        """One consistent view for several reads; what is superseded is worked out for that moment."""
        self._require_open()
        outer: PostgresSession | None = getattr(self._current, "session", None)
        with translate_errors(self.address):
            if outer is not None:
                # A view inside a transaction sees its changes; inside a view, it is the same view.
                yield PostgresReader(outer, self._shared, now)
                return
            with self._session(PostgresSession(self._connections)) as session:
                yield PostgresReader(session, self._shared, now)
                session.finish_checks()

    @contextmanager
    def transaction(
        self,
        account: str,
        actor: str,
        at: datetime,
        *,
        operation: str | None = None,
        origin: ChangeOrigin = "person",
        wait: bool = True,
    ) -> Iterator[PostgresTransaction]:
        """All or nothing; returns after the commit is durable."""
        self._require_open()
        if not self.writable:
            raise errors.ReadOnly(self.path, "write to a store that may change: the primary server, or an open one")
        if getattr(self._current, "session", None) is not None:
            raise errors.StoreError("a change was begun inside another one; end the first")
        made = Operation(operation or new_id(at), actor, at, origin=origin)
        session = PostgresSession(self._connections, writes=account, wait=wait)
        with translate_errors(self.address), self._session(session):
            if not wait:
                session.state(account)
            tx = PostgresTransaction(session, self._shared, account, made)
            yield tx
            session.finish_checks()
            state = session.known_state(account)
            session.commit()
        held = 0 if state is None else state.held
        if session.wrote:
            self._maintenance.wrote(account, held + tx.batch.inserted, tx.batch.inserted)

    @contextmanager
    def _session(self, session: PostgresSession) -> Iterator[PostgresSession]:
        self._current.session = session
        try:
            yield session
        finally:
            self._current.session = None
            session.end()

    def use_model(self, model: str, dimensions: int) -> None:
        self._model = (model, dimensions)
        self._shared.model, self._shared.dimensions = model, dimensions

    def freeze(self) -> None:
        self.writable = False

    def erase_traces(self, account: str, *, rewrite: bool = False) -> Erasure:
        """After a purge: no old row version in the tables of the account, as far as the login role may rewrite them."""
        self._require_open()
        return erase_deleted(self.address, account, rewrite=rewrite)

    def check(self) -> dict[str, Any]:
        """The health of the database, for `doctor`."""
        self._require_open()
        with (
            translate_errors(self.address),
            connect_directly(self.address, self.options.wait_seconds) as connection,
            self._connections.within_limit(connection),
        ):
            found = health(connection, self._connections)
        if self._maintenance.problem:
            found["findings"].append(self._maintenance.problem)
        return {**found, "path": self.path, "writable": self.writable}

    def close(self) -> None:
        """Close the connections. Closing twice is fine."""
        if not self._closed:
            self._closed = True
            self._maintenance.close()
            self._connections.close()

    def _require_open(self) -> None:
        if self._closed:
            raise errors.StoreError(f"{self.path} is closed; open it again")
