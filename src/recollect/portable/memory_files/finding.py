"""What reading a file gives: facts, and lines that are none with the reason. Before: `facts`. After: the verb stores them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing a careful reader would note: the text to store, and the same without the headings put before it.

    `parts` say the same in smaller pieces, for when the whole cannot be kept because of one of them.
    """

    text: str
    bare: str
    line: int
    headings: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    occurred_at: datetime | None = None
    is_procedure: bool = False
    parts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that is not a fact: where it stands, how it begins, and why it was left out."""

    line: int
    what: str
    why: str
