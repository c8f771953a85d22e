"""What a purge did: what it erased, what else repeats the text, and which copies are left."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from recollect.values.document import Document
from recollect.values.event import Event
from recollect.values.memory import Record

# What stands in the journal, or in a pool, instead of a text that was purged.
ERASED = "[erased]"

RepeatKind = Literal[
    "memory", "narrative", "entry", "history", "gap", "tag", "pool", "context", "snapshot", "working", "short_term",
]  # fmt: skip
RepeatReason = Literal["repeats", "derived"]


@dataclass(frozen=True, slots=True)
class Repeat:
    """Something that repeats a purged text, or that was derived from it.

    An `entry` is one of a context; `history` is an earlier state that only the journal has. `where` says where it is, in words.
    """

    id: str
    kind: RepeatKind
    where: str
    why: RepeatReason = "repeats"


@dataclass(frozen=True, slots=True)
class Mentions:
    """What of an account contains some words: memories and documents as they are, and events."""

    memories: list[Record]
    documents: list[Document]
    events: list[Event]


@dataclass(frozen=True, slots=True)
class Erasure:
    """Which copies of erased rows are left: those that a command removes, and those that no command of recollect reaches."""

    pending: tuple[str, ...] = ()
    out_of_reach: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Purged:
    """The result of a purge; of a dry run, what it would be.

    `erased` is what else was erased with the memory, `repeats` what repeats its text and was not. `pending` and `out_of_reach` are
    as in `Erasure`. Nothing that the caller may not see is listed.
    """

    id: str
    erased: tuple[Repeat, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    pending: tuple[str, ...] = ()
    out_of_reach: tuple[str, ...] = ()
    dry_run: bool = False


def lost_text(event: Event) -> bool:
    """Whether a purge took a text out of the images of an event, so that it cannot be undone."""
    return f'"{ERASED}"' in json.dumps([event.before, event.after])
