"""Narrative: what a session was about, told in a few sentences. It is a memory of type summary that carries one tag."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.values.memory import Record
from recollect.values.words import MemoryType

TAG = "narrative"
TYPE: MemoryType = "summary"


def is_narrative(memory: Record) -> bool:
    """Whether a memory tells of a session."""
    return memory.type == TYPE and TAG in memory.tags


def latest(found: Iterable[Record], project: str | None) -> Record | None:
    """The newest narrative of a project; where it has none, the newest that belongs to no project."""
    told = [memory for memory in found if is_narrative(memory)]
    own = [memory for memory in told if memory.project == project]
    rest = [memory for memory in told if memory.project is None]
    return max(own or rest, key=lambda memory: (memory.created_at, memory.id), default=None)
