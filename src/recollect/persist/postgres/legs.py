"""Legs: parts of a search that know nothing of each other. Each tells what it would ask next; what all of them ask first goes
to the server in one round trip, for a question that waits alone waits longer than it is worked on.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from recollect.persist.postgres.sql import queries

if TYPE_CHECKING:
    from recollect.persist.postgres.link import Link

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ask:
    """A statement with what it binds, answered by one row."""

    statement: str
    values: dict[str, Any]


Leg = Generator[Ask, Any, T]


def text_of(name: str) -> str:
    """A statement of a search."""
    return queries("search.sql")[name]


def together(link: Link, legs: Sequence[Leg[Any]]) -> list[Any]:
    """Walk several legs side by side; what each of them found, in their order."""
    found: list[Any] = [None] * len(legs)
    waiting: list[tuple[int, Any]] = [(place, None) for place in range(len(legs))]
    while waiting:
        asked: list[tuple[int, Ask]] = []
        for place, row in waiting:
            try:
                asked.append((place, legs[place].send(row)))
            except StopIteration as done:
                found[place] = done.value
        rows = link.rows([ask for _, ask in asked])
        waiting = [(place, row) for (place, _), row in zip(asked, rows, strict=True)]
    return found
