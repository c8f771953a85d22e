"""Cascade (seed 002): what the best hits lead to. Walks from the nearest memories over tags, clusters and links.

A node's score is the best over its paths of parent score · edge weight · 0.7^(depth+1); the winning path is kept for `explain`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from recollect.recall.profiles import BOTH, Part, Scores
from recollect.recall.sight import Reached, Sight
from recollect.values.link import Edge, Node

# The steps from some nodes; at the last step only memories are worth reaching.
Steps = Callable[[Sequence[Node], bool], Iterable[Edge]]
# A level is walked on from its best nodes only, and only the best of all are worth scoring.
WIDTH, MOST = 32, 200


class Walked:
    """What a walk reached: the best score of each node, and the way there, told when asked for."""

    def __init__(self, seeds: Mapping[Node, float]) -> None:
        self._best: dict[Node, tuple[float, int]] = {node: (score, 0) for node, score in seeds.items()}
        self._levels: list[dict[Node, tuple[Node, str]]] = [{}]

    def __contains__(self, node: Node) -> bool:
        return node in self._best

    def __iter__(self) -> Iterator[Node]:
        return iter(self._best)

    def __getitem__(self, node: Node) -> Reached:
        """A node with its best path."""
        score, level = self._best[node]
        path: list[tuple[str, Node]] = []
        start = node
        for number in range(level, 0, -1):
            start, relation = self._levels[number][node]
            path.append((relation, node))
            node = start
        return Reached(score, tuple(reversed(path)), start if path else None)

    def led_to(self, node: Node) -> bool:
        """Whether a step gave a node more than it started with."""
        return self._best[node][1] > 0

    def score(self, node: Node) -> float:
        """The best score any path gave a node."""
        return self._best[node][0]

    def take(self, level: Sequence[Node], edges: Iterable[Edge], fading: float) -> list[Node]:
        """One step on from the nodes of a level; returns those that were reached, or reached better than before."""
        scores = {node: self._best[node][0] for node in level}
        best, number, came = self._best, len(self._levels), {}
        for source, target, relation, weight in edges:
            score = scores[source] * weight * fading
            known = best.get(target)
            if known is None or score > known[0]:
                best[target] = (score, number)
                came[target] = (source, relation)
        self._levels.append(came)
        return list(came)

    def widest(self, nodes: Sequence[Node], most: int) -> list[Node]:
        """The best of some nodes."""
        return sorted(nodes, key=lambda node: -self._best[node][0])[:most]


def walk(seeds: Mapping[Node, float], steps: Steps, *, depth: int = 2, decay: float = 0.7) -> Walked:
    """Spread scores from the seeds, level by level; a cycle cannot raise a score, since every step lowers it."""
    walked = Walked(seeds)
    level = list(seeds)
    for step in range(depth):
        level = walked.widest(level, WIDTH)
        if not level:
            break
        level = walked.take(level, steps(level, step + 1 == depth), decay ** (step + 1))
    return walked


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

    def walk(self, sight: Sight, steps: Steps) -> dict[int, Reached]:
        """Which memories the best hits lead to, by row."""
        order = np.argsort(-sight.similarity, kind="stable")[: self.seeds]
        seeds: dict[Node, float] = {
            ("memory", int(sight.found.rows[i])): float(sight.similarity[i])
            for i in order
            if sight.similarity[i] >= self.floor
        }
        walked = walk(seeds, steps, depth=self.depth, decay=self.decay)
        best = walked.widest([node for node in walked if node[0] == "memory"], MOST)
        return {int(node[1]): walked[node] for node in best}

    def score(self, sight: Sight) -> Scores:
        walked = np.full(len(sight.similarity), np.nan, np.float32)
        paths: dict[int, Reached] = {}
        for place, row in enumerate(sight.found.rows.tolist()):
            if (found := sight.reached.get(row)) is not None:
                walked[place], paths[place] = found.score, found
        boost = 1 + self.boost * np.exp(-sight.days_since(sight.columns.accessed) * 24 / self.hours)
        parts = {
            "similarity": Part(sight.similarity, 0.0),
            "walk": Part(walked),
            "recency boost": Part(boost.astype(np.float32)),
        }
        return Scores((walked * boost).astype(np.float32), parts, paths)
