"""Driver errors become ours here, and only here; each says what to do. No message contains a password."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from recollect import errors
from recollect.store.postgres.options import Address

_BUSY = {
    "55P03": "another process is writing to this account for too long; try again, or raise postgres_lock_seconds",
    "57014": "a statement took too long and was stopped; try again, or raise postgres_statement_seconds",
    "40001": "another process changed the same rows; try again",
    "40P01": "another process changed the same rows; try again",
    "53300": "the server has no connection left; close some, or raise its max_connections",
}
_MISSING = ("3F000", "42P01", "42883", "42704")  # schema, table, function, type
_FULL = ("53100", "53200")
_DAMAGED = ("XX001", "XX002")
# 08: connection; 57P01-57P05: the server stops or starts; 25P03, 25P04: an idle or endless transaction was ended.
_LOST = ("08", "57P", "25P03", "25P04")


@contextmanager
def translate_errors(address: Address) -> Iterator[None]:
    """Raise driver errors as ours; the cause is kept."""
    try:
        yield
    except psycopg.Error as error:
        raise translated(error, address) from error


def translated(error: psycopg.Error, address: Address) -> errors.RecollectError:
    """The error of ours that a driver error stands for."""
    state, where = error.sqlstate or "", address.shown
    message = address.without_secret(str(error))
    if state in _BUSY:
        return errors.StoreBusy(f"{where}: {_BUSY[state]}")
    if is_lost(error):
        return errors.StoreUnavailable(f"{where} cannot be reached ({message}); nothing was stored; try again")
    if isinstance(error, (psycopg.IntegrityError, psycopg.DataError)):
        return _refused(error, message)
    if state in _FULL:
        return errors.StoreFull(f"{where}: no room left to write; nothing was stored; free some space and try again")
    if state == "25006":
        return errors.ReadOnly(where, "write to the primary server, not to a standby")
    if state in _MISSING:
        return errors.StoreError(f"{where} lacks what recollect needs ({message}); run `recollect migrate`")
    if state == "42501":
        return errors.StoreError(
            f"{where} refuses this role ({message}); run `recollect migrate` as the schema's owner"
        )
    if state.startswith("28") or state == "3D000":
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


def _refused(error: psycopg.Error, message: str) -> errors.RecollectError:
    if isinstance(error, psycopg.errors.UniqueViolation):
        return errors.InvalidInput("key", "is taken by another memory here", "leave it out or choose another")
    if isinstance(error, psycopg.IntegrityError):
        return errors.InvalidInput("id", f"what it names is not here ({message})", "name what is stored")
    return errors.InvalidInput("text", f"cannot be stored ({message})", "leave out NUL characters and endless numbers")
