"""Gathering, the second stage of a search: what the scorer looks at of the rows the legs chose, and of the turns beside the best.

A row that a leg has seen is read where it stands on its pages. That holds inside one view, where nothing moves; inside a change,
where others may count accesses meanwhile, and for rows known by number only, the index is asked. Next: `look` scores the words.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from recollect.persist.postgres.columns import Array, Dense, Spots
from recollect.persist.postgres.facets import FACETS
from recollect.persist.postgres.filter import Compiled
from recollect.persist.postgres.legs import Chosen, text_of
from recollect.persist.postgres.link import Link
from recollect.persist.postgres.nearest import Measured, nearness
from recollect.values.search import PERSON, Search

# The columns of a candidate, as the statement tells them.
_SEEN = ("row", "facets", "access_count", "accessed", "length", "words")


def gathered(
    link: Link,
    search: Search,
    under: Compiled,
    chosen: Chosen,
    talking: Chosen,
    measured: Measured | None,
    *,
    named: bool,
) -> dict[str, Array] | None:
    """The columns of the chosen rows and, where people talk, of what was said beside some of them; a row may come twice.

    Where rows were `named` by their number, whether they may be shown is still to be seen.
    """
    if len(chosen.rows) == 0:
        return None
    values: dict[str, Any] = {**under.values, "model": link.model}
    by_spot = link.still and chosen.spots is not None
    wanted = text_of("by_spot" if by_spot else "by_number") + (" AND {where}" if named else "")
    values["spots" if by_spot else "rows"] = _told(chosen, by_spot=by_spot)
    if search.neighbours and len(talking.rows):
        wanted += " " + text_of("beside").replace("{found}", "ctid" if by_spot else "row")
        values |= {"talking": _told(talking, by_spot=by_spot), "reach": search.neighbours, "person": PERSON}
    unmeasured = measured is None and search.vector is not None
    if search.vector is not None and unmeasured:
        values["vector"] = Dense(search.vector)
    statement = text_of("columns_near" if unmeasured else "columns").replace("{chosen}", wanted)
    told = link.row("columns", values, under.into(statement))
    found = dict(zip(_SEEN, told, strict=not unmeasured))
    rows = found["row"]
    if rows is None:
        return None
    near = nearness(*told[len(_SEEN) :]) if unmeasured else measured
    cosine = np.full(len(rows), np.nan, np.float32) if near is None else near.of(rows)
    return {**found, "facets": np.frombuffer(found["facets"], FACETS), "cosine": cosine}


def _told(chosen: Chosen, *, by_spot: bool) -> Array | Spots:
    return Spots(chosen.spots) if by_spot and chosen.spots is not None else chosen.rows
