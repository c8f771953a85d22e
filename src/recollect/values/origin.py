"""Origin: where a memory comes from, followed back to what was said, read or seen."""

from __future__ import annotations

from dataclasses import dataclass

from recollect.values.memory import Record


@dataclass(frozen=True, slots=True)
class Origin:
    """A memory, the memories it was derived from (nearest first), and its trust: the lowest of all wins."""

    memory: Record
    sources: tuple[Record, ...]
    trust: float
