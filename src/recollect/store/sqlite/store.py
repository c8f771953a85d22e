"""SqliteStore: one file, one connection per process that writes and several that read; acknowledged means on the disk."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from recollect import errors
from recollect.forking import follow_forks
from recollect.store.sqlite.connection import (
    BUSY_SECONDS,
    FORK_SECONDS,
    MEMORY,
    ReaderPool,
    begin_to_write,
    connect,
    translated,
)
from recollect.store.sqlite.index_cache import IndexCache, Uncommitted
from recollect.store.sqlite.leases import SqliteLeases
from recollect.store.sqlite.reader import OpenFile, SqliteReader
from recollect.store.sqlite.writer import SqliteTransaction
from recollect.values.enums import ChangeOrigin
from recollect.values.event import Operation
from recollect.values.ids import new_id
from recollect.values.purge import Erasure

# How long a purge waits for readers of other processes to end; what is left is reported.
CHECKPOINT_SECONDS = 1
IN_USE = (
    "another process is reading: the write-ahead log contains old pages until it ends and `recollect vacuum` is run"
)
OUT_OF_REACH = (
    "backups, exports and other copies of the file",
    "what the disk or its file system keeps of overwritten blocks",
)


class SqliteStore:
    """The embedded back end. Threads share it; processes share the file."""

    def __init__(self, path: str | Path, *, durable: bool = True, name: str | None = None) -> None:
        self.path = name or str(path)
        self._file_path, self._durable = str(path), durable
        self._model: tuple[str, int] | None = None
        self._closed = False
        # A store in memory has one connection only, which views and transactions take in turns.
        self._in_memory = self._file_path == MEMORY
        made = connect(self._file_path, durable=durable)
        self._writer: sqlite3.Connection | None = made.connection
        self.writable, self._writable_file, self._synchronous = made.writable, made.writable, made.synchronous
        with translated(self.path):
            (self._store_id,) = made.connection.execute("SELECT value FROM notes WHERE name = 'store'").fetchone()
        self._forking: int | None = None
        self._in_use_at_fork = False
        self._start()
        self.leases = SqliteLeases(self)
        follow_forks(self)

    def _start(self) -> None:
        """What a process has of its own; connections are made when they are needed."""
        self._readers = ReaderPool(self._file_path, writable=self._writable_file)
        self._indexes = IndexCache(None if self._in_memory else Path(f"{self._file_path}.index"), self._store_id)
        self._file = OpenFile(self._indexes)
        self._write_lock = threading.Lock()
        # The transaction that is open, and by thread the view that is: a view inside either shares its snapshot.
        self._transaction: tuple[int, SqliteTransaction] | None = None
        self._views: dict[int, SqliteReader] = {}
        if self._model is not None:
            self._indexes.use_model(*self._model)

    def before_fork(self) -> None:
        """Close every connection, once no other thread uses one.

        SQLite remembers in the memory of a process which locks it holds. A child would believe that it holds those of its parent,
        and would lose what it writes as soon as the parent closes the file.
        """
        thread = threading.get_ident()
        if thread in self._views or self._in_transaction() or not self._readers.pause(FORK_SECONDS):
            return
        if not self._write_lock.acquire(timeout=FORK_SECONDS):
            self._readers.resume()
            return
        self._forking = thread
        if self._writer is not None and not self._in_memory:
            self._writer.close()
            self._writer = None

    def after_fork(self, *, child: bool) -> None:
        """Both open the file again when they use it; the child starts with nothing of the parent's."""
        quiet = self._forking == threading.get_ident()
        if quiet:
            self._forking = None
        if child:
            self._in_use_at_fork = not quiet
            self._start()
        elif quiet:
            self._write_lock.release()
            self._readers.resume()

    @contextmanager
    def view(self, now: datetime | None = None) -> Iterator[SqliteReader]:
        """One consistent view for several reads; what is superseded is worked out for that moment. Never waits for a writer."""
        with translated(self.path):
            self._require_open()
            thread = threading.get_ident()
            if self._transaction is not None and self._in_transaction():
                yield self._transaction[1]
            elif thread in self._views:
                yield self._views[thread].at(now)
            else:
                with self._snapshot(now) as reader:
                    self._views[thread] = reader
                    try:
                        yield reader
                    finally:
                        self._views.pop(thread, None)

    @contextmanager
    def _snapshot(self, now: datetime | None) -> Iterator[SqliteReader]:
        """A reader on a connection of its own, or (in memory) on the only one."""
        if self._in_memory:
            self._lock_writer(wait=True)
        indexes, readers, lock = self._indexes, self._readers, self._write_lock
        view = indexes.begin_view()
        connection = self._connected() if self._in_memory else self._readers.take()
        try:
            connection.execute("BEGIN")
            yield SqliteReader(self._file, connection, now, view)
        finally:
            indexes.end_view(view)
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if self._in_memory:
                lock.release()
            else:
                readers.give_back(connection)

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
    ) -> Iterator[SqliteTransaction]:
        """All or nothing; returns after the commit is durable."""
        with self.writing(wait=wait) as connection:
            uncommitted = Uncommitted(self._indexes.model)
            made = Operation(operation or new_id(at), actor, at, origin=origin)
            tx = SqliteTransaction(self._file, connection, account, made, uncommitted)
            self._transaction = (threading.get_ident(), tx)
            try:
                yield tx
                tx.index_bulk()
                self._require_open()
                connection.execute("COMMIT")
            finally:
                self._transaction = None
            tx.committed()

    @contextmanager
    def writing(self, *, wait: bool = True) -> Iterator[sqlite3.Connection]:
        """The connection that writes, inside a transaction; rolled back unless the block commits it."""
        with translated(self.path):
            self._require_open()
            if not self.writable:
                raise errors.ReadOnly(
                    self.path, "write to a store that may change: make the file writable, or choose another"
                )
            self._lock_writer(wait=wait)
            lock, process = self._write_lock, os.getpid()
            try:
                connection = self._connected()
                try:
                    begin_to_write(connection, wait=wait)
                    yield connection
                finally:  # whatever ended the block, Ctrl-C too; but a child forked inside it leaves it to its parent
                    if os.getpid() == process and connection.in_transaction:
                        connection.execute("ROLLBACK")
            finally:
                lock.release()

    def _connected(self) -> sqlite3.Connection:
        """The connection that writes, made anew after a fork; the caller has the write lock."""
        if self._writer is None:
            self._writer = connect(self._file_path, durable=self._durable).connection
        return self._writer

    def _lock_writer(self, *, wait: bool) -> None:
        thread = threading.get_ident()
        if self._in_transaction() or (self._in_memory and thread in self._views):
            raise errors.StoreError(f"{self.path}: a view or transaction is open already; finish it first")
        if not self._write_lock.acquire(blocking=wait, timeout=BUSY_SECONDS if wait else -1):
            raise errors.StoreBusy(f"{self.path}: another thread is writing; try again")

    def _in_transaction(self) -> bool:
        """Whether the transaction that is open is this thread's own."""
        return self._transaction is not None and self._transaction[0] == threading.get_ident()

    def use_model(self, model: str, dimensions: int) -> None:
        self._model = (model, dimensions)
        self._indexes.use_model(model, dimensions)

    def freeze(self) -> None:
        self.writable = False

    def erase_traces(self, account: str, *, rewrite: bool = False) -> Erasure:
        """After a purge: no old page in the write-ahead log, no old snapshot. In the file, `secure_delete` overwrote the text."""
        self._indexes.discard(account)
        with translated(self.path):
            self._lock_writer(wait=True)
            connection = self._connected()
            try:
                if rewrite:
                    connection.execute("VACUUM")
                else:
                    connection.execute(f"PRAGMA busy_timeout = {CHECKPOINT_SECONDS * 1000}").fetchone()
                busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            finally:
                connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}").fetchone()
                self._write_lock.release()
        return Erasure((IN_USE,) if busy else (), OUT_OF_REACH)

    def check(self) -> dict[str, Any]:
        """The health of the file, for `doctor`."""
        parts = [Path(self.path + part) for part in ("", "-wal")]
        folder = Path(f"{self.path}.index")
        with self.view() as reader:
            found = reader.check()
        return {
            "path": self.path,
            **found,
            "synchronous": self._synchronous,
            "writable": self.writable,
            "bytes": sum(part.stat().st_size for part in parts if part.exists()),
            "index_bytes": sum(f.stat().st_size for f in folder.glob("*.index")) if folder.exists() else 0,
            "snapshot_problem": self._indexes.snapshot_problem,
            "disk_problem": self._checkpoint(),
        }

    def _checkpoint(self) -> str | None:
        """Copy the write-ahead log into the file; what stands in the way is a finding, not an error."""
        if not self.writable or not self._write_lock.acquire(blocking=False):
            return None
        try:
            self._connected().execute("PRAGMA wal_checkpoint(PASSIVE)")
        except sqlite3.OperationalError as error:
            return str(error)
        finally:
            self._write_lock.release()
        return None

    def close(self) -> None:
        """Keep a snapshot for the next process and close the file. Closing twice is fine."""
        if self._closed:
            return
        if not self._in_transaction() and not self._in_use_at_fork:
            if self.writable:
                self._index_what_was_loaded()
            with self._write_lock:
                self._closed = True
                if self.writable and self._writer is not None:
                    self._indexes.save(self._writer, self._file.accounts)
        self._closed = True
        self._readers.close()
        if self._writer is not None and not self._in_use_at_fork:
            self._writer.close()

    def _index_what_was_loaded(self) -> None:
        """After a bulk load nobody searched yet, so that the next process need not read every row."""
        for account in self._indexes.worth_building():
            with self.view() as reader:
                reader.warm(account)

    def _require_open(self) -> None:
        if self._closed:
            raise errors.StoreError(f"{self.path} is closed; open it again")
        if self._in_use_at_fork:
            raise errors.StoreError(
                f"{self.path}: this process was forked while the store was in use; fork when no view or transaction is open, "
                "or start processes anew (spawn)"
            )
