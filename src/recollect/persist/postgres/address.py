"""Address: a URL taken apart into what the driver gets, what we keep for ourselves, and what may be shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict

from recollect.errors import SettingsError

# Without these a network that swallows packets would hold a call for a quarter of an hour.
_PATIENCE = {"keepalives": 1, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}


@dataclass(frozen=True, slots=True)
class Options:
    """How a database is used. Times are in seconds."""

    schema: str = "recollect"
    role: str = "recollect_app"
    partitions: int = 8
    connections: int = 10
    connect_seconds: float = 10.0
    wait_seconds: float = 10.0
    statement_seconds: float = 30.0
    lock_seconds: float = 10.0
    idle_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Address:
    """Where a database is. Its password is in nothing that is ever shown."""

    parameters: dict[str, Any] = field(repr=False)
    shown: str
    schema: str
    password: str = field(repr=False)

    def without_secret(self, text: str) -> str:
        """A text of the driver as it may be shown, on one line."""
        line = " ".join(text.split())
        return line.replace(self.password, "…") if self.password else line


def address_of(url: str, options: Options) -> Address:
    """Take a URL apart; `?schema=name` is ours, everything else is the driver's."""
    try:
        parts = urlsplit(url)
        asked = parse_qsl(parts.query, keep_blank_values=True)
        schema = next((value for name, value in asked if name == "schema"), "") or options.schema
        rest = urlencode([(name, value) for name, value in asked if name != "schema"])
        given = conninfo_to_dict(urlunsplit(parts._replace(query=rest)))
    except (psycopg.ProgrammingError, ValueError):
        # The driver's words may hold the whole URL, with its password.
        raise SettingsError("db", "is not a PostgreSQL URL", "use postgresql://user@host:5432/database") from None
    shown = _shown(str(given.get("host") or ""), given.get("port"), given.get("dbname") or "", schema)
    known = {"connect_timeout": max(1, round(options.connect_seconds)), "application_name": "recollect", **_PATIENCE}
    return Address({**known, **given}, shown, schema, str(given.get("password") or ""))


def _shown(host: str, port: Any, database: Any, schema: str) -> str:
    local = not host or host.startswith(("/", "@"))
    asked = {"host": host} if local and host else {}
    asked |= {} if schema == "recollect" else {"schema": schema}
    place = "" if local else f"{host}:{port or 5432}"
    return f"postgresql://{place}/{database}" + (f"?{urlencode(asked, safe='/')}" if asked else "")
