"""Tag: a label that memories share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag: its name, how many memories have it, and its description."""

    name: str
    count: int
    description: str | None = None
