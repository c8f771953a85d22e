"""Connections: a pool of them, each made ready once; a server that is away or full is told apart and said at once."""

from __future__ import annotations

from threading import Lock
from typing import Any

import psycopg
from pgvector.psycopg import register_vector
from psycopg.adapt import Buffer, Loader
from psycopg.pq import Format
from psycopg.types.string import TextLoader
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from recollect import errors
from recollect.persist.postgres.address import Address, Options
from recollect.persist.postgres.columns import register
from recollect.persist.postgres.seam import ours, translated
from recollect.persist.postgres.sql import queries
from recollect.persist.postgres.wire import Wire

Connection = psycopg.Connection[tuple[Any, ...]]
# How long to wait for a pooled connection before asking whether the server is there at all.
_PROBE_SECONDS = 0.5


class _IdLoader(Loader):
    """An id in the form we show, from its sixteen bytes."""

    format = Format.BINARY

    def load(self, data: Buffer) -> str:
        digits = bytes(data).hex()
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def direct(address: Address) -> Connection:
    """One connection of the login role itself, not from the pool and not behind the wall: to look, and to migrate."""
    with translated(address):
        return psycopg.connect(**address.parameters, autocommit=True)


class Connections:
    """The pooled connections of one open store. While nobody waits for one, the one used last stays at hand: it is warm, and
    the server's last word on a view is heard when the next begins, not waited for."""

    def __init__(self, address: Address, options: Options) -> None:
        self.address, self.options = address, options
        self._at_hand: Wire | None = None
        self._waiting, self._lock = 0, Lock()
        self._pool: ConnectionPool[Wire] = ConnectionPool(
            connection_class=Wire,
            # Prepared at once: a statement that is parsed and planned anew takes twice as long, and connections take turns.
            kwargs={**address.parameters, "autocommit": True, "prepare_threshold": 0},
            min_size=1 if options.connections == 1 else 0,
            max_size=options.connections,
            configure=self._prepare,
            timeout=options.wait_seconds,
            reconnect_timeout=options.wait_seconds,
            name="recollect",
            open=True,
        )

    def take(self) -> Wire:
        """A ready connection; waits for one while all are in use."""
        with self._lock:
            held, self._at_hand = self._at_hand, None
            self._waiting += held is None
        if held is not None:
            return held if self._heard(held) else self.take()
        try:
            return self._from_pool()
        finally:
            with self._lock:
                self._waiting -= 1

    def _from_pool(self) -> Wire:
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

    def give(self, connection: Wire) -> None:
        """Hand it back; one that broke is thrown away, and what was left open on it is taken back by the pool."""
        with self._lock:
            if self._at_hand is None and self._waiting == 0 and connection.at_rest and not self._pool.closed:
                self._at_hand = connection
                return
        if self._heard(connection):
            self._pool.putconn(connection)

    def _heard(self, connection: Wire) -> bool:
        """Hear the server's last word; a connection that broke before it came is thrown away."""
        try:
            connection.hear_out()
        except psycopg.Error:
            connection.close()
        except BaseException:  # Ctrl-C too: nobody knows how far it got
            connection.close()
            self._pool.putconn(connection)
            raise
        if connection.closed:
            self._pool.putconn(connection)
        return not connection.closed

    def renew(self) -> None:
        """After a connection was found dead: look at the others that wait, and throw away those that are dead too."""
        self._pool.check()

    def close(self) -> None:
        self._pool.close()
        with self._lock:
            held, self._at_hand = self._at_hand, None
        if held is not None:
            self._pool.putconn(held)

    def _probe(self) -> None:
        """The pool waits in silence for a server that is away: ask the server itself."""
        try:
            with Wire.connect(**self.address.parameters, autocommit=True) as connection:
                self._prepare(connection)
        except psycopg.Error as error:
            raise ours(error, self.address) from error

    def _prepare(self, connection: Wire) -> None:
        prepare(connection, self.address, self.options)
        connection.ready()


def prepare(connection: Connection, address: Address, options: Options) -> None:
    """Settings and types of a new connection, and from then on the role that the wall holds for."""
    values = {
        "schema": address.schema,
        "role": options.role or "none",
        "statement": _milliseconds(options.statement_seconds),
        "lock": _milliseconds(options.lock_seconds),
        "idle": _milliseconds(options.idle_seconds),
    }
    connection.execute(queries()["prepare_connection"], values)
    register_vector(connection)
    register(connection)
    connection.adapters.register_loader("uuid", TextLoader)
    connection.adapters.register_loader("uuid", _IdLoader)


def _milliseconds(seconds: float) -> str:
    return str(round(seconds * 1000))
