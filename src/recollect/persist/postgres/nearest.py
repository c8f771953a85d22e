"""Nearest: the leg of meaning. All rows that pass are measured while they are few; above, the vector index of the account.

A graph index without a second thought fails small shares (one row of ten found for a share of 1 %), so the way is chosen from
the counts of the places a viewer reaches, and a walk that ends with too few rows is answered by measuring after all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.persist.postgres.columns import Dense, in_codes
from recollect.persist.postgres.filter import Compiled
from recollect.persist.postgres.link import Facts, Link
from recollect.persist.postgres.sql import queries
from recollect.values.search import Floats

# Measuring costs two to three milliseconds a thousand rows, a walk about three: up to here exactness is worth the difference.
EXACT = 4_000
_NARROW = 0.12
_SCAN = 40_000
_LEAST_WIDTH, _MOST_WIDTH = 128, 1000


@dataclass(frozen=True, slots=True)
class Found:
    """Rows, nearest first, with their nearness and stored statuses where asked for; how many pass the filter, where counted."""

    rows: NDArray[np.int64]
    cosine: Floats
    status: NDArray[np.uint8]
    passing: int | None = None


NONE = Found(np.empty(0, np.int64), np.empty(0, np.float32), np.empty(0, np.uint8))


def nearest(link: Link, under: Compiled, facts: Facts, vector: Floats, depth: int) -> Found:
    """The rows nearest to a vector under a filter, measured to full precision, with their statuses."""
    if facts.vectors == 0 or depth == 0:
        return NONE
    if not _indexed(facts) or not under.wide:
        return _few(link, under, vector, depth)
    found = _walked(link, under, vector, depth)
    return found if _enough(facts, found.rows, depth) else _few(link, under, vector, depth)


def leading(link: Link, under: Compiled, facts: Facts, vector: Floats, depth: int) -> Found:
    """The same for a search, which measures what it is given once more: by an index half as many again, unmeasured."""
    if facts.vectors == 0 or depth == 0:
        return NONE
    if not _indexed(facts):
        return _measured(link, under, vector, depth)
    if not under.wide and (found := _narrow(link, under, vector, depth)) is not None:
        return found
    rows = _likely(link, under, vector, depth)
    return (
        Found(rows, NONE.cosine, NONE.status) if _enough(facts, rows, depth) else _measured(link, under, vector, depth)
    )


def _enough(facts: Facts, rows: NDArray[np.int64], depth: int) -> bool:
    return len(rows) >= min(depth, facts.vectors) // 2


def _narrow(link: Link, under: Compiled, vector: Floats, depth: int) -> Found | None:
    """How many pass a narrow condition is not known: look, but no further than measuring pays."""
    found = _measured(link, under, vector, depth, most=EXACT + 1)
    return found if found.passing is not None and found.passing <= EXACT else None


def _indexed(facts: Facts) -> bool:
    """Whether there is an index, and so many rows may pass that it is the better way."""
    if not facts.indexed or facts.vectors <= EXACT:
        return False
    return facts.vectors > 3 * EXACT or facts.vectors > _NARROW * facts.embedded


def _measured(link: Link, under: Compiled, vector: Floats, depth: int, most: int | None = None) -> Found:
    values = {**under.values, "model": link.model, "vector": Dense(vector), "depth": depth, "most": most}
    return _found(link.row("nearest_exact", values, under.into(in_codes(queries("search.sql")["nearest_exact"]))))


def _few(link: Link, under: Compiled, vector: Floats, depth: int) -> Found:
    values = {**under.values, "model": link.model, "vector": Dense(vector), "depth": depth, "likely": 4 * depth + 32}
    return _found(link.row("nearest_few", values, under.into(in_codes(queries("search.sql")["nearest_few"]))))


def _walked(link: Link, under: Compiled, vector: Floats, depth: int) -> Found:
    return _found(_by_index("nearest_indexed", link, under, vector, depth, 2 * depth))


def _likely(link: Link, under: Compiled, vector: Floats, depth: int) -> NDArray[np.int64]:
    rows, distance = _by_index("nearest_likely", link, under, vector, depth, 3 * depth // 2)
    if rows is None:
        return NONE.rows
    # A memory of several vectors may come several times: where it came first.
    order = np.argsort(distance, kind="stable")
    return np.array(list(dict.fromkeys(rows[order].tolist())), np.int64)


def _by_index(name: str, link: Link, under: Compiled, vector: Floats, depth: int, likely: int) -> Any:
    width = min(max(2 * depth, _LEAST_WIDTH), _MOST_WIDTH)
    link.row("index_settings", {"ef": str(width), "scan": str(_SCAN)})
    values = {**under.values, "model": link.model, "vector": Dense(vector), "depth": depth, "likely": likely}
    statement = in_codes(queries("search.sql")[name]).replace("{dimensions}", str(int(link.dimensions)))
    return link.row(name, values, under.into(statement))


def _found(row: Any) -> Found:
    passing, rows, cosine, status = row
    if rows is None:
        return Found(NONE.rows, NONE.cosine, NONE.status, passing)
    order = np.lexsort((rows, -cosine))
    told = NONE.status if status is None else status[order].astype(np.uint8)
    return Found(rows[order], cosine[order], told, passing)
