"""The seam: what the Redis driver raises, as our errors with what to do. Before it: `working.py`. After it: the caller."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from redis import exceptions

from recollect import errors

_REST = "memories are not touched by this"


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Driver errors as ours; the cause is kept."""
    try:
        yield
    except exceptions.RedisError as error:
        raise _ours(error, place) from error


def _ours(error: exceptions.RedisError, place: str) -> errors.RecollectError:
    text = str(error)
    match error:
        case exceptions.AuthenticationError() | exceptions.AuthorizationError() | exceptions.NoPermissionError():
            return _away(place, f"refuses us ({text})", "check user, password and rights in `working`")
        case exceptions.TimeoutError():
            return _away(place, "did not answer in time", "what was being kept may or may not be there; try again")
        case exceptions.BusyLoadingError():
            return _away(place, "is starting", "try again in a moment")
        case exceptions.ConnectionError() if "No connection available" in text:
            return errors.StoreBusy(
                f"working memory at {place}: every connection is in use; try again, or give the address max_connections=…"
            )
        case exceptions.ConnectionError():
            return _away(place, f"cannot be reached ({text})", "start Redis, or mend `working`")
        case exceptions.ReadOnlyError():
            return _away(place, "is a replica that cannot be written", "give `working` the primary")
        case exceptions.MovedError() | exceptions.ClusterDownError():
            return _away(place, f"is a part of a cluster ({text})", "give `working` one Redis, or a proxy")
        case exceptions.ResponseError() if "OOM " in text or "maxmemory" in text:
            return errors.StoreFull(
                f"working memory at {place} is full; nothing was kept; raise its maxmemory, or keep less for shorter"
            )
    return errors.StoreError(f"working memory at {place}: {text}")


def _away(place: str, problem: str, fix: str) -> errors.WorkingUnavailable:
    return errors.WorkingUnavailable(f"working memory at {place} {problem}; {fix}; {_REST}")
