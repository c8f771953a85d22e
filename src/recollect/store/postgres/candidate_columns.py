"""The second stage of a search: what the scorer needs of the rows that the retrievers chose, and of the turns beside the best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from recollect.store.postgres.account import AccountView
from recollect.store.postgres.arrays import Array, FullVector
from recollect.store.postgres.connections import Rows, Statement
from recollect.store.postgres.facets import FACETS
from recollect.store.postgres.filter import Compiled
from recollect.store.postgres.retrievers import Measured, RowNumbers, measure, search_query
from recollect.values.search import PERSON, Search

# The columns of a candidate, in the order of the statement.
_COLUMNS = ("row", "facets", "access_count", "accessed", "length", "words")


def read_columns(
    view: AccountView,
    search: Search,
    under: Compiled,
    chosen: RowNumbers,
    talking: RowNumbers,
    measured: Measured | None,
    *,
    named: bool,
    more: Sequence[Statement] = (),
) -> tuple[dict[str, Array] | None, list[Rows]]:
    """The columns of the chosen rows and, in a conversation, of the turns beside some of them; a row may come twice.

    Where rows were `named` by their number, the filter has still to be applied. `more` is sent with it, and its rows returned.
    """
    if len(chosen) == 0:
        return None, []
    values: dict[str, Any] = {**under.values, "model": view.model, "rows": chosen}
    wanted = search_query("chosen") + (" AND {where}" if named else "")
    if search.neighbours and len(talking):
        wanted += " " + search_query("beside")
        values |= {"talking": talking, "reach": search.neighbours, "person": PERSON}
    unmeasured = measured is None and search.vector is not None
    if search.vector is not None and unmeasured:
        values["vector"] = FullVector(search.vector)
    statement = search_query("columns_near" if unmeasured else "columns").replace("{wanted}", wanted)
    (row,), *others = view.run(Statement(under.into(statement), values), *more)
    found = dict(zip(_COLUMNS, row, strict=not unmeasured))
    if found["row"] is None:
        return None, others
    near = measure(*row[len(_COLUMNS) :]) if unmeasured else measured
    cosine = np.full(len(found["row"]), np.nan, np.float32) if near is None else near.of(found["row"])
    return {**found, "facets": np.frombuffer(found["facets"], FACETS), "cosine": cosine}, others


def first_places(rows: RowNumbers) -> Any:
    """Where each row comes first, in ascending order of rows."""
    return np.unique(rows, return_index=True)[1]
