"""Record: one memory, a discrete thing worth keeping, with where it belongs, where it came from and how it has fared."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any

from recollect.values.link import Link
from recollect.values.procedure import Procedure
from recollect.values.scope import GLOBAL, Place, place_of
from recollect.values.steps import procedure_in
from recollect.values.words import Delivery, MemoryType, ProvenanceKind, Scope, Status


@dataclass(frozen=True, slots=True)
class Breadcrumb:
    """One time a memory was said again: which session, which message of it, when."""

    session: str | None
    message: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a memory came from: the kind of source, and the turn, files and words behind it."""

    kind: ProvenanceKind = "user_stated"
    session: str | None = None
    position: int | None = None
    message_range: tuple[int, int] | None = None
    speaker: str | None = None
    occurred_at: datetime | None = None
    file_paths: tuple[str, ...] = ()
    snippet: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """One memory as it stands. Times are aware and UTC; ids are UUIDv7 in text form."""

    id: str
    content: str
    account: str
    created_at: datetime
    updated_at: datetime
    accessed_at: datetime
    type: MemoryType = "fact"
    scope: Scope = "global"
    agent: str | None = None
    team: str | None = None
    project: str | None = None
    task: str | None = None
    tags: tuple[str, ...] = ()
    importance: float = 0.5
    weight: float = 1.0
    confidence: float = 1.0
    trust: float = 1.0
    score: int = 0
    strength: int = 1
    access_count: int = 0
    hit_at: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    expires_at: datetime | None = None
    delivery: Delivery = "on_demand"
    status: Status = "active"
    supersedes: str | None = None
    superseded_by: str | None = None
    links: tuple[Link, ...] = ()
    triggers: tuple[str, ...] = ()
    season: str | None = None
    labels: tuple[str, ...] = ()
    breadcrumbs: tuple[Breadcrumb, ...] = ()
    key: str | None = None
    provenance: Provenance = field(default_factory=Provenance)

    @property
    def contradicts(self) -> tuple[str, ...]:
        """What it contradicts, as long as nobody settled it."""
        return tuple(link.target for link in self.links if link.relation == "contradicts" and not link.settled)

    @property
    def procedure(self) -> Procedure | None:
        """The steps it describes, read from its text, when it is a procedure that has any."""
        return procedure_in(self.content) if self.type == "procedure" else None

    @property
    def derived_from(self) -> tuple[str, ...]:
        """What it was derived from."""
        return tuple(link.target for link in self.links if link.relation == "derived_from")

    @property
    def session(self) -> str | None:
        """The session it was said in; its coordinate too when its scope is the session."""
        return self.provenance.session

    @property
    def position(self) -> int | None:
        return self.provenance.position

    @property
    def speaker(self) -> str | None:
        return self.provenance.speaker

    @property
    def occurred_at(self) -> datetime | None:
        return self.provenance.occurred_at

    @property
    def place(self) -> Place:
        """Where it lives: decides who sees it."""
        if self.scope == "global":
            return GLOBAL
        return place_of(self.scope, {self.scope: getattr(self, self.scope), "project": self.project})

    @property
    def short_id(self) -> str:
        """The last eight characters: the random end of a UUIDv7 tells memories apart, its beginning is the clock."""
        return self.id[-8:]

    def with_(self, **changes: Any) -> Record:
        """A copy with some fields changed; fields of the provenance may be named directly."""
        inside = {name: changes.pop(name) for name in tuple(changes) if name in _PROVENANCE_FIELDS}
        if inside:
            changes["provenance"] = replace(self.provenance, **inside)
        return replace(self, **changes)


_PROVENANCE_FIELDS = frozenset(f.name for f in fields(Provenance) if f.name != "kind")
