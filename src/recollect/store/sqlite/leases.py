"""Leases in the file: of many processes, one does a piece of background work."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from recollect.store.sqlite.queries import queries


class _Writing(Protocol):
    def writing(self, *, wait: bool = True) -> AbstractContextManager[sqlite3.Connection]: ...


class SqliteLeases:
    """The leases of one file. Times are SQLite's own, which all processes of a machine share."""

    def __init__(self, store: _Writing) -> None:
        self._store = store

    def take(self, work: str, holder: str, seconds: float, account: str | None = None) -> bool:
        """Whether the work is the holder's now, for so long; taking a lease one holds extends it."""
        return self._run("take_lease", work=work, holder=holder, account=account or "", seconds=seconds)

    def release(self, work: str, holder: str, account: str | None = None) -> bool:
        """Give the lease back; False when somebody else has it already."""
        return self._run("drop_lease", work=work, holder=holder, account=account or "")

    @contextmanager
    def held(self, work: str, holder: str, seconds: float, account: str | None = None) -> Iterator[bool]:
        """Take a lease for the length of a block; the block gets whether it was granted."""
        mine = self.take(work, holder, seconds, account)
        try:
            yield mine
        finally:
            if mine:
                self.release(work, holder, account)

    def _run(self, query: str, **values: object) -> bool:
        with self._store.writing() as connection:
            found = connection.execute(queries()[query], values).fetchall()
            connection.execute("COMMIT")
            return bool(found)
