"""The tables `agent_memories` and `team_memories` of a memory on pgvector: importance, recency, status, owners.

Read from PostgreSQL or SQLite, or from an export of one table.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from recollect.portable.drafts import SkippedText
from recollect.portable.importers.stored import RowReader, SourceMemory, StoredSource, chosen, iso, owners_of
from recollect.portable.importers.tables import Row, read_tables, source_name

NAME = "agent-memories"
_DELETED = ("deleted", "forgotten", "purged")


def read_stored(source: str | Path, only: str | None) -> StoredSource:
    """Every memory of the agents and the teams; with `only`, those of one of them."""
    skipped: list[SkippedText] = []
    memories: list[SourceMemory] = []
    for table in read_tables(source, NAME, ("agent_memories", "team_memories"), ("content",)):
        for where, row in table.rows:
            memories += _memory(where, row, skipped)
    return chosen(StoredSource(source_name(source), tuple(memories), tuple(skipped)), only)


def _memory(where: str, row: Row, skipped: list[SkippedText]) -> list[SourceMemory]:
    reader = RowReader(where, row)
    content = str(reader.take("content") or "")
    status = str(reader.take("status") or "active").lower()
    if not content.strip() or status in _DELETED:
        reason = f"{status} there" if status in _DELETED else "an empty memory"
        skipped.append(SkippedText(where, content, reason))
        return []
    # Ids of two tables may be equal.
    own = f"{'team' if 'team_id' in row else 'agent'} {reader.take('id') or where}"
    created, updated = reader.time("created_at"), reader.time("updated_at")
    accessed, supersedes = reader.time("last_accessed_at", "accessed_at"), reader.take("supersedes", "supersedes_id")
    superseded_by = reader.take("superseded_by", "superseded_by_id")
    agent, team, tags = reader.text("agent_id", "agent"), reader.text("team_id", "team"), reader.tags("tags")
    image: dict[str, Any] = {
        "content": content,
        "type": reader.kind("memory_type", "type", content=content),
        "tags": tags,
        "importance": reader.number("importance", low=0.0, high=1.0),
        "confidence": reader.number("confidence", low=0.0, high=1.0),
        "access_count": reader.count("access_count", "hits"),
        "created_at": iso(created or updated),
        "updated_at": iso(updated or created),
        "accessed_at": iso(accessed or updated or created),
        "hit_at": iso(accessed),
        "expires_at": iso(reader.expiry("expires_at", "ttl", begun=created)),
        "status": "active" if status == "active" else "archived",
        "session": reader.text("session_id"),
        **_owner(agent, team),
    }
    kept = {} if status in ("active", "archived") else {"status": status}
    image["metadata"] = {"id": str(row.get("id") or where), **kept, **reader.rest()}
    old, new = (None if each is None else f"{own.partition(' ')[0]} {each}" for each in (supersedes, superseded_by))
    return [SourceMemory(where, own, image, old, new, owners=owners_of(agent, team))]


def _owner(agent: str | None, team: str | None) -> dict[str, str]:
    """Whose it is: a team's, whoever of it wrote it, or an agent's."""
    if team:
        return {"scope": "team", "team": team, **({"agent": agent} if agent else {})}
    return {"scope": "agent", "agent": agent} if agent else {}
