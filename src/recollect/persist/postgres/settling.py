"""Settling: whether something in force supersedes a memory, worked out at the moment it is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.persist.postgres.places import place_of_text
from recollect.persist.postgres.rows import micros
from recollect.values.memory import Record
from recollect.values.supersession import Replacement, covers, heirs

# Who supersedes some memories, by their ids: rows of the query `replacing`.
Asked = Callable[[Sequence[str]], list[tuple[Any, ...]]]


def settled(memories: Sequence[Record], asked: Asked, now: datetime | None) -> list[Record]:
    """Memories with their standing; chains are followed to their end."""
    links: dict[str, Replacement] = {}
    above = [memory.id for memory in memories]
    moment = None if now is None else micros(now)
    while above:
        fresh = [link for row in asked(above) if (link := _link(row, moment)) is not None and link.new not in links]
        links |= {link.new: link for link in fresh}
        above = [link.new for link in fresh]
    replaced = heirs(links.values()) if links else {}
    return [with_standing(memory, replaced) for memory in memories]


def with_standing(memory: Record, replaced: Mapping[str, str]) -> Record:
    """A memory as superseded, when it is among the replaced."""
    if memory.status != "active" or memory.id not in replaced:
        return memory
    return memory.with_(status="superseded", superseded_by=replaced[memory.id])


def _link(row: tuple[Any, ...], now: int | None) -> Replacement | None:
    new, old, over, under, status, valid_from, valid_until, expires_at = row
    if not covers(place_of_text(over), place_of_text(under)):
        return None
    acts = status == "active"
    if now is not None:
        begun = valid_from is None or valid_from <= now
        acts = acts and begun and all(now < end for end in (valid_until, expires_at) if end is not None)
    return Replacement(new, old, acts)
