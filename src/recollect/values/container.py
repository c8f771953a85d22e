"""Containers: what pools and contexts share (who was granted what), a context, and what a snapshot of one tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypedDict

from recollect.values.memory import Record
from recollect.values.words import ContextType, Scope


@dataclass(frozen=True, slots=True)
class Grants:
    """Who else may read and write, beside the owner; writing implies reading."""

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
    """A long-lived container of memories: what it is for, where it belongs, who may use it."""

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
    """A named moment of a context; `entries` is how many stood in it then."""

    id: str
    context: str
    name: str
    at: datetime
    entries: int


@dataclass(frozen=True, slots=True)
class Changed:
    """An entry in two states of a context: only the fields that differ. A new version has another id than the old one."""

    old_id: str
    id: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Difference:
    """What became of a context between two moments."""

    added: tuple[Record, ...] = ()
    removed: tuple[Record, ...] = ()
    changed: tuple[Changed, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)
