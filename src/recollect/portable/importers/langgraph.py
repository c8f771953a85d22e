"""LangGraph's store: the file of its `SqliteStore`, or items of any of its stores written as JSON (`[item.dict() for …]`).

A namespace becomes tags; the value's text is the memory, and a value without one is written out field by field.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput
from recollect.portable.importers.drafting import incoming, listed, origin_of
from recollect.portable.importers.reading import database, field, is_sqlite, mapping, moment, parsed, values_of
from recollect.portable.incoming import Batch, Incoming, LeftOut

_NAME = "langgraph"
_TEXTS = ("text", "content", "memory", "data", "fact", "value", "summary", "note", "page_content")
_KINDS = ("kind", "type", "memory_type", "category")
_ROWS = "SELECT * FROM store ORDER BY created_at, prefix, key"


def read(path: Path, only: str | None) -> Batch:
    """Every item of a store."""
    items: list[Incoming] = []
    left: list[LeftOut] = []
    for where, value in _items(path):
        names = _namespace(where, value)
        ends = moment(f"{where}.expires_at", value.get("expires_at"))
        if only is not None and only not in names:
            left.append(LeftOut(where, "", f"in another namespace than {only}"))
        elif value.get("value") in (None, {}, ""):
            left.append(LeftOut(where, "", "an empty value"))
        else:
            items.append(_item(where, value, names, ends))
    return Batch(path.name, tuple(items), tuple(left), origin=origin_of(_NAME))


def _items(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    if not is_sqlite(path):
        for where, value in values_of(path, ("items", "results", "store")):
            yield where, mapping(where, value)
        return
    with database(path, "LangGraph store", ["store"]) as connection:
        for row in map(dict, connection.execute(_ROWS)):
            where = f"{row['prefix']}/{row['key']}"
            yield where, {**row, "namespace": str(row["prefix"]).split("."), "value": parsed(where, row["value"], {})}


def _namespace(where: str, value: dict[str, Any]) -> tuple[str, ...]:
    found = value.get("namespace")
    if isinstance(found, str):
        found = found.split(".")
    if not isinstance(found, list) or not all(isinstance(part, str) for part in found):
        raise InvalidInput(
            f"{where}.namespace", "is not a list of names", "write items with `item.dict()`; nothing was imported"
        )
    return tuple(part for part in found if part)


def _item(where: str, value: dict[str, Any], names: tuple[str, ...], ends: datetime | None) -> Incoming:
    key = str(field(where, value, "key", needed=True))
    held = value["value"]
    text, rest = _told(held)
    kind = next((rest.pop(name) for name in _KINDS if isinstance(rest.get(name), str)), None)
    tags = (*names, *(tag for name in ("tags", "categories", "keywords") for tag in listed(rest.pop(name, None))))
    return incoming(
        _NAME,
        "\n".join((*names, "", key)),
        where,
        text if text is not None else f"{' › '.join((*names, key))}: {_spelled(held)}",
        tags=tags,
        metadata=rest if text is not None else None,
        kind=kind,
        at=moment(f"{where}.created_at", value.get("created_at")),
        expires_at=ends,
    )


def _told(value: Any) -> tuple[str | None, dict[str, Any]]:
    """The text of a value, if it has one, and its other fields."""
    if isinstance(value, str):
        return value.strip(), {}
    if not isinstance(value, dict):
        return None, {}
    for name in _TEXTS:
        inner = value.get(name)
        rest = {other: held for other, held in value.items() if other != name}
        if isinstance(inner, str) and inner.strip():
            return inner.strip(), rest
        if isinstance(inner, dict):
            text, more = _told(inner)
            if text is not None:
                return text, {**more, **rest}
    return None, {}


def _spelled(value: Any) -> str:
    """A structured value as a line: name: Bob; languages: Portuguese, English."""
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_inner(held)}" for name, held in value.items() if held not in (None, "", [], {}))
    return _inner(value)


def _inner(value: Any) -> str:
    if isinstance(value, dict):
        return f"({_spelled(value)})"
    return ", ".join(map(_inner, value)) if isinstance(value, list) else str(value)
