"""The visibility rule in PostgreSQL's dialect, and the conditions that only this back end's searches need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.store import visibility
from recollect.store.postgres.arrays import TextArray
from recollect.store.rows import place_text
from recollect.store.visibility import STORED_STATUSES, Compiled, Dialect, moment
from recollect.values.scope import Identity
from recollect.values.search import DeliveryQuery, Filter, Search

__all__ = [
    "ACCOUNT",
    "BEGUN",
    "REACHED",
    "STANDING_ROWS",
    "Compiled",
    "compile_filter",
    "compile_search",
    "delivery_part",
    "moment",
    "reach",
    "stored",
    "window_part",
]

ACCOUNT = "m.account_id = %(account_id)s"
REACHED = "m.place = ANY (%(places)s)"
BEGUN = "coalesce(m.occurred_at, m.created_at)"
STANDING_ROWS = "m.standing"
_ALWAYS_STANDING = {"rule", "negative"}
_LISTS = Dialect(
    placeholder="%({})s",
    true="true",
    false="false",
    account=ACCOUNT,
    tagged="m.row IN (SELECT t.row FROM tags AS t WHERE t.account_id = %(account_id)s AND t.tag = {})",
    superseded="m.id = ANY (%(replaced)s::uuid[])",
    single="{}::real",
    place="m.place",
    arrays=True,
    texts=TextArray,
    place_text=place_text,
)
_SEARCHES = replace(_LISTS, superseded="m.row = ANY (%(superseded)s)")


def compile_filter(identity: Identity, wanted: Filter, now: int, replaced: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """The WHERE clause of `list`; `replaced` are the memories that something in force supersedes."""
    return visibility.compile_list(_LISTS, identity, wanted, now, list(replaced))


def compile_search(search: Search, account_id: int, superseded: NDArray[np.int64]) -> Compiled:
    """The WHERE clause of a search; `superseded` are the rows replaced for this viewer."""
    bound: dict[str, Any] = {"account_id": account_id, "now": moment(search.now)}
    if len(superseded):
        bound["superseded"] = superseded
    return visibility.compile_search(_SEARCHES, search, bound, any_superseded=len(superseded) > 0)


def reach(identity: Identity, values: dict[str, Any]) -> str:
    """The condition on `m` that an identity reaches a memory; what it compares with is added to the values."""
    return visibility.compile_reach(_LISTS, identity, values)


def stored(wanted: Filter) -> TextArray:
    """The statuses of rows a filter may pass."""
    named = {"active" if status == "superseded" else status for status in wanted.statuses}
    return TextArray(status for status in STORED_STATUSES if status in named)


def window_part(windows: Sequence[tuple[float, float]], values: dict[str, Any]) -> str | None:
    """The condition that a memory is of one of some spans of time; None without any."""
    parts = []
    for number, (since, until) in enumerate(windows):
        values |= {f"window{number}": moment(since), f"end{number}": moment(until)}
        parts.append(f"({BEGUN} >= %(window{number})s AND {BEGUN} < %(end{number})s)")
    return f"({' OR '.join(parts)})" if parts else None


def delivery_part(query: DeliveryQuery, values: dict[str, Any]) -> str:
    """The conditions of a list of rows; whatever an index can use is said in full."""
    parts = []
    if query.deliveries:
        values["deliveries"] = list(query.deliveries)
        parts.append("m.delivery = ANY (%(deliveries)s)")
    if query.types:
        values["wanted_types"] = list(query.types)
        parts.append("m.type = ANY (%(wanted_types)s)")
        if set(query.types) <= _ALWAYS_STANDING:
            parts.append(STANDING_ROWS)
    if query.rows is not None:
        values["among"] = np.array(query.rows, np.int64)
        parts.append("m.row = ANY (%(among)s)")
    return " AND ".join(parts) or "true"
