"""Values of the tiers: grants, contexts, snapshots, pools, short-term entries, results of the router, narratives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict, get_args

from recollect.values.enums import ContextType, MemoryType, PoolType, Scope, ShortTermType, Tier
from recollect.values.memory import Record


@dataclass(frozen=True, slots=True)
class Grants:
    """Which other agents may read and write; writing implies reading."""

    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    public_read: bool = False


class ContextFields(TypedDict, total=False):
    """The keyword arguments of `contexts.create`."""

    scope: Scope | None
    access: Mapping[str, Any] | None
    description: str | None
    team: str | None
    project: str | None
    session: str | None
    task: str | None


@dataclass(frozen=True, slots=True)
class Context:
    """A long-lived container of memories: its type, scope, owner and grants."""

    id: str
    name: str
    type: ContextType
    scope: Scope
    access: Grants
    archived: bool
    created_at: datetime
    updated_at: datetime
    owner: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A named state of a context; `entries` is how many active entries it had."""

    id: str
    context: str
    name: str
    at: datetime
    entries: int


@dataclass(frozen=True, slots=True)
class ChangedEntry:
    """An entry in two states of a context: only the fields that differ. A new version has another id than the old one."""

    old_id: str
    id: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed in a context between two times."""

    added: tuple[Record, ...] = ()
    removed: tuple[Record, ...] = ()
    changed: tuple[ChangedEntry, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


RunPool = Literal["shared_memory", "tool_cache", "blackboard"]
RUN_POOLS: tuple[str, ...] = get_args(RunPool)


class PoolFields(TypedDict, total=False):
    """The keyword arguments of `pools.create`."""

    type: PoolType
    scope: Scope | None
    data: Mapping[str, Any] | None
    access: Mapping[str, Any] | None
    ttl: float | timedelta | None
    expires_at: datetime | str | None
    team: str | None
    project: str | None
    session: str | None
    task: str | None


@dataclass(frozen=True, slots=True)
class PoolRead:
    """One read of a pool, for its counters."""

    account: str
    pool: str
    who: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Pool:
    """One pool. The version starts at 1 and grows with every change of the data."""

    id: str
    name: str
    type: PoolType
    scope: Scope
    data: dict[str, Any]
    version: int
    access: Grants
    owner: str | None
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None
    run: str | None = None
    # `injection:…` when a text in the data reads like an order to an agent.
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShortTermEntry:
    """One value of a session, its TTL in seconds, and how often it was read."""

    session: str
    key: str
    value: Any
    type: ShortTermType
    ttl: float
    created_at: datetime
    updated_at: datetime
    expires_at: datetime
    access_count: int = 0
    accessed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Routed:
    """A value by its key, and the tier that answered; from long-term memory, the memory itself too."""

    tier: Tier
    key: str
    value: Any
    memory: Record | None = None


@dataclass(frozen=True, slots=True)
class TierHit:
    """One hit of a search over all tiers: the tier, the key, the text, and a score that is comparable within the tier."""

    tier: Tier
    key: str
    text: str
    score: float
    memory: Record | None = None


@dataclass(frozen=True, slots=True)
class Consolidated:
    """The result of `consolidate`: promoted memories, known ones, refused keys with reasons, and how many entries are left."""

    promoted: tuple[Record, ...]
    known: tuple[Record, ...]
    refused: tuple[tuple[str, str], ...]
    left: int


NARRATIVE_TAG = "narrative"
NARRATIVE_TYPE: MemoryType = "summary"


def is_narrative(memory: Record) -> bool:
    """Whether a memory is a narrative of a session."""
    return memory.type == NARRATIVE_TYPE and NARRATIVE_TAG in memory.tags


def latest_narrative(found: Iterable[Record], project: str | None) -> Record | None:
    """The newest narrative of a project; where it has none, the newest that belongs to no project."""
    narratives = [memory for memory in found if is_narrative(memory)]
    own = [memory for memory in narratives if memory.project == project]
    rest = [memory for memory in narratives if memory.project is None]
    return max(own or rest, key=lambda memory: (memory.created_at, memory.id), default=None)
