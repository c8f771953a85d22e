"""Routed: what the router found or did, and in which tier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from recollect.values.memory import Record
from recollect.values.words import Tier


@dataclass(frozen=True, slots=True)
class Routed:
    """A value by its key, and the tier that answered; from long-term memory, the memory itself too."""

    tier: Tier
    key: str
    value: Any
    memory: Record | None = None


@dataclass(frozen=True, slots=True)
class Met:
    """One find of a search through all tiers: where it is, what it says, and how well it fits (of its tier)."""

    tier: Tier
    key: str
    text: str
    score: float
    memory: Record | None = None


@dataclass(frozen=True, slots=True)
class Consolidated:
    """What became of a session: the memories made of its entries, what was known, and what was refused and why."""

    promoted: tuple[Record, ...]
    known: tuple[Record, ...]
    refused: tuple[tuple[str, str], ...]
    left: int
