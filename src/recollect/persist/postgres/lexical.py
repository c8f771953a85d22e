"""Lexical: the leg of words. The rarest words of a question decide which rows are scored, BM25 which of them are best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recollect.persist.index.vectors import top_of
from recollect.persist.postgres.facets import words_in
from recollect.persist.postgres.filter import Compiled, moment, stored
from recollect.persist.postgres.legs import Ask, Chosen, Leg, text_of
from recollect.persist.postgres.link import Facts, Link
from recollect.persist.postgres.words import Weights, bm25, marks_of, occurrences, weights
from recollect.values.search import Floats, Search

Rows = NDArray[np.int64]
# In a small account every word of a question counts; in a larger one so many rows are scored at most, unless the rarest word
# alone stands in more. A row costs three microseconds, most of them for a page of its own.
SMALL, GATE, ALL = 4_000, 500, 2**31 - 1


@dataclass(frozen=True, slots=True)
class Scored:
    """Rows in growing order with their scores, and where they stand on their pages."""

    rows: Rows
    scores: Floats
    spots: Rows

    def best(self, count: int) -> Chosen:
        """The best rows, best first."""
        met = np.flatnonzero(self.scores > 0)
        top = met[top_of(self.scores[met], count)]
        top.sort()
        best = top[np.argsort(-self.scores[top], kind="stable")]
        return Chosen(self.rows[best], self.spots[best])

    def within(self, rows: Rows) -> Scored:
        """Only some rows."""
        held = np.isin(self.rows, rows)
        return Scored(self.rows[held], self.scores[held], self.spots[held])


UNSCORED = Scored(np.empty(0, np.int64), np.empty(0, np.float32), np.empty(0, np.int64))


def scored(link: Link, search: Search, under: Compiled, roughly: Facts) -> Leg[tuple[Weights, Scored]]:
    """What the words of a question weigh, and the rows that hold telling ones, as far as they may be shown, with their scores.

    Facts of a moment ago choose the way; what words weigh is of now.
    """
    marks = marks_of(link.account_id, search.terms)
    if len(marks) == 0 or not (search.depth or search.windows or search.standing):
        facts = link.facts(search)
        return weights(marks, link.memories_of(marks), facts.held, facts.words), UNSCORED
    superseded = link.superseded(search)
    plain = under.plain and (search.filter.statuses == ("active",) or len(superseded) == 0)
    values = {
        **under.values,
        "marks": marks,
        "most": ALL if roughly.held <= SMALL else GATE,
        "stored": stored(search.filter),
        "now": moment(search.now),
        "past": search.past,
    }
    known, memories, rows, spots, lengths, raw = yield Ask(
        under.into(text_of("worded" if plain else "worded_under")), values
    )
    facts = link.facts(search)
    asked = weights(marks, link.met(marks, known, memories), facts.held, facts.words)
    if rows is None or not (asked.idf > 0).any():
        return asked, UNSCORED
    found = bm25(asked, occurrences(marks, words_in(raw), lengths), lengths)
    order = np.argsort(rows, kind="stable")
    if plain and len(superseded):
        order = order[~np.isin(rows[order], superseded)]
    return asked, Scored(rows[order], found[order], spots[order])
