"""The connection pool of one open store, and the one way statements are sent: together, in a pipeline, waiting once.

Nothing is set for the length of a session: behind a pooler such as PgBouncer, each transaction may run on another connection of the
server. Every transaction sets what it needs for itself (`session.py`).

Every wait has a deadline: the timeouts of the server end a slow statement, but not the wait for a stopped process or for a network
that drops packets. So a thread watches the calls that wait. When one has waited for too long, it shuts down the socket, and the
call fails at once.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import psycopg
from pgvector.psycopg import register_vector
from psycopg.adapt import Buffer, Loader
from psycopg.pq import Format
from psycopg.types.string import TextLoader
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from recollect import errors
from recollect.forking import follow_forks
from recollect.store.postgres.errors import NoAnswerInTime, translate_errors, translated
from recollect.store.postgres.options import Address, Options
from recollect.store.postgres.sql import queries, register_arrays

Connection = psycopg.Connection[tuple[Any, ...]]
Rows = list[tuple[Any, ...]]
# How long to wait for a pooled connection before asking whether the server is there at all.
_PROBE_SECONDS = 0.5
# So many statements stay prepared per connection; filters and viewers make statements of their own.
_PREPARED = 300
# A slow statement is to be ended by the server, which says so: the client gives up a little later.
_GRACE_SECONDS = 1.0
# How often the thread looks, and how long it stays when nobody waits.
_TICK_SECONDS, _IDLE_SECONDS = 0.1, 30.0


class Statement(NamedTuple):
    """A statement and the values bound to it; `prepare=False` for text that is never sent twice."""

    sql: str
    values: Mapping[str, Any] = {}
    prepare: bool | None = None


class Waits(threading.local):
    """How often the current thread has waited for the server."""

    count = 0


class _IdLoader(Loader):
    """An id as text, from its sixteen bytes."""

    format = Format.BINARY

    def load(self, data: Buffer) -> str:
        digits = bytes(data).hex()
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def connect_directly(address: Address, within: float | None = None) -> Connection:
    """One connection of the login role, outside the pool: to migrate, to look at the server, to vacuum.

    `within` is how many seconds it may take, if that is less than the address says. The driver waits for at least two.
    """
    parameters = dict(address.parameters)
    asked = str(parameters["connect_timeout"])
    if within is not None and asked.isdecimal() and not 0 < int(asked) <= within:
        parameters["connect_timeout"] = max(1, round(within))
    with translate_errors(address):
        return psycopg.connect(**parameters, autocommit=True)


def _keep_off_stderr() -> None:
    """Without a handler, Python writes warnings of the pool about lost connections to stderr; callers get errors of ours.

    A program that has set up logging still gets them.
    """
    logger = logging.getLogger("psycopg")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


def keeps_prepared_statements(connection: Connection) -> bool:
    """Whether statements prepared on a connection are still there in its next transaction.

    A pooler answers with a process id of its own when it is connected to; behind one, nothing is prepared.
    """
    found = connection.execute("SELECT pg_backend_pid()").fetchone()
    return found is not None and found[0] == connection.info.backend_pid


@dataclass(slots=True, eq=False)
class _Wait:
    """One call that waits."""

    connection: psycopg.Connection[Any]
    until: float
    given_up: bool = False


class Deadlines:
    """Watches the calls of one open store; its thread runs only while there are some."""

    def __init__(self) -> None:
        self._start_anew()
        follow_forks(self)

    def _start_anew(self) -> None:
        self._waits: set[_Wait] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._idle = False

    def before_fork(self) -> None:
        """Nothing to let go of."""

    def after_fork(self, *, child: bool) -> None:
        """The thread does not exist in the child."""
        if child:
            self._start_anew()

    @contextmanager
    def within(self, connection: psycopg.Connection[Any], seconds: float) -> Iterator[None]:
        """Give up what is done on a connection after so long, and a moment more; it raises NoAnswerInTime."""
        wait = _Wait(connection, time.monotonic() + seconds + _GRACE_SECONDS)
        with self._changed:
            self._waits.add(wait)
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="recollect-deadlines", daemon=True)
                self._thread.start()
            elif self._idle:
                self._changed.notify()
        try:
            yield
        except psycopg.Error as error:
            if wait.given_up:
                raise NoAnswerInTime(seconds) from error
            raise
        finally:
            with self._changed:
                self._waits.discard(wait)

    def _watch(self) -> None:
        with self._changed:
            while self._waits or self._called():
                now = time.monotonic()
                for wait in self._waits:
                    if now > wait.until and not wait.given_up:
                        wait.given_up = True
                        _shut_down(wait.connection)
                # Other calls may begin and end meanwhile; a call is looked at only if it takes longer than this.
                self._changed.wait(_TICK_SECONDS)
            self._thread = None

    def _called(self) -> bool:
        """Whether a call began, before it was idle for long enough to end the thread."""
        self._idle = True
        called = self._changed.wait(_IDLE_SECONDS)
        self._idle = False
        return called


def _shut_down(connection: psycopg.Connection[Any]) -> None:
    """End the connection under the thread that waits for it; that thread reads an end of file and closes its descriptor itself."""
    try:
        with socket.socket(fileno=os.dup(connection.fileno())) as end:
            end.shutdown(socket.SHUT_RDWR)
    except (psycopg.OperationalError, OSError):
        pass  # it ended by itself


class Connections:
    """The pooled connections of one open store."""

    def __init__(
        self, address: Address, options: Options, *, search_path: str, deadlines: Deadlines | None = None
    ) -> None:
        self.address, self.options, self.search_path = address, options, search_path
        _keep_off_stderr()
        self.waits, self._deadlines = Waits(), deadlines or Deadlines()
        self._pool, self._closed = self._new_pool(), False
        follow_forks(self)

    def _new_pool(self) -> ConnectionPool[Connection]:
        """A pool that is opened when it is used."""
        return ConnectionPool(
            # Prepared at its first use: parsing and planning a statement takes longer than running it.
            kwargs={
                **self.address.parameters,
                "autocommit": True,
                "prepare_threshold": 0 if self.options.prepared else None,
            },
            min_size=1 if self.options.connections == 1 else 0,
            max_size=self.options.connections,
            configure=configure,
            timeout=self.options.wait_seconds,
            reconnect_timeout=self.options.wait_seconds,
            name="recollect",
            open=False,
        )

    def before_fork(self) -> None:
        """Nothing to let go of: the connections stay the parent's."""

    def after_fork(self, *, child: bool) -> None:
        """The child has a pool of its own. It keeps that of its parent, unused: to close it would end the parent's connections."""
        if child:
            self._parents_pool, self._pool = self._pool, self._new_pool()

    def take(self) -> Connection:
        """A ready connection; waits for one while all are in use."""
        self._open()
        try:
            return self._pool.getconn(min(_PROBE_SECONDS, self.options.wait_seconds))
        except PoolClosed:
            raise errors.StoreError(f"{self.address.shown} is closed; open it again") from None
        except PoolTimeout:
            self._probe()
        try:
            return self._pool.getconn(self.options.wait_seconds)
        except PoolTimeout:
            raise errors.StoreBusy(
                f"{self.address.shown}: all {self.options.connections} connections are in use for more than "
                f"{self.options.wait_seconds:g} s; try again, or raise postgres_connections"
            ) from None

    def give_back(self, connection: Connection) -> None:
        """Return a connection; the pool drops a broken one, and rolls back what was left open on it."""
        self._pool.putconn(connection)

    def run(self, connection: Connection, statements: Sequence[Statement]) -> list[Rows]:
        """Send statements together, wait once, and return the rows of each."""
        self.waits.count += 1
        cursors = []
        try:
            with self.within_limit(connection), connection.pipeline():
                for sql, values, prepare in statements:
                    cursor = connection.cursor(binary=True)
                    cursors.append(cursor.execute(sql, values, prepare=prepare))
        except psycopg.Error:
            raise
        except BaseException:
            # Interrupted (Ctrl-C): how far the server got is unknown, so the connection is not used again.
            connection.close()
            raise
        return [cursor.fetchall() if cursor.description else [] for cursor in cursors]

    def roll_back(self, connection: Connection) -> None:
        """Roll back the transaction of a connection; not in a pipeline, because psycopg drops its prepared statements with it."""
        self.waits.count += 1
        with self.within_limit(connection):
            connection.rollback()

    def within_limit(self, connection: Connection) -> AbstractContextManager[None]:
        """Wait no longer for what is done on a connection than a statement may take."""
        return self._deadlines.within(connection, self.options.statement_seconds)

    def close(self) -> None:
        self._closed = True
        self._pool.close()

    def _open(self) -> None:
        if self._pool.closed and not self._closed:
            self._pool.open()

    def _probe(self) -> None:
        """The pool waits in silence for a server that is away: ask the server itself."""
        try:
            with (
                connect_directly(self.address, self.options.wait_seconds) as connection,
                self.within_limit(connection),
            ):
                configure(connection)
        except psycopg.Error as error:
            raise translated(error, self.address) from error


def configure(connection: Connection) -> None:
    """Register the types of a new connection."""
    connection.prepared_max = _PREPARED
    register_vector(connection)
    register_arrays(connection)
    connection.adapters.register_loader("uuid", TextLoader)
    connection.adapters.register_loader("uuid", _IdLoader)


def search_path_of(connection: Connection, schema: str) -> str:
    """The schema of our tables and that of the extension, as `search_path` spells them."""
    found = connection.execute(queries()["search_path"], {"schema": schema}).fetchone()
    assert found is not None
    return str(found[0])


def transaction_settings(connections: Connections) -> Statement:
    """What every transaction sets for itself. The role comes last: row-level security holds from there on."""
    options = connections.options
    return Statement(
        queries()["transaction_settings"],
        {
            "search_path": connections.search_path,
            "statement": _milliseconds(options.statement_seconds),
            "lock": _milliseconds(options.lock_seconds),
            "idle": _milliseconds(options.idle_seconds),
            "plans": "force_generic_plan" if options.prepared else "auto",
            "role": options.role or "none",
        },
    )


def _milliseconds(seconds: float) -> str:
    return str(round(seconds * 1000))
