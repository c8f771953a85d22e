"""Draft: what a caller wants to store, before it is screened. Only the content is required."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypedDict

from recollect.values.enums import Delivery, MemoryType, ProvenanceKind, Scope
from recollect.values.procedure import Procedure


class DraftFields(TypedDict, total=False):
    """The keyword arguments of `remember`."""

    type: MemoryType | None
    scope: Scope | None
    project: str | None
    agent: str | None
    team: str | None
    task: str | None
    user: str | None
    session: str | None
    position: int | None
    speaker: str | None
    occurred_at: datetime | str | None
    tags: Sequence[str]
    importance: float | None
    weight: float | None
    confidence: float | None
    trust: float | None
    ttl: float | timedelta | None
    expires_at: datetime | str | None
    valid_from: datetime | str | None
    valid_until: datetime | str | None
    delivery: Delivery | None
    source: ProvenanceKind | None
    message_range: tuple[int, int] | None
    file_paths: Sequence[str]
    snippet: str | None
    reason: str | None
    supersedes: str | None
    key: str | None
    revive: bool
    triggers: Sequence[str]
    procedure: Mapping[str, Any] | Procedure | None
    season: str | None
    derived_from: Sequence[str]
    metadata: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Draft:
    """The arguments of `remember` as a value."""

    content: str
    type: MemoryType | None = None
    scope: Scope | None = None
    project: str | None = None
    agent: str | None = None
    team: str | None = None
    task: str | None = None
    user: str | None = None
    session: str | None = None
    position: int | None = None
    speaker: str | None = None
    occurred_at: datetime | str | None = None
    tags: Sequence[str] = ()
    importance: float | None = None
    weight: float | None = None
    confidence: float | None = None
    trust: float | None = None
    ttl: float | timedelta | None = None
    expires_at: datetime | str | None = None
    valid_from: datetime | str | None = None
    valid_until: datetime | str | None = None
    delivery: Delivery | None = None
    source: ProvenanceKind | None = None
    message_range: tuple[int, int] | None = None
    file_paths: Sequence[str] = ()
    snippet: str | None = None
    reason: str | None = None
    supersedes: str | None = None
    key: str | None = None
    revive: bool = False
    triggers: Sequence[str] = ()
    procedure: Mapping[str, Any] | Procedure | None = None
    season: str | None = None
    derived_from: Sequence[str] = ()
    metadata: Mapping[str, Any] | None = None


class UpdateFields(TypedDict, total=False):
    """The keyword arguments of `update`: the fields of a memory that may be changed.

    `metadata` is merged into what there is: null removes a field; with `replace_metadata` it replaces everything.
    """

    content: str
    type: MemoryType
    tags: Sequence[str]
    importance: float
    weight: float
    confidence: float
    delivery: Delivery
    triggers: Sequence[str]
    season: str | None
    ttl: float | None
    expires_at: datetime | str | None
    valid_from: datetime | str | None
    valid_until: datetime | str | None
    metadata: Mapping[str, Any] | None
    replace_metadata: bool
