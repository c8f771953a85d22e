"""Reading other products' files: JSON, JSON lines and SQLite, never written to. A problem names the place and the fix."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput

_SQLITE = b"SQLite format 3\x00"
_NOTHING = "nothing was imported"


def is_sqlite(path: Path) -> bool:
    """Whether a file is an SQLite database."""
    return _bytes(path, 16) == _SQLITE


def values_of(path: Path, wrapped_in: Sequence[str]) -> list[tuple[str, Any]]:
    """The values of a JSON file, each with its place: a list, a list under one of some names, or one value a line."""
    text = _text(path)
    try:
        whole = json.loads(text)
    except ValueError as error:
        if not _has_lines(text):
            raise InvalidInput(str(path), f"is not JSON ({error})", f"export it again; {_NOTHING}") from None
        return list(lines_of(path))
    except RecursionError:
        raise InvalidInput(str(path), "is nested too deeply", f"export it again; {_NOTHING}") from None
    name = next((name for name in wrapped_in if isinstance(whole, dict) and isinstance(whole.get(name), list)), None)
    found = whole[name] if name else whole
    if isinstance(found, list):
        return [(f"{name or ''}[{place}]", value) for place, value in enumerate(found)]
    if isinstance(found, dict) and not found.keys() & set(wrapped_in) and "\n" not in text.strip():
        return [("line 1", found)]
    raise InvalidInput(str(path), f"holds no list ({', '.join(wrapped_in)})", f"give a whole export; {_NOTHING}")


def lines_of(path: Path) -> Iterator[tuple[str, Any]]:
    """The values of a file of JSON lines, each with its line."""
    for number, line in enumerate(_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield f"line {number}", json.loads(line)
        except (ValueError, RecursionError):
            raise InvalidInput(
                f"{path}, line {number}", "is not JSON", f"repair or remove the line; {_NOTHING}"
            ) from None


@contextmanager
def database(path: Path, product: str, tables: Sequence[str]) -> Iterator[sqlite3.Connection]:
    """An SQLite file opened for reading only, when it has the tables of the product."""
    wanted = f"give the {product} database file; {_NOTHING}"
    if not path.is_file():
        raise InvalidInput(str(path), "is not a file", wanted)
    try:
        with closing(_open(path)) as connection:
            names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if missing := [table for table in tables if table not in names]:
                raise InvalidInput(str(path), f"has no table {missing[0]!r}", wanted)
            connection.row_factory = sqlite3.Row
            yield connection
    except sqlite3.Error as error:
        raise InvalidInput(str(path), f"cannot be read as SQLite ({error})", wanted) from None


def field(where: str, value: Any, name: str, kind: type = str, *, needed: bool = False) -> Any:
    """A field of a value, checked; None when it is not there."""
    found = value.get(name)
    if found is None and not needed:
        return None
    if not isinstance(found, kind):
        told = "is missing" if found is None else f"is {type(found).__name__}, not {kind.__name__}"
        raise InvalidInput(f"{where}.{name}", told, f"repair or remove it; {_NOTHING}")
    return found


def mapping(where: str, value: Any) -> dict[str, Any]:
    """A value that must be an object."""
    if not isinstance(value, dict):
        raise InvalidInput(where, f"is {type(value).__name__}, not an object", f"repair or remove it; {_NOTHING}")
    return value


def moment(where: str, value: Any) -> datetime | None:
    """A time as products write it: ISO text (UTC when it does not say) or seconds since 1970."""
    if value is None or value == "":
        return None
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
            return datetime.fromtimestamp(value, UTC)
        if isinstance(value, str):
            read = datetime.fromisoformat(value.strip())
            return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        pass
    raise InvalidInput(where, f"{str(value)[:40]!r} is not a time", f"repair or remove it; {_NOTHING}")


def parsed(where: str, text: Any, otherwise: Any) -> Any:
    """JSON kept in a column."""
    if text is None or text in ("", b""):
        return otherwise
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError):
        raise InvalidInput(where, "is not JSON", f"repair or remove it; {_NOTHING}") from None


def _open(path: Path) -> sqlite3.Connection:
    uri = path.absolute().as_uri()
    connection = sqlite3.connect(f"{uri}?mode=ro", uri=True)
    try:
        connection.execute("SELECT 1 FROM sqlite_master")
    except sqlite3.OperationalError:
        # A log that lies beside it and cannot be opened here (a read-only folder): the file as it is.
        connection.close()
        return sqlite3.connect(f"{uri}?mode=ro&immutable=1", uri=True)
    return connection


def _has_lines(text: str) -> bool:
    first = text.lstrip("\ufeff \t\r\n").split("\n", 1)[0].strip()
    return first.startswith("{") and first.endswith("}")


def _text(path: Path) -> str:
    try:
        return _bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(str(path), f"is not UTF-8 (byte {error.start})", f"give a JSON export; {_NOTHING}") from None


def _bytes(path: Path, count: int = -1) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(count)
    except OSError as error:
        raise InvalidInput(str(path), f"cannot be read ({error.strerror})", "give a file") from None
