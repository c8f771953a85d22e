"""MaskCache: which rows of an index a search may return, worked out before anything is selected, never after.

The rule is that of `store/visibility.py`, evaluated over the columns of an index.
A row is superseded when some memory that replaces it,
directly or through a chain, is in force *for this viewer*: visible, active, not expired, valid now. So a project's
override leaves the global rule alone elsewhere, and an expired superseder gives its target back.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.typing import NDArray

from recollect.store.index.columns import ColumnSlice, ColumnTable, InternedNames
from recollect.store.visibility import SUPERSEDED as IS_SUPERSEDED
from recollect.store.visibility import AllOf, LookedUp, ReachedBy, evaluate, search_rule
from recollect.values.enums import MEMORY_TYPES, PROVENANCE_KINDS, SCOPES, STATUSES
from recollect.values.scope import Place
from recollect.values.search import Search

Mask = NDArray[np.bool_]
Spots = NDArray[np.intp]
Where = Callable[[], Mapping[int, int]]
DEAD = 255
ACTIVE = STATUSES.index("active")
SUPERSEDED = STATUSES.index("superseded")


# The rows of the store that a condition holds for, of those from a row number on.
LookUp = Callable[[LookedUp, int], Sequence[int]]
_WORDS = {"type": MEMORY_TYPES, "scope": SCOPES, "source": PROVENANCE_KINDS, "status": STATUSES}


@dataclass(frozen=True, slots=True)
class BeyondColumns:
    """What no column tells: in which row of the index a stored memory is, and for which rows the store says a condition holds."""

    where: Where
    look_up: LookUp


class MaskColumns:
    """The columns of one index, or of its last rows, as the visibility rule asks for them."""

    def __init__(self, table: ColumnSlice, names: InternedNames, look_up: LookUp) -> None:
        self.table, self.names, self.size, self._look_up = table, names, table.size, look_up
        self.known: dict[int, Mask] = {}

    def times(self, name: str) -> NDArray[np.float64]:
        if name == "begun":
            return _first_set(self.table["occurred"], self.table["created"])
        if name == "started":
            return _first_set(self.table["valid_from"], self.times("begun"))
        return self.table[name]

    def one_of(self, name: str, values: Iterable[str]) -> Mask:
        if name in _WORDS:
            return one_of(self.table[name], values, _WORDS[name])
        found = np.zeros(self.size, np.bool_)
        for value in values:
            found |= self.table[name] == self.names.strings.seen(value)
        return found

    def by_place(self, opens: Callable[[Place], bool]) -> Mask:
        """Rows by where they are; each place is asked about once, or each row where those are fewer."""
        known, places = cast(list[Place], self.names.places.known), self.table["place"]
        if self.size < len(known):
            within = np.array([opens(known[number]) for number in places.tolist()], np.bool_)
        else:
            within = np.array([opens(place) for place in known], np.bool_).take(places)
        return np.asarray(within & (self.table["status"] != DEAD))

    def trust(self) -> NDArray[np.float32]:
        return self.table["trust"]

    def looked_up(self, condition: LookedUp) -> Mask:
        rows = self.table["row"]
        found = self._look_up(condition, int(rows.min())) if self.size else ()
        return np.isin(rows, np.array(found, np.int64))

    def in_force(self, reached: Mask, current: Mask) -> Mask:
        """Rows that may supersede others."""
        return np.asarray(reached & current & (self.table["status"] == ACTIVE))


def _first_set(times: NDArray[np.float64], otherwise: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.isnan(times), otherwise, times)


def superseded(replacements: tuple[Spots, Spots], in_force: Mask, reached: Mask) -> Mask:
    """Rows that a memory in force replaces, directly or through a chain."""
    sources, targets = replacements
    hidden = np.zeros(len(in_force), np.bool_)
    while len(sources):
        acting = in_force[sources] | (hidden[sources] & reached[sources])
        fresh = targets[acting & ~hidden[targets]]
        if len(fresh) == 0:
            break
        hidden[fresh] = True
    return hidden


@dataclass(frozen=True, slots=True)
class VisibleRows:
    """The rows a search may return, those of them with a vector, those of all that are superseded; how many there are."""

    allowed: Mask
    embedded: Mask
    superseded: Mask
    considered: int
    visible: int
    comparable: int
    left_out: dict[str, int] = field(default_factory=dict)

    def extended(self, more: VisibleRows) -> VisibleRows:
        """The same with what was decided about later rows; done once, since the arrays grow in place."""
        return VisibleRows(
            _longer(self.allowed, more.allowed),
            _longer(self.embedded, more.embedded),
            _longer(self.superseded, more.superseded),
            self.considered + more.considered,
            self.visible + more.visible,
            self.comparable + more.comparable,
        )


def compose(columns: MaskColumns, search: Search, replacements: tuple[Spots, Spots]) -> VisibleRows:
    """Decide which rows a search may return, by the one rule of visibility."""
    rule, status = search_rule(search), columns.table["status"]
    counted = evaluate(ReachedBy(search.viewer.identity), columns)
    reached = columns.known[id(rule.reached)] = evaluate(rule.reached, columns)
    current = columns.known[id(rule.current)] = evaluate(rule.current, columns)
    hidden = superseded(replacements, columns.in_force(reached, current), reached)
    columns.known[id(IS_SUPERSEDED)] = hidden
    allowed = evaluate(AllOf((rule.reached, rule.status, *rule.filters)), columns)
    left_out: dict[str, int] = {}
    if search.explain:
        left_out = {
            "other scope": _count(counted & ~reached),
            "expired or not yet valid": _count(reached & ~current),
            "superseded": _count(reached & current & hidden),
            "forgotten or archived": _count(reached & (status > SUPERSEDED) & (status != DEAD)),
            "filter": _count(reached & ~evaluate(AllOf(rule.filters), columns)),
        }
    embedded = allowed & (columns.table["vectors"] > 0)
    sizes = (_count(counted), _count(allowed), _count(embedded))
    return VisibleRows(allowed, embedded, hidden & (status == ACTIVE), *sizes, left_out)


def _longer(mask: Mask, more: Mask) -> Mask:
    """A mask with more after it. It is a view of an array with room, so that one row more does not copy all the others."""
    size, room = len(mask) + len(more), mask.base
    if room is None or len(room) < size:
        room = np.empty(size + size // 8 + 64, np.bool_)
        room[: len(mask)] = mask
    room[len(mask) : size] = more
    return room[:size]


def _count(mask: Mask) -> int:
    return int(np.count_nonzero(mask))


def one_of(codes: NDArray[np.uint8], wanted: Iterable[str], words: Sequence[str]) -> Mask:
    """Rows whose code stands for one of some words. By looking each code up, a fraction of what `np.isin` takes."""
    chosen = np.zeros(256, np.bool_)
    chosen[[words.index(word) for word in wanted]] = True
    return chosen.take(codes)


_REMEMBERED = 16


@dataclass(frozen=True, slots=True)
class _CachedMask:
    """What was decided, for how many rows, and the span of time in which it stays true."""

    since: float
    until: float
    size: int
    gates: VisibleRows


class MaskCache:
    """The masks of one index. It knows the columns only: holding the index as well would keep both alive after their use."""

    def __init__(self, table: ColumnTable, names: InternedNames) -> None:
        self._table, self._names = table, names
        self._kept: OrderedDict[object, _CachedMask] = OrderedDict()

    def forget(self) -> None:
        """A row changed in place: nothing that was decided can be trusted."""
        self._kept.clear()

    def of(self, search: Search, beyond: BeyondColumns) -> VisibleRows:
        """The decisions for one search; `beyond` tells what no column does."""
        viewer = search.viewer
        reached = viewer.identity if viewer.everywhere else viewer.places()
        key = (reached, search.filter, search.explain, search.past)
        kept = self._kept.get(key)
        if kept is None or search.past or not kept.since <= search.now < kept.until:
            kept = self._decided(search, beyond)
        elif kept.size < self._table.size:
            kept = self._extended(search, kept, beyond)
        self._kept[key] = kept
        if len(self._kept) > _REMEMBERED:
            self._kept.popitem(last=False)
        return kept.gates

    def _decided(self, search: Search, beyond: BeyondColumns) -> _CachedMask:
        whole = ColumnSlice(self._table, 0)
        gates = compose(MaskColumns(whole, self._names, beyond.look_up), search, self._replacements(beyond.where))
        return _CachedMask(search.now, _next_turning(whole, search.now), self._table.size, gates)

    def _extended(self, search: Search, kept: _CachedMask, beyond: BeyondColumns) -> _CachedMask:
        tail = ColumnSlice(self._table, kept.size)
        if search.explain or tail["supersedes"].any():
            return self._decided(search, beyond)
        none = np.empty(0, np.intp)
        more = compose(MaskColumns(tail, self._names, beyond.look_up), search, (none, none))
        until = min(kept.until, _next_turning(tail, search.now))
        return _CachedMask(kept.since, until, self._table.size, kept.gates.extended(more))

    def _replacements(self, where: Where) -> tuple[Spots, Spots]:
        """Which rows replace which, as two columns of row numbers."""
        sources = np.flatnonzero((self._table["supersedes"] != 0) & (self._table["status"] != DEAD))
        if len(sources) == 0:
            return sources, sources
        spots = where()
        found = np.array([spots.get(row, -1) for row in self._table["supersedes"][sources].tolist()], np.intp)
        return sources[found >= 0], found[found >= 0]


def _next_turning(table: ColumnSlice, now: float) -> float:
    """When the first memory after `now` expires or begins or ceases to hold."""
    times = [table[name] for name in ("expires", "valid_until", "valid_from")]
    ahead = [later for part in times if len(later := part[part > now])]
    return min((float(later.min()) for later in ahead), default=np.inf)
