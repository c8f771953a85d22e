"""Connections to one file: pragmas, schema, migrations, a pool of readers, and the translation of driver errors."""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from recollect import errors
from recollect.log import timed, warning
from recollect.store.rows import time_of
from recollect.store.sqlite.queries import migrations, text_of
from recollect.values.ids import new_id

APPLICATION = 0x7265636F  # "reco", so that `file` and we can tell a store from another database
BUSY_SECONDS = 30
# How long a fork waits for other threads that use the file.
FORK_SECONDS = 5.0
MEMORY = ":memory:"
# A wait for another writer that is worth a warning.
_LONG_WAIT = 1.0
_IDLE_READERS = 4
_SYNCHRONOUS = ("off", "normal", "full", "extra")


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Raise driver errors as ours, with what to do; the cause is kept."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise _operational(error, path) from error
    except sqlite3.IntegrityError as error:
        raise errors.InvalidInput("key", "is taken by another memory here", "leave it out or choose another") from error
    except sqlite3.DatabaseError as error:
        raise errors.StoreDamaged(
            f"{path} is not a recollect file or is damaged ({error}); restore a backup or choose another path"
        ) from error


def _operational(error: sqlite3.OperationalError, path: str) -> errors.RecollectError:
    text = str(error)
    if "locked" in text or "busy" in text:
        return errors.StoreBusy(f"{path}: another process is writing; try again")
    if "full" in text:
        return errors.StoreFull(f"{path}: no room left to write; nothing was stored; free some space and try again")
    if "readonly" in text or "read-only" in text:
        return errors.ReadOnly(path, "make the file and its folder writable, or choose another with --db")
    if "unable to open" in text:
        return errors.StoreError(f"{path} cannot be opened; check that its folder exists and may be written")
    if "disk I/O" in text:
        return errors.StoreFull(
            f"{path}: the disk refused to write ({text}); nothing was stored; check space and quota"
        )
    if "decode" in text:
        return errors.StoreDamaged(f"{path} is damaged ({text}); `recollect doctor` shows where, then restore a backup")
    return errors.StoreError(f"{path}: {text}")


@dataclass(frozen=True, slots=True)
class Writer:
    """The one connection of a process that writes; `synchronous` is what SQLite says it waits for at a commit."""

    connection: sqlite3.Connection
    writable: bool
    synchronous: str


def begin_to_write(connection: sqlite3.Connection, *, wait: bool) -> None:
    """Begin a transaction that writes; without `wait`, fail at once while another process writes."""
    if wait:
        started = perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        waited = perf_counter() - started
        if waited > _LONG_WAIT:
            warning("waited %.1f s for another process that writes", waited)
        return
    connection.execute("PRAGMA busy_timeout = 0").fetchone()
    try:
        connection.execute("BEGIN IMMEDIATE")
    finally:
        connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}").fetchone()


def connect(path: str, *, durable: bool) -> Writer:
    """The connection that writes, with the schema up to date."""
    try:
        writable = path == MEMORY or _may_write(Path(path))
    except OSError as error:
        raise errors.StoreError(
            f"{path} cannot be opened ({error.strerror}); choose a path that can be written"
        ) from error
    with translated(path):
        try:
            connection = _opened(path, writable)
            _prepare(connection, path, writable, durable)
        except sqlite3.OperationalError as error:
            if not writable or "readonly" not in str(error):
                raise
            writable = False
            connection = _opened(path, writable)
            _prepare(connection, path, writable, durable)
        (synchronous,) = connection.execute("PRAGMA synchronous").fetchone()
    return Writer(connection, writable, _SYNCHRONOUS[synchronous])


