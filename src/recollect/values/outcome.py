"""Outcome: what `remember` did with a draft. Never a surprise: stored, reinforced, superseded or refused, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from recollect.values.memory import Record


@dataclass(frozen=True, slots=True)
class Conflict:
    """An existing memory the new one may contradict, how alike they are, and the four ways out."""

    memory: Record
    similarity: float
    reason: str
    new_id: str = ""

    def options(self, new_id: str) -> tuple[str, ...]:
        """The four ways out, spelled as commands."""
        old, new = self.memory.short_id, new_id[-8:]
        return (
            f"keep both: recollect resolve {new} {old} keep_both",
            f"update the old one: recollect resolve {new} {old} update --content …",
            f"supersede it: recollect resolve {new} {old} supersede",
            f"forget it: recollect resolve {new} {old} forget",
        )


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two stored memories that cannot both hold, neither settled yet; the newer one is what is believed now."""

    newer: Record
    older: Record
    similarity: float
    reason: str


@dataclass(frozen=True, slots=True)
class Stored:
    """A new memory, acknowledged and durable."""

    memory: Record
    conflicts: tuple[Conflict, ...] = ()
    reason: str = "new"
    notes: tuple[str, ...] = ()
    kind: Literal["stored"] = field(default="stored", init=False)


@dataclass(frozen=True, slots=True)
class Reinforced:
    """Already known: the existing memory was strengthened and a breadcrumb left on it."""

    memory: Record
    reason: str = "already known"
    conflicts: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()
    kind: Literal["reinforced"] = field(default="reinforced", init=False)


@dataclass(frozen=True, slots=True)
class Superseded:
    """A new value of the same thing: `memory` is the new belief, `old` what it replaces (kept, with its history)."""

    memory: Record
    old: Record
    reason: str
    conflicts: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()
    kind: Literal["superseded"] = field(default="superseded", init=False)


@dataclass(frozen=True, slots=True)
class Refused:
    """Not stored, and why; nothing changed."""

    reason: str
    memory: None = None
    conflicts: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()
    kind: Literal["refused"] = field(default="refused", init=False)


Outcome = Stored | Reinforced | Superseded | Refused
