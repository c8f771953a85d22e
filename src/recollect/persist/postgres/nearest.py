"""Nearest: the leg of meaning. All rows that pass are measured while they are few; above, the vector index of the account.

A graph index without a second thought fails small shares (one row of ten found for a share of 1 %), so the way is chosen from
the counts of the places a viewer reaches, and a walk that ends with too few rows is answered by measuring after all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from psycopg import sql

from recollect.persist.index.vectors import top_of
from recollect.persist.postgres.columns import Array, Dense, Half, in_codes
from recollect.persist.postgres.filter import Compiled
from recollect.persist.postgres.legs import NOBODY, Ask, Chosen, Leg, text_of
from recollect.persist.postgres.link import Facts, Link
from recollect.values.search import Floats, Glimpse

# Measuring costs two to three milliseconds a thousand rows, a walk about three: up to here exactness is worth the difference.
EXACT = 4_000
_NARROW, _MOST = 0.12, 0.5
# By how much half precision may be wrong about a cosine.
_ROUNDING = 1e-3
_OWN = re.compile(r"\{(own|model|dimensions|likely)\}")
# How wide a walk is without being told: inside a change, and otherwise.
_NARROW_WIDTH, _USUAL_WIDTH, _MOST_WIDTH = 48, 64, 1000


@dataclass(frozen=True, slots=True)
class Measured:
    """How near all rows that pass are, in growing order; one that is not among them has no vector."""

    rows: NDArray[np.int64]
    cosine: Floats

    def of(self, rows: NDArray[np.int64]) -> Floats:
        """How near each of some rows that pass is."""
        found = np.full(len(rows), np.nan, np.float32)
        if len(self.rows):
            places = np.searchsorted(self.rows[:-1], rows)
            met = self.rows[places] == rows
            found[met] = self.cosine[places[met]]
        return found


@dataclass(frozen=True, slots=True)
class Found:
    """Rows, nearest first, with their nearness and stored statuses where asked for; how many pass the filter, where counted;
    how near all of them are, where all were measured; and where the rows stand on their pages, where that was seen."""

    rows: NDArray[np.int64]
    cosine: Floats
    status: NDArray[np.uint8]
    passing: int | None = None
    measured: Measured | None = None
    spots: NDArray[np.int64] | None = None

    @property
    def chosen(self) -> Chosen:
        return Chosen(self.rows, self.spots)


NONE = Found(np.empty(0, np.int64), np.empty(0, np.float32), np.empty(0, np.uint8))
_UNMEASURED = Measured(NONE.rows, NONE.cosine)


def nearest(link: Link, under: Compiled, facts: Facts, vector: Floats, depth: int) -> Leg[Found]:
    """The rows nearest to a vector under a filter, measured to full precision, with their statuses."""
    if facts.vectors == 0 or depth == 0:
        return NONE
    if _indexed(facts) and under.wide:
        found = yield from _walked(link, under, vector, depth)
        return found if _enough(facts, found.rows, depth) else (yield from _standing(link, under, vector, depth))
    few = None
    if facts.vectors > _MOST * facts.embedded:
        few = yield from _few(link, under, vector, depth)
    return few if few is not None else (yield from _standing(link, under, vector, depth))


def foreseen(under: Compiled, facts: Facts, depth: int) -> bool:
    """Whether the first question for the nearest is known ahead: there is something to measure, and no index to be widened for."""
    if facts.vectors == 0 or depth == 0:
        return False
    return not (_indexed(facts) and under.wide) or _width(2 * depth) <= _NARROW_WIDTH


def leading(link: Link, under: Compiled, facts: Facts, vector: Floats | None, depth: int) -> Leg[Found]:
    """The same for a search, which measures what it is given once more: by an index unmeasured."""
    if facts.vectors == 0 or depth == 0 or vector is None:
        return NONE
    if not _indexed(facts):
        return (yield from _measured(link, under, vector, depth))
    if not under.wide:
        # How many pass a narrow condition is not known: look, but no further than measuring pays.
        found = yield from _measured(link, under, vector, depth, most=EXACT + 1)
        if found.passing is not None and found.passing <= EXACT:
            return found
    # As many vectors as belong to so many memories, in steps: each number is a statement of its own.
    several = np.clip(np.ceil(2 * facts.vectors / max(facts.memories, 1)) / 2, 1, 3)
    likely = yield from _likely(link, under, vector, int(depth * several))
    if _enough(facts, likely.rows, depth):
        return Found(likely.rows, NONE.cosine, NONE.status, spots=likely.spots)
    return (yield from _measured(link, under, vector, depth))


def _enough(facts: Facts, rows: NDArray[np.int64], depth: int) -> bool:
    return len(rows) >= min(depth, facts.vectors) // 2


def _indexed(facts: Facts) -> bool:
    """Whether there is an index, and so many rows may pass that it is the better way."""
    if not facts.indexed or facts.vectors <= EXACT:
        return False
    return facts.vectors > 3 * EXACT or facts.vectors > _NARROW * facts.embedded


def _measured(link: Link, under: Compiled, vector: Floats, depth: int, most: int | None = None) -> Leg[Found]:
    values = {**under.values, "model": link.model, "vector": Dense(vector), "most": most}
    passing, *vectors = yield Ask(under.into(text_of("nearest_exact")), values)
    measured = nearness(*vectors)
    return Found(*_best(depth, measured), NONE.status, passing, measured)


def _standing(link: Link, under: Compiled, vector: Floats, depth: int) -> Leg[Found]:
    values = {**under.values, "model": link.model, "vector": Dense(vector)}
    return _told(depth, *(yield Ask(under.into(in_codes(text_of("nearest_standing"))), values)))


def _few(link: Link, under: Compiled, vector: Floats, depth: int) -> Leg[Found | None]:
    """The closest vectors of the account, as far as they pass; None when others may be nearer than the last of them."""
    likely = 4 * depth + 32
    values = {**under.values, "model": link.model, "vector": Dense(vector), "half": Half(vector)}
    values |= {"likely": likely, "compared": 2 * depth}
    closest, last, said, ids, contents, *told = yield Ask(under.into(in_codes(text_of("nearest_few"))), values)
    _glimpsed(link, said, ids, contents)
    found = _told(depth, *told)
    # A memory is no nearer than its nearest vector: those of the vectors left out are farther than the last.
    sure = closest < likely or (len(found.rows) == depth and found.cosine[-1] > last + _ROUNDING)
    return found if sure else None


def _told(depth: int, passing: Array | None, statuses: Array, *vectors: Array) -> Found:
    """The nearest of what was measured, with the statuses of what passed."""
    if passing is None:
        return NONE
    best, near = _best(depth, nearness(*vectors))
    order = np.argsort(passing)
    standing = statuses[order][np.searchsorted(passing, best, sorter=order)]
    return Found(best, near, standing.astype(np.uint8))


def nearness(rows: Array | None, parts: Array, cosines: Array) -> Measured:
    """How near each memory of some measured vectors is: half its whole text, half its nearest part."""
    if rows is None:
        return _UNMEASURED
    if not parts.any():
        order = rows.argsort()
        return Measured(rows[order], cosines[order])
    order = np.lexsort((parts, rows))
    rows, cosines = rows[order], cosines[order]
    first = np.flatnonzero(np.concatenate(([True], rows[1:] != rows[:-1])))
    return Measured(rows[first], np.asarray((cosines[first] + np.maximum.reduceat(cosines, first)) / 2, np.float32))


def _best(depth: int, measured: Measured) -> tuple[Array, Array]:
    """The nearest, nearest first."""
    best = np.sort(top_of(measured.cosine, depth))
    best = best[np.argsort(-measured.cosine[best], kind="stable")]
    return measured.rows[best], measured.cosine[best]


def _walked(link: Link, under: Compiled, vector: Floats, depth: int) -> Leg[Found]:
    yield from _widened(2 * depth, _NARROW_WIDTH)
    found = yield _by_index("nearest_indexed", link, under, vector, depth, 2 * depth)
    rows, cosine, status, ids, contents = found
    if rows is None:
        return NONE
    _glimpsed(link, rows, ids, contents)
    order = np.lexsort((rows, -cosine))
    return Found(rows[order], cosine[order], status[order].astype(np.uint8))


def _glimpsed(link: Link, rows: Array | None, ids: Sequence[str], contents: Sequence[str]) -> None:
    """Take note of what some rows say."""
    if rows is not None:
        link.glimpsed |= {row: Glimpse(row, *said) for row, *said in zip(rows.tolist(), ids, contents, strict=True)}


def _likely(link: Link, under: Compiled, vector: Floats, likely: int) -> Leg[Chosen]:
    yield from _widened(likely, _USUAL_WIDTH)
    rows, spots, distance = yield _by_index("nearest_likely", link, under, vector, likely, likely)
    if rows is None:
        return NOBODY
    order = np.argsort(distance, kind="stable")[:likely]
    # A memory of several vectors may come several times: where it came first.
    first = dict(zip(rows[order[::-1]].tolist(), order[::-1].tolist(), strict=True))
    if len(first) < len(order):
        order = np.array([place for place in order.tolist() if first[int(rows[place])] == place])
    return Chosen(rows[order], spots[order])


def _widened(likely: int, usual: int) -> Leg[None]:
    """Have an index walked as wide as so many are wanted, if that is wider than it is walked anyway."""
    width = _width(likely)
    if width > usual:
        yield Ask(text_of("index_width"), {"width": str(width)})


def _by_index(name: str, link: Link, under: Compiled, vector: Floats, depth: int, likely: int) -> Ask:
    statement = _own(under.into(in_codes(text_of(name))), link.account_id, link.model, link.dimensions, likely)
    return Ask(statement, {**under.values, "half": Half(vector), "vector": Dense(vector), "depth": depth})


def _width(likely: int) -> int:
    return min(5 * likely // 4, _MOST_WIDTH)


@lru_cache(maxsize=1024)
def _own(statement: str, account_id: int, model: str, dimensions: int, likely: int) -> str:
    """A statement with what an index is made for written in."""
    own = {"own": account_id, "model": model, "dimensions": dimensions, "likely": likely}
    # In one pass and last: whatever a model is called, its name is a name and no part of the statement.
    return _OWN.sub(lambda word: sql.quote(own[word[1]]).replace("%", "%%"), statement)