class ReaderPool:
    """Connections that only read. In WAL mode they never wait for a writer, of this process or another."""

    def __init__(self, path: str, *, writable: bool) -> None:
        self._path, self._writable = path, writable
        self._idle: list[sqlite3.Connection] = []
        self._in_use = 0
        self._changed = threading.Condition()
        self._closed = self._paused = False

    def take(self) -> sqlite3.Connection:
        """A connection for one view."""
        with self._changed:
            self._changed.wait_for(lambda: not self._paused)
            self._in_use += 1
            if self._idle:
                return self._idle.pop()
        try:
            connection = _opened(self._path, self._writable)
            connection.execute("PRAGMA query_only = ON")
            connection.execute("PRAGMA cache_size = -4000")
        except BaseException:  # whatever stopped the opening, Ctrl-C too, nobody may wait for it
            self._count_back()
            raise
        return connection

    def give_back(self, connection: sqlite3.Connection) -> None:
        """Keep a connection for the next view, or close it when there are enough."""
        with self._changed:
            keep = not self._closed and len(self._idle) < _IDLE_READERS
            if keep:
                self._idle.append(connection)
        if not keep:
            connection.close()
        self._count_back()

    def pause(self, seconds: float) -> bool:
        """Close all connections and lend none until `resume`; False if some are still in use after so long."""
        with self._changed:
            if not self._changed.wait_for(lambda: not self._paused, seconds):
                return False
            self._paused = True
            if not self._changed.wait_for(lambda: not self._in_use, seconds):
                self._paused = False
                self._changed.notify_all()
                return False
            self._close_idle()
            return True

    def resume(self) -> None:
        """Lend connections again."""
        with self._changed:
            self._paused = False
            self._changed.notify_all()

    def close(self) -> None:
        """Close the connections; those in use are closed when their view ends."""
        with self._changed:
            self._closed = True
            self._close_idle()

    def _close_idle(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def _count_back(self) -> None:
        with self._changed:
            self._in_use -= 1
            if self._paused:
                self._changed.notify_all()


def _may_write(path: Path) -> bool:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        # Memories are private: the file is made for its owner alone before SQLite writes a byte.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        return True
    # The mode counts even for root, who could write anything: a file marked read-only is meant to stay as it is.
    return bool(path.stat().st_mode & 0o222) and os.access(path, os.W_OK)


def _opened(path: str, writable: bool) -> sqlite3.Connection:
    if path == MEMORY or writable:
        name, uri = path, False
    else:
        unchanging = not Path(f"{path}-wal").exists()
        name, uri = f"{Path(path).absolute().as_uri()}?mode=ro{'&immutable=1' if unchanging else ''}", True
    connection = sqlite3.connect(name, BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=uri)
    connection.row_factory = sqlite3.Row
    connection.create_function("id_bytes", 1, bytes.fromhex, deterministic=True)
    return connection


def _prepare(connection: sqlite3.Connection, path: str, writable: bool, durable: bool) -> None:
    if writable:
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
        connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        # Freed pages are overwritten: what was purged must not stay in the file.
        connection.execute("PRAGMA secure_delete = ON").fetchone()
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA cache_size = -16000")
    _migrate(connection, path, writable)


def _migrate(connection: sqlite3.Connection, path: str, writable: bool) -> None:
    newest = migrations()[-1][0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == newest:
        return
    if version > newest:
        raise errors.StoreNewer(
            f"{path} was written by a newer recollect (schema {version}); upgrade recollect to open it"
        )
    if not writable:
        raise errors.ReadOnly(path, "it needs a schema upgrade first: open it once where it can be written")
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if version == 0 and tables:
            raise errors.StoreDamaged(f"{path} is a database of something else; choose another path")
        if version == 0:
            _create(connection)
        else:
            with timed(f"schema of the store from {version} to {newest}"):
                for number, script in migrations():
                    if number > version:
                        run_script(connection, script)
        connection.execute(f"PRAGMA user_version = {newest}")
        connection.execute("COMMIT")
    except BaseException:  # Ctrl-C too: a half-made schema must not stay open on the connection
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _create(connection: sqlite3.Connection) -> None:
    run_script(connection, text_of("schema.sql"))
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    notes = {"store": new_id(time_of(0)), "secret": secrets.token_hex(32)}
    connection.executemany("INSERT INTO notes (name, value) VALUES (?, ?)", notes.items())


def run_script(connection: sqlite3.Connection, script: str) -> None:
    """Run many statements inside the open transaction (`executescript` would commit it first)."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""
