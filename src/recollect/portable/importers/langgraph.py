"""LangGraph stores: the file of a `SqliteStore`, or items of any store as JSON (`[item.dict() for …]`).

A namespace becomes tags; the text in the value is the memory, and a value without text is written out field by field.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput
from recollect.portable.drafts import SkippedText, SourceBatch, SourceDraft
from recollect.portable.importers.common import (
    as_object,
    get_field,
    is_sqlite,
    make_draft,
    open_sqlite,
    origin_label,
    parse_json,
    parse_time,
    read_json_values,
    split_tags,
)

_NAME = "langgraph"
_TEXTS = ("text", "content", "memory", "data", "fact", "value", "summary", "note", "page_content")
_KINDS = ("kind", "type", "memory_type", "category")
_ROWS = "SELECT * FROM store ORDER BY created_at, prefix, key"


def read(path: Path, only: str | None) -> SourceBatch:
    """Every item of a store."""
    items: list[SourceDraft] = []
    skipped: list[SkippedText] = []
    for where, value in _items(path):
        names = _namespace(where, value)
        ends = parse_time(f"{where}.expires_at", value.get("expires_at"))
        if only is not None and only not in names:
            skipped.append(SkippedText(where, "", f"not in the namespace {only}"))
        elif value.get("value") in (None, {}, ""):
            skipped.append(SkippedText(where, "", "an empty value"))
        else:
            items.append(_item(where, value, names, ends))
    return SourceBatch(path.name, tuple(items), tuple(skipped), origin=origin_label(_NAME))


def _items(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    if not is_sqlite(path):
        for where, value in read_json_values(path, ("items", "results", "store")):
            yield where, as_object(where, value)
        return
    with open_sqlite(path, "LangGraph store", ["store"]) as connection:
        for row in map(dict, connection.execute(_ROWS)):
            where = f"{row['prefix']}/{row['key']}"
            yield (
                where,
                {**row, "namespace": str(row["prefix"]).split("."), "value": parse_json(where, row["value"], {})},
            )


def _namespace(where: str, value: dict[str, Any]) -> tuple[str, ...]:
    found = value.get("namespace")
    if isinstance(found, str):
        found = found.split(".")
    if not isinstance(found, list) or not all(isinstance(part, str) for part in found):
        raise InvalidInput(
            f"{where}.namespace", "is not a list of names", "write items with `item.dict()`; nothing was imported"
        )
    return tuple(part for part in found if part)


def _item(where: str, value: dict[str, Any], names: tuple[str, ...], ends: datetime | None) -> SourceDraft:
    key = str(get_field(where, value, "key", required=True))
    content = value["value"]
    text, rest = _text_and_rest(content)
    kind = next((rest.pop(name) for name in _KINDS if isinstance(rest.get(name), str)), None)
    tags = (*names, *(tag for name in ("tags", "categories", "keywords") for tag in split_tags(rest.pop(name, None))))
    return make_draft(
        _NAME,
        "\n".join((*names, "", key)),
        where,
        text if text is not None else f"{' › '.join((*names, key))}: {_as_line(content)}",
        tags=tags,
        metadata=rest if text is not None else None,
        kind=kind,
        at=parse_time(f"{where}.created_at", value.get("created_at")),
        expires_at=ends,
    )


def _text_and_rest(value: Any) -> tuple[str | None, dict[str, Any]]:
    """The text of a value, if it has one, and its other fields."""
    if isinstance(value, str):
        return value.strip(), {}
    if not isinstance(value, dict):
        return None, {}
    for name in _TEXTS:
        inner = value.get(name)
        rest = {other: each for other, each in value.items() if other != name}
        if isinstance(inner, str) and inner.strip():
            return inner.strip(), rest
        if isinstance(inner, dict):
            text, more = _text_and_rest(inner)
            if text is not None:
                return text, {**more, **rest}
    return None, {}


def _as_line(value: Any) -> str:
    """A structured value as one line, like "name: Bob; languages: Portuguese, English"."""
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_inner(each)}" for name, each in value.items() if each not in (None, "", [], {}))
    return _inner(value)


def _inner(value: Any) -> str:
    if isinstance(value, dict):
        return f"({_as_line(value)})"
    return ", ".join(map(_inner, value)) if isinstance(value, list) else str(value)
