"""Features: everything a profile may use to score the candidates, computed once per recall."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from recollect.ports import Calibrated
from recollect.recall.query import Query
from recollect.recall.query_time import is_time_word
from recollect.values.enums import MEMORY_TYPES, PROVENANCE_KINDS
from recollect.values.link import Node
from recollect.values.memory import half_life
from recollect.values.search import Candidates, Columns, Floats, Times

if TYPE_CHECKING:
    from recollect.recall.state import RecallState

DAY = 86_400.0
# So many words of a query one memory can be expected to have.
_WORDS_OF_ONE = 6


@dataclass(frozen=True, slots=True)
class GraphPath:
    """How a graph walk reached a node: the best score of any path, and the steps of that path from its start."""

    score: float
    path: tuple[tuple[str, Node], ...]
    start: Node | None = None


@dataclass(frozen=True, slots=True)
class Features:
    """The candidates of one query with what profiles score them by.

    `similarity` is calibrated; `coverage` is the part of the query's words a candidate has, weighted by how rare they are.
    `reached` has the graph paths by row, for profiles that walk the graph. `shared_names` says how strongly each candidate is
    connected to the best ones by a rare name, for profiles that expand by names. `unrelated` is the similarity of an unrelated
    memory: that of the mean of all memories, if it is known. `foreign` says that cosines are known but say little, because the
    embedder does not know the script of the query; then it counts as not `embedded`. `all_asked_for` says that the
    query is nothing but a #tag, and the candidates are what has it.
    """

    query: Query
    candidates: Candidates
    similarity: Floats
    coverage: Floats
    embedded: bool
    reached: Mapping[int, GraphPath] = field(default_factory=dict)
    shared_names: Floats | None = None
    unrelated: float | None = None
    foreign: bool = False
    all_asked_for: bool = False

    @property
    def columns(self) -> Columns:
        return self.candidates.columns

    @property
    def bm25(self) -> Floats:
        return self.candidates.bm25

    def with_words(self) -> NDArray[np.bool_]:
        """Which candidates have a word of the query; all of them where a #tag alone asked for them."""
        return np.asarray((self.bm25 > 0) | self.all_asked_for)

    def topic_coverage(self) -> Floats:
        """The part of what the query is about that each candidate has.

        Unlike in `coverage`, a word that no memory has counts, as the rarest of all: it may be just what is asked for. A time the
        query names is had by the memories of that time, which do not say it. One memory has only a few words of a long query.
        """
        query, found = self.query, self.candidates
        if len(found.idf) == 0:
            return np.zeros(len(found), np.float32)  # not searched by words
        rarest = self._rarest()
        weights = np.where(found.idf > 0, found.idf, rarest)
        had = (found.matches > 0).astype(np.float32)
        if query.windows or query.true_at is not None:
            inside = self.in_window() if query.windows else np.ones(len(found), np.bool_)
            weights = np.append(np.where(self._names_time(), np.float32(0), weights), rarest)
            had = np.column_stack((had, inside.astype(np.float32)))
        most = float(np.sort(weights)[-_WORDS_OF_ONE:].sum())
        covered: Floats = np.minimum(np.vecdot(had, weights) / max(most, 1e-6), 1.0).astype(np.float32)
        return covered

    def share_of_words(self, unknown: float) -> Floats:
        """The part of the query's words that each candidate has, by rarity, without those that name a time.

        `unknown` is how much a word counts that no memory has.
        """
        if len(self.candidates.idf) == 0:
            return np.zeros(len(self.candidates), np.float32)
        idf = self.candidates.idf
        weights = np.where(idf > 0, idf, np.float32(unknown) * self._rarest())
        weights = np.where(self._names_time(), np.float32(0), weights)
        had = (self.candidates.matches > 0).astype(np.float32)
        share: Floats = (np.vecdot(had, weights) / max(float(weights.sum()), 1e-6)).astype(np.float32)
        return share

    def share_of_names(self) -> Floats:
        """The part of the names of the query that each candidate has; 0 where the query has none."""
        named = [place for place, term in enumerate(self.query.terms) if term in self.query.names]
        if not named or len(self.candidates.idf) == 0:
            return np.zeros(len(self.candidates), np.float32)
        share: Floats = (self.candidates.matches[:, named] > 0).mean(axis=1).astype(np.float32)
        return share

    def unknown_words(self) -> float:
        """The part of the query's words that no memory has, without those that name a time."""
        known = [idf > 0 for idf, is_time in zip(self.candidates.idf, self._names_time(), strict=False) if not is_time]
        return 1 - sum(known) / len(known) if known else 0.0

    def _rarest(self) -> np.float32:
        """The weight of a word that no memory has."""
        return np.float32(math.log1p((self.candidates.considered + 0.5) / 0.5))

    def _names_time(self) -> NDArray[np.bool_]:
        """Which words of the query may belong to a time."""
        query = self.query
        return np.array([is_time_word(query.words.get(term, term)) for term in query.terms], np.bool_)

    def happened(self) -> Times:
        """When each memory happened, or else was stored."""
        columns = self.columns
        times: Times = np.where(np.isnan(columns.occurred), columns.created, columns.occurred)
        return times

    def in_window(self) -> NDArray[np.bool_]:
        """Which candidates happened (or else were stored) within the time the query asks about."""
        when = self.happened()
        inside = [(when >= since) & (when < until) for since, until in self.query.window_seconds]
        return np.asarray(np.logical_or.reduce(inside), np.bool_)

    def window_weight(self) -> float:
        """How much it means to be in the time window: more, the fewer memories are in it."""
        total, inside = max(self.candidates.considered, 2), self.candidates.in_window
        return math.log(total / inside) / math.log(total) if inside else 0.0

    def confidence(self) -> Floats:
        """The confidence in each memory today: it decays with age by type, grows with use, and is limited by trust."""
        columns = self.columns
        decay = np.exp(-self.days_since(columns.updated) / _half_lives()[columns.type, columns.source])
        raw = columns.confidence * decay * (1 + 0.1 * np.log1p(columns.access_count)) * columns.trust
        today: Floats = np.clip(raw, 0.0, 1.0).astype(np.float32)
        return today

    def days_since(self, times: Times) -> Floats:
        """Age in days; never negative, also when clocks disagree."""
        ages = (self.query.now.timestamp() - times) / DAY
        return np.maximum(ages, 0.0).astype(np.float32)


