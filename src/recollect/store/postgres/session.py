"""A session: one transaction on one pooled connection. It begins with its first statement and looks at one account at a time.

Beginning, the settings of the transaction, the state of the account and the first statements go to the server together, so that
they cost one round trip. What a transaction has not written yet goes with the next read or with the commit.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from recollect import errors
from recollect.log import warning
from recollect.store.postgres.connections import (
    Connection,
    Connections,
    Rows,
    Statement,
    transaction_settings,
)
from recollect.store.postgres.errors import NoAnswerInTime, is_lost
from recollect.store.postgres.rows import STORE, account_number
from recollect.store.postgres.sql import queries
from recollect.values.memory import Record

Projects = frozenset[str]
SwitchCheck = Callable[[Projects], None]


@dataclass(frozen=True, slots=True)
class AccountState:
    """An account as a session found it.

    `seq` is its last event: what a process knows of the account is valid while it stays the same. `clusters` changes with every
    change of its clusters, `held` counts its memories and `replacing` those that supersede another. `off` are the projects that are
    switched off. `purged`, `forgotten`, `gaps` and `triggers` tell whether it has any purged text, forgotten memory, unanswered
    question or trigger pattern.
    """

    account: str
    account_id: int
    exists: bool = False
    seq: int = 0
    clusters: str | None = None
    held: int = 0
    replacing: int = 0
    off: Projects = frozenset()
    purged: bool = False
    forgotten: bool = False
    gaps: bool = False
    triggers: bool = False


class PostgresSession:
    """One view or one transaction; ends with `commit` or `end`.

    A session that writes is of one account, whose lock it takes when it begins. Without `wait`, it fails when another has the lock.
    """

    def __init__(self, connections: Connections, *, writes: str | None = None, wait: bool = True) -> None:
        self.connections, self.writes = connections, writes
        # How many changes were made so far, sent or not; what was read before one may not be valid after it.
        self.version = 0
        self.switched = False
        # Whether something was forgotten or purged in this transaction: the state of the account was read before that.
        self.wrote_tombstones = False
        # What was read already and can be answered again: records by account, id and moment, and operations that are not undone.
        # The writer removes what its changes make invalid.
        self.records: dict[tuple[str, str, datetime | None], Record | None] = {}
        self.not_undone: set[str] = set()
        self.reserved_row = 0
        self._wait = wait
        self._process = os.getpid()
        self._connection: Connection | None = None
        self._begun = False
        self._state: AccountState | None = None
        self._secrets: dict[str, tuple[bytes, ...]] = {}
        self._unwritten: Callable[[], list[Statement]] = list
        self._sent_changes = False
        self._checks: list[tuple[str, SwitchCheck]] = []

    @property
    def wrote(self) -> bool:
        """Whether anything was changed."""
        return self.version > 0

    def changed(self) -> None:
        """Take note of a change."""
        self.version += 1

    def before_reads(self, unwritten: Callable[[], list[Statement]]) -> None:
        """Where to get the statements that are not sent yet; they are sent before anything is read."""
        self._unwritten = unwritten

    def check_switches(self, account: str, check: SwitchCheck) -> None:
        """Call a check with the switched-off projects before anything read from the account is returned."""
        if self._state is not None and self._state.account == account and not self.switched:
            check(self._state.off)
        else:
            self._checks.append((account, check))

    def finish_checks(self) -> None:
        """Make the checks that no read has made."""
        while self._checks:
            self.run(self._checks[0][0])

    def known_state(self, account: str) -> AccountState | None:
        """The state of an account, if it was read already."""
        return self._state if self._state is not None and self._state.account == account else None

    def state(self, account: str) -> AccountState:
        """The state of an account."""
        if self.known_state(account) is None:
            self.run(account)
        assert self._state is not None
        return self._state

    def run(self, account: str, *statements: Statement) -> list[Rows]:
        """Send statements about an account together and return the rows of each, after what is not written yet."""
        before, position = self._statements_before(account)
        found = self._send([*before, *(self._with_account(statement, account) for statement in statements)])
        if position is not None:
            self._state = _state_of(account, found[position])
        self._run_checks(account)
        return found[len(before) :]

    def run_with_secrets(self, account: str, *statements: Statement) -> list[Rows]:
        """The same; where the keys of the account's texts are not known yet, they are read too."""
        if account in self._secrets or account == self.writes:
            return self.run(account, *statements)
        *found, secrets = self.run(account, *statements, Statement(queries()["secrets"]))
        self._secrets[account] = _secrets(dict(secrets))
        return found

    def read(self, name: str, account: str, /, **values: Any) -> Rows:
        """The rows of a named query about an account."""
        return self.run(account, Statement(queries()[name], values))[0]

    def read_store(self, name: str, /, **values: Any) -> Rows:
        """The rows of a named query about the store itself."""
        before = [] if self._begun else self._beginning(STORE)
        return self._send(
            [*before, *self._own_unwritten(), Statement(queries()[name], {"account_id": STORE, **values})]
        )[-1]

    def reserve_rows(self, count: int) -> list[int]:
        """Numbers for new rows; asked for without sending what is not written yet, which is better sent together."""
        return [number for (number,) in self._send([Statement(queries()["more_rows"], {"count": count})])[0]]

    def secrets(self, account: str) -> tuple[bytes, ...]:
        """The keys of the hashes of an account's texts, the one in use first; none before its first text."""
        if not self._begun and account == self.writes:
            self.state(account)  # a session that writes reads them when it begins
        if account not in self._secrets:
            self._secrets[account] = _secrets(dict(self.read("secrets", account)))
        return self._secrets[account]

    def set_secrets(self, account: str, secrets: tuple[bytes, ...]) -> None:
        """They were changed."""
        self._secrets[account] = secrets

    def sees_all(self) -> bool:
        """Whether the login role may read all accounts."""
        return bool(self.read_store("may_see_all")[0][0])

    @contextmanager
    def as_login_role(self) -> Iterator[None]:
        """For what is about all accounts, work as the login role."""
        self._send([Statement("SET LOCAL ROLE NONE")])
        yield
        self._send([Statement(queries()["set_role"], {"role": self.connections.options.role or "none"})])

    def commit(self) -> None:
        """Send what is not written yet and commit, in one round trip."""
        statements = self._own_unwritten()
        if not self._begun:
            if not statements or self.writes is None:
                return
            statements = [*self._beginning(account_number(self.writes)), *statements]
        if self._status() == TransactionStatus.INERROR:
            # The server would roll back and report success.
            raise psycopg.errors.InFailedSqlTransaction("a statement of this change failed before; nothing was stored")
        try:
            self._send([*statements, Statement("COMMIT")])
        except psycopg.Error as error:
            if not is_lost(error):
                raise
            raise errors.CommitUnknown(self.connections.address.shown) from error

    def end(self) -> None:
        """Roll back what was not committed, and give the connection back."""
        if self._connection is None or self._process != os.getpid():
            return
        try:
            status = self._status()
            if not self._connection.closed and status != TransactionStatus.IDLE:
                # Where no change was sent there is nothing to roll back, and psycopg keeps its prepared statements.
                if status == TransactionStatus.INTRANS and not self._sent_changes:
                    self._send([Statement("COMMIT")])
                else:
                    self.connections.roll_back(self._connection)
        except psycopg.OperationalError:
            self._connection.close()
        finally:
            self.connections.give_back(self._connection)
            self._connection = None

    def _statements_before(self, account: str) -> tuple[list[Statement], int | None]:
        """What goes before statements about an account, and where in it the state of the account is read, if it is."""
        number = account_number(account)
        beginning = [] if self._begun else self._beginning(number)
        unwritten = self._own_unwritten()
        statements = [*beginning, *unwritten]
        if self.known_state(account) is not None:
            return statements, None
        if not beginning or unwritten:
            statements.append(_look_at(number))
        statements.append(Statement(queries()["account"], {"account_id": number}))
        return statements, len(statements) - 1

    def _own_unwritten(self) -> list[Statement]:
        """What is not written yet, sent while the session looks at the account it writes."""
        statements = self._unwritten()
        if not statements or self.writes is None:
            return statements
        self._sent_changes = True
        if self.known_state(self.writes) is None:
            statements.insert(0, _look_at(account_number(self.writes)))
            self._state = None
        return statements

    def _beginning(self, number: int) -> list[Statement]:
        begin = queries()["begin_view" if self.writes is None else "begin_transaction"]
        own = number if self.writes is None else account_number(self.writes)
        statements = [Statement(begin), transaction_settings(self.connections), _look_at(own)]
        if self.writes is None:
            return statements
        lock = {"lock": self._lock(own)}
        return [
            *statements,
            Statement(queries()["lock_account" if self._wait else "try_lock_account"], lock),
            Statement(queries()["secrets"], {"account_id": own}),
            *([] if number == own else [_look_at(number)]),
        ]

    def _send(self, statements: Sequence[Statement]) -> list[Rows]:
        if not statements:
            return []
        if self._process != os.getpid():
            raise errors.StoreError(
                f"{self.connections.address.shown}: this process was forked inside a view or transaction, which stays its parent's"
            )
        beginning = not self._begun
        found = self._send_beginning(statements) if beginning else self.connections.run(self._taken(), statements)
        if beginning and self.writes is not None:
            ((granted, self.reserved_row),), secrets = found[3:5]
            if granted is False:
                raise errors.StoreBusy(f"{self.connections.address.shown}: another transaction of this account is open")
            self._secrets[self.writes] = _secrets(dict(secrets))
        return found

    def _send_beginning(self, statements: Sequence[Statement]) -> list[Rows]:
        """Idle connections may have died in the pool. Nothing was done on them yet, so that others may take their place."""
        self._begun = True
        for _ in range(self.connections.options.connections):
            connection = self._taken()
            try:
                return self.connections.run(connection, statements)
            except NoAnswerInTime:
                raise
            except psycopg.OperationalError as error:
                if not is_lost(error) or not connection.closed:
                    raise
                warning("a connection to the database was lost; another one is tried")
            self.connections.give_back(connection)
            self._connection = None
        return self.connections.run(self._taken(), statements)

    def _taken(self) -> Connection:
        if self._connection is None:
            self._connection = self.connections.take()
        return self._connection

    def _status(self) -> TransactionStatus:
        return TransactionStatus.IDLE if self._connection is None else self._connection.info.transaction_status

    def _with_account(self, statement: Statement, account: str) -> Statement:
        return statement._replace(values={"account_id": account_number(account), **statement.values})

    def _run_checks(self, account: str) -> None:
        state = self.known_state(account)
        due = [check for asked, check in self._checks if asked == account]
        self._checks = [(asked, check) for asked, check in self._checks if asked != account]
        if due:
            assert state is not None
            off = frozenset(row[0] for row in self.read("switched_off", account)) if self.switched else state.off
            for check in due:
                check(off)

    def _lock(self, number: int) -> int:
        """The lock of an account, another one in each schema."""
        name = f"{self.connections.address.schema}/{number}".encode()
        return int.from_bytes(blake2b(name, digest_size=8).digest(), "big", signed=True)


def _look_at(number: int) -> Statement:
    """From here on, row-level security shows only the rows of this account. A cluster passes a SET on, a function call not."""
    return Statement(f"SET LOCAL recollect.account = '{int(number)}'", prepare=False)


def _state_of(account: str, found: Rows) -> AccountState:
    number = account_number(account)
    if not found:
        return AccountState(account, number)
    name, seq, clusters, held, replacing, off, *flags = found[0]
    if name != account:
        raise errors.StoreError(f"the account {account!r} has the number of another one here; choose another name")
    exists = True
    return AccountState(account, number, exists, seq, clusters, held, replacing, frozenset(off), *flags)


def _secrets(notes: Mapping[str, str]) -> tuple[bytes, ...]:
    own = [notes["secret"]] if "secret" in notes else []
    return tuple(bytes.fromhex(secret) for secret in (*own, *json.loads(notes.get("former_secrets", "[]"))))
