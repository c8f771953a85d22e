"""SqliteWorking: working memory in a file of its own beside the store, shared by processes, quick because it may be lost.

Nothing waits for the disk (synchronous = OFF): a killed process loses nothing, a power cut may cost this file and no other.
So a damaged file is set aside as `….damaged` and made anew; a database of something else is left alone and refused.
"""

from __future__ import annotations

import math
import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from recollect import errors
from recollect.forking import follow_forks
from recollect.ports import Namespace
from recollect.store.sqlite.connection import BUSY_SECONDS, FORK_SECONDS, MEMORY, translated

_Result = TypeVar("_Result")
_APPLICATION, _VERSION = 0x72656377, 1  # "recw"
_SWEEP_SECONDS = 60.0
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

# One table and its statements, together: short enough to be read at once, and no part of the store's schema.
_SCHEMA = (
    """CREATE TABLE working (
        account TEXT NOT NULL, agent TEXT NOT NULL, task TEXT NOT NULL, key TEXT NOT NULL,
        value TEXT NOT NULL, expires_at REAL NOT NULL, PRIMARY KEY (account, agent, task, key)
    ) WITHOUT ROWID""",
    "CREATE INDEX working_expires_at ON working (expires_at)",
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {_VERSION}",
)
_GET = "SELECT value FROM working WHERE account = ? AND agent = ? AND task = ? AND key = ? AND expires_at > ?"
_PUT = """INSERT INTO working VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at"""
_REMOVE = "DELETE FROM working WHERE account = ? AND agent = ? AND task = ? AND key = ? RETURNING expires_at > ?"
_ITEMS = """SELECT key, value, expires_at FROM working
    WHERE account = ? AND agent = ? AND task = ? AND expires_at > ? ORDER BY key"""
_CLEAR = "DELETE FROM working WHERE account = ? AND agent = ? AND task = ?"
_NAMESPACES = """SELECT DISTINCT account, agent, task FROM working
    WHERE account = ? AND agent = coalesce(?, agent) ORDER BY agent, task"""
_SWEEP = "DELETE FROM working WHERE expires_at <= ?"


