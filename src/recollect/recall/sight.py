"""Sight: everything a profile may look at when it scores, derived once from the candidates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from recollect.ports import Calibrated
from recollect.recall.query import Query
from recollect.values.link import Node
from recollect.values.search import Candidates, Columns, Floats, Times
from recollect.values.trust import half_life
from recollect.values.words import MEMORY_TYPES, PROVENANCE_KINDS

DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Reached:
    """A node found by walking: the best score any path gave it, and the steps of that path from where it started."""

    score: float
    path: tuple[tuple[str, Node], ...]
    start: Node | None = None


@dataclass(frozen=True, slots=True)
class Sight:
    """The candidates of one query, with their calibrated similarity and the ages profiles decay by."""

    query: Query
    found: Candidates
    similarity: Floats
    coverage: Floats
    embedded: bool
    reached: Mapping[int, Reached] = field(default_factory=dict)
    linked: Floats | None = None

    @property
    def columns(self) -> Columns:
        return self.found.columns

    @property
    def bm25(self) -> Floats:
        return self.found.bm25

    def in_window(self) -> NDArray[np.bool_]:
        """Which candidates happened (or else were stored) in the time the question asks about."""
        columns = self.columns
        when = np.where(np.isnan(columns.occurred), columns.created, columns.occurred)
        inside = [(when >= since.timestamp()) & (when < until.timestamp()) for since, until in self.query.windows]
        return np.asarray(np.logical_or.reduce(inside), np.bool_)

    def window_weight(self) -> float:
        """How much being in the window tells: the fewer memories are in it, the more."""
        total, inside = max(self.found.considered, 2), self.found.in_window
        return math.log(total / inside) / math.log(total) if inside else 0.0

    def confidence(self) -> Floats:
        """What is left today of how sure each memory was: worn by age as its type wears, firmed by use, bounded by trust."""
        columns = self.columns
        worn = np.exp(-self.days_since(columns.updated) / _half_lives()[columns.type, columns.source])
        left = columns.confidence * worn * (1 + 0.1 * np.log1p(columns.access_count)) * columns.trust
        held: Floats = np.clip(left, 0.0, 1.0).astype(np.float32)
        return held

    def days_since(self, times: Times) -> Floats:
        """Age in days; never negative, whatever a clock said."""
        ages = (self.query.now.timestamp() - times) / DAY
        return np.maximum(ages, 0.0).astype(np.float32)


@cache
def _half_lives() -> Floats:
    """Days by type and source, as the columns number them."""
    lives = [[half_life(kind, source) for source in PROVENANCE_KINDS] for kind in MEMORY_TYPES]
    return np.array(lives, np.float32)


def behold(query: Query, found: Candidates, calibration: Calibrated | None) -> Sight:
    """Work out similarity for every candidate.

    A row without a vector is never invisible: the share of the question's telling words it holds stands in.
    """
    total = float(found.idf.sum())
    coverage = (
        np.vecdot((found.matches > 0).astype(np.float32), found.idf) / total if total else np.zeros(len(found))
    ).astype(np.float32)
    known = ~np.isnan(found.cosine)
    if calibration is None or not known.any():
        return Sight(query, found, coverage, coverage, embedded=False)
    similar = calibration.similarity(np.where(known, found.cosine, np.float32(0)))
    return Sight(query, found, np.where(known, similar, coverage).astype(np.float32), coverage, embedded=True)
