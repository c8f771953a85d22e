"""Legs: parts of a search that know nothing of each other. Each tells what it would ask next; what all of them ask first goes
to the server in one round trip, for a question that waits alone waits longer than it is worked on.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

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


@dataclass(frozen=True, slots=True)
class Chosen:
    """Rows a leg chose, best first, and where each stands on its pages, if the leg saw that."""

    rows: NDArray[np.int64]
    spots: NDArray[np.int64] | None = None

    def first(self, count: int) -> Chosen:
        """Only the best of them."""
        return Chosen(self.rows[:count], None if self.spots is None else self.spots[:count])


NOBODY = Chosen(np.empty(0, np.int64))


def all_chosen(parts: Sequence[Chosen]) -> Chosen:
    """The rows of several legs in growing order, each once; their spots, if those of all are known."""
    parts = [part for part in parts if len(part.rows)]
    if not parts:
        return NOBODY
    rows = np.concatenate([part.rows for part in parts])
    places = places_once(rows)
    known = [part.spots for part in parts if part.spots is not None]
    return Chosen(rows[places], np.concatenate(known)[places] if len(known) == len(parts) else None)


def places_once(rows: NDArray[np.int64]) -> NDArray[np.intp]:
    """The places of some rows in their growing order, each row once."""
    order = rows.argsort(kind="stable")
    ordered = rows[order]
    once = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=once[1:])
    return order[once]


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
