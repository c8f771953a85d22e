"""Leases: of many processes, one does a piece of background work; if it dies, another may take it over after a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from recollect.store.postgres.connections import Connections, Rows
from recollect.store.postgres.errors import translate_errors
from recollect.store.postgres.session import PostgresSession


class PostgresLeases:
    """The leases of one database. Times are those of the server's clock, which all processes share."""

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
