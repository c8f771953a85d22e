"""Cascade, the profile of seed 002: walk the graph from the most similar memories and rank by the best path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from recollect.recall.features import Features, GraphPath
from recollect.recall.graph_walk import walk
from recollect.recall.profiles import EdgeSource, Needs, Profile, ScorePart, Scores
from recollect.values.link import Node

# Only the best of all memories reached are scored.
MOST_REACHED = 200


@dataclass(frozen=True, slots=True)
class Cascade(Profile):
    """Seed 002: the score of the graph walk, with a boost for memories accessed within about a day."""

    needs: ClassVar[Needs] = Needs(words=True, meaning=True, graph_walk=True)
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

    def reach(self, features: Features, edges: EdgeSource) -> dict[int, GraphPath]:
        """The memories the most similar ones lead to, themselves included, by row."""
        similarity, seeds = features.similarity, self.seeds
        if features.all_asked_for:
            # A tag need not be like the texts that have it.
            similarity, seeds = np.maximum(similarity, np.float32(self.floor)), len(similarity)
        order = np.argsort(-similarity, kind="stable")[:seeds]
        starts: dict[Node, float] = {
            ("memory", int(features.candidates.rows[i])): float(similarity[i])
            for i in order
            if similarity[i] >= np.float32(self.floor)
        }
        walked = walk(starts, edges, depth=self.depth, decay=self.decay)
        best = walked.top([node for node in walked if node[0] == "memory"], MOST_REACHED)
        return {int(node[1]): walked[node] for node in best}

    def score(self, features: Features) -> Scores:
        walked = np.full(len(features.similarity), np.nan, np.float32)
        paths: dict[int, GraphPath] = {}
        for index, row in enumerate(features.candidates.rows.tolist()):
            if (found := features.reached.get(row)) is not None:
                walked[index], paths[index] = found.score, found
        boost = 1 + self.boost * np.exp(-features.days_since(features.columns.accessed) * 24 / self.hours)
        parts = {
            "similarity": ScorePart(features.similarity, 0.0),
            "graph walk": ScorePart(walked),
            "recency boost": ScorePart(boost.astype(np.float32)),
        }
        return Scores((walked * boost).astype(np.float32), parts, paths, multiplied=True)
