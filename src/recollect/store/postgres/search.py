"""One search over the tables of an account, with the same answers as the index of the file back end.

Two stages: retrievers choose rows under the whole filter, all in one round trip; then the columns of those rows are read, and their
terms and similarities are computed exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.store.index.visibility_mask import ACTIVE, SUPERSEDED
from recollect.store.postgres.account import AccountView, Facts, Known, Plan
from recollect.store.postgres.connections import Rows, Statement
from recollect.store.postgres.retrievers import (
    EXACT,
    NO_ROWS,
    NO_SCORES,
    NOTHING_NEAR,
    Nearest,
    RowNumbers,
    Scored,
    Way,
    Weights,
    bm25,
    candidates_statements,
    first_places,
    gate_of,
    is_plain,
    likely_count,
    looks_for_terms,
    nearest_statements,
    occurrences,
    read_candidates,
    read_columns,
    read_nearest,
    read_terms,
    search_query,
    terms_statement,
    ways_to_candidates,
    ways_to_nearest,
    weights_only,
)
from recollect.store.postgres.rows import marks_of, no_rows, scoring_columns, words_in
from recollect.store.postgres.sql import Array, HalfVector, queries
from recollect.store.postgres.visibility import (
    STANDING_ROWS,
    compile_search,
    delivery_part,
    reach,
    window_part,
)
from recollect.store.visibility import Compiled, moment
from recollect.values.enums import STATUSES
from recollect.values.search import IN_WINDOW, STANDING, TALKING, Candidates, DeliveryQuery, Floats, Near, Search

# How many rows pass a further condition, the nearest of them, and all as far as they were looked at.
Part = tuple[int, RowNumbers, RowNumbers]
_NO_PART: Part = (0, NO_ROWS, NO_ROWS)
_LOOKED_AT = 5_000
_EVERY_STATUS = set(STATUSES)
# The queries for edges that lead to memories, with their columns.
_LINK = ("source", "target", "relation", "weight")
_EDGE_COLUMNS = {
    "links_from": _LINK,
    "links_to": _LINK,
    "supersedes_from": _LINK[:2],
    "supersedes_to": _LINK[:2],
    "tag_members": ("target",),
    "cluster_members": ("target",),
}
_NO_HOLDERS = np.empty(0, np.int64)
_GATES = ("other scope", "expired or not yet valid", "superseded", "forgotten or archived", "filter")


class TableSearch:
    """One search in one account."""

    def __init__(self, view: AccountView, search: Search) -> None:
        self._view, self._search = view, search

    def candidates(self) -> Candidates:
        """The rows worth scoring, and some that are asked for by number."""
        return self.candidates_with()[0]

    def candidates_with(self, *more: Statement) -> tuple[Candidates, list[Rows]]:
        """The same, and the rows of statements that are sent together with its last; none where there are no candidates."""
        found: Retrieved = self._view.run_plan(self._search, self._candidates_plan)
        return found.candidates(*more)

    def near(self, vectors: Sequence[Floats]) -> list[Near]:
        """The nearest rows of each of several vectors."""
        found: list[Near] = self._view.run_plan(
            self._search, lambda known: self._near_plan(known, vectors), roughly=True
        )
        return found

    def neighbours(
        self, vectors: Sequence[Floats], phrases: Sequence[Sequence[str]], most: int
    ) -> tuple[list[Near], list[list[int]]]:
        """The nearest rows of each vector, and the active rows that have all terms of each phrase."""
        values = self._phrase_values(phrases, most)
        active = TableSearch(self._view, self._search.among_active())

        def plan(known: Known) -> Plan:
            near = self._near_plan(known, vectors)
            if values is None:
                return replace(near, read=lambda found: (near.read(found), [[] for _ in phrases]))
            under, superseded = active._compiled(known)
            holding = Statement(under.into(search_query("holding")), {**under.values, **values})
            return Plan(
                (near.key, _key(under, superseded)),
                [*near.statements, holding],
                lambda found: (near.read(found[:-1]), _rows_of_phrases(len(phrases), found[-1], most)),
            )

        both: tuple[list[Near], list[list[int]]] = self._view.run_plan(self._search, plan, roughly=True)
        return both

    def rows_with_terms(self, phrases: Sequence[Sequence[str]], most: int) -> list[list[int]]:
        """For each phrase, the visible rows that have all its terms; none when they are more than `most`."""
        values = self._phrase_values(phrases, most)
        if values is None:
            return [[] for _ in phrases]
        (found,) = self._filtered((search_query("holding"), values))
        return _rows_of_phrases(len(phrases), found, most)

    def filter_visible(self, rows: Sequence[int]) -> list[int]:
        """Those of some rows that may be returned, in the same order."""
        if not rows:
            return []
        (((found,),),) = self._filtered((search_query("among"), {"rows": np.array(rows, np.int64)}))
        seen = set() if found is None else set(found.tolist())
        return [row for row in rows if row in seen]

    def visible_memories(self, rows: Sequence[int]) -> Rows:
        """Those of some rows that may be returned, with all columns of a memory."""
        if not rows:
            return []
        statement = f"{queries()['find_memories']} {{where}} AND {search_query('chosen')}"
        return self._filtered((statement, {"rows": np.array(rows, np.int64)}))[0]

    def rows_by_delivery(self, wanted: Sequence[DeliveryQuery], columns: str) -> list[Rows]:
        """Some columns of the rows of several lists, in one round trip."""
        asked = [_delivery_statement(query, columns) for query in wanted if query.rows is None or query.rows]
        found = iter(self._filtered(*asked) if asked else ())
        return [[] if query.rows == () else next(found) for query in wanted]

    def graph_rows(self, asked: Sequence[tuple[str, dict[str, Any]]]) -> tuple[list[Rows], set[int]]:
        """The rows of some queries for edges, and those of the memories they lead to that may be shown; in one round trip."""
        if not asked:
            return [], set()
        statements = [(_with_visibility(name), values) for name, values in asked]
        found, visible = [], set[int]()
        for (name, _), rows in zip(asked, self._filtered(*statements), strict=True):
            if name in _EDGE_COLUMNS:
                target = _EDGE_COLUMNS[name].index("target")
                visible |= {row[target] for row in rows if row[-1]}
                rows = [row[:-1] for row in rows]
            found.append(rows)
        return found, visible

    def _filtered(self, *asked: tuple[str, dict[str, Any]]) -> list[Rows]:
        """The rows of each of some statements under the filter of this search."""

        def plan(known: Known) -> Plan:
            under, superseded = self._compiled(known)
            statements = [Statement(under.into(text), {**under.values, **values}) for text, values in asked]
            return Plan(_key(under, superseded), statements, list)

        found: list[Rows] = self._view.run_plan(self._search, plan)
        return found

    def _phrase_values(self, phrases: Sequence[Sequence[str]], most: int) -> dict[str, Any] | None:
        """The values of the query for the rows with the terms of some phrases; None when no phrase has any."""
        marks = [marks_of(self._view.account_id, phrase) for phrase in phrases]
        if not any(len(part) for part in marks):
            return None
        return {
            "phrases": np.repeat(np.arange(len(phrases), dtype=np.int32), [len(part) for part in marks]),
            "marks": np.concatenate(marks),
            "most": most + 1,
            # A phrase whose rarest term is in more memories than that is no name.
            "rarest": max(50, 5 * most),
        }

    def _holders_statement(self, under: Compiled) -> Statement | None:
        """The visible rows with each term of the search, where it asks how many they are."""
        search = self._search
        phrases = [(term,) for term in search.terms] if search.holders else []
        values = self._phrase_values(phrases, search.holders)
        return None if values is None else Statement(under.into(search_query("holding")), {**under.values, **values})

    def _every_statement(self, under: Compiled) -> Statement | None:
        """All rows that pass, where the search asks for them; one more than it wants shows that they are too many."""
        most = self._search.every
        return Statement(under.into(search_query("every")), {**under.values, "most": most + 1}) if most else None

    def _compiled(self, known: Known) -> tuple[Compiled, RowNumbers]:
        superseded = known.replacements.superseded(self._search)
        return compile_search(self._search, self._view.account_id, superseded), superseded

    def _candidates_plan(self, known: Known) -> Plan:
        """The statements of all retrievers, in one round trip."""
        view, search, facts = self._view, self._search, known.facts
        under, superseded = self._compiled(known)
        plain, gate = is_plain(search, under, superseded), gate_of(facts)
        ways = ways_to_candidates(facts, under, search)
        by_terms = looks_for_terms(search)
        window = window_part(search.windows, under.values)
        statements = [terms_statement(view.account_id, search, under, plain=plain, gate=gate)] if by_terms else []
        statements += candidates_statements(ways[0], view, under, facts, search) if ways else []
        dense = len(statements) - 1
        parts = [(window, IN_WINDOW), (STANDING_ROWS if search.standing else None, STANDING)]
        asked = [self._part_statement(under, part, count) for part, count in parts if part is not None]
        counting, holding = self._counting_statement(known, under, superseded, ways), self._holders_statement(under)
        every = self._every_statement(under)
        last = [statement for statement in (counting, holding, every) if statement is not None]

        def read(found: Sequence[Rows]) -> Retrieved:
            terms = read_terms(view, search, facts, superseded, found[0][0]) if by_terms else None
            near = self._nearest(ways, under, facts, found[dense]) if ways else NOTHING_NEAR
            told = iter(found[len(statements) :])
            first, second = (_NO_PART if part is None else _part(next(told)) for part, _ in parts)
            asked_for, scored = terms or (weights_only(view, search, facts), NO_SCORES)
            counts = next(told)[0] if counting else None
            holders = _count_holders(search, next(told)) if holding else _NO_HOLDERS
            passing = next(told)[0][0] if every else None
            return Retrieved(
                view, search, under, facts, superseded, asked_for, scored, near, first, second, counts, holders, passing
            )

        key = (*_key(under, superseded), plain, gate, ways, likely_count(facts, search.depth))
        return Plan((*key, counting is None), [*statements, *asked, *last], read)

    def _counting_statement(
        self, known: Known, under: Compiled, superseded: RowNumbers, ways: Sequence[Way]
    ) -> Statement | None:
        """How many rows pass, and to explain how many each gate holds back; only while it costs next to nothing."""
        search = self._search
        if search.explain:
            values: dict[str, Any] = {**under.values, "replaced": superseded}
            text = search_query("held_back").replace("{current}", under.current).replace("{narrowed}", under.narrowed)
            return Statement(under.into(text.replace("{reach}", reach(search.viewer.identity, values))), values)
        measured = bool(ways) and ways[0] in ("exact", "limited")
        few = known.facts.memories <= EXACT and set(search.filter.statuses) != _EVERY_STATUS
        if measured or not few or self._view.passing(search) is not None:
            return None
        return Statement(under.into(search_query("allowed")), under.values)

    def _nearest(self, ways: Sequence[Way], under: Compiled, facts: Facts, found: Rows) -> Nearest:
        """What the first way found; where it cannot answer, the others are tried one after the other."""
        nearest = read_candidates(ways[0], facts, self._search.depth, found)
        for way in ways[1:]:
            if nearest is not None:
                break
            rows = self._view.run(*candidates_statements(way, self._view, under, facts, self._search))[-1]
            nearest = read_candidates(way, facts, self._search.depth, rows)
        assert nearest is not None, "the last way always answers"
        return nearest

    def _part_statement(self, under: Compiled, part: str, count: int) -> Statement:
        """The rows that pass a further condition."""
        vector = self._search.vector
        values = {**under.values, "model": self._view.model, "count": count, "looked_at": _LOOKED_AT}
        if vector is not None:
            values["half"] = HalfVector(vector)
        text = search_query("in_part_unmeasured" if vector is None else "in_part").replace("{part}", part)
        return Statement(under.into(text), values)

    def _near_plan(self, known: Known, vectors: Sequence[Floats]) -> Plan:
        view, depth, facts = self._view, self._search.depth, known.facts
        under, superseded = self._compiled(known)
        ways = ways_to_nearest(facts, under, depth)
        asked = [nearest_statements(ways[0], view, under, vector, depth) if ways else [] for vector in vectors]
        ends = np.cumsum([len(statements) for statements in asked]) - 1

        def read_one(vector: Floats, end: int, found: Sequence[Rows]) -> Near:
            nearest = read_nearest(ways[0], view, facts, depth, found[end]) if ways else NOTHING_NEAR
            if nearest is None:
                rows = view.run(*nearest_statements("exact", view, under, vector, depth))[-1]
                nearest = read_nearest("exact", view, facts, depth, rows)
            assert nearest is not None
            return Near(nearest.rows, nearest.cosine, shown_status(superseded, nearest.rows, nearest.status))

        def read(found: Sequence[Rows]) -> list[Near]:
            return [read_one(vector, end, found) for vector, end in zip(vectors, ends.tolist(), strict=True)]

        return Plan((*_key(under, superseded), ways), [one for statements in asked for one in statements], read)


class Retrieved:
    """What the retrievers of a search found, and the second stage that makes candidates of it."""

    def __init__(
        self,
        view: AccountView,
        search: Search,
        under: Compiled,
        facts: Facts,
        superseded: RowNumbers,
        asked: Weights,
        scored: Scored,
        near: Nearest,
        window: Part,
        standing: Part,
        counts: Sequence[int] | None,
        holders: RowNumbers,
        passing: RowNumbers | None = None,
    ) -> None:
        self._view, self._search, self._under, self._facts, self._superseded = view, search, under, facts, superseded
        self._asked, self._scored, self._near, self._window, self._standing = asked, scored, near, window, standing
        self._counted, self._holders = counts, holders
        self._every = passing if passing is not None and len(passing) <= search.every else None

    def candidates(self, *more: Statement) -> tuple[Candidates, list[Rows]]:
        """The columns of the chosen rows, with their scores by terms and similarity; and the rows of what is sent with it."""
        view, search = self._view, self._search
        if self._near.passing is not None:
            view.passing(search, self._near.passing)
        best = [self._scored.best(search.depth), self._near.rows]
        parts = [*self._brought(self._window, IN_WINDOW), *self._brought(self._standing, STANDING)]
        whole = [] if self._every is None else [self._every]
        chosen = np.unique(np.concatenate([*best, *parts, *whole, np.array(search.rows, np.int64)]))
        talking = np.concatenate([rows[:TALKING] for rows in best])
        measured = self._near.measured
        named = bool(search.rows)
        found, rows = read_columns(view, search, self._under, chosen, talking, measured, named=named, more=more)
        return self._answer(found, chosen), rows

    def _brought(self, part: Part, count: int) -> list[RowNumbers]:
        """The rows a further condition brings: all, or the nearest and those with the best terms."""
        total, first, rows = part
        return [rows] if total <= count else [first, self._scored.within(rows).best(count)]

    def _answer(self, found: Mapping[str, Array] | None, chosen: RowNumbers) -> Candidates:
        search, asked, facts = self._search, self._asked, self._facts
        visible, hidden = self._counts()
        mean = 0.0
        if search.mean and search.vector is not None and facts.mean is not None:
            mean = float(facts.mean @ search.vector)
        whole: dict[str, Any] = {
            "considered": facts.considered, "visible": visible, "hidden": hidden, "idf": asked.idf, "mean_cosine": mean,
            "mean_length": asked.mean_length, "in_window": self._window[0], "holders": self._holders,
        }  # fmt: skip
        if found is None:
            empty = np.empty(0, np.float32)
            matches = np.zeros((0, len(asked.marks)), np.uint8)
            columns = scoring_columns(no_rows(), ())
            return Candidates(NO_ROWS, empty, empty, matches, empty.astype(np.bool_), columns, **whole)
        counts = occurrences(asked.marks, words_in(found["words"]), found["length"])  # type: ignore[arg-type]
        scores = bm25(asked, counts, found["length"])
        order = first_places(found["row"])
        taken = {name: part[order] for name, part in found.items() if name != "words"}
        rows = taken["row"]
        selected = chosen[np.searchsorted(chosen[:-1], rows)] == rows
        status = shown_status(self._superseded, rows, taken["facets"]["status"])
        columns = scoring_columns(taken, search.seasons, status)
        return Candidates(rows, taken["cosine"], scores[order], counts[order], selected, columns, **whole)

    def _counts(self) -> tuple[int, tuple[tuple[str, int], ...]]:
        """How many rows pass, and how many each gate holds back.

        Where that was not counted, it is the number of memories in the places reached.
        """
        if self._search.explain and self._counted is not None:
            *held, visible = self._counted
            return visible, tuple(zip(_GATES, held, strict=True))
        if self._counted is not None:
            self._view.passing(self._search, self._counted[0])
        visible_rows = self._view.passing(self._search)
        return self._facts.memories if visible_rows is None else visible_rows, ()


def shown_status(superseded: RowNumbers, rows: RowNumbers, status: Array) -> NDArray[np.uint8]:
    """The statuses of some rows for the viewer of a search, from those stored."""
    if len(superseded) == 0:
        return status.astype(np.uint8)
    replaced = np.isin(rows, superseded) & (status == ACTIVE)
    return np.where(replaced, SUPERSEDED, status).astype(np.uint8)


def _key(under: Compiled, superseded: RowNumbers) -> tuple[Any, ...]:
    """What of a filter depends on what is known: the superseded rows, where it names them."""
    return (under.where, superseded.tobytes() if "superseded" in under.where else b"")


def _part(found: Rows) -> Part:
    total, first, rows = found[0]
    return (total, NO_ROWS, NO_ROWS) if rows is None else (total, first, rows)


def _with_visibility(name: str) -> str:
    """A query for edges; where they lead to memories, each row also says whether the memory may be shown."""
    if name not in _EDGE_COLUMNS:
        return queries()[name]
    columns = ", ".join(_EDGE_COLUMNS[name])
    return search_query("edges_shown").replace("{edges}", queries()[name]).replace("{columns_of_edges}", columns)


def _delivery_statement(query: DeliveryQuery, columns: str) -> tuple[str, dict[str, Any]]:
    values: dict[str, Any] = {"limit": query.limit}
    part = delivery_part(query, values)
    if query.since is not None:
        values["from"] = moment(query.since)
    name = "by_importance" if query.since is None else "latest"
    return search_query(name).replace("{part}", part).replace("{listed}", columns), values


def _count_holders(search: Search, found: Rows) -> RowNumbers:
    held = _rows_of_phrases(len(search.terms), found, search.holders)
    return np.array([len(rows) for rows in held], np.int64)


def _rows_of_phrases(count: int, found: Rows, most: int) -> list[list[int]]:
    phrase, rows, shown = found[0]
    return [_rows_of_phrase(number, phrase, rows, shown, most) for number in range(count)]


def _rows_of_phrase(number: int, phrase: Array | None, rows: Array, shown: Array, most: int) -> list[int]:
    if phrase is None:
        return []
    own = phrase == number
    return np.sort(rows[own & shown]).tolist() if np.count_nonzero(own) <= most else []
