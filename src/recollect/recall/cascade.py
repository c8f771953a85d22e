"""Cascade (seed 002): what the best hits lead to. Walks from the nearest memories over shared tags.

A node's score is the best over its paths of parent score · edge weight · 0.7^(depth+1); the winning path is kept for `explain`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from recollect.recall.profiles import BOTH, Part, Scores
from recollect.recall.sight import Reached, Sight

Node = tuple[str, object]
Edges = Callable[[Iterable[Node]], Mapping[Node, list[tuple[Node, str, float]]]]

HAS_TAG = 0.8


def walk(seeds: Mapping[Node, float], edges: Edges, *, depth: int = 2, decay: float = 0.7) -> dict[Node, Reached]:
    """Spread scores from the seeds, level by level; a cycle cannot raise a score, since every step lowers it."""
    best = {node: Reached(score, ()) for node, score in seeds.items()}
    level = dict(best)
    for step in range(depth):
        coming: dict[Node, Reached] = {}
        for source, targets in edges(level).items():
            for target, relation, weight in targets:
                score = level[source].score * weight * decay ** (step + 1)
                known = coming.get(target) or best.get(target)
                if known is None or score > known.score:
                    coming[target] = Reached(score, (*level[source].path, f"{relation} {target[1]}"))
        level = coming
        best |= coming
    return best


@dataclass(frozen=True, slots=True)
class Cascade:
    """Seed 002's profile: the walk, then a boost for what was used in the last day or so."""

    legs: ClassVar[frozenset[str]] = BOTH
    name: str = "cascade"
    seeds: int = 10
    floor: float = 0.4
    depth: int = 2
    decay: float = 0.7
    boost: float = 0.5
    hours: float = 24.0

    @property
    def formula(self) -> str:
        return (
            f"best path of parent · edge · {self.decay}^(depth+1) from the top {self.seeds} with similarity ≥ {self.floor}"
            f" · (1 + {self.boost}·exp(−hours since access/{self.hours:g}))"
        )

    def fetch(self, limit: int) -> int:
        return max(4 * limit, 50)

    def walk(self, sight: Sight, edges: Edges) -> dict[int, Reached]:
        """Which memories the best hits lead to, by row."""
        order = np.argsort(-sight.similarity, kind="stable")[: self.seeds]
        seeds: dict[Node, float] = {
            ("memory", int(sight.found.rows[i])): float(sight.similarity[i])
            for i in order
            if sight.similarity[i] >= self.floor
        }
        reached = walk(seeds, edges, depth=self.depth, decay=self.decay)
        return {int(str(key)): found for (kind, key), found in reached.items() if kind == "memory"}

    def score(self, sight: Sight) -> Scores:
        walked = np.full(len(sight.similarity), np.nan, np.float32)
        paths: dict[int, tuple[str, ...]] = {}
        for place, row in enumerate(sight.found.rows.tolist()):
            if (found := sight.reached.get(row)) is not None:
                walked[place], paths[place] = found.score, found.path
        boost = 1 + self.boost * np.exp(-sight.days_since(sight.columns.accessed) * 24 / self.hours)
        parts = {
            "similarity": Part(sight.similarity, 0.0),
            "walk": Part(walked),
            "recency boost": Part(boost.astype(np.float32)),
        }
        return Scores((walked * boost).astype(np.float32), parts, paths)
