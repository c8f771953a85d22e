"""SqliteStore: one file, one connection a process, one lock around it; acknowledged means on the disk."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from recollect import errors
from recollect.persist.sqlite.connection import MEMORY, connect, translated
from recollect.persist.sqlite.indexes import Indexes
from recollect.persist.sqlite.reader import OpenFile, SqliteReader
from recollect.persist.sqlite.writer import SqliteTransaction
from recollect.values.event import Operation
from recollect.values.first import First
from recollect.values.ids import new_id
from recollect.values.search import Search


class SqliteStore:
    """The embedded back end. Threads share it; processes share the file."""

    def __init__(self, path: str | Path, *, durable: bool = True, name: str | None = None) -> None:
        self.path = name or str(path)
        connection, self.writable = connect(str(path), durable=durable)
        folder = None if str(path) == MEMORY else Path(f"{path}.index")
        with translated(self.path):
            notes = dict(tuple(row) for row in connection.execute("SELECT name, value FROM notes"))
        self._connection = connection
        self._indexes = Indexes(folder, notes["store"])
        self._file = OpenFile(connection, self._indexes)
        self._lock = threading.RLock()
        self._closed = False

    @contextmanager
    def reading(
        self,
        now: datetime | None = None,
        first: Search | None = None,  # noqa: ARG002  (near: whatever is asked first is answered at once)
    ) -> Iterator[SqliteReader]:
        """One consistent view for several reads; what is superseded is worked out for that moment."""
        with self._lock, translated(self.path):
            self._open_or_raise()
            if self._connection.in_transaction:
                yield SqliteReader(self._file, now)
                return
            self._connection.execute("BEGIN")
            try:
                yield SqliteReader(self._file, now)
            finally:
                self._connection.execute("ROLLBACK")

    @contextmanager
    def transaction(
        self,
        account: str,
        actor: str,
        at: datetime,
        *,
        undoes: str | None = None,
        operation: str | None = None,
        first: First | None = None,  # noqa: ARG002  (near: whatever is asked first is answered at once)
    ) -> Iterator[SqliteTransaction]:
        """All or nothing; returns after the commit is durable."""
        with self._lock, translated(self.path):
            self._open_or_raise()
            if not self.writable:
                raise errors.ReadOnly(
                    self.path, "write to a store that may change: make the file writable, or choose another"
                )
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield SqliteTransaction(self._file, account, Operation(operation or new_id(at), actor, at, undoes))
                self._connection.execute("COMMIT")
            except BaseException:  # Ctrl-C too: all or nothing holds whatever ended the block
                # The index may have been caught up with rows that now never were.
                self._file.forget()
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def use_model(self, model: str, dimensions: int) -> None:
        with self._lock:
            self._indexes.use_model(model, dimensions)

    def freeze(self) -> None:
        self.writable = False

    def erase_traces(self, account: str) -> None:
        """After a purge: no old page in the write-ahead log, no old snapshot."""
        with self._lock, translated(self.path):
            self._indexes.discard(account)
            busy = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            if busy:
                raise errors.StoreBusy(
                    f"{self.path}: purged, but another process is reading and its log still holds old pages; "
                    "close it and run `recollect doctor`"
                )

    def check(self) -> dict[str, Any]:
        """The health of the file, for `doctor`."""
        with self._lock, translated(self.path):
            size = {
                part: Path(self.path + part).stat().st_size for part in ("", "-wal") if Path(self.path + part).exists()
            }
            folder = Path(f"{self.path}.index")
            return {
                "path": self.path,
                "integrity": self._connection.execute("PRAGMA quick_check").fetchone()[0],
                "orphans": len(self._connection.execute("PRAGMA foreign_key_check").fetchall()),
                "schema": self._connection.execute("PRAGMA user_version").fetchone()[0],
                "writable": self.writable,
                "bytes": sum(size.values()),
                "index_bytes": sum(f.stat().st_size for f in folder.glob("*.index")) if folder.exists() else 0,
                "snapshot_problem": self._indexes.snapshot_problem,
                "disk_problem": self._folded(),
            }

    def _folded(self) -> str | None:
        """Fold the write-ahead log into the file; what stands in the way is a finding, not an error."""
        try:
            if self.writable:
                self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        except sqlite3.OperationalError as error:
            return str(error)
        return None

    def close(self) -> None:
        """Keep a snapshot for the next process and let go of the file. Closing twice is fine."""
        with self._lock:
            if self._closed:
                return
            if self.writable and not self._connection.in_transaction:
                self._index_what_was_loaded()
                self._indexes.save(self._connection, self._file.accounts)
            self._closed = True
            self._connection.close()

    def _index_what_was_loaded(self) -> None:
        """After a bulk load nobody searched yet, so that the next process need not read every row."""
        for account in self._indexes.worth_building():
            with self.reading() as reader:
                reader.warm(account)

    def _open_or_raise(self) -> None:
        if self._closed:
            raise errors.StoreError(f"{self.path} is closed; open it again")
