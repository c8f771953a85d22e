"""mem0: the JSON of `get_all()` (or of the platform's export), or its local history database.

Its vector store contains pickled objects, which are not safe to read; `get_all()` returns everything it knows.
"""

from __future__ import annotations

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
    parse_time,
    read_json_values,
    split_tags,
)

_NAME = "mem0"
_TEXTS = ("memory", "text", "content", "data")
_LATEST = """
SELECT memory_id, new_memory, event, created_at, updated_at, is_deleted, actor_id, role,
       (SELECT min(first.created_at) FROM history first WHERE first.memory_id = history.memory_id) AS begun
FROM history ORDER BY coalesce(updated_at, created_at), rowid
"""


def read(path: Path, only: str | None) -> SourceBatch:
    """The memories of mem0, from an export or its history."""
    if path.is_dir():
        raise InvalidInput(str(path), "is a folder", "write `json.dump(memory.get_all(…), file)` and give that file")
    if is_sqlite(path):
        return _from_history(path)
    items: list[SourceDraft] = []
    skipped: list[SkippedText] = []
    for where, raw in read_json_values(path, ("results", "memories", "items")):
        value = as_object(where, raw)
        owners = [value[name] for name in ("user_id", "agent_id", "run_id", "actor_id") if value.get(name)]
        if only is not None and only not in owners:
            skipped.append(SkippedText(where, "", f"does not belong to {only}"))
            continue
        text = _text(where, value)
        if text:
            items.append(_item(where, value, text))
        else:
            skipped.append(SkippedText(where, "", "an empty memory"))
    return SourceBatch(path.name, tuple(items), tuple(skipped), origin=origin_label(_NAME))


def _item(where: str, value: dict[str, Any], text: str) -> SourceDraft:
    user, agent = get_field(where, value, "user_id"), get_field(where, value, "agent_id")
    return make_draft(
        _NAME,
        str(value.get("id") or text),
        where,
        text,
        tags=(*([f"user:{user}"] if user else ()), *split_tags(value.get("categories"))),
        metadata=as_object(f"{where}.metadata", value.get("metadata") or {}),
        at=parse_time(f"{where}.created_at", value.get("created_at")),
        agent=agent,
        session=get_field(where, value, "run_id"),
        speaker=get_field(where, value, "actor_id") or get_field(where, value, "role"),
    )


def _text(where: str, value: dict[str, Any]) -> str:
    name = next((name for name in _TEXTS if value.get(name) is not None), None)
    if name is None:
        raise InvalidInput(f"{where}.memory", "is missing", "give the output of get_all(); nothing was imported")
    return str(get_field(where, value, name)).strip()


def _from_history(path: Path) -> SourceBatch:
    """The last text of every memory that was not deleted; the history does not say to whom it belongs."""
    latest: dict[str, Any] = {}
    with open_sqlite(path, "mem0 history", ["history"]) as connection:
        for row in connection.execute(_LATEST):
            latest[str(row["memory_id"])] = row
    items, skipped = [], []
    for identifier, row in latest.items():
        where = f"history of {identifier}"
        if row["is_deleted"] or row["event"] == "DELETE" or not (row["new_memory"] or "").strip():
            skipped.append(SkippedText(where, "", "deleted in mem0"))
            continue
        at = parse_time(f"{where}.created_at", row["begun"] or row["created_at"])
        speaker = row["actor_id"] or row["role"]
        items.append(make_draft(_NAME, identifier, where, row["new_memory"].strip(), at=at, speaker=speaker))
    return SourceBatch(path.name, tuple(items), tuple(skipped), origin=origin_label(_NAME))
