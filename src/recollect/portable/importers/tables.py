"""Reads tables of other products as plain rows: from SQLite, from PostgreSQL, or from an export (CSV, JSON, JSON lines)."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.advice import install_command
from recollect.errors import InvalidInput
from recollect.portable.importers.common import as_object, is_sqlite, open_sqlite, read_json_values

Row = dict[str, Any]
_NOTHING = "nothing was imported"
_URLS = ("postgres://", "postgresql://")
_WAIT_SECONDS = 10
# Never read: other models made them, and they are made anew here.
_VECTORS = ("embedding", "embeddings", "vector", "content_tsv", "search_vector", "tsv")
_PAGE = 2000


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of one table, each with its place in the source."""

    name: str
    rows: tuple[tuple[str, Row], ...]


def is_url(source: str | Path) -> bool:
    """Whether a source is the address of a PostgreSQL database."""
    return isinstance(source, str) and source.startswith(_URLS)


def read_tables(source: str | Path, product: str, names: Sequence[str], columns: Sequence[str]) -> list[Table]:
    """Those of some tables that a source has, at least one. An export is one table; `columns` are those that it must have."""
    if is_url(source):
        found = list(_from_postgres(str(source), names))
    elif is_sqlite(path := Path(source)):
        found = list(_from_sqlite(path, product, names))
    else:
        found = [_from_export(path, names)]
    if not found:
        raise InvalidInput(_shown(source), f"has no table {names[0]!r}", f"give the {product} database; {_NOTHING}")
    for table in found:
        for where, row in table.rows[:1]:
            if missing := [column for column in columns if column not in row]:
                fix = f"give the {product} table with all its columns; {_NOTHING}"
                raise InvalidInput(f"{_shown(source)}, {where}", f"has no column {missing[0]!r}", fix)
    return found


def tables_of(path: Path) -> dict[str, frozenset[str]]:
    """The tables of an SQLite file with their columns."""
    with open_sqlite(path, "SQLite", ()) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: frozenset(row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (name,)))
            for name in names
        }


def _from_sqlite(path: Path, product: str, names: Sequence[str]) -> Iterator[Table]:
    with open_sqlite(path, product, ()) as connection:
        present = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        for name in names:
            if name in present:
                # The names are those of the products' own tables, never a user's words.
                rows = [dict(row) for row in connection.execute(f'SELECT * FROM "{name}" ORDER BY rowid')]
                yield Table(name, tuple((f"{name} {_number(row, n)}", _plain(row)) for n, row in enumerate(rows, 1)))


def _from_postgres(url: str, names: Sequence[str]) -> Iterator[Table]:
    try:
        import psycopg
    except ImportError:
        how = f"run `{install_command('postgres')}`"
        raise InvalidInput("paths", "needs the PostgreSQL driver", how) from None
    try:
        with psycopg.connect(url, connect_timeout=_WAIT_SECONDS) as connection:
            connection.read_only = True
            for name in names:
                if connection.execute("SELECT to_regclass(%s)", (name,)).fetchone() == (None,):
                    continue
                rows: list[Row] = []
                with connection.cursor(name="recollect_import") as cursor:
                    cursor.itersize = _PAGE
                    cursor.execute(f'SELECT to_jsonb(t) - %s::text[] FROM "{name}" t', (list(_VECTORS),))
                    rows += (row[0] for row in cursor)
                yield Table(name, tuple((f"{name} {_number(row, n)}", _plain(row)) for n, row in enumerate(rows, 1)))
    except psycopg.Error as error:
        # The message of the driver names no password; the address could.
        reason = str(error).strip().partition("\n")[0]
        raise InvalidInput(_shown(url), f"cannot be read ({reason})", f"check the address; {_NOTHING}") from None


def _from_export(path: Path, names: Sequence[str]) -> Table:
    if path.is_dir():
        raise InvalidInput(str(path), "is a folder", f"give a file; {_NOTHING}")
    if path.suffix.lower() == ".csv":
        rows = list(_from_csv(path))
    else:
        found = read_json_values(path, ("memories", "rows", "results", "items", *names))
        rows = [(where, _plain(as_object(where, value))) for where, value in found]
    return Table(names[0], tuple(rows))


def _from_csv(path: Path) -> Iterator[tuple[str, Row]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            for row in reader:
                where = f"line {reader.line_num}"
                if None in row or None in row.values():
                    raise InvalidInput(
                        f"{path}, {where}", "has not the columns of the header", f"repair it; {_NOTHING}"
                    )
                yield where, _plain({name: value or None for name, value in row.items()})
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(str(path), f"cannot be read as CSV ({error})", f"export it again; {_NOTHING}") from None


def _plain(row: Row) -> Row:
    """A row without vectors and other binary values; JSON in text columns is read."""
    return {
        name.lower(): _value(value)
        for name, value in row.items()
        if name.lower() not in _VECTORS and not isinstance(value, bytes) and value is not None
    }


def _value(value: Any) -> Any:
    text = value.strip() if isinstance(value, str) else ""
    if len(text) > 1 and text[0] + text[-1] in ("[]", "{}"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            # The text of an array in PostgreSQL: {a,"b c"}.
            return next(csv.reader([text[1:-1]], escapechar="\\"), []) if text[0] == "{" and ":" not in text else value
    return value


def _number(row: Row, position: int) -> str:
    return str(row.get("id") or position)


def source_name(source: str | Path) -> str:
    """How a report calls a source: the name of the file, or the address without its login."""
    return _shown(source) if is_url(source) else Path(source).name


def _shown(source: str | Path) -> str:
    """A source for a message: an address without its login."""
    return str(source).partition("://")[2].rpartition("@")[2].partition("?")[0] if is_url(source) else str(source)
