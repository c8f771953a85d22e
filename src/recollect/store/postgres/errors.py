"""Driver errors become ours here, and only here; each says what is wrong and what to do. No message contains a password."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from recollect import errors
from recollect.store.postgres.options import Address

# The driver gives no SQLSTATE for a connection that was refused, only the text of the server or of a pooler; and some SQLSTATEs
# stand for several things. What a text stands for is looked up in `_WRONG` and `_BUSY`.
_TEXTS = tuple(
    (re.compile(text, re.IGNORECASE), state)
    for text, state in (
        (r"denied to set role|must be (?:a )?member of role", "set role"),
        (r"denied to create extension", "create extension"),
        (
            r"extension \"vector\" is not available|vector type not found|type \"?(?:vector|halfvec)\"? does not exist",
            "vector",
        ),
        (r"password authentication failed|no password supplied|authentication failed|auth failed|SASL", "28P01"),
        (r"database .* does not exist|no such database", "3D000"),
        (r"permission denied for database", "connect"),
        (r"FATAL: +role .* does not exist|no such user|not permitted to log in|pg_hba\.conf", "28000"),
        (r"role .* does not exist", "no role"),
        (r"too many connections|too many clients|connection slots|no more connections allowed", "53300"),
        (r"starting up|shutting down|recovery mode|administrator command", "57P03"),
        (r"query_wait_timeout|client_login_timeout|server_login_retry|server login|pgbouncer cannot connect", "pooler"),
        (r"unsupported startup parameter|unrecognized configuration parameter", "parameter"),
        (r"support SSL|requires? SSL|SSL was required|certificate", "ssl"),
        (r"resolve host|translate host name|name or service not known", "host"),
    )
)
# SQLSTATEs that alone do not tell what to do.
_VAGUE = (None, "22023", "42501", "42704", "0A000", "58P01")
_BUSY = {
    "55P03": "another process is writing to this account for too long; try again, or raise postgres_lock_seconds",
    "57014": "a statement took too long and was stopped; try again, or raise postgres_statement_seconds",
    "40001": "another process changed the same rows; try again",
    "40P01": "another process changed the same rows; try again",
    "53300": "the server has no connection left for this user; close some, lower postgres_connections, or raise the limit there",
}
_MIGRATE = "run `recollect migrate` as the owner of the schema"
# What only a person can put right: what is wrong, and the cure.
_WRONG = {
    "28P01": ("refuses this user or password", "correct them in `db`, in PGPASSWORD or in ~/.pgpass"),
    "28000": (
        "does not let this user in",
        "check the user in `db`, that its role exists and may LOGIN, and pg_hba.conf",
    ),
    "3D000": ("has no such database", "create it (createdb), or correct the name in `db`"),
    "42501": ("does not allow this user to do that", f"{_MIGRATE}, which grants what is missing to postgres_role"),
    "connect": ("does not let this user use the database", "GRANT CONNECT ON DATABASE … TO the user, as its owner"),
    "set role": (
        "does not let this user act as postgres_role",
        "GRANT that role TO the user, or name another postgres_role",
    ),
    "create extension": (
        "lacks the extension vector",
        "run CREATE EXTENSION vector in that database once, as a superuser",
    ),
    "no role": ("lacks the role that postgres_role names", f"{_MIGRATE}, or correct postgres_role"),
    "42704": ("lacks something that recollect needs", _MIGRATE),
    "3F000": ("lacks the schema", _MIGRATE),
    "42P01": ("lacks a table", _MIGRATE),
    "42883": ("lacks a function", _MIGRATE),
    "0A000": ("cannot do what recollect needs", "use PostgreSQL 16 or newer with pgvector 0.8 or newer"),
    "58P01": ("lacks a file of an extension", "install pgvector 0.8 or newer on the server"),
    "vector": ("lacks the extension vector", "install pgvector 0.8 or newer there and run `recollect migrate`"),
    "26000": ("is behind a pooler that loses prepared statements", "set postgres_prepared = false"),
    "42P05": ("is behind a pooler that mixes prepared statements", "set postgres_prepared = false"),
    "pooler": (
        "is a pooler that cannot reach its server",
        "start the server behind it, or correct the pooler's settings",
    ),
    "parameter": ("does not know a parameter of the connection", "remove it from `db`, or let the pooler ignore it"),
    "ssl": ("and this client do not agree on encryption", "check sslmode and the certificates in `db`"),
    "host": ("is not known by that name", "correct the host in `db`, or the name service of this machine"),
}
_FULL = ("53100", "53200")
_DAMAGED = ("XX001", "XX002")
# 08: connection; 57P01-57P05: the server stops or starts; 25P03, 25P04: an idle or endless transaction was ended.
_LOST = ("08", "57P", "25P03", "25P04")


class NoAnswerInTime(psycopg.OperationalError):
    """The server did not answer in time, and the connection was closed."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no answer within {seconds:g} s")


@contextmanager
def translate_errors(address: Address) -> Iterator[None]:
    """Raise driver errors as ours; the cause is kept."""
    try:
        yield
    except psycopg.Error as error:
        raise translated(error, address) from error


def translated(error: psycopg.Error, address: Address) -> errors.RecollectError:
    """The error of ours that a driver error stands for."""
    where, message = address.shown, address.without_secret(str(error))
    if isinstance(error, NoAnswerInTime):
        return errors.StoreUnavailable(
            f"{where}: {message}, so the connection was closed; nothing was stored; see whether the server hangs, "
            "or raise postgres_statement_seconds"
        )
    state = _state_of(error)
    if state in _BUSY:
        return errors.StoreBusy(f"{where}: {_BUSY[state]}")
    if state in _WRONG:
        problem, cure = _WRONG[state]
        return errors.StoreError(f"{where} {problem} ({message}); {cure}")
    if is_lost(error):
        return errors.StoreUnavailable(f"{where} cannot be reached ({message}); nothing was stored; try again")
    if isinstance(error, (psycopg.IntegrityError, psycopg.DataError)):
        return _refused(error, message)
    if state in _FULL:
        return errors.StoreFull(f"{where}: no room left to write; nothing was stored; free some space and try again")
    if state == "25006":
        return errors.ReadOnly(where, "write to the primary server, not to a standby")
    if state.startswith("28"):
        return errors.StoreError(f"{where} refuses the connection ({message}); check user, password and database")
    if state in _DAMAGED:
        return errors.StoreDamaged(f"{where} is damaged ({message}); restore a backup")
    return errors.StoreError(f"{where}: {message}; `recollect doctor` tells more")


def is_lost(error: psycopg.Error) -> bool:
    """Whether the connection was lost, or could not be made."""
    state = error.sqlstate
    if state is None:
        return isinstance(error, psycopg.OperationalError)
    return state.startswith(_LOST) and state != "57014"


def _state_of(error: psycopg.Error) -> str:
    """The SQLSTATE of an error, or a word for what its text tells; empty when it is unknown."""
    if error.sqlstate not in _VAGUE:
        return error.sqlstate or ""
    text = str(error)
    return next((state for pattern, state in _TEXTS if pattern.search(text)), error.sqlstate or "")


def _refused(error: psycopg.Error, message: str) -> errors.RecollectError:
    if isinstance(error, psycopg.errors.UniqueViolation):
        return errors.InvalidInput("key", "is taken by another memory here", "leave it out or choose another")
    if isinstance(error, psycopg.IntegrityError):
        return errors.InvalidInput("id", f"what it names is not here ({message})", "name what is stored")
    return errors.InvalidInput("text", f"cannot be stored ({message})", "leave out NUL characters and endless numbers")
