"""Replacements: who supersedes whom in one account, and from that, at any moment and for any viewer, what is superseded.

Read once for as long as nothing changed; the rule itself is worked out here, as `persist/index/mask.py` does it on its table.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from recollect.persist.postgres.filter import moment
from recollect.persist.postgres.places import place_of_text, place_text
from recollect.persist.postgres.sql import queries
from recollect.values.scope import GLOBAL
from recollect.values.search import Search
from recollect.values.supersession import Replacement, covers, heirs

if TYPE_CHECKING:
    from recollect.persist.postgres.wire import Wire

Times = NDArray[np.float64]
NO_ROWS = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Replacements:
    """Columns of the memories that name one they supersede, where that one is stored. Times in microseconds, NaN: none."""

    ids: tuple[str, ...]
    old_ids: tuple[str, ...]
    places: tuple[str, ...]
    old_places: tuple[str, ...]
    rows: NDArray[np.int64]
    old_rows: NDArray[np.int64]
    active: NDArray[np.bool_]
    expires: Times
    valid_from: Times
    valid_until: Times
    begun: Times

    def heirs(self, now: datetime | None) -> dict[str, str]:
        """By the id of a replaced memory, that of the one in force that replaces it where it covers it."""
        if not self.ids:
            return {}
        acts = self.active if now is None else self.active & self._current(moment(now.timestamp()), past=False)
        links = zip(self.ids, self.old_ids, self.places, self.old_places, acts.tolist(), strict=True)
        return heirs(
            Replacement(new, old, acting)
            for new, old, over, under, acting in links
            if over == under or (over == _EVERYWHERE and covers(GLOBAL, place_of_text(under)))
        )

    def superseded(self, search: Search) -> NDArray[np.int64]:
        """The rows that a memory in force for this viewer replaces, directly or through a chain."""
        if not self.ids:
            return NO_ROWS
        open_places = {place_text(place) for place in search.viewer.places()}
        reached = np.fromiter((place in open_places for place in self.places), np.bool_, len(self.places))
        acting = reached & self.active & self._current(moment(search.now), past=search.past)
        hidden = np.unique(self.old_rows[acting])
        while True:
            acting |= reached & np.isin(self.rows, hidden)
            more = np.unique(self.old_rows[acting])
            if len(more) == len(hidden):
                return hidden
            hidden = more

    def _current(self, now: int, *, past: bool) -> NDArray[np.bool_]:
        # NaN compares false: no bound means no restriction.
        late = (self.expires <= now) | (self.valid_until <= now) | (self.valid_from > now)
        if past:
            late |= np.isnan(self.valid_from) & (self.begun > now)
        return ~late


_EVERYWHERE = place_text(GLOBAL)


def replacements(connection: Wire, account_id: int) -> Replacements:
    """Read them."""
    (found,) = connection.ask(queries("search.sql")["replacements"], {"account_id": account_id})
    if found[0] is None:
        none = np.empty(0, np.float64)
        return Replacements((), (), (), (), NO_ROWS, NO_ROWS, none.astype(np.bool_), none, none, none, none)
    columns: dict[str, Any] = dict(zip(Replacements.__slots__, found, strict=True))
    columns |= {name: tuple(columns[name]) for name in ("ids", "old_ids", "places", "old_places")}
    return Replacements(**columns)
