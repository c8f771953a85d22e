"""mcp-memory-service: its SQLite file, read without the vector extension it was written with.

Texts, tags, times, types and associations are imported; vectors of another model, deleted and superseded memories are not.
"""

from __future__ import annotations

from pathlib import Path
from sqlite3 import Connection
from typing import Any

from recollect.portable.drafts import SkippedText, SourceBatch, SourceDraft
from recollect.portable.importers.common import (
    as_object,
    make_draft,
    open_sqlite,
    origin_label,
    parse_json,
    parse_time,
    split_tags,
)

_NAME = "mcp-memory-service"
_GRAPH = "SELECT source_hash, target_hash FROM memory_graph WHERE source_hash <> target_hash ORDER BY created_at"


def read(path: Path, only: str | None) -> SourceBatch:
    """The memories in a file; with `only`, those with that tag or in the store of that name."""
    items: list[SourceDraft] = []
    skipped: list[SkippedText] = []
    keys: dict[str, str] = {}
    with open_sqlite(path, _NAME, ["memories"]) as connection:
        for row in map(dict, connection.execute("SELECT * FROM memories ORDER BY created_at, id")):
            where = f"memory {str(row['content_hash'])[:12]}"
            reason = _skip_reason(row, only)
            if reason:
                skipped.append(SkippedText(where, "", reason))
                continue
            item = _item(where, row)
            keys[row["content_hash"]] = item.key
            items.append(item)
        pairs = _pairs(connection)
    links = tuple((keys[one], keys[two]) for one, two in pairs if one in keys and two in keys)
    return SourceBatch(path.name, tuple(items), tuple(skipped), links, origin_label(_NAME))


def _skip_reason(row: dict[str, Any], only: str | None) -> str | None:
    if row.get("deleted_at"):
        return "deleted there"
    if row.get("superseded_by"):
        return "superseded there"
    if not str(row["content"] or "").strip():
        return "an empty memory"
    if only is not None and only not in (*split_tags(row["tags"]), row.get("store")):
        return f"does not belong to {only}"
    return None


def _item(where: str, row: dict[str, Any]) -> SourceDraft:
    metadata = as_object(f"{where}.metadata", parse_json(f"{where}.metadata", row["metadata"], {}))
    store = row.get("store")
    confidence = row.get("confidence")
    return make_draft(
        _NAME,
        str(row["content_hash"]),
        where,
        str(row["content"]).strip(),
        tags=(*split_tags(row["tags"]), *([f"store:{store}"] if store not in (None, "", "default") else ())),
        metadata=metadata,
        kind=row["memory_type"],
        at=parse_time(
            f"{where}.created_at", row["created_at"] if row["created_at"] is not None else row["created_at_iso"]
        ),
        confidence=confidence if isinstance(confidence, float) and 0 <= confidence < 1 else None,
    )


def _pairs(connection: Connection) -> list[tuple[str, str]]:
    """Associations, each once: the file contains them in both directions."""
    tables = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'memory_graph'").fetchall()
    found = [tuple(row) for row in connection.execute(_GRAPH)] if tables else []
    return list(dict.fromkeys((min(pair), max(pair)) for pair in found))