@cache
def _half_lives() -> Floats:
    """Days by type and source, as the columns number them."""
    lives = [[half_life(kind, source) for source in PROVENANCE_KINDS] for kind in MEMORY_TYPES]
    return np.array(lives, np.float32)


def fetch_candidates(state: RecallState) -> None:
    """Stage: search the store and compute the features of what it returns."""
    found = state.reader.candidates(state.search)
    features = extract_features(state.prepared.query, found, state.prepared.calibration)
    state.features = replace(features, all_asked_for=bool(state.tags) and state.prepared.query.only_tags)


def extract_features(query: Query, candidates: Candidates, calibration: Calibrated | None) -> Features:
    """The features of some candidates. A row without a vector is judged by its words: its coverage is its similarity."""
    total = float(candidates.idf.sum())
    coverage = (
        np.vecdot((candidates.matches > 0).astype(np.float32), candidates.idf) / total
        if total
        else np.zeros(len(candidates))
    ).astype(np.float32)
    known = ~np.isnan(candidates.cosine)
    if calibration is None or query.foreign or not known.any():
        # A model gives strangers in a script it does not know the similarity of friends, so there the words decide.
        foreign = query.foreign and bool(known.any())
        return Features(query, candidates, coverage, coverage, embedded=False, foreign=foreign)
    similar = calibration.similarity(np.where(known, candidates.cosine, np.float32(0)))
    similarity = np.where(known, similar, coverage).astype(np.float32)
    mean = calibration.similarity(np.array([candidates.mean_cosine], np.float32))
    unrelated = float(mean[0]) if candidates.mean_cosine else None
    return Features(query, candidates, similarity, coverage, embedded=True, unrelated=unrelated)
