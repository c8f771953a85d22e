"""Session: one connection inside one transaction, looking at one account at a time; nothing outside that account exists for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from recollect import errors
from recollect.persist.postgres.connection import Connections
from recollect.persist.postgres.rows import STORE, account_number
from recollect.persist.postgres.seam import is_lost
from recollect.persist.postgres.sql import queries
from recollect.persist.postgres.wire import Asked, Heard

Rows = list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Standing:
    """An account as a session found it: its number, where its journal stood, the stamp of its clusters, how many memories it
    holds and how many of them replace another, what is off, whether any text was erased for good, and whether a question waits
    for its answer."""

    account: str
    account_id: int
    known: bool = False
    seq: int = 0
    clusters: str | None = None
    held: int = 0
    replacing: int = 0
    off: frozenset[str] = frozenset()
    purged: bool = False
    gaps: bool = False

    @property
    def bars(self) -> bool:
        """Whether something that comes may have to be refused without being written."""
        return self.purged or bool(self.off)


class Session:
    """Begins with the first question; ends with `commit` or `end`."""

    def __init__(self, connections: Connections, *, writes: bool) -> None:
        self.connection = connections.take()
        self.wrote = False
        self.reserved = 0
        self._connections, self.writes = connections, writes
        self._begun = False
        self._standing: Standing | None = None
        self._secrets: tuple[bytes, ...] = ()
        self._settle: Callable[[], None] | None = None

    def before_reads(self, settle: Callable[[], None]) -> None:
        """Have what waits to be written written before anything is read."""
        self._settle = settle

    def settle(self) -> None:
        """Write what waits to be written."""
        if self._settle is not None:
            self._settle()

    @contextmanager
    def unsettled(self) -> Iterator[None]:
        """For reads that what waits to be written does not bear on."""
        held, self._settle = self._settle, None
        try:
            yield
        finally:
            self._settle = held

    def at(self, account: str) -> Standing:
        """Look at an account."""
        held = self._standing
        if held is not None and held.account == account:
            return held
        number = account_number(account)
        if not self._begun:
            found, _ = self._begin(number)
        else:
            found = self.connection.several(queries()["turn"] % {"account": number, "account_id": number})[1]
        self._standing = _standing(account, number, found)
        return self._standing

    def begin(
        self,
        account: str,
        asked: Sequence[Asked],
        meanwhile: Callable[[], object] = lambda: None,
        heard: Heard | None = None,
    ) -> list[Rows]:
        """Look at an account and ask something of it, in one round trip; no answers when the server has to be asked again.

        In a view each answer can be `heard` as soon as it is there; where the account stands is known by then.
        """
        number = account_number(account)

        def hear(place: int, rows: Rows) -> None:
            if place == 0:
                self._standing = _standing(account, number, rows)
            elif heard is not None:
                heard(place - 1, rows)

        found, answers = self._begin(number, asked, meanwhile, hear)
        self._standing = _standing(account, number, found)
        return answers

    def read(self, query: str, account: str, values: Mapping[str, Any], *, binary: bool = False) -> Rows:
        """The rows of a query about one account, after what waits to be written."""
        self.settle()
        standing = self.at(account)
        named = {"account_id": standing.account_id, **values}
        return self.connection.ask(query, named, binary=binary)

    def named(self, name: str, account: str, values: Mapping[str, Any]) -> Rows:
        """The same by the name of the query."""
        return self.read(queries()[name], account, values)

    def read_store(self, name: str, values: Mapping[str, Any]) -> Rows:
        """The rows of a query about the store itself."""
        if not self._begun:
            self._begin(STORE)
        self.settle()
        return self.connection.ask(queries()[name], {"account_id": STORE, **values}, binary=False)

    def secrets(self) -> tuple[bytes, ...]:
        """The keys of the hashes of texts, the one in use first."""
        if not self._secrets:
            self._secrets = _secrets(dict(self.read_store("secrets", {})))
        return self._secrets

    def sees_all(self) -> bool:
        """Whether whoever logged in could step out from behind the wall."""
        return bool(self.read_store("may_see_all", {})[0][0])

    @contextmanager
    def as_login(self) -> Iterator[None]:
        """For what is about all accounts: their names, and whether there are any."""
        self.connection.ask(queries()["as_login"], {})
        yield
        role = self._connections.options.role
        self.connection.ask(queries()["as_role"], {"role": role or "none"})

    def holds_nothing(self, account: str) -> bool:
        """Whether the store is new but for an empty account; not when that cannot be told."""
        own = self.at(account).account_id
        if self.read(queries()["purged_digests"], account, {}) or not self.sees_all():
            return False
        with self.as_login():
            return bool(self.read_store("holds_nothing", {"own": own})[0][0])

    def forget_secrets(self) -> None:
        """They were changed."""
        self._secrets = ()

    def commit(self, send: Callable[[str], None] | None = None) -> None:
        """Make it last, sent by itself or with what was left; when the connection breaks here, nobody can say whether it did."""
        if self.connection.pgconn.transaction_status == TransactionStatus.INERROR:
            # The server would take everything back and call that an answer, not an error.
            raise psycopg.errors.InFailedSqlTransaction("a statement of this change failed before; nothing was stored")
        try:
            if send is None:
                self.connection.several("COMMIT")
            else:
                send("COMMIT")
        except psycopg.Error as error:
            if not is_lost(error):
                raise
            raise errors.CommitUnknown(self._connections.address.shown) from error

    def end(self) -> None:
        """Take back what was not committed, and hand the connection back."""
        try:
            status = TransactionStatus(self.connection.pgconn.transaction_status)
            if not self.connection.closed and status != TransactionStatus.IDLE:
                # What only looked has nothing to take back, and should not count as a failure in the server's statistics.
                if not self.writes and status == TransactionStatus.INTRANS:
                    self.connection.part()
                else:
                    self.connection.several("ROLLBACK")
        except psycopg.OperationalError:
            self.connection.close()
        finally:
            self._connections.give(self.connection)

    def _begin(
        self,
        number: int,
        asked: Sequence[Asked] = (),
        meanwhile: Callable[[], object] = lambda: None,
        heard: Heard | None = None,
    ) -> tuple[Rows, list[Rows]]:
        """A pooled connection may have died while it waited; nothing was asked of it yet, so another may take its place."""
        try:
            return self._begun_with(number, asked, meanwhile, heard)
        except psycopg.OperationalError as error:
            if not is_lost(error) or not self.connection.closed:
                raise
        self._connections.give(self.connection)
        self._connections.renew()
        self.connection = self._connections.take()
        return self._begun_with(number, (), meanwhile, None)

    def _begun_with(
        self, number: int, asked: Sequence[Asked], meanwhile: Callable[[], object], heard: Heard | None
    ) -> tuple[Rows, list[Rows]]:
        # What begins is sent without values; all that is written in are numbers.
        values = {"account": number, "account_id": number, "lock": self._lock(number)}
        if self.writes:
            begun, answers = self._begun_change(queries()["write"] % values, asked, meanwhile)
        else:
            look = (queries()["account_in_view"], {"account_id": number}, False)
            statements = (queries()["read"] % values).split("; ")
            _, (begun, *answers) = self.connection.begin(
                statements, [look, *asked], meanwhile, heard if asked else None
            )
        self._begun = True
        return begun, answers

    def _begun_change(
        self, beginning: str, asked: Sequence[Asked], meanwhile: Callable[[], object]
    ) -> tuple[Rows, list[Rows]]:
        answers: list[Rows] = []
        if asked:
            begun, answers = self.connection.begin(beginning.split("; "), asked, meanwhile)
        else:
            begun = self.connection.several(beginning)
        ((secrets, self.reserved),) = begun[-2]
        self._secrets = _secrets(secrets)
        return begun[-1], answers

    def _lock(self, number: int) -> int:
        """The lock of an account, another one in each schema."""
        name = f"{self._connections.address.schema}/{number}".encode()
        return int.from_bytes(blake2b(name, digest_size=8).digest(), "big", signed=True)


def _standing(account: str, number: int, found: Rows) -> Standing:
    if not found:
        return Standing(account, number)
    name, seq, clusters, held, replacing, off, purged, gaps = found[0]
    if name != account:
        raise errors.StoreError(f"the account {account!r} has the number of another one here; choose another name")
    own = {"known": True, "seq": seq, "clusters": clusters, "held": held, "replacing": replacing}
    return Standing(account, number, **own, off=frozenset(off), purged=purged, gaps=gaps)


def _secrets(notes: Mapping[str, str]) -> tuple[bytes, ...]:
    former = json.loads(notes.get("former_secrets", "[]"))
    return tuple(bytes.fromhex(secret) for secret in (notes["secret"], *former))
