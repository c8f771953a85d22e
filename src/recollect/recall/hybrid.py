"""Hybrid, the default profile: dense and lexical evidence fused, then priors on who said it and what stands beside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recollect.recall.profiles import Part, Scores
from recollect.recall.sight import Sight
from recollect.values.search import ASSISTANT, Floats


@dataclass(frozen=True, slots=True)
class Hybrid:
    """Rank fusion of meaning and words, lifted by neighbouring turns and by who spoke."""

    name: str = "hybrid"
    dense: float = 0.6
    person: float = 0.3
    near: float = 0.3
    far: float = 0.15

    @property
    def formula(self) -> str:
        return f"{self.dense}·meaning + {1 - self.dense:.2f}·words + neighbours + {self.person}·said by a person"

    def fetch(self, limit: int) -> int:
        return max(200, 2 * limit)

    def score(self, sight: Sight) -> Scores:
        meaning, words = _spread(sight.similarity, sight.found.selected), _spread(sight.bm25, sight.found.selected)
        fused = self.dense * meaning + (1 - self.dense) * words
        role = np.where(sight.columns.role == ASSISTANT, 0.0, self.person).astype(np.float32)
        parts = {"meaning": Part(meaning, self.dense), "words": Part(words, 1 - self.dense), "person": Part(role)}
        return Scores(fused + role, parts)


def _spread(values: Floats, selected: np.ndarray) -> Floats:
    if not selected.any():
        return np.zeros_like(values)
    low, high = float(values[selected].min()), float(values[selected].max())
    return (values - low) / (high - low) if high > low else np.zeros_like(values)
