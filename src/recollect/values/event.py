"""Event: one line of the journal. The events of one call share an operation and are undone together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.values.words import DocumentKind, EventKind

Image = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """What the events of one call share."""

    id: str
    actor: str
    at: datetime
    undoes: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """What changed on one memory: only the fields that changed, as they were before and after.

    A creation has `before` None and an empty `after`: the memory itself is its after-image. A removal has the whole
    memory as `before` and None as `after`. A purge keeps neither, only where the memory lived. An event of a document names its
    kind, carries its id in `memory_id`, and its whole image on both sides.
    """

    seq: int
    operation: str
    at: datetime
    actor: str
    kind: EventKind
    memory_id: str
    before: Image | None
    after: Image | None
    reason: str | None = None
    undoes: str | None = None
    document: DocumentKind | None = None
