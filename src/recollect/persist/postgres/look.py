"""Look: one search over the tables of an account, with the same answers as `persist/index/look.py` has over its arrays.

Two stages always: the legs choose rows under the whole filter, then the columns of those rows are fetched and their words and
cosines worked out exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.persist.index.mask import ACTIVE, SUPERSEDED
from recollect.persist.postgres.columns import Array, Half
from recollect.persist.postgres.facets import no_rows, scoring_columns, words_in
from recollect.persist.postgres.filter import STANDING_ROWS, compile_search, moment, reach, standing_part, window_part
from recollect.persist.postgres.gathering import gathered
from recollect.persist.postgres.legs import (
    Ask,
    Chosen,
    Leg,
    Together,
    all_chosen,
    one_after_the_other,
    places_once,
    text_of,
)
from recollect.persist.postgres.lexical import Scored, scored
from recollect.persist.postgres.link import Facts, Link
from recollect.persist.postgres.nearest import EXACT, Found, leading, nearest
from recollect.persist.postgres.sql import queries
from recollect.persist.postgres.words import Weights, bm25, marks_of, occurrences
from recollect.values.search import IN_WINDOW, STANDING, TALKING, Candidates, Floats, Near, Search
from recollect.values.words import STATUSES

Rows = NDArray[np.int64]
Part = tuple[int, Rows, Rows]
_NO_ROWS = np.empty(0, np.int64)
_LOOKED_AT = 5_000
_EVERY_STATUS = set(STATUSES)
_GATES = ("other scope", "expired or not yet valid", "superseded", "forgotten or archived", "filter")


class Look:
    """An account seen through one search: what it may return is part of every statement."""

    def __init__(self, link: Link, search: Search) -> None:
        self._link, self._search = link, search
        self._superseded = link.superseded(search)
        self._filter = compile_search(search, link.account_id, self._superseded)

    def set_out(self, facts: Facts) -> Together:
        """The legs of this search; the facts choose the way, and may be of a moment ago."""
        link, search, under = self._link, self._search, self._filter
        return Together(
            [
                scored(link, search, under, facts),
                leading(link, under, facts, search.vector, search.depth),
                self._part(window_part(search.windows, under.values), IN_WINDOW),
                self._part(STANDING_ROWS if search.standing else None, STANDING),
            ]
        )

    def candidates(self, rows: Sequence[int], legs: Together | None = None) -> Candidates:
        """The rows worth scoring, and some that are asked for by number; with legs that have set out already."""
        link, search, under, facts = self._link, self._search, self._filter, self._link.facts(self._search)
        (asked, worded), near, window, standing = (legs or self.set_out(facts)).to_the_end(link)
        if near.passing is not None:
            link.counted(search, near.passing)
        best = [worded.best(search.depth), near.chosen]
        parts = [*_brought(window, IN_WINDOW, worded), *_brought(standing, STANDING, worded)]
        chosen = all_chosen([*best, *parts, Chosen(np.array(rows, np.int64))])
        talking = one_after_the_other([leg.first(TALKING) for leg in best])
        found = gathered(link, search, under, chosen, talking, near.measured, named=bool(rows))
        return self._answer(facts, asked, found, chosen.rows, window[0])

    def near(self, vectors: Sequence[Floats]) -> list[Near]:
        """The nearest rows of each of several vectors."""
        facts = self._link.roughly(self._search)
        return self.found([nearest(self._link, self._filter, facts, vector, self._search.depth) for vector in vectors])

    def found(self, legs: Sequence[Leg[Found]]) -> list[Near]:
        """What some legs lead to."""
        found: list[Found] = Together(legs).to_the_end(self._link)
        return [Near(one.rows, one.cosine, self._standing(one.rows, one.status)) for one in found]

    def holding(self, phrases: Sequence[Sequence[str]], most: int) -> list[list[int]]:
        """For each phrase, the visible rows that hold all its words; none when they are more than `most`."""
        marks = [marks_of(self._link.account_id, phrase) for phrase in phrases]
        counts = self._link.memories_of(np.concatenate([np.empty(0, np.int32), *marks]))
        parts = np.split(counts, np.cumsum([len(part) for part in marks])[:-1])
        few = [
            number
            for number, part in enumerate(parts)
            if len(part) and 0 < part.min() <= max(50, 5 * most)
        ]  # fmt: skip
        if not few:
            return [[] for _ in phrases]
        values = {
            "phrases": np.repeat(np.array(few, np.int32), [len(marks[number]) for number in few]),
            "marks": np.concatenate([marks[number] for number in few]),
            "most": most + 1,
        }
        phrase, rows, shown = self._row("holding", values)
        return [_held(number, phrase, rows, shown, most) for number in range(len(phrases))]

    def among(self, rows: Sequence[int]) -> list[int]:
        """Those of some rows that may be returned, in the same order."""
        if not rows:
            return []
        (found,) = self._row("among", {"rows": np.array(rows, np.int64)})
        seen = set() if found is None else set(found.tolist())
        return [row for row in rows if row in seen]

    def standing(self, deliveries: Sequence[str], types: Sequence[str], since: float | None, limit: int) -> list[int]:
        """Visible rows by how they stand: the most important first, or from a time on the latest first."""
        values: dict[str, Any] = {"limit": limit}
        part = standing_part(deliveries, types, values)
        if since is not None:
            values["from"] = moment(since)
        statement = queries("search.sql")["standing" if since is None else "latest"].replace("{part}", part)
        found = self._link.connection.ask(self._filter.into(statement), {**self._filter.values, **values})
        return [row for (row,) in found]

    def _part(self, part: str | None, count: int) -> Leg[Part]:
        """How many rows pass a further condition, the nearest of them, and all as far as they were looked at."""
        if part is None:
            return 0, _NO_ROWS, _NO_ROWS
        vector = self._search.vector
        values = {**self._filter.values, "model": self._link.model, "count": count, "looked_at": _LOOKED_AT}
        if vector is not None:
            values["half"] = Half(vector)
        statement = text_of("in_part_unmeasured" if vector is None else "in_part").replace("{part}", part)
        total, first, rows = yield Ask(self._filter.into(statement), values)
        return (total, _NO_ROWS, _NO_ROWS) if rows is None else (total, first, rows)

    def _answer(
        self, facts: Facts, asked: Weights, found: Mapping[str, Array] | None, chosen: Rows, inside: int
    ) -> Candidates:
        search = self._search
        visible, hidden = self._counts(facts)
        mean = (
            float(facts.mean @ search.vector)
            if search.mean and search.vector is not None and facts.mean is not None
            else 0.0
        )
        whole: dict[str, Any] = {
            "considered": facts.considered, "visible": visible, "hidden": hidden, "idf": asked.idf, "mean_cosine": mean,
            "mean_length": asked.mean_length, "in_window": inside,
        }  # fmt: skip
        if found is None:
            empty = np.empty(0, np.float32)
            matches = np.zeros((0, len(asked.marks)), np.uint8)
            return Candidates(
                _NO_ROWS, empty, empty, matches, empty.astype(np.bool_), scoring_columns(no_rows(), ()), **whole
            )
        counts = occurrences(asked.marks, words_in(found["words"]), found["length"])  # type: ignore[arg-type]
        scores = bm25(asked, counts, found["length"])
        order = places_once(found["row"])
        taken = {name: part[order] for name, part in found.items() if name != "words"}
        rows = taken["row"]
        selected = chosen[np.searchsorted(chosen[:-1], rows)] == rows
        columns = scoring_columns(taken, search.seasons, self._standing(rows, taken["facets"]["status"]))
        return Candidates(rows, taken["cosine"], scores[order], counts[order], selected, columns, **whole)

    def _counts(self, facts: Facts) -> tuple[int, tuple[tuple[str, int], ...]]:
        """How many rows pass, and how many each gate holds back.

        Counted when asked to explain, on the way to the nearest, and while it costs next to nothing; else, and for whoever
        looks at every status, as many as live in the places reached.
        """
        link, search, under = self._link, self._search, self._filter
        if search.explain:
            statement = queries("search.sql")["held_back"].replace("{current}", under.current)
            statement = statement.replace("{narrowed}", under.narrowed)
            values: dict[str, Any] = {"replaced": self._superseded}
            statement = statement.replace("{reach}", reach(search.viewer.identity, values))
            *held, visible = self._row("held_back", values, statement)
            return visible, tuple(zip(_GATES, held, strict=True))
        visible = link.counted(search)
        if visible is None and facts.memories <= EXACT and set(search.filter.statuses) != _EVERY_STATUS:
            visible = link.counted(search, self._row("allowed", {})[0])
        return facts.memories if visible is None else visible, ()

    def _standing(self, rows: Rows, status: Array) -> NDArray[np.uint8]:
        if len(self._superseded) == 0:
            return status.astype(np.uint8)
        replaced = np.isin(rows, self._superseded) & (status == ACTIVE)
        return np.where(replaced, SUPERSEDED, status).astype(np.uint8)

    def _row(self, name: str, values: dict[str, Any], statement: str | None = None) -> Any:
        text = queries("search.sql")[name] if statement is None else statement
        return self._link.row(name, {**self._filter.values, **values}, self._filter.into(text))


def _brought(part: Part, count: int, worded: Scored) -> list[Chosen]:
    """The rows a part brings: all, or the nearest and the wordiest."""
    total, first, rows = part
    return [Chosen(rows)] if total <= count else [Chosen(first), worded.within(rows).best(count)]


def _held(number: int, phrase: Array | None, rows: Array, shown: Array, most: int) -> list[int]:
    if phrase is None:
        return []
    own = phrase == number
    return np.sort(rows[own & shown]).tolist() if np.count_nonzero(own) <= most else []
