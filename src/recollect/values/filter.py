"""Filter: which memories a `list`, `search` or `recall` may consider, beyond what the viewer may see at all."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recollect.values.words import MemoryType, ProvenanceKind, Scope, Status


@dataclass(frozen=True, slots=True)
class Filter:
    """All named conditions must hold; an empty tuple or None does not restrict. `without` leaves projects out."""

    types: tuple[MemoryType, ...] = ()
    tags: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = ()
    project: str | None = None
    session: str | None = None
    statuses: tuple[Status, ...] = ("active",)
    sources: tuple[ProvenanceKind, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    min_trust: float = 0.0
    without: tuple[str, ...] = ()
