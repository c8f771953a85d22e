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


def one_after_the_other(parts: Sequence[Chosen]) -> Chosen:
    """The rows of several legs as they come; their spots, if those of all are known."""
    parts = [part for part in parts if len(part.rows)]
    if not parts:
        return NOBODY
    known = [part.spots for part in parts if part.spots is not None]
    spots = np.concatenate(known) if len(known) == len(parts) else None
    return Chosen(np.concatenate([part.rows for part in parts]), spots)


def all_chosen(parts: Sequence[Chosen]) -> Chosen:
    """The same in growing order, each row once."""
    chosen = one_after_the_other(parts)
    places = places_once(chosen.rows)
    return Chosen(chosen.rows[places], None if chosen.spots is None else chosen.spots[places])


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


class Together:
    """Several legs, walked side by side; `asked` is what they ask next, with the place of whoever asks."""

    def __init__(self, legs: Sequence[Leg[Any]]) -> None:
        self._legs = legs
        self._found: list[Any] = [None] * len(legs)
        self._next: list[tuple[int, Ask]] = []
        for place in range(len(legs)):
            self._go_on(place, None)
        self._turn()

    def told(self, which: int, row: Any) -> None:
        """Give one leg the answer to what it asked; when all have theirs, `asked` is what they ask next."""
        self._go_on(self.asked[which][0], row)
        self._left -= 1
        if self._left == 0:
            self._turn()

    def told_all(self, rows: Sequence[Any]) -> None:
        """The same for all of them."""
        for which, row in enumerate(rows):
            self.told(which, row)

    def to_the_end(self, link: Link) -> list[Any]:
        """What each of the legs found, in their order."""
        while self.asked:
            self.told_all(link.rows([ask for _, ask in self.asked]))
        return self._found

    def _go_on(self, place: int, row: Any) -> None:
        try:
            self._next.append((place, self._legs[place].send(row)))
        except StopIteration as done:
            self._found[place] = done.value

    def _turn(self) -> None:
        self.asked, self._next = self._next, []
        self._left = len(self.asked)
