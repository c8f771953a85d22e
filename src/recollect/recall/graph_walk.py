"""The graph walk: which memories some memories lead to over tags, clusters and links.

A node's score is the best over its paths of parent score · edge weight · 0.7^(depth+1); the best path is kept for `explain`.
Every memory on a path, not only the last, must be visible to the viewer: a step over a hidden memory would reveal it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from recollect.ports import Reader
from recollect.recall.features import GraphPath, extract_features
from recollect.recall.profiles import EdgeSource
from recollect.recall.state import RecallState
from recollect.values.link import Edge, Node
from recollect.values.search import Filter, Search

# Each level continues from its best nodes only.
BEAM_WIDTH = 32
# How many edges of one node are followed: a tag on half of all memories leads to its newest few, not to everything.
FAN_OUT = 16


def walk_graph(state: RecallState) -> None:
    """Stage: add the memories that the best candidates lead to, if the profile walks the graph."""
    profile = state.request.profile
    if not profile.needs.graph_walk or state.request.named:
        return
    reached = profile.reach(state.features, visible_edges(state.reader, state.search))
    missing = tuple(sorted(set(reached) - set(state.features.candidates.rows.tolist())))
    if missing:
        more = state.reader.candidates(state.search.for_rows(missing))
        candidates = state.features.candidates.joined(more)
        state.features = extract_features(state.prepared.query, candidates, state.prepared.calibration)
    state.features = replace(state.features, reached=reached)


def visible_edges(reader: Reader, search: Search) -> EdgeSource:
    """The edges a viewer may follow. The caller's filter applies to the results, not to the memories on the way."""
    unfiltered = replace(search, filter=Filter(without=search.filter.without))

    def edges(nodes: Sequence[Node], last: bool) -> list[Edge]:
        return reader.visible_edges(unfiltered, nodes, FAN_OUT, upwards=not last)

    return edges


class GraphWalk:
    """What a walk reached: the best score of each node and, on request, the path to it."""

    def __init__(self, seeds: Mapping[Node, float]) -> None:
        self._best: dict[Node, tuple[float, int]] = {node: (score, 0) for node, score in seeds.items()}
        self._levels: list[dict[Node, tuple[Node, str]]] = [{}]

    def __contains__(self, node: Node) -> bool:
        return node in self._best

    def __iter__(self) -> Iterator[Node]:
        return iter(self._best)

    def __getitem__(self, node: Node) -> GraphPath:
        """The best path to a node."""
        score, level = self._best[node]
        path: list[tuple[str, Node]] = []
        start = node
        for number in range(level, 0, -1):
            start, relation = self._levels[number][node]
            path.append((relation, node))
            node = start
        return GraphPath(score, tuple(reversed(path)), start if path else None)

    def score(self, node: Node) -> float:
        """The best score any path gave a node."""
        return self._best[node][0]

    def step(self, level: Sequence[Node], edges: Iterable[Edge], decay: float) -> list[Node]:
        """Follow the edges from one level; returns the nodes that are new or have a better score than before."""
        scores = {node: self._best[node][0] for node in level}
        best, number, parents = self._best, len(self._levels), {}
        for source, target, relation, weight in edges:
            score = scores[source] * weight * decay
            known = best.get(target)
            if known is None or score > known[0]:
                best[target] = (score, number)
                parents[target] = (source, relation)
        self._levels.append(parents)
        return list(parents)

    def top(self, nodes: Sequence[Node], count: int) -> list[Node]:
        """The best of some nodes."""
        return sorted(nodes, key=lambda node: -self._best[node][0])[:count]


def walk(seeds: Mapping[Node, float], edges: EdgeSource, *, depth: int = 2, decay: float = 0.7) -> GraphWalk:
    """Spread scores from the seeds, level by level. A cycle cannot raise a score, because every step lowers it."""
    walked = GraphWalk(seeds)
    level = list(seeds)
    for step in range(depth):
        level = walked.top(level, BEAM_WIDTH)
        if not level:
            break
        level = walked.step(level, edges(level, step + 1 == depth), decay ** (step + 1))
    return walked