class SqliteWorking:
    """Values for a while. Threads share it, processes share the file; nothing is opened before it is used."""

    def __init__(self, path: Path | None) -> None:
        self._path, self._name = path, MEMORY if path is None else str(path)
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._swept_at = -math.inf
        self._closed = self._forking = False
        follow_forks(self)

    def before_fork(self) -> None:
        """Let go of the file: SQLite's locks do not survive a fork (see `SqliteStore.before_fork`)."""
        self._forking = self._lock.acquire(timeout=FORK_SECONDS)
        in_use = self._connection is not None and self._connection.in_transaction
        if self._forking and self._path is not None and not in_use:
            self._let_go()

    def after_fork(self, *, child: bool) -> None:
        """The file is opened again when it is used."""
        if child:
            self._lock = threading.RLock()
        elif self._forking:
            self._lock.release()

    def get(self, room: Namespace, key: str, now: float) -> str | None:
        found = self._run(lambda connection: connection.execute(_GET, (*room, key, now)).fetchone())
        return None if found is None else str(found[0])

    def put(self, room: Namespace, key: str, value: str, now: float, expires_at: float) -> None:
        def work(connection: sqlite3.Connection) -> None:
            self._sweep_at_times(connection, now)
            connection.execute(_PUT, (*room, key, value, expires_at))

        self._run(work)

    def change(
        self, room: Namespace, key: str, now: float, expires_at: float, change: Callable[[str | None], str]
    ) -> str:
        def work(connection: sqlite3.Connection) -> str:
            connection.execute("BEGIN IMMEDIATE")
            try:
                self._sweep_at_times(connection, now)
                found = connection.execute(_GET, (*room, key, now)).fetchone()
                value = change(None if found is None else str(found[0]))
                connection.execute(_PUT, (*room, key, value, expires_at))
                connection.execute("COMMIT")
            except BaseException:  # whatever ended it, Ctrl-C too, nobody else may wait for this transaction
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            return value

        return self._run(work)

    def remove(self, room: Namespace, key: str, now: float) -> bool:
        # Every row is fetched: a DELETE … RETURNING ends only with its last one.
        found = self._run(lambda connection: connection.execute(_REMOVE, (*room, key, now)).fetchall())
        return bool(found and found[0][0])

    def items(self, room: Namespace, now: float) -> list[tuple[str, str, float]]:
        return self._run(lambda connection: connection.execute(_ITEMS, (*room, now)).fetchall())

    def clear(self, room: Namespace) -> int:
        return self._run(lambda connection: connection.execute(_CLEAR, room).rowcount)

    def sweep(self, now: float) -> int:
        return self._run(lambda connection: connection.execute(_SWEEP, (now,)).rowcount)

    def namespaces(self, account: str, owner: str | None = None) -> list[Namespace]:
        if not self._exists():
            return []
        return self._run(lambda connection: connection.execute(_NAMESPACES, (account, owner)).fetchall())

    def erase_traces(self, now: float) -> None:
        if self._exists():
            self.sweep(now)
            self._run(lambda connection: connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone())

    def check(self) -> dict[str, Any]:
        problem = None
        if self._path is not None and self._path.exists():
            try:
                self._run(lambda connection: connection.execute(_GET, ("", "", "", "", 0.0)).fetchone())
            except errors.RecollectError as error:
                problem = str(error)
        return {"place": self._name, "problem": problem}

    def close(self) -> None:
        """Let go of the file. Closing twice is fine."""
        with self._lock:
            self._closed = True
            self._let_go()

    def _exists(self) -> bool:
        """Whether there is anything: a file is not made to look into it."""
        return self._connection is not None if self._path is None else self._path.exists()

    def _run(self, work: Callable[[sqlite3.Connection], _Result]) -> _Result:
        with self._lock, translated(self._name):
            try:
                return work(self._connected())
            except sqlite3.DatabaseError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _BROKEN:
                    raise
                self._set_aside(error)
            return work(self._connected())

    def _sweep_at_times(self, connection: sqlite3.Connection, now: float) -> None:
        """What nobody asks for again goes too: at the first write, then once a minute."""
        if not 0 <= now - self._swept_at < _SWEEP_SECONDS:
            connection.execute(_SWEEP, (now,))
            self._swept_at = now

    def _connected(self) -> sqlite3.Connection:
        if self._closed:
            raise errors.StoreError(f"{self._name} is closed; open it again")
        held = self._connection
        # Somebody may have deleted the file, or set it aside: go on in the one all others use.
        if held is not None and (self._path is None or held.in_transaction or _identity(self._path) == self._file):
            return held
        self._let_go()
        self._connection = self._opened()
        return self._connection

    def _opened(self) -> sqlite3.Connection:
        if self._path is not None:
            _make_private(self._path)
            self._file = _identity(self._path)
        connection = sqlite3.connect(self._name, BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection, self._name)
        except BaseException:  # whatever stopped the opening, Ctrl-C too, the file is let go of
            connection.close()
            raise
        return connection

    def _set_aside(self, error: sqlite3.DatabaseError) -> None:
        self._let_go()
        if self._path is None or _identity(self._path) != self._file:
            return
        try:
            for suffix in ("-shm", "-wal"):
                Path(f"{self._path}{suffix}").unlink(missing_ok=True)
            self._path.replace(f"{self._path}.damaged")
        except OSError as problem:
            raise errors.StoreDamaged(
                f"{self._name} is damaged ({error}) and could not be set aside ({problem.strerror}); "
                "it holds working memory only: delete it"
            ) from error

    def _let_go(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.DatabaseError):  # closing folds the log in, which a damaged file refuses
                self._connection.close()
            self._connection = None


def _prepare(connection: sqlite3.Connection, name: str) -> None:
    """Make it ours if it is empty, and refuse it if it is somebody else's, before a byte of it is changed."""
    if not _ours(connection, name):
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
        connection.execute("BEGIN IMMEDIATE")
        if not _ours(connection, name):
            for statement in _SCHEMA:
                connection.execute(statement)
        connection.execute("COMMIT")
    connection.execute("PRAGMA journal_mode = WAL").fetchone()
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA secure_delete = ON").fetchone()


def _ours(connection: sqlite3.Connection, name: str) -> bool:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application != _APPLICATION:
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise errors.StoreDamaged(
                f"{name} is a database of something else; move it away, nothing in it was changed"
            )
        return False
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > _VERSION:
        raise errors.StoreNewer(f"{name} was written by a newer recollect; upgrade recollect, or delete the file")
    return True


def _make_private(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise errors.StoreError(f"{path} cannot be opened ({error.strerror}); make its folder writable") from error


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
