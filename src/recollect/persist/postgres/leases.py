"""Leases: of many processes, one does a piece of background work; if it dies, another may take it over after a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from recollect.persist.postgres.connection import Connections
from recollect.persist.postgres.rows import micros_of
from recollect.persist.postgres.seam import translated
from recollect.persist.postgres.session import Rows, Session


class Leases:
    """The leases of one database. Times are those of the server's clock, which all processes share."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def take(self, work: str, holder: str, seconds: float, account: str | None = None) -> bool:
        """Whether the work is the holder's now, for so long; taking what one holds makes it last longer."""
        return bool(self._run("take_lease", account, work=work, holder=holder, micros=micros_of(seconds)))

    def release(self, work: str, holder: str, account: str | None = None) -> bool:
        """Let go of the work; false when it was somebody else's already."""
        return bool(self._run("drop_lease", account, work=work, holder=holder))

    @contextmanager
    def held(self, work: str, holder: str, seconds: float, account: str | None = None) -> Iterator[bool]:
        """Do the work inside, if this says that it is the holder's."""
        mine = self.take(work, holder, seconds, account)
        try:
            yield mine
        finally:
            if mine:
                self.release(work, holder, account)

    def _run(self, name: str, account: str | None, **values: Any) -> Rows:
        with translated(self._connections.address):
            session = Session(self._connections, writes=True)
            try:
                found = session.read_store(name, values) if account is None else session.named(name, account, values)
                session.commit()
                return found
            finally:
                session.end()
