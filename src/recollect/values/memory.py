"""Record: one memory with its provenance; and what follows from it (confidence over time, supersession)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Final, TypeVar

from recollect.values.enums import Delivery, MemoryType, ProvenanceKind, Scope, Status
from recollect.values.link import Link
from recollect.values.metadata import Metadata, strings_of
from recollect.values.plain import shorten
from recollect.values.procedure import Procedure, extract_procedure
from recollect.values.scope import GLOBAL, Place, place_of

Value = TypeVar("Value")


def maker(kind: type[Value]) -> Callable[..., Value]:
    """A function that makes a frozen, slotted value from all its fields in order, in half the time of its constructor.

    The constructor of a frozen class sets each field by name through `object.__setattr__`; this sets the slots directly. Reading
    rows makes thousands of values.
    """
    slots = [getattr(kind, name).__set__ for name in kind.__slots__]  # type: ignore[attr-defined]

    def made(*values: Any) -> Value:
        value = object.__new__(kind)
        for fill, part in zip(slots, values, strict=True):
            fill(value, part)
        return value

    return made


@dataclass(frozen=True, slots=True)
class Breadcrumb:
    """One repetition of a memory: in which session, in which message, when."""

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
    """One memory. Times are aware and UTC; ids are UUIDv7 as text."""

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
    user: str | None = None
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
    metadata: Metadata = field(default_factory=dict, hash=False)
    provenance: Provenance = field(default_factory=Provenance)

    @property
    def contradicts(self) -> tuple[str, ...]:
        """The ids of memories it contradicts, if that is not resolved."""
        return tuple(link.target for link in self.links if link.relation == "contradicts" and not link.settled)

    @property
    def procedure(self) -> Procedure | None:
        """The procedure its text describes, if its type is `procedure` and it has steps."""
        return extract_procedure(self.content) if self.type == "procedure" else None

    @property
    def derived_from(self) -> tuple[str, ...]:
        """The ids of memories it was derived from."""
        return tuple(link.target for link in self.links if link.relation == "derived_from")

    @property
    def session(self) -> str | None:
        """The session it came from; also its place when its scope is the session."""
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
        """Its place, which decides who sees it."""
        if self.scope == "global":
            return GLOBAL
        return place_of(self.scope, {self.scope: getattr(self, self.scope), "project": self.project})

    @property
    def short_id(self) -> str:
        """The last eight characters: the end of a UUIDv7 is random, its beginning is a timestamp."""
        return self.id[-8:]

    def to_dict(self) -> dict[str, Any]:
        """Every field as plain JSON; the provenance's fields are beside the others, as in an export."""
        from recollect.values.event import to_image

        return to_image(self)

    def __repr__(self) -> str:
        return f"<Record {self.short_id} {self.type} {shorten(self.content)!r}>"

    def __str__(self) -> str:
        """The text as a line for a prompt, with the day it happened."""
        return f"{self.content} ({self.type}, {(self.occurred_at or self.created_at).date().isoformat()})"

    def with_(self, **changes: Any) -> Record:
        """A copy with some fields changed; fields of the provenance may be given directly."""
        inside = {name: changes.pop(name) for name in tuple(changes) if name in _PROVENANCE_FIELDS}
        if inside:
            changes["provenance"] = replace(self.provenance, **inside)
        return replace(self, **changes)


class Page(list[Record]):
    """One page of a list of memories: `next` is given as `after` for the page that follows, None on the last one.

    `total` is how many memories there are on all pages, if it was asked for.
    """

    def __init__(self, records: Iterable[Record] = (), *, next: str | None = None, total: int | None = None) -> None:
        super().__init__(records)
        self.next, self.total = next, total


# What is stored beside the content. Names identify something, so personal data may be part of them; texts say something.
NAME_FIELDS: Final = ("agent", "team", "user", "project", "task", "session", "speaker", "season", "key", "file_paths")
TEXT_FIELDS: Final = ("tags", "triggers", "snippet", "reason", "metadata")


def side_texts(record: Record, chosen: tuple[str, ...] = (*NAME_FIELDS, *TEXT_FIELDS)) -> Iterator[tuple[str, str]]:
    """What is stored beside the content of a memory: each text with the name of its field."""
    for name in chosen:
        value = getattr(record.provenance if name in _PROVENANCE_FIELDS else record, name)
        if name == "metadata":
            value = tuple(strings_of(value))
        for text in value if isinstance(value, tuple) else (value,):
            if text:
                yield name, text


_PROVENANCE_FIELDS = frozenset(f.name for f in fields(Provenance) if f.name != "kind")


@dataclass(frozen=True, slots=True)
class StoredText:
    """What there is of a text: the memories that have it, whatever their status.

    `purged` are the places in which it was erased for good, in these words or in others with the same content words; only those who
    reach one of them may be told.
    """

    purged: tuple[Place, ...]
    memories: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class ProvenanceChain:
    """A memory, the memories it was derived from (nearest first), and the lowest trust among them."""

    memory: Record
    sources: tuple[Record, ...]
    trust: float


HALF_LIVES = {"correction": 365.0, "preference": 90.0, "procedure": 60.0, "fact": 30.0}
INFERRED_HALF_LIFE = 7.0
DEFAULT_HALF_LIFE = 30.0


def half_life(kind: str, source: str) -> float:
    """The days in which the confidence of a memory of this type and source falls to 1/e."""
    return INFERRED_HALF_LIFE if source == "inferred" else HALF_LIVES.get(kind, DEFAULT_HALF_LIFE)


def confidence_now(record: Record, now: datetime) -> float:
    """initial · exp(−age_days/half_life) · (1 + 0.1·ln(access_count + 1)) · trust, within [0, 1]."""
    life = half_life(record.type, record.provenance.kind)
    days = max((now - record.updated_at).total_seconds() / 86_400, 0.0)
    usage = 1 + 0.1 * math.log(record.access_count + 1)
    return min(max(record.confidence * math.exp(-days / life) * usage * record.trust, 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class Replacement:
    """One memory that supersedes another, and whether it is current at the time in question."""

    new: str
    old: str
    acts: bool


def covers(over: Place, under: Place) -> bool:
    """Whether everyone who sees the second place also sees the first."""
    return over in (under, GLOBAL)


def is_current(memory: Record, now: datetime | None) -> bool:
    """Whether a memory may supersede another: active and, at a given time, neither expired nor outside its validity."""
    if memory.status not in ("active", "superseded"):
        return False
    if now is None:
        return True
    begun = memory.valid_from is None or memory.valid_from <= now
    ends = [time for time in (memory.expires_at, memory.valid_until) if time is not None]
    return begun and all(now < time for time in ends)


def successors(replacements: Iterable[Replacement]) -> dict[str, str]:
    """For each superseded memory, the current one that supersedes it, directly or through a chain."""
    known = list(replacements)
    found = {link.old: link.new for link in known if link.acts}
    while True:
        further = {link.old: found[link.new] for link in known if link.new in found and link.old not in found}
        if not further:
            return found
        found |= further
