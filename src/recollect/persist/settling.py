"""Settling: whether something in force supersedes a memory, worked out at the moment it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from recollect.values.memory import Record
from recollect.values.supersession import Replacement, heirs

# Who supersedes some memories, by their ids.
Replacing = Callable[[Sequence[str]], Iterable[Replacement]]


def settled(memories: Sequence[Record], replacing: Replacing) -> list[Record]:
    """Memories with their standing; chains are followed to their end."""
    links: dict[str, Replacement] = {}
    above = [memory.id for memory in memories]
    while above:
        fresh = [link for link in replacing(above) if link.new not in links]
        links |= {link.new: link for link in fresh}
        above = [link.new for link in fresh]
    replaced = heirs(links.values()) if links else {}
    return [with_standing(memory, replaced) for memory in memories]


def with_standing(memory: Record, replaced: Mapping[str, str]) -> Record:
    """A memory as superseded, when it is among the replaced."""
    if memory.status != "active" or memory.id not in replaced:
        return memory
    return memory.with_(status="superseded", superseded_by=replaced[memory.id])
