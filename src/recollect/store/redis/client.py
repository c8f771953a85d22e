"""RedisAddress: which Redis, and under which prefix; read from a URL that may hold a password, which no message ever shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import redis
from redis import exceptions
from redis.backoff import NoBackoff
from redis.retry import Retry

from recollect import errors
from recollect.errors import SettingsError
from recollect.ports import Namespace

PREFIX = "recollect"
_FIX = "give redis://host:6379/0, rediss://host:6380/0 (TLS) or unix:///path/to/socket"
_WORD = re.compile(r"[\w.-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """Where a Redis is: what the driver needs, and what may be shown."""

    url: str
    prefix: str
    shown: str


def read_address(url: str) -> RedisAddress:
    """A URL taken apart; `prefix=…` in its query is ours, the rest of the query is the driver's."""
    try:
        parts = urlsplit(url)
        query = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
        port = parts.port
    except ValueError:  # its text may quote the password
        raise SettingsError("working", "is not an address of a Redis", _FIX) from None
    prefix = query.pop("prefix", PREFIX)
    if not _WORD.fullmatch(prefix):
        raise SettingsError("working", f"prefix {prefix!r} has other characters", "use letters, digits, . _ -")
    if parts.scheme == "unix":
        shown = f"unix://{parts.path}"
    elif parts.path.strip("/").isdecimal() or not parts.path.strip("/"):
        shown = f"{parts.scheme}://{parts.hostname or 'localhost'}:{port or 6379}{parts.path}"
    else:
        raise SettingsError("working", "the path of the address is not the number of a database", _FIX)
    plain = url.partition("#")[0].partition("?")[0]
    return RedisAddress(f"{plain}?{urlencode(query)}" if query else plain, prefix, shown)


def pool_of(address: RedisAddress) -> redis.BlockingConnectionPool:
    """Connections to it, none of them opened yet. What the URL's query says wins over these."""
    try:
        pool = redis.BlockingConnectionPool.from_url(
            address.url,
            max_connections=32,
            timeout=2.0,
            socket_timeout=2.0,
            socket_connect_timeout=2.0,
            health_check_interval=30,
            # Nothing is sent twice behind our back: a change that was made and not acknowledged would be made again.
            retry=Retry(NoBackoff(), 0),
            protocol=2,
        )
        pool.connection_class(**pool.connection_kwargs)
    except (TypeError, ValueError):  # the driver's text may quote the password
        raise SettingsError("working", "the driver does not know an option of the address", _FIX) from None
    return pool


@dataclass(frozen=True, slots=True)
class Names:
    """What a room's keys are called."""

    ends: str
    _values: str

    def value(self, key: str) -> str:
        """Where one value is."""
        return f"{self._values}:{_part(key)}"


def names_of(prefix: str, room: Namespace) -> Names:
    """The keys of a room."""
    account, agent, task = map(_part, room)
    return Names(f"{prefix}:{{{account}}}:ends:{agent}:{task}", f"{prefix}:{{{account}}}:value:{agent}:{task}")


def _part(name: str) -> str:
    # An empty hash tag would be none at all; no encoded name is a lone percent sign.
    return quote(name, safe="", errors="surrogatepass") or "%"


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
