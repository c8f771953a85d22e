"""Outcome: what `remember` did with a draft (stored, reinforced, superseded or refused) and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from recollect.values.memory import Record
from recollect.values.plain import plain

Relation = Literal["same", "changed", "contradicts", "extends", "related", "different"]
# The relations of two texts that cannot both be true.
CONFLICTING: frozenset[Relation] = frozenset({"changed", "contradicts"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a new text relates to an old one: the relation, the reason, and the certainty of the judge."""

    relation: Relation
    reason: str
    certainty: float


@dataclass(frozen=True, slots=True)
class Conflict:
    """An existing memory that bears on the new one: their similarity, what the judge thinks of the two, and why."""

    memory: Record
    similarity: float
    reason: str
    new_id: str = ""
    relation: Relation = "contradicts"

    def options(self, new_id: str) -> tuple[str, ...]:
        """The four resolutions as commands."""
        old, new = self.memory.short_id, new_id[-8:]
        return (
            f"keep both: recollect resolve {new} {old} keep_both",
            f"update the old one: recollect resolve {new} {old} update --content …",
            f"supersede it: recollect resolve {new} {old} supersede",
            f"forget it: recollect resolve {new} {old} forget",
        )


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two stored memories that cannot both be true, not resolved yet; the newer one ranks first."""

    newer: Record
    older: Record
    similarity: float
    reason: str


class _Told:
    """What every outcome says about other memories."""

    __slots__ = ()
    related: tuple[Conflict, ...]

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Those of the related memories that the new one may contradict."""
        return tuple(one for one in self.related if one.relation in CONFLICTING)


@dataclass(frozen=True, slots=True)
class Stored(_Told):
    """A new memory, acknowledged and durable; `related` is what bears on it, contradictions first."""

    memory: Record
    related: tuple[Conflict, ...] = ()
    reason: str = "new"
    notes: tuple[str, ...] = ()
    kind: Literal["stored"] = field(default="stored", init=False)

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain JSON."""
        return _as_dict(self)

    def __repr__(self) -> str:
        return f"<Stored {self.memory!r}: {self.reason}>"

    def __str__(self) -> str:
        return f"{self.kind}: {self.memory.content} ({self.reason})"


@dataclass(frozen=True, slots=True)
class Reinforced(_Told):
    """Already known: the existing memory was strengthened and got a breadcrumb."""

    memory: Record
    reason: str = "already known"
    related: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()
    kind: Literal["reinforced"] = field(default="reinforced", init=False)

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain JSON."""
        return _as_dict(self)

    def __repr__(self) -> str:
        return f"<Reinforced {self.memory!r}: {self.reason}>"

    def __str__(self) -> str:
        return f"{self.kind}: {self.memory.content} ({self.reason})"


@dataclass(frozen=True, slots=True)
class Superseded(_Told):
    """A new value of the same fact: `memory` is the new one, `old` the superseded one, which is kept with its history.

    `way_back` says how to take it back where both are true.
    """

    memory: Record
    old: Record
    reason: str
    related: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()
    kind: Literal["superseded"] = field(default="superseded", init=False)

    @property
    def way_back(self) -> str:
        """The commands that bring the superseded memory back."""
        new, old = self.memory.short_id, self.old.short_id
        return f"both are true: recollect resolve {new} {old} keep_both; the new one is wrong: recollect undo"

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain JSON."""
        return _as_dict(self)

    def __repr__(self) -> str:
        return f"<Superseded {self.memory!r}: {self.reason}>"

    def __str__(self) -> str:
        return f"{self.kind}: {self.memory.content} ({self.reason})"


@dataclass(frozen=True, slots=True)
class Refused(_Told):
    """Not stored, and why; nothing changed.

    `forgotten` is the id of the forgotten memory that says the same; `restore` brings it back. `revivable` means that the verb
    stores the text all the same with `revive=True`. `existing` is the id of the memory that has this text already.
    """

    reason: str
    memory: None = None
    related: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()
    forgotten: str | None = None
    revivable: bool = False
    existing: str | None = None
    kind: Literal["refused"] = field(default="refused", init=False)

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain JSON."""
        return _as_dict(self)

    def __repr__(self) -> str:
        return f"<Refused: {self.reason}>"

    def __str__(self) -> str:
        ways = [f"restore {self.forgotten[-8:]}"] if self.forgotten else []
        ways += ["revive=True"] if self.revivable else []
        return f"{self.kind}: {self.reason}" + (f" ({' or '.join(ways)} lifts it)" if ways else "")


Outcome = Stored | Reinforced | Superseded | Refused


def _as_dict(outcome: Outcome) -> dict[str, Any]:
    found: dict[str, Any] = {**plain(outcome), "memory": None if outcome.memory is None else outcome.memory.to_dict()}
    for name in ("related", "conflicts"):
        found[name] = [{**plain(one), "memory": one.memory.to_dict()} for one in getattr(outcome, name)]
    if isinstance(outcome, Superseded):
        found["old"] = outcome.old.to_dict()
    return found
