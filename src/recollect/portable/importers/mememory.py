"""mememory: its table `memories` (scopes, weights, superseded beliefs, TTL) in PostgreSQL or SQLite, or an export of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from recollect.portable.drafts import SkippedText
from recollect.portable.importers.stored import RowReader, SourceMemory, StoredSource, chosen, iso, owners_of
from recollect.portable.importers.tables import Row, read_tables, source_name

NAME = "mememory"


def read_stored(source: str | Path, only: str | None) -> StoredSource:
    """Every memory; with `only`, those of a project or a tag."""
    skipped: list[SkippedText] = []
    memories: list[SourceMemory] = []
    for table in read_tables(source, NAME, ("memories", "memory"), ("content",)):
        for where, row in table.rows:
            memories += _memory(where, row, skipped)
    return chosen(StoredSource(source_name(source), tuple(memories), tuple(skipped)), only)


def _memory(where: str, row: Row, skipped: list[SkippedText]) -> list[SourceMemory]:
    reader = RowReader(where, row)
    content = str(reader.take("content") or "")
    if not content.strip():
        skipped.append(SkippedText(where, "", "an empty memory"))
        return []
    own = str(reader.take("id") or where)
    created, updated = reader.time("created_at"), reader.time("updated_at")
    accessed, hits = reader.time("last_accessed_at", "accessed_at"), reader.count("access_count", "hits")
    tags, supersedes, superseded_by = reader.tags("tags"), reader.take("supersedes"), reader.take("superseded_by")
    image: dict[str, Any] = {
        "content": content,
        "type": reader.kind("type", "memory_type", content=content),
        "tags": tags,
        "weight": reader.number("weight", low=0.1, high=1.0),
        "created_at": iso(created or updated),
        "updated_at": iso(updated or created),
        "accessed_at": iso(accessed or updated or created),
        "hit_at": iso(accessed),
        "access_count": hits,
        "expires_at": iso(reader.expiry("expires_at", "ttl_expires_at", "ttl", begun=updated or created)),
        **_scope(reader),
    }
    image["metadata"] = {"id": own, **reader.rest()}
    old, new = (None if each is None else str(each) for each in (supersedes, superseded_by))
    return [SourceMemory(where, own, image, old, new, owners=owners_of(image.get("project"), tags))]


def _scope(reader: RowReader) -> dict[str, str]:
    """The scope of a memory: global, or a project, also written as `project:match`; other scopes stay in the metadata."""
    scope, project = reader.text("scope") or "", reader.text("project", "project_id", "project_name")
    kind, _, name = scope.partition(":")
    project = project or name or None
    if kind == "project" and project:
        return {"scope": "project", "project": project}
    if scope and kind not in ("global", "project"):
        reader.keep("scope")
    return {"scope": "global", **({"project": project} if project else {})} if scope else {}
