"""Finds damage inside a file that SQLite itself does not see: it checks the structure of pages, not what is written in rows.

Every row of a memory is decoded and compared with its checksum, a text with its keyed hash; vectors must have unit length, an event
of the journal must be one, and what is stored as JSON must be JSON.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import numpy as np

from recollect.errors import StoreDamaged
from recollect.store.sqlite.queries import queries
from recollect.store.sqlite.rows import checksum_of, event_of, memory_of
from recollect.values.ids import fingerprint

# Half precision: the length of a unit vector is off by less.
_TOLERANCE = 0.05


def find_damage(connection: sqlite3.Connection, secret: bytes) -> str:
    """What is damaged, or "ok"."""
    said = str(connection.execute("PRAGMA integrity_check").fetchone()[0])
    if said != "ok":
        return said
    try:
        found = list(_damaged_rows(connection, secret))
    except (sqlite3.DatabaseError, UnicodeError) as error:
        return f"rows cannot be read: {error}"
    return "ok" if not found else f"{len(found)} damaged rows: {', '.join(found[:5])}"


def _damaged_rows(connection: sqlite3.Connection, secret: bytes) -> Iterator[str]:
    for row in connection.execute(queries()["whole_rows"]):
        if (problem := _problem_of(row, secret)) is not None:
            yield f"{problem} of memory {row['row']}"
    for row, vector in connection.execute(queries()["all_vectors"]):
        if not _is_unit(vector):
            yield f"the vectors of memory {row}"
    for row in connection.execute(queries()["all_events"]):
        if not _is_event(row):
            yield f"event {row['seq']}"
    for table, row in connection.execute(queries()["invalid_json"]):
        yield f"{table} {row}"


def _problem_of(row: sqlite3.Row, secret: bytes) -> str | None:
    """What is wrong with a row; one that an earlier version wrote has no checksum."""
    try:
        memory_of(row, "")
    except StoreDamaged:
        return "the fields"
    if fingerprint(row["content"], secret) != row["digest"]:
        return "the text"
    if row["checksum"] is not None and checksum_of(dict(row)) != row["expected"]:
        return "the fields"
    return None


def _is_event(row: sqlite3.Row) -> bool:
    try:
        event_of(row)
    except StoreDamaged:
        return False
    return True


def _is_unit(blob: object) -> bool:
    """Whether a blob is made of unit vectors, or of zeros; how many there are in it is not known here."""
    if not isinstance(blob, bytes) or len(blob) % 2:
        return False
    numbers = np.frombuffer(blob, "<f2").astype(np.float32)
    square = float(numbers @ numbers)
    return bool(np.isfinite(square)) and abs(square - round(square)) < _TOLERANCE * max(1.0, round(square))
