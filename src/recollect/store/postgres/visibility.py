"""What a viewer may see: the visibility rule in PostgreSQL's dialect, and what is superseded at a moment.

The second is the rule of `store/index/visibility_mask.py`, over columns that are read once for as long as nothing changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.store import visibility
from recollect.store.postgres.sql import TextArray
from recollect.store.rows import micros, place_of_text, place_text
from recollect.store.visibility import STORED_STATUSES, Compiled, Dialect, moment
from recollect.values.memory import Replacement, covers, successors
from recollect.values.scope import GLOBAL, Identity
from recollect.values.search import DeliveryQuery, Filter, Search

Times = NDArray[np.float64]
ACCOUNT = "m.account_id = %(account_id)s"
BEGUN = "coalesce(m.occurred_at, m.created_at)"
STANDING_ROWS = "m.standing"
_ALWAYS_STANDING = {"rule", "negative"}
_LISTS = Dialect(
    placeholder="%({})s",
    true="true",
    false="false",
    account=ACCOUNT,
    tagged="m.row IN (SELECT t.row FROM tags AS t WHERE t.account_id = %(account_id)s AND t.tag = {})",
    has_entry=("m.row IN (SELECT e.row FROM metadata AS e WHERE e.account_id = %(account_id)s AND path = {} AND {})"),
    superseded="m.id = ANY (%(replaced)s::uuid[])",
    apart="({}) IS TRUE",
    single="{}::real",
    place="m.place",
    arrays=True,
    texts=TextArray,
    place_text=place_text,
)
_SEARCHES = replace(_LISTS, superseded="m.row = ANY (%(superseded)s)")
NO_ROWS = np.empty(0, np.int64)
_EVERYWHERE = place_text(GLOBAL)
_TEXTS = ("ids", "old_ids", "places", "old_places")


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


@dataclass(frozen=True, slots=True)
class Replacements:
    """The memories that supersede a stored one, as columns. Times are in microseconds, NaN where there is none."""

    ids: tuple[str, ...]
    old_ids: tuple[str, ...]
    places: tuple[str, ...]
    old_places: tuple[str, ...]
    rows: NDArray[np.int64]
    old_rows: NDArray[np.int64]
    active: NDArray[np.bool_]
    old_active: NDArray[np.bool_]
    expires: Times
    valid_from: Times
    valid_until: Times
    begun: Times

    def successors(self, now: datetime | None) -> dict[str, str]:
        """By the id of a superseded memory, the id of the one in force that supersedes it, where that one covers its place."""
        if not self.ids:
            return {}
        acts = self.active if now is None else self.active & self._current(micros(now), past=False)
        links = zip(self.ids, self.old_ids, self.places, self.old_places, acts.tolist(), strict=True)
        return successors(
            Replacement(new, old, acting)
            for new, old, over, under, acting in links
            if over == under or (over == _EVERYWHERE and covers(GLOBAL, place_of_text(under)))
        )

    def superseded(self, search: Search) -> NDArray[np.int64]:
        """The rows that a memory in force for this viewer supersedes, directly or through a chain."""
        if not self.ids:
            return NO_ROWS
        open_places = {place_text(place) for place in search.viewer.places()}
        reached = np.fromiter((place in open_places for place in self.places), np.bool_, len(self.places))
        acting = reached & self.active & self._current(round(search.now * 1e6), past=search.past)
        hidden = np.unique(self.old_rows[acting])
        while True:
            acting |= reached & np.isin(self.rows, hidden)
            more = np.unique(self.old_rows[acting])
            if len(more) == len(hidden):
                return hidden
            hidden = more

    def active_places(self, replaced: Iterable[str]) -> list[str]:
        """The places of those of some superseded memories whose stored status is active, one per memory."""
        wanted = set(replaced)
        found = zip(self.old_ids, self.old_places, self.old_active.tolist(), strict=True)
        return list({old: place for old, place, active in found if active and old in wanted}.values())

    def _current(self, now: int, *, past: bool) -> NDArray[np.bool_]:
        # NaN compares false: no bound means no restriction.
        late = (self.expires <= now) | (self.valid_until <= now) | (self.valid_from > now)
        if past:
            late |= np.isnan(self.valid_from) & (self.begun > now)
        return ~late


_NO_TIMES = np.empty(0, np.float64)
_NO_FLAGS = np.empty(0, np.bool_)
NO_REPLACEMENTS = Replacements(
    (), (), (), (), NO_ROWS, NO_ROWS, _NO_FLAGS, _NO_FLAGS, _NO_TIMES, _NO_TIMES, _NO_TIMES, _NO_TIMES
)


def replacements_of_row(row: Sequence[Any]) -> Replacements:
    """The columns of the query `replacements`."""
    if row[0] is None:
        return NO_REPLACEMENTS
    columns: dict[str, Any] = dict(zip(Replacements.__slots__, row, strict=True))
    return Replacements(**(columns | {name: tuple(columns[name]) for name in _TEXTS}))


def heirs_of_rows(rows: Iterable[Sequence[Any]], now: datetime | None) -> dict[str, str]:
    """By the id of a superseded memory, the one in force that supersedes it, from the rows of the query `replacing`."""
    moment = None if now is None else micros(now)
    return successors(
        Replacement(new, old, status == "active" and _in_force(moment, *bounds))
        for new, old, over, under, status, *bounds in rows
        if covers(place_of_text(over), place_of_text(under))
    )


def _in_force(now: int | None, valid_from: int | None, valid_until: int | None, expires_at: int | None) -> bool:
    if now is None:
        return True
    begun = valid_from is None or valid_from <= now
    return begun and all(now < end for end in (valid_until, expires_at) if end is not None)
