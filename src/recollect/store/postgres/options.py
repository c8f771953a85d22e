"""Where a database is and how it is used: the URL taken apart, and the options of the settings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict

from recollect.errors import SettingsError

# Without keepalives, a call would wait for a quarter of an hour on a network that drops packets.
_KEEPALIVES = {"keepalives": 1, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}


_SHORT, _LONGEST_PORT = 6, 5


@dataclass(frozen=True, slots=True)
class Options:
    """How a database is used; `Settings` has the same names with the prefix `postgres_`. Times are in seconds."""

    schema: str = "recollect"
    role: str = "recollect_app"
    partitions: int = 8
    connections: int = 10
    prepared: bool = True
    connect_seconds: float = 10.0
    wait_seconds: float = 10.0
    statement_seconds: float = 30.0
    lock_seconds: float = 10.0
    idle_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Address:
    """Where a database is. `shown` is the URL without user and password, for messages."""

    parameters: dict[str, Any] = field(repr=False)
    shown: str
    schema: str
    password: str = field(repr=False)

    def without_secret(self, text: str) -> str:
        """A message of the driver on one line, without the password."""
        line = " ".join(text.split())
        if not self.password:
            return line
        # A very short password is a part of many words.
        whole = r"\b" if len(self.password) < _SHORT and self.password.isalnum() else ""
        return re.sub(f"{whole}{re.escape(self.password)}{whole}", "…", line)


def parse_address(url: str, options: Options) -> Address:
    """Take a URL apart; `?schema=name` is ours, everything else is passed to the driver."""
    try:
        parts = urlsplit(url)
        asked = parse_qsl(parts.query, keep_blank_values=True)
        schema = next((value for name, value in asked if name == "schema"), "") or options.schema
        rest = urlencode([(name, value) for name, value in asked if name != "schema"])
        given = conninfo_to_dict(urlunsplit(parts._replace(query=rest)))
    except (psycopg.ProgrammingError, ValueError):
        # The driver's message may contain the whole URL, with its password.
        raise SettingsError("db", "is not a PostgreSQL URL", "use postgresql://user@host:5432/database") from None
    if not all(map(_is_port, str(given.get("port") or "").split(","))):
        # Not shown: in a URL without a host, it is the password that stands there.
        raise SettingsError("db", "has a port that is no number from 1 to 65535", "write it like host:5432")
    shown = _shown(str(given.get("host") or ""), given.get("port"), given.get("dbname") or "", schema)
    defaults = {"connect_timeout": max(1, round(options.connect_seconds)), "application_name": "recollect"}
    return Address({**defaults, **_KEEPALIVES, **given}, shown, schema, str(given.get("password") or ""))


def _is_port(text: str) -> bool:
    """Whether this is a port of a URL; one that is left out is the usual one."""
    return not text or (text.isascii() and text.isdecimal() and len(text) <= _LONGEST_PORT and 0 < int(text) < 2**16)


def _shown(host: str, port: Any, database: Any, schema: str) -> str:
    local = not host or host.startswith(("/", "@"))
    asked = {"host": host} if local and host else {}
    asked |= {} if schema == "recollect" else {"schema": schema}
    place = "" if local else f"{host}:{port or 5432}"
    return f"postgresql://{place}/{database}" + (f"?{urlencode(asked, safe='/')}" if asked else "")
