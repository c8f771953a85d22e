"""Address: which Redis, and under which prefix; read from a URL that may hold a password, which no message ever shows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from recollect.errors import SettingsError

PREFIX = "recollect"
_FIX = "give redis://host:6379/0, rediss://host:6380/0 (TLS) or unix:///path/to/socket"
_WORD = re.compile(r"[\w.-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a Redis is: what the driver needs, and what may be shown."""

    url: str
    prefix: str
    shown: str


def read_address(url: str) -> Address:
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
    return Address(f"{plain}?{urlencode(query)}" if query else plain, prefix, shown)


def pool_of(address: Address) -> redis.BlockingConnectionPool:
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
