"""koshi: its SQLite file, or an export of its table `memories`. Archived memories stay archived, narratives become summaries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from recollect.portable.drafts import SkippedText
from recollect.portable.importers.stored import RowReader, SourceMemory, StoredSource, chosen, iso, owners_of
from recollect.portable.importers.tables import Row, read_tables, source_name

NAME = "koshi"
# Tables of koshi that are no memories: conversations, work and costs.
_OTHERS = ("messages", "sessions", "tasks", "agent_results", "buffer", "token_usage", "task_runs")


def read_stored(source: str | Path, only: str | None) -> StoredSource:
    """Every memory, active and archived, every narrative, and the links between them; with `only`, those of a session or tag."""
    names = ("memories", "memories_archive", "narratives", "memory_links", *_OTHERS)
    tables = {table.name: table.rows for table in read_tables(source, NAME, names, ())}
    skipped: list[SkippedText] = []
    links = _links([row for _, row in tables.get("memory_links", ())])
    memories: list[SourceMemory] = []
    for where, row in tables.get("memories", ()):
        memories += _memory(where, row, skipped, links)
    for where, row in tables.get("memories_archive", ()):
        memories += _memory(where, row, skipped, links, archived=True)
    for where, row in tables.get("narratives", ()):
        memories += _narrative(where, row, skipped)
    for name in _OTHERS:
        if rows := tables.get(name):
            skipped.append(SkippedText(f"table {name}", f"{len(rows):,} rows", "a table that has no memories"))
    return chosen(StoredSource(source_name(source), tuple(memories), tuple(skipped)), only)


def _memory(
    where: str,
    row: Row,
    skipped: list[SkippedText],
    links: dict[str, list[tuple[str, str, float]]],
    *,
    archived: bool = False,
) -> list[SourceMemory]:
    reader = RowReader(where, row)
    content = str(reader.take("content") or "")
    if not content.strip():
        skipped.append(SkippedText(where, "", "an empty memory"))
        return []
    own = str(reader.take("original_id", "id") if archived else reader.take("id"))
    created, hit = reader.time("created_at"), reader.time("last_hit_at")
    session, tags = reader.text("session_id"), reader.tags("tags")
    # koshi ranks by the time of the last hit, and refreshes it with each correction.
    image: dict[str, Any] = {
        "content": content,
        "type": reader.kind(content=content),
        "tags": tags,
        "score": reader.count("score"),
        "created_at": iso(created),
        "updated_at": iso(hit or created),
        "accessed_at": iso(hit or created),
        "hit_at": iso(hit),
        "session": session,
        "status": "archived" if archived else "active",
    }
    image["metadata"] = {"id": own, **reader.rest()}
    return [SourceMemory(where, own, image, links=tuple(links.get(own, ())), owners=owners_of(session, tags))]


def _narrative(where: str, row: Row, skipped: list[SkippedText]) -> list[SourceMemory]:
    reader = RowReader(where, row)
    summary = str(reader.take("summary") or "")
    if not summary.strip():
        skipped.append(SkippedText(where, "", "an empty narrative"))
        return []
    own, created, topic = str(reader.take("id")), reader.time("created_at"), reader.text("topic")
    made_of = reader.take("memory_ids")
    before = reader.take("previous_narrative_id")
    links = [(str(each), "derived_from", 1.0) for each in made_of] if isinstance(made_of, list) else []
    links += [(f"narrative {before}", "relates_to", 1.0)] if before is not None else []
    image: dict[str, Any] = {
        "content": summary,
        "type": "summary",
        "tags": [topic.casefold()] if topic else [],
        **dict.fromkeys(("created_at", "updated_at", "accessed_at"), iso(created)),
    }
    image["metadata"] = {"narrative_id": own, **reader.rest()}
    return [SourceMemory(where, f"narrative {own}", image, links=tuple(links), owners=owners_of(topic))]


def _links(rows: list[Row]) -> dict[str, list[tuple[str, str, float]]]:
    """The links of each memory, by its id; a strength of 1 or more is the strongest."""
    found: dict[str, list[tuple[str, str, float]]] = {}
    for row in rows:
        strength = float(row.get("strength", 1.0))
        found.setdefault(str(row["memory_id"]), []).append(
            (str(row["related_id"]), "relates_to", min(max(strength, 0.01), 1.0))
        )
    return found
