"""Links between memories, and the graph made of them. A memory has the links that start from it, so the journal covers them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from recollect.values.enums import LinkRelation

# A node of the graph: ("memory", its row), ("tag", its name) or ("cluster", its id).
Node = tuple[str, int | str]
MOST_LINKS = 256

# How much of a score one step keeps; a relates_to link has its own weight.
EDGE_WEIGHTS: dict[str, float] = {
    "has_tag": 0.8,
    "in_cluster": 0.6,
    "supersedes": 0.9,
    "derived_from": 0.7,
    "contradicts": 0.3,
}


@dataclass(frozen=True, slots=True)
class Link:
    """One link to another memory; `settled` marks a contradiction that was resolved by keeping both sides."""

    target: str
    relation: LinkRelation
    weight: float = 1.0
    settled: bool = False


class Edge(NamedTuple):
    """One edge of a graph walk, in either direction of a link. A plain tuple, because a walk makes thousands."""

    source: Node
    target: Node
    relation: str
    weight: float


def step_weight(relation: str, weight: float) -> float:
    """The weight of a step over a link."""
    return EDGE_WEIGHTS.get(relation, weight)


NodeKind = Literal["memory", "tag", "cluster"]


@dataclass(frozen=True, slots=True)
class GraphNode:
    """One node: a memory, a tag or a cluster. `key` is unique in the graph."""

    key: str
    kind: NodeKind
    label: str
    content: str | None = None
    type: str | None = None
    scope: str | None = None
    status: str | None = None
    trust: float | None = None
    confidence: float | None = None
    size: int | None = None
    score: float | None = None
    seed: bool = False


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """One edge, by the keys of its nodes: has_tag, in_cluster, relates_to, supersedes, contradicts or derived_from."""

    source: str
    target: str
    relation: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes and edges; `left_out` counts the nodes above the limit."""

    title: str
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    left_out: int = 0
