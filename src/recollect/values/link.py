"""Link: how one memory leads to another. A memory carries the links that start from it, so the journal covers them too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from recollect.values.words import LinkRelation

# A node of the graph: ("memory", its row), ("tag", its name) or ("cluster", its id).
Node = tuple[str, int | str]
MOST_LINKS = 256

# How much of a score one step carries over (seed 002); a relates_to link has a weight of its own.
EDGE_WEIGHTS: dict[str, float] = {
    "has_tag": 0.8,
    "in_cluster": 0.6,
    "supersedes": 0.9,
    "derived_from": 0.7,
    "contradicts": 0.3,
}


@dataclass(frozen=True, slots=True)
class Link:
    """One link to another memory; `settled` marks a contradiction of which somebody decided to keep both sides."""

    target: str
    relation: LinkRelation
    weight: float = 1.0
    settled: bool = False


class Edge(NamedTuple):
    """One step a walk may take, in either direction of the link it stands for. A walk makes thousands: a plain tuple."""

    source: Node
    target: Node
    relation: str
    weight: float


def step_weight(relation: str, weight: float) -> float:
    """What a step over a link carries over."""
    return EDGE_WEIGHTS.get(relation, weight)
