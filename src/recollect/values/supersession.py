"""Supersession: which memories are replaced, worked out from who supersedes whom and who of them is in force.

Outside a viewer's context (a memory by its id, a list) a replacement counts only where it covers its target: it lives in the
same place, or is global. So a project's override leaves the global rule standing in the inventory, as it does elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from recollect.values.memory import Record
from recollect.values.scope import GLOBAL, Place


@dataclass(frozen=True, slots=True)
class Replacement:
    """One memory that supersedes another, and whether it acts at the moment asked about."""

    new: str
    old: str
    acts: bool


def covers(over: Place, under: Place) -> bool:
    """Whether whoever sees the one below also sees the one above."""
    return over in (under, GLOBAL)


def in_force(memory: Record, now: datetime | None) -> bool:
    """Whether a memory may replace another: active and, at a given moment, neither expired nor outside its validity."""
    if memory.status not in ("active", "superseded"):
        return False
    if now is None:
        return True
    begun = memory.valid_from is None or memory.valid_from <= now
    ends = [time for time in (memory.expires_at, memory.valid_until) if time is not None]
    return begun and all(now < time for time in ends)


def heirs(replacements: Iterable[Replacement]) -> dict[str, str]:
    """For each replaced memory, the one in force that replaces it, directly or through a chain of replaced ones."""
    known = list(replacements)
    found = {link.old: link.new for link in known if link.acts}
    while True:
        further = {link.old: found[link.new] for link in known if link.new in found and link.old not in found}
        if not further:
            return found
        found |= further
