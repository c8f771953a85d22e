"""What supersedes some memories, read from the rows of the query `replacements`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import datetime

from recollect.persist.sqlite.rows import memory_of
from recollect.values.scope import Place, place_of
from recollect.values.supersession import Replacement, covers, in_force


def replacements_of(rows: Iterable[sqlite3.Row], account: str, now: datetime | None) -> list[Replacement]:
    """Who replaces whom, where the one covers the other."""
    pairs = [(memory_of(row, account), _place_of_target(row)) for row in rows]
    return [
        Replacement(new.id, str(new.supersedes), in_force(new, now)) for new, under in pairs if covers(new.place, under)
    ]


def _place_of_target(row: sqlite3.Row) -> Place:
    names = ("agent", "team", "project", "session", "task")
    return place_of(row["target_scope"], {name: row[f"target_{name}"] for name in names})
