"""Mask: which rows of an index a search may return, worked out before anything is selected, never after.

Scope, status, time and supersession are all decided here. A row is superseded when some memory that replaces it,
directly or through a chain, is in force *for this viewer*: visible, active, not expired, valid now. So a project's
override leaves the global rule alone elsewhere, and an expired superseder gives its target back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import cast

import numpy as np
from numpy.typing import NDArray

from recollect.persist.index.growing import Part
from recollect.persist.index.rows import Names
from recollect.values.filter import Filter
from recollect.values.scope import Place, reaches
from recollect.values.search import Search
from recollect.values.words import MEMORY_TYPES, PROVENANCE_KINDS, SCOPES, STATUSES

Mask = NDArray[np.bool_]
Spots = NDArray[np.intp]
DEAD = 255
ACTIVE = STATUSES.index("active")
SUPERSEDED = STATUSES.index("superseded")


class Gates:
    """The masks of one search over one table, each computed once."""

    def __init__(self, table: Part, names: Names, search: Search, replacements: tuple[Spots, Spots]) -> None:
        self.table, self.names, self.search = table, names, search
        self.replacing, self.replaced = replacements
        self._alive: Mask = table["status"] != DEAD

    def reached(self) -> Mask:
        """Rows in a place the viewer reaches."""
        return self._by_place(self.search.viewer.places().__contains__)

    def counted(self) -> Mask:
        """Rows the identity reaches, wherever it stands: what lies behind a wall is not even counted."""
        return self._by_place(partial(reaches, self.search.viewer.identity))

    def _by_place(self, opens: Callable[[Place], bool]) -> Mask:
        """Rows by where they are; each place is asked about once, or each row where those are fewer."""
        known, places = cast(list[Place], self.names.places.known), self.table["place"]
        if self.table.size < len(known):
            within = np.array([opens(known[number]) for number in places.tolist()], np.bool_)
        else:
            within = np.array([opens(place) for place in known], np.bool_).take(places)
        return np.asarray(within & self._alive)

    def current(self) -> Mask:
        """Rows that are neither expired nor outside the time they hold for."""
        now = self.search.now
        # NaN compares false: no bound means no restriction.
        late: Mask = (
            (self.table["expires"] <= now) | (self.table["valid_until"] <= now) | (self.table["valid_from"] > now)
        )
        if self.search.past:
            late |= np.isnan(self.table["valid_from"]) & (self._begun() > now)
        return ~late

    def _begun(self) -> NDArray[np.float64]:
        """When each memory happened, or else was stored."""
        occurred = self.table["occurred"]
        return np.where(np.isnan(occurred), self.table["created"], occurred)

    def superseded(self, reached: Mask, current: Mask) -> Mask:
        """Rows that a memory in force replaces, directly or through a chain."""
        hidden = np.zeros(self.table.size, np.bool_)
        sources, targets = self.replacing, self.replaced
        if len(sources) == 0:
            return hidden
        in_force = reached & current & (self.table["status"] == ACTIVE)
        while True:
            acting = in_force[sources] | (hidden[sources] & reached[sources])
            fresh = targets[acting & ~hidden[targets]]
            if len(fresh) == 0:
                return hidden
            hidden[fresh] = True

    def wanted(self, wanted: Filter) -> Mask | None:
        """Rows that pass the caller's own conditions; None when there are none."""
        masks: list[Mask] = []
        for name, values, words in (
            ("type", wanted.types, MEMORY_TYPES),
            ("scope", wanted.scopes, SCOPES),
            ("source", wanted.sources, PROVENANCE_KINDS),
        ):
            if values:
                masks.append(one_of(self.table[name], values, words))
        for name, value in (("project", wanted.project), ("session", wanted.session)):
            if value is not None:
                masks.append(np.asarray(self.table[name] == self.names.strings.seen(value)))
        for name in wanted.without:
            masks.append(np.asarray(self.table["project"] != self.names.strings.seen(name)))
        if wanted.since is not None:
            masks.append(self._begun() >= wanted.since.timestamp())
        if wanted.until is not None:
            masks.append(self._begun() < wanted.until.timestamp())
        if wanted.min_trust > 0:
            masks.append(np.asarray(self.table["trust"] >= wanted.min_trust))
        return np.logical_and.reduce(masks) if masks else None


@dataclass(frozen=True, slots=True)
class Composed:
    """The rows a search may return, those of them with a vector, those of all that are superseded; how many there are."""

    allowed: Mask
    embedded: Mask
    superseded: Mask
    considered: int
    visible: int
    comparable: int
    held: dict[str, int] = field(default_factory=dict)

    def narrowed(self, passed: Mask) -> Composed:
        """The same under one more condition."""
        allowed, embedded = self.allowed & passed, self.embedded & passed
        return replace(self, allowed=allowed, embedded=embedded, visible=_count(allowed), comparable=_count(embedded))

    def extended(self, more: Composed) -> Composed:
        """The same with what was decided about later rows; done once, since the arrays grow in place."""
        return Composed(
            _longer(self.allowed, more.allowed),
            _longer(self.embedded, more.embedded),
            _longer(self.superseded, more.superseded),
            self.considered + more.considered,
            self.visible + more.visible,
            self.comparable + more.comparable,
        )


def compose(gates: Gates, wanted: Filter) -> Composed:
    """Decide every gate of a search."""
    counted, reached, current = gates.counted(), gates.reached(), gates.current()
    status = gates.table["status"]
    active = status == ACTIVE
    superseded = gates.superseded(reached, current)
    replaced = superseded & active
    statuses = set(wanted.statuses)
    named = one_of(status, statuses, STATUSES)
    if "superseded" in statuses:
        named |= replaced
    allowed = reached & named
    if "active" in statuses and "superseded" not in statuses:
        allowed &= ~replaced
    allowed &= current | ~active
    mine = gates.wanted(wanted)
    if mine is not None:
        allowed &= mine
    held: dict[str, int] = {}
    if gates.search.explain:
        held = {
            "other scope": int((counted & ~reached).sum()),
            "expired or not yet valid": int((reached & ~current).sum()),
            "superseded": int((reached & current & superseded).sum()),
            "forgotten or archived": int((reached & (status > SUPERSEDED) & (status != DEAD)).sum()),
            "filter": 0 if mine is None else int((reached & ~mine).sum()),
        }
    embedded = allowed & (gates.table["vectors"] > 0)
    sizes = (_count(counted), _count(allowed), _count(embedded))
    return Composed(allowed, embedded, replaced, *sizes, held)


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
