"""Graph: a neighbourhood of memories, tags and clusters with the edges between them, as it is drawn and exported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NodeKind = Literal["memory", "tag", "cluster"]


@dataclass(frozen=True, slots=True)
class GraphNode:
    """One node: a memory (with what a reader wants to know of it), a tag or a cluster. `key` is unique in its graph."""

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
    """Nodes and edges; `left_out` counts the nodes that a limit kept from being shown."""

    title: str
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    left_out: int = 0
