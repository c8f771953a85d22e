"""Outcome: what `remember` did with a draft. Never a surprise: stored, reinforced, superseded or refused, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from recollect.values.memory import Record

WaysOut = ("keep both", "update", "supersede", "forget")


@dataclass(frozen=True, slots=True)
class Conflict:
    """An existing memory the new one may contradict, how alike they are, and the four ways out."""

    memory: Record
    similarity: float
    reason: str

    def options(self, new_id: str) -> tuple[str, ...]:
        """The four ways out, spelled as commands."""
        old = self.memory.short_id
        return (
            "keep both: nothing to do",
            f"update the old one: recollect update {old} --content …",
            f"supersede it: recollect supersede {old} {new_id[-8:]}",
            f"forget it: recollect forget {old}",
        )


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
