"""The retrievers of a search: by terms, by vector, by time and by standing instruction. Each is one statement.

All apply the whole filter before they choose rows. A second statement reads what the scorer needs of the chosen rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from psycopg import sql

from recollect.store.index.vectors import top_of
from recollect.store.postgres.account import AccountView, Facts
from recollect.store.postgres.connections import Rows, Statement
from recollect.store.postgres.rows import FACETS, Words, marks_of, words_in
from recollect.store.postgres.sql import Array, FullVector, HalfVector, queries
from recollect.store.postgres.visibility import stored
from recollect.store.visibility import Compiled, moment
from recollect.values.enums import STATUSES
from recollect.values.search import PERSON, Floats, Search, Snippet
from recollect.values.terms import BM25_B as B
from recollect.values.terms import BM25_K1 as K1

RowNumbers = NDArray[np.int64]
NO_ROWS = np.empty(0, np.int64)

# In a small account every term of a query counts. In a larger one at most so many rows are scored, those with the rarest terms,
# unless the rarest term alone is in more.
_SMALL, _SCORED, _ALL = 4_000, 500, 2**31 - 1

# Measuring a thousand vectors takes two to three milliseconds, an index scan about three: up to here exactness is worth it.
EXACT = 4_000
_NARROW, _MOST = 0.12, 0.5
# By how much half precision may be wrong about a cosine.
_ROUNDING = 1e-3
# hnsw.ef_search as `transaction_settings` sets it, and the largest value allowed.
_USUAL_WIDTH, _LARGEST_WIDTH = 64, 1000
_WRITTEN_IN = re.compile(r"\{(own|model|dimensions|likely)\}")
_STATUS_LIST = f"'{{{','.join(STATUSES)}}}'::text[]"

# The columns of a candidate, in the order of the statement.
_COLUMNS = ("row", "facets", "access_count", "accessed", "length", "words")
# How the nearest rows are found; a way that cannot answer for sure is followed by the next.
Way = Literal["exact", "limited", "index", "few", "walk"]


@dataclass(frozen=True, slots=True)
class Weights:
    """The terms of one query with their BM25 weights in one account."""

    marks: Words
    idf: Floats
    mean_length: float


@dataclass(frozen=True, slots=True)
class Scored:
    """Rows in ascending order with their BM25 scores."""

    rows: RowNumbers
    scores: Floats

    def best(self, count: int) -> RowNumbers:
        """The best rows, best first."""
        met = np.flatnonzero(self.scores > 0)
        top = met[top_of(self.scores[met], count)]
        top.sort()
        return self.rows[top[np.argsort(-self.scores[top], kind="stable")]]

    def within(self, rows: RowNumbers) -> Scored:
        """Only some rows."""
        kept = np.isin(self.rows, rows)
        return Scored(self.rows[kept], self.scores[kept])


@dataclass(frozen=True, slots=True)
class Measured:
    """The similarity of all rows that pass a filter, in ascending order of rows; a row that is not in it has no vector."""

    rows: RowNumbers
    cosine: Floats

    def of(self, rows: RowNumbers) -> Floats:
        """The similarity of some rows that pass; NaN for those without a vector."""
        found = np.full(len(rows), np.nan, np.float32)
        if len(self.rows):
            places = np.searchsorted(self.rows[:-1], rows)
            met = self.rows[places] == rows
            found[met] = self.cosine[places[met]]
        return found


@dataclass(frozen=True, slots=True)
class Nearest:
    """Rows, nearest first, with their similarity and stored status where asked for.

    `passing` is how many rows pass the filter, where that was counted; `measured` has all of them, where all were measured.
    """

    rows: RowNumbers
    cosine: Floats
    status: NDArray[np.uint8]
    passing: int | None = None
    measured: Measured | None = None


NO_SCORES = Scored(NO_ROWS, np.empty(0, np.float32))
NOTHING_NEAR = Nearest(NO_ROWS, np.empty(0, np.float32), np.empty(0, np.uint8))


def search_query(name: str) -> str:
    """A named query of search.sql."""
    return queries("search.sql")[name]


# By terms


def looks_for_terms(search: Search) -> bool:
    """Whether a search chooses rows by terms at all."""
    return bool(search.terms and (search.depth or search.windows or search.standing))


def is_plain(search: Search, under: Compiled, superseded: RowNumbers) -> bool:
    """Whether place, status and time are the whole filter, apart from what is superseded."""
    return under.plain and (search.filter.statuses == ("active",) or len(superseded) == 0)


def gate_of(facts: Facts) -> int:
    """How many rows are scored at most."""
    return _ALL if facts.held <= _SMALL else _SCORED


def terms_statement(account_id: int, search: Search, under: Compiled, *, plain: bool, gate: int) -> Statement:
    """The rows with telling terms, as far as they may be shown."""
    values = {
        **under.values,
        "marks": marks_of(account_id, search.terms),
        "most": gate,
        "stored": stored(search.filter),
        "now": moment(search.now),
        "past": search.past,
    }
    if search.viewer.everywhere:
        # The condition on who reaches a memory is part of the filter; the places themselves are not known.
        values["places"] = None
    whole = plain and not search.viewer.everywhere
    return Statement(under.into(search_query("worded" if whole else "worded_under")), values)


def read_terms(
    view: AccountView, search: Search, facts: Facts, superseded: RowNumbers, row: Sequence[Any]
) -> tuple[Weights, Scored]:
    """The terms with their weights, and the rows with their scores."""
    known, memories, rows, lengths, raw = row
    marks = marks_of(view.account_id, search.terms)
    asked = weights(marks, view.keep_term_counts(marks, known, memories), facts.held, facts.words)
    if rows is None or not (asked.idf > 0).any():
        return asked, NO_SCORES
    found = bm25(asked, occurrences(marks, words_in(raw), lengths), lengths)
    order = np.argsort(rows, kind="stable")
    if len(superseded) and search.filter.statuses == ("active",):
        order = order[~np.isin(rows[order], superseded)]
    return asked, Scored(rows[order], found[order])


def weights_only(view: AccountView, search: Search, facts: Facts) -> Weights:
    """The weights of the terms of a search that chooses no rows by them."""
    marks = marks_of(view.account_id, search.terms)
    return weights(marks, view.memories_with_terms(marks), facts.held, facts.words)


def weights(marks: Words, memories: NDArray[np.int64], held: int, words: int) -> Weights:
    """The weights of terms, from how many of all memories have each."""
    idf = np.zeros(len(marks), np.float32)
    met = memories > 0
    idf[met] = np.log1p((held - memories[met] + 0.5) / (memories[met] + 0.5))
    return Weights(marks, idf, words / max(held, 1))


def occurrences(marks: Words, words: Words, lengths: NDArray[np.int32]) -> NDArray[np.uint8]:
    """How often each term of a query occurs in each row; `words` are those of all rows in turn, `lengths` of each."""
    table = np.zeros((len(lengths), len(marks)), np.uint8)
    ends = lengths.cumsum()
    for place, mark in enumerate(marks):
        met = (words == mark).nonzero()[0]
        if len(met):
            counts = np.bincount(ends.searchsorted(met, "right"), minlength=len(lengths))
            table[:, place] = np.minimum(counts, 255)
    return table


def bm25(asked: Weights, counts: NDArray[np.uint8], lengths: NDArray[np.int32]) -> Floats:
    """The score of each row, equal to that of `store/index/postings.py` to the last operation."""
    slope = np.float32(K1 * B / max(asked.mean_length, 1.0))
    flat = lengths * slope + np.float32(K1 * (1 - B))
    often = counts.T
    total = np.zeros(len(lengths), np.float32)
    # Added term by term, as the file back end does it, with the same rounding.
    for part in often / (flat + often) * (asked.idf * np.float32(K1 + 1))[:, None]:
        total += part
    return total


# By vector


def ways_to_candidates(facts: Facts, under: Compiled, search: Search) -> tuple[Way, ...]:
    """How a search finds the nearest rows; their exact similarity is read with their columns."""
    if facts.vectors == 0 or search.depth == 0 or search.vector is None:
        return ()
    if not _uses_index(facts):
        return ("exact",)
    # How many rows pass a condition of the caller is not known: measure, but no more than is worth it.
    return ("index", "exact") if under.wide else ("limited", "index", "exact")


def ways_to_nearest(facts: Facts, under: Compiled, depth: int) -> tuple[Way, ...]:
    """How the nearest rows of a vector are found with their exact similarity, their status and their text."""
    if facts.vectors == 0 or depth == 0:
        return ()
    if _uses_index(facts) and under.wide:
        return ("walk", "exact")
    return ("few", "exact") if facts.vectors > _MOST * facts.embedded else ("exact",)


def _uses_index(facts: Facts) -> bool:
    """Whether there is a vector index, and so many rows may pass that it is the better way.

    An HNSW scan under a filter that few rows pass finds one row of ten, so the way is chosen from the counts of the places.
    """
    if not facts.indexed or facts.vectors <= EXACT:
        return False
    return facts.vectors > 3 * EXACT or facts.vectors > _NARROW * facts.embedded


def likely_count(facts: Facts, depth: int) -> int:
    """As many vectors as belong to so many memories, in steps: each number is a statement of its own."""
    several = np.clip(np.ceil(2 * facts.vectors / max(facts.memories, 1)) / 2, 1, 3)
    return int(depth * several)


def candidates_statements(
    way: Way, view: AccountView, under: Compiled, facts: Facts, search: Search
) -> list[Statement]:
    """The statements of one way; the rows are those of the last one."""
    assert search.vector is not None
    if way == "index":
        likely = likely_count(facts, search.depth)
        return _by_index("nearest_likely", view, under, search.vector, search.depth, likely)
    values = {**under.values, "model": view.model, "vector": FullVector(search.vector)}
    values["most"] = EXACT + 1 if way == "limited" else None
    return [Statement(under.into(search_query("nearest_exact")), values)]


def read_candidates(way: Way, facts: Facts, depth: int, found: Rows) -> Nearest | None:
    """The nearest rows; None when this way cannot answer."""
    row = found[0]
    if way == "index":
        nearest = _likely(depth * 3, *row)
        return nearest if _enough(facts, nearest.rows, depth) else None
    passing, *vectors = row
    if way == "limited" and passing > EXACT:
        return None
    measured = measure(*vectors)
    return Nearest(*_best(depth, measured), NOTHING_NEAR.status, passing, measured)


def nearest_statements(way: Way, view: AccountView, under: Compiled, vector: Floats, depth: int) -> list[Statement]:
    """The statements of one way; the rows are those of the last one."""
    if way == "walk":
        return _by_index("nearest_indexed", view, under, vector, depth, 2 * depth)
    values = {**under.values, "model": view.model, "vector": FullVector(vector), "depth": depth}
    if way == "exact":
        return [Statement(_with_statuses(under.into(search_query("nearest_measured"))), values)]
    values |= {"half": HalfVector(vector), "likely": _few_likely(depth), "compared": 2 * depth}
    return [Statement(_with_statuses(under.into(search_query("nearest_few"))), values)]


def read_nearest(way: Way, view: AccountView, facts: Facts, depth: int, found: Rows) -> Nearest | None:
    """The nearest rows; None when others may be nearer. Their texts are kept in the view."""
    if way == "few":
        return _read_few(view, depth, found[0])
    rows, cosine, status, ids, contents = found[0]
    if rows is None:
        nearest = NOTHING_NEAR
    else:
        _keep_snippets(view, rows, ids, contents)
        order = np.lexsort((rows, -cosine))
        nearest = Nearest(rows[order], cosine[order], status[order].astype(np.uint8))
    return nearest if way == "exact" or _enough(facts, nearest.rows, depth) else None


def _read_few(view: AccountView, depth: int, row: Sequence[Any]) -> Nearest | None:
    closest, last, told, ids, contents, passing, statuses, *vectors = row
    _keep_snippets(view, told, ids, contents)
    nearest = NOTHING_NEAR
    if passing is not None:
        best, near = _best(depth, measure(*vectors))
        order = np.argsort(passing)
        status = statuses[order][np.searchsorted(passing, best, sorter=order)]
        nearest = Nearest(best, near, status.astype(np.uint8))
    # A memory is no nearer than its nearest vector, and the vectors left out are farther away than the last.
    sure = closest < _few_likely(depth) or (len(nearest.rows) == depth and nearest.cosine[-1] > last + _ROUNDING)
    return nearest if sure else None


def measure(rows: Array | None, parts: Array, cosines: Array) -> Measured:
    """The similarity of each memory from those of its vectors: half of the whole text, half of its nearest part."""
    if rows is None:
        return Measured(NOTHING_NEAR.rows, NOTHING_NEAR.cosine)
    if not parts.any():
        order = rows.argsort()
        return Measured(rows[order], cosines[order])
    order = np.lexsort((parts, rows))
    rows, cosines = rows[order], cosines[order]
    first = np.flatnonzero(np.concatenate(([True], rows[1:] != rows[:-1])))
    return Measured(rows[first], np.asarray((cosines[first] + np.maximum.reduceat(cosines, first)) / 2, np.float32))


def _best(depth: int, measured: Measured) -> tuple[Array, Array]:
    best = np.sort(top_of(measured.cosine, depth))
    best = best[np.argsort(-measured.cosine[best], kind="stable")]
    return measured.rows[best], measured.cosine[best]


def _likely(most: int, rows: Array | None, distance: Array) -> Nearest:
    """The rows an index scan found, nearest first; a memory of several vectors comes once."""
    if rows is None:
        return NOTHING_NEAR
    ordered = rows[np.argsort(distance, kind="stable")]
    once = np.array(list(dict.fromkeys(ordered.tolist())), np.int64)
    return Nearest(once[:most], NOTHING_NEAR.cosine, NOTHING_NEAR.status)


def _enough(facts: Facts, rows: RowNumbers, depth: int) -> bool:
    return len(rows) >= min(depth, facts.vectors) // 2


def _few_likely(depth: int) -> int:
    return 4 * depth + 32


def _keep_snippets(view: AccountView, rows: Array | None, ids: Sequence[str], contents: Sequence[str]) -> None:
    if rows is not None:
        view.snippets |= {row: Snippet(row, *rest) for row, *rest in zip(rows.tolist(), ids, contents, strict=True)}


def _by_index(
    name: str, view: AccountView, under: Compiled, vector: Floats, depth: int, likely: int
) -> list[Statement]:
    text = _with_statuses(under.into(search_query(name)))
    statement = _written_in(text, view.account_id, view.model, view.dimensions, likely)
    values = {**under.values, "half": HalfVector(vector), "vector": FullVector(vector), "depth": depth}
    width = min(5 * likely // 4, _LARGEST_WIDTH)
    wider = [Statement(search_query("index_width"), {"width": str(width)})] if width > _USUAL_WIDTH else []
    return [*wider, Statement(statement, values)]


def _with_statuses(statement: str) -> str:
    """A statement that returns statuses as their numbers."""
    return statement.replace("{statuses}", _STATUS_LIST)


@lru_cache(maxsize=1024)
def _written_in(statement: str, account_id: int, model: str, dimensions: int, likely: int) -> str:
    """A statement with the literals of a partial index written in: with parameters, the planner would not use the index."""
    own = {"own": account_id, "model": model, "dimensions": dimensions, "likely": likely}
    # In one pass and last, so that the name of a model is never taken for a part of the statement.
    return _WRITTEN_IN.sub(lambda word: sql.quote(own[word[1]]).replace("%", "%%"), statement)


# The columns of the chosen rows


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
