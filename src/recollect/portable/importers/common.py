"""What the importers share: reading JSON, JSON lines and SQLite files (read-only), and making drafts of what they contain."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput
from recollect.portable.drafts import SourceDraft, text_digest
from recollect.values.enums import MEMORY_TYPES

_SQLITE = b"SQLite format 3\x00"
_NOTHING = "nothing was imported"


def is_sqlite(path: Path) -> bool:
    """Whether a file is an SQLite database."""
    return _read_bytes(path, 16) == _SQLITE


def read_json_values(path: Path, wrapped_in: Sequence[str]) -> list[tuple[str, Any]]:
    """The values of a JSON file, each with its location: a list, a list under one of some names, or one value per line."""
    text = _read_text(path)
    try:
        whole = json.loads(text)
    except ValueError as error:
        if not _has_lines(text):
            raise InvalidInput(str(path), f"is not JSON ({error})", f"export it again; {_NOTHING}") from None
        return list(read_json_lines(path))
    except RecursionError:
        raise InvalidInput(str(path), "is nested too deeply", f"export it again; {_NOTHING}") from None
    name = next((name for name in wrapped_in if isinstance(whole, dict) and isinstance(whole.get(name), list)), None)
    found = whole[name] if name else whole
    if isinstance(found, list):
        return [(f"{name or ''}[{place}]", value) for place, value in enumerate(found)]
    if isinstance(found, dict) and not found.keys() & set(wrapped_in) and "\n" not in text.strip():
        return [("line 1", found)]
    raise InvalidInput(str(path), f"contains no list ({', '.join(wrapped_in)})", f"give a whole export; {_NOTHING}")


def read_json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """The values of a file of JSON lines, each with its line number."""
    for number, line in enumerate(_read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield f"line {number}", json.loads(line)
        except (ValueError, RecursionError):
            raise InvalidInput(
                f"{path}, line {number}", "is not JSON", f"repair or remove the line; {_NOTHING}"
            ) from None


@contextmanager
def open_sqlite(path: Path, product: str, tables: Sequence[str]) -> Iterator[sqlite3.Connection]:
    """A read-only connection to an SQLite file that has the tables of the product."""
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


def get_field(where: str, value: Any, name: str, kind: type = str, *, required: bool = False) -> Any:
    """A field of a value, with its type checked; None when it is missing."""
    found = value.get(name)
    if found is None and not required:
        return None
    if not isinstance(found, kind):
        problem = "is missing" if found is None else f"is {type(found).__name__}, not {kind.__name__}"
        raise InvalidInput(f"{where}.{name}", problem, f"repair or remove it; {_NOTHING}")
    return found


def as_object(where: str, value: Any) -> dict[str, Any]:
    """A value, which must be an object."""
    if not isinstance(value, dict):
        raise InvalidInput(where, f"is {type(value).__name__}, not an object", f"repair or remove it; {_NOTHING}")
    return value


def parse_time(where: str, value: Any) -> datetime | None:
    """A time as products write it: ISO 8601 (UTC if it has no time zone) or seconds since 1970."""
    if value is None or value == "":
        return None
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
            return datetime.fromtimestamp(value, UTC)
        if isinstance(value, str):
            found = datetime.fromisoformat(value.strip())
            return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        pass
    raise InvalidInput(where, f"{str(value)[:40]!r} is not a time", f"repair or remove it; {_NOTHING}")


def parse_json(where: str, text: Any, otherwise: Any) -> Any:
    """JSON in a column of a database."""
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
        # In a read-only folder, the write-ahead log beside the file cannot be opened; then the file is read as it is.
        connection.close()
        return sqlite3.connect(f"{uri}?mode=ro&immutable=1", uri=True)
    return connection


def _has_lines(text: str) -> bool:
    first = text.lstrip("\ufeff \t\r\n").split("\n", 1)[0].strip()
    return first.startswith("{") and first.endswith("}")


def _read_text(path: Path) -> str:
    try:
        return _read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(str(path), f"is not UTF-8 (byte {error.start})", f"give a JSON export; {_NOTHING}") from None


def _read_bytes(path: Path, count: int = -1) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(count)
    except OSError as error:
        raise InvalidInput(str(path), f"cannot be read ({error.strerror})", "give a file") from None


_TAG_FIELDS = ("tags", "categories", "category", "keywords", "labels", "topics")
_LONGEST_TAG = 60
_MOST_TAGS = 16


def make_draft(
    product: str,
    identifier: str,
    where: str,
    text: str,
    *,
    tags: Iterable[str] = (),
    metadata: Mapping[str, Any] | None = None,
    kind: str | None = None,
    at: datetime | None = None,
    **fields: Any,
) -> SourceDraft:
    """One memory of a product as a draft; it is recognised by its id there and superseded when its text changes."""
    more_tags, rest = _metadata_tags(metadata or {})
    own = kind.strip().lower() if kind else ""
    if own and own not in MEMORY_TYPES:
        more_tags = (*more_tags, own)
    draft: dict[str, Any] = {
        "content": text,
        "source": "migrated",
        "reason": origin_label(product),
        "tags": clean_tags((*tags, *more_tags)),
        "occurred_at": at,
        "key": f"{product}:{text_digest(identifier)}:{text_digest(text)}",
        **{name: value for name, value in fields.items() if value is not None},
    }
    if own in MEMORY_TYPES:
        draft["type"] = own
    if rest:
        draft["snippet"] = json.dumps(rest, ensure_ascii=False, default=str)
    return SourceDraft(where, draft)


def origin_label(product: str) -> str:
    """The reason that memories of a product are labelled with."""
    return f"imported from {product}"


def split_tags(value: Any) -> tuple[str, ...]:
    """Tags in one of the usual forms: a list, or text with commas."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, (list, tuple)):
        return tuple(str(part).strip() for part in value if isinstance(part, (str, int, float)) and str(part).strip())
    return ()


def _metadata_tags(metadata: Mapping[str, Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Metadata as tags (short values as name:value), and the rest, which is too long or too deeply nested."""
    tags: list[str] = []
    rest: dict[str, Any] = {}
    for name, value in metadata.items():
        tag = f"{name}:{value}"
        if name in _TAG_FIELDS and (found := split_tags(value)):
            tags += found
        elif (
            isinstance(value, (str, int, float)) and str(value).strip() and len(tag) <= _LONGEST_TAG and "\n" not in tag
        ):
            tags.append(tag)
        elif value not in (None, "", [], {}):
            rest[name] = value
    return tuple(tags), rest


def clean_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags on one line each, without hash signs and duplicates."""
    one_line = (" ".join("".join(c if c.isprintable() else " " for c in tag).split()) for tag in tags)
    kept = (tag.lstrip("#").strip()[:200] for tag in one_line)
    return tuple(dict.fromkeys(tag for tag in kept if tag))[:_MOST_TAGS]
