"""Postings: which rows hold which term and how often, as a few sorted segments; scores by BM25 without any stored impact.

New rows gather in a small open segment; full ones are merged so that sizes stay geometric (a handful of segments at a
million rows). Length norms are computed at query time, so a score depends on the rows alone and never on the order
in which they arrived: a rebuilt index gives the same numbers.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from recollect.values.search import Floats
from recollect.values.terms import BM25_B as B
from recollect.values.terms import BM25_K1 as K1

OPEN_ROWS = 512
# From so many rows on, a segment of their own costs less than room in the open one.
MANY_ROWS = 32
_MERGED = 1 << 18
_NOTHING = (np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.uint8))


@dataclass(frozen=True, slots=True)
class Segment:
    """Postings sorted by term then row: `rows[starts[t]:starts[t + 1]]` hold term t, `counts` times each."""

    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    counts: NDArray[np.uint8]

    def of(self, term: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        if term + 1 >= len(self.starts):
            return self.rows[:0], self.counts[:0]
        part = slice(self.starts[term], self.starts[term + 1])
        return self.rows[part], self.counts[part]


def segment(terms: NDArray[np.int32], rows: NDArray[np.int32], counts: NDArray[np.uint8]) -> Segment:
    """A segment from unsorted triples."""
    order = np.lexsort((rows, terms))
    width = int(terms.max()) + 1 if len(terms) else 0
    starts = np.zeros(width + 1, np.int64)
    np.cumsum(np.bincount(terms, minlength=width), out=starts[1:])
    return Segment(starts, rows[order], counts[order])


class Postings:
    """The lexical half of an account's index."""

    def __init__(self, vocabulary: Iterable[str] = (), segments: Sequence[Segment] = ()) -> None:
        self.vocabulary: dict[str, int] = {term: number for number, term in enumerate(vocabulary)}
        self.segments: list[Segment] = list(segments)
        self._open: dict[int, tuple[list[int], list[int]]] = {}
        self._open_rows = 0

    def fork(self) -> Postings:
        """The same postings, to be changed on their own. Segments never change, and the vocabulary only grows: both are shared."""
        self._seal()
        made = Postings((), self.segments)
        made.vocabulary = self.vocabulary
        return made

    def add(self, row: int, terms: Sequence[str]) -> None:
        """Index one row. Rows must come in growing order."""
        number = self.vocabulary
        for term, count in Counter(terms).items():
            place = number.setdefault(term, len(number))
            if (held := self._open.get(place)) is None:
                held = self._open[place] = ([], [])
            rows, counts = held
            rows.append(row)
            counts.append(min(count, 255))
        self._open_rows += 1
        if self._open_rows >= OPEN_ROWS:
            self._seal()

    def extend(self, first: int, documents: Iterable[Sequence[str]]) -> None:
        """Index many rows at once, from row `first` on: one segment, no dictionaries of lists in between."""
        self._seal()
        number = self.vocabulary
        terms, counts, widths = array("i"), array("B"), array("i")
        for document in documents:
            held = Counter(document)
            terms.extend(number.setdefault(term, len(number)) for term in held)
            counts.extend(min(count, 255) for count in held.values())
            widths.append(len(held))
        rows = np.repeat(np.arange(first, first + len(widths), dtype=np.int32), np.frombuffer(widths, np.int32))
        self._push(segment(np.frombuffer(terms, np.int32), rows, np.frombuffer(counts, np.uint8)))

    def drop(self, row: int) -> None:
        """Take a row out of every list, so that document frequencies stay exact."""
        self._seal()
        self.segments = [_without(part, row) for part in self.segments]

    def merged(self) -> Segment:
        """Everything as one segment, for a snapshot."""
        self._seal()
        while len(self.segments) > 1:
            newer, older = self.segments.pop(), self.segments.pop()
            self.segments.append(_merge(older, newer))
        return self.segments[0] if self.segments else segment(*_NOTHING)

    def scores(self, terms: Sequence[str], lengths: NDArray[np.int32], held: int, mean: float) -> tuple[Floats, Floats]:
        """BM25 of every row for these terms, and the terms' inverse document frequencies."""
        total = np.zeros(len(lengths), np.float32)
        idf = np.zeros(len(terms), np.float32)
        slope = np.float32(K1 * B / max(mean, 1.0))
        for place, term in enumerate(terms):
            lists = self._lists(term)
            found = sum(len(rows) for rows, _ in lists)
            if not found:
                continue
            idf[place] = weight = np.float32(np.log1p((held - found + 0.5) / (found + 0.5)))
            for rows, counts in lists:
                spots = rows.astype(np.intp)  # once: indexing by anything else converts each time
                norm = lengths[spots] * slope
                norm += counts
                norm += np.float32(K1 * (1 - B))
                np.divide(counts, norm, out=norm)
                norm *= weight * np.float32(K1 + 1)
                total[spots] += norm
        return total, idf

    def matches(self, terms: Sequence[str], rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        """How often each term stands in each of some rows."""
        table = np.zeros((len(rows), len(terms)), np.uint8)
        wanted = rows.astype(np.int32)  # as the lists have them: otherwise these are converted, whole
        for place, term in enumerate(terms):
            for held, counts in self._lists(term):
                spot = held.searchsorted(wanted)
                spot[spot == len(held)] = 0
                met = held[spot] == wanted
                table[met, place] = counts[spot[met]]
        return table

    def rows_with_terms(self, terms: Sequence[str], most: int) -> NDArray[np.int64] | None:
        """The rows that hold all of some terms; None when even the rarest stands in too many rows to tell anything."""
        lists = [[rows for rows, _ in self._lists(term)] for term in terms]
        if not lists:
            return None
        if not all(lists):  # the usual case: one of the words is new
            return np.empty(0, np.int64)
        lists.sort(key=lambda parts: sum(map(len, parts)))
        held = np.concatenate(lists[0])
        if len(held) > max(50, 5 * most):
            return None
        for other in lists[1:]:
            held = held[_among(held, other)]
            if not len(held):
                break
        return held.astype(np.int64) if len(held) <= most else None

    def _lists(self, term: str) -> list[tuple[NDArray[np.int32], NDArray[np.uint8]]]:
        number = self.vocabulary.get(term)
        if number is None:
            return []
        lists = [pair for part in self.segments if len((pair := part.of(number))[0])]
        if number in self._open:
            rows, counts = self._open[number]
            lists.append((np.array(rows, np.int32), np.array(counts, np.uint8)))
        return lists

    def _seal(self) -> None:
        if not self._open:
            return
        terms = np.repeat(np.fromiter(self._open, np.int32), [len(rows) for rows, _ in self._open.values()])
        rows = np.fromiter((row for rows, _ in self._open.values() for row in rows), np.int32)
        counts = np.fromiter((count for _, counts in self._open.values() for count in counts), np.uint8)
        self._open, self._open_rows = {}, 0
        self._push(segment(terms, rows, counts))

    def _push(self, made: Segment) -> None:
        self.segments.append(made)
        while len(self.segments) > 1 and len(self.segments[-2].rows) < 2 * len(self.segments[-1].rows):
            newer, older = self.segments.pop(), self.segments.pop()
            self.segments.append(_merge(older, newer))


def _among(rows: NDArray[np.int32], lists: Sequence[NDArray[np.int32]]) -> NDArray[np.bool_]:
    """Which of some rows stand in one of several sorted lists."""
    met = np.zeros(len(rows), np.bool_)
    for each in lists:
        spot = each.searchsorted(rows)
        spot[spot == len(each)] = 0
        met |= each[spot] == rows
    return met


def _merge(older: Segment, newer: Segment) -> Segment:
    width = max(len(older.starts), len(newer.starts)) - 1
    parts = [(part, _padded(part.starts, width)) for part in (older, newer)]
    starts = parts[0][1] + parts[1][1]
    rows = np.empty(starts[-1], np.int32)
    counts = np.empty(starts[-1], np.uint8)
    # Some terms at a time, so that the positions take little memory beside what is merged.
    bounds = starts.searchsorted(np.arange(0, starts[-1], _MERGED)).tolist()
    for low, high in pairwise([*dict.fromkeys((0, *bounds)), width]):
        # Rows only grow, so within a term the older list stays in front and nothing needs sorting.
        into = starts[low:high]
        for part, own in parts:
            sizes, held = np.diff(own[low : high + 1]), slice(own[low], own[high])
            places = np.arange(held.start, held.stop) + np.repeat(into - own[low:high], sizes)
            rows[places], counts[places] = part.rows[held], part.counts[held]
            into = into + sizes
    return Segment(starts, rows, counts)


def _padded(starts: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Where the lists of so many terms begin, and where the last ends: terms that a segment does not know have none."""
    return np.concatenate((starts, np.full(width + 1 - len(starts), starts[-1], np.int64)))


def _without(part: Segment, row: int) -> Segment:
    stays = part.rows != row
    if stays.all():
        return part
    gone = np.concatenate(([0], np.cumsum(~stays)))
    return Segment(part.starts - gone[part.starts], part.rows[stays], part.counts[stays])
