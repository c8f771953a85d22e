"""mcp-memory-service: its SQLite file, read without the vector extension it was written with.

Its vectors are of another model and stay behind; texts, tags, times, kinds and associations come in. What it deleted or
superseded does not.
"""

from __future__ import annotations

from pathlib import Path
from sqlite3 import Connection
from typing import Any

from recollect.portable.importers.drafting import incoming, listed, origin_of
from recollect.portable.importers.reading import database, mapping, moment, parsed
from recollect.portable.incoming import Batch, Incoming, LeftOut

_NAME = "mcp-memory-service"
_GRAPH = "SELECT source_hash, target_hash FROM memory_graph WHERE source_hash <> target_hash ORDER BY created_at"


def read(path: Path, only: str | None) -> Batch:
    """The memories of a file; `only` those that carry a tag or lie in a store of that name."""
    items: list[Incoming] = []
    left: list[LeftOut] = []
    keys: dict[str, str] = {}
    with database(path, _NAME, ["memories"]) as connection:
        for row in map(dict, connection.execute("SELECT * FROM memories ORDER BY created_at, id")):
            where = f"memory {str(row['content_hash'])[:12]}"
            why = _unwanted(row, only)
            if why:
                left.append(LeftOut(where, "", why))
                continue
            item = _item(where, row)
            keys[row["content_hash"]] = item.key
            items.append(item)
        pairs = _pairs(connection)
    links = tuple((keys[one], keys[two]) for one, two in pairs if one in keys and two in keys)
    return Batch(path.name, tuple(items), tuple(left), links, origin_of(_NAME))


def _unwanted(row: dict[str, Any], only: str | None) -> str | None:
    if row.get("deleted_at"):
        return "deleted there"
    if row.get("superseded_by"):
        return "superseded there"
    if not str(row["content"] or "").strip():
        return "an empty memory"
    if only is not None and only not in (*listed(row["tags"]), row.get("store")):
        return f"belongs to another than {only}"
    return None


def _item(where: str, row: dict[str, Any]) -> Incoming:
    metadata = mapping(f"{where}.metadata", parsed(f"{where}.metadata", row["metadata"], {}))
    store = row.get("store")
    confidence = row.get("confidence")
    return incoming(
        _NAME,
        str(row["content_hash"]),
        where,
        str(row["content"]).strip(),
        tags=(*listed(row["tags"]), *([f"store:{store}"] if store not in (None, "", "default") else ())),
        metadata=metadata,
        kind=row["memory_type"],
        at=moment(f"{where}.created_at", row["created_at"] if row["created_at"] is not None else row["created_at_iso"]),
        confidence=confidence if isinstance(confidence, float) and 0 <= confidence < 1 else None,
    )


def _pairs(connection: Connection) -> list[tuple[str, str]]:
    """Associations, each once: the file holds them in both directions."""
    tables = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'memory_graph'").fetchall()
    found = [tuple(row) for row in connection.execute(_GRAPH)] if tables else []
    return list(dict.fromkeys((min(pair), max(pair)) for pair in found))
