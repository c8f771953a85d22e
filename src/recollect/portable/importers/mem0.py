"""mem0: the JSON of `get_all()` (or of the platform's export), or its local history database.

Its vector store keeps pickled objects, which are not safe to read; what it knows is what `get_all()` gives.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput
from recollect.portable.importers.drafting import incoming, listed, origin_of
from recollect.portable.importers.reading import database, field, is_sqlite, mapping, moment, values_of
from recollect.portable.incoming import Batch, Incoming, LeftOut

_NAME = "mem0"
_TEXTS = ("memory", "text", "content", "data")
_LATEST = """
SELECT memory_id, new_memory, event, created_at, updated_at, is_deleted, actor_id, role,
       (SELECT min(first.created_at) FROM history first WHERE first.memory_id = history.memory_id) AS begun
FROM history ORDER BY coalesce(updated_at, created_at), rowid
"""


def read(path: Path, only: str | None) -> Batch:
    """What mem0 remembers, from an export or its history."""
    if path.is_dir():
        raise InvalidInput(str(path), "is a folder", "write `json.dump(memory.get_all(…), file)` and give that file")
    if is_sqlite(path):
        return _from_history(path)
    items: list[Incoming] = []
    left: list[LeftOut] = []
    for where, raw in values_of(path, ("results", "memories", "items")):
        value = mapping(where, raw)
        owners = [value[name] for name in ("user_id", "agent_id", "run_id", "actor_id") if value.get(name)]
        if only is not None and only not in owners:
            left.append(LeftOut(where, "", f"belongs to another than {only}"))
            continue
        text = _text(where, value)
        if text:
            items.append(_item(where, value, text))
        else:
            left.append(LeftOut(where, "", "an empty memory"))
    return Batch(path.name, tuple(items), tuple(left), origin=origin_of(_NAME))


def _item(where: str, value: dict[str, Any], text: str) -> Incoming:
    user, agent = field(where, value, "user_id"), field(where, value, "agent_id")
    return incoming(
        _NAME,
        str(value.get("id") or text),
        where,
        text,
        tags=(*([f"user:{user}"] if user else ()), *listed(value.get("categories"))),
        metadata=mapping(f"{where}.metadata", value.get("metadata") or {}),
        at=moment(f"{where}.created_at", value.get("created_at")),
        agent=agent,
        session=field(where, value, "run_id"),
        speaker=field(where, value, "actor_id") or field(where, value, "role"),
    )


def _text(where: str, value: dict[str, Any]) -> str:
    name = next((name for name in _TEXTS if value.get(name) is not None), None)
    if name is None:
        raise InvalidInput(f"{where}.memory", "is missing", "give the output of get_all(); nothing was imported")
    return str(field(where, value, name)).strip()


def _from_history(path: Path) -> Batch:
    """The last text of every memory that was not deleted; whose it was, the history does not say."""
    latest: dict[str, Any] = {}
    with database(path, "mem0 history", ["history"]) as connection:
        for row in connection.execute(_LATEST):
            latest[str(row["memory_id"])] = row
    items, left = [], []
    for identifier, row in latest.items():
        where = f"history of {identifier}"
        if row["is_deleted"] or row["event"] == "DELETE" or not (row["new_memory"] or "").strip():
            left.append(LeftOut(where, "", "deleted in mem0"))
            continue
        at = moment(f"{where}.created_at", row["begun"] or row["created_at"])
        speaker = row["actor_id"] or row["role"]
        items.append(incoming(_NAME, identifier, where, row["new_memory"].strip(), at=at, speaker=speaker))
    return Batch(path.name, tuple(items), tuple(left), origin=origin_of(_NAME))
