"""The graph of the reference back end: every step is found by looking at every memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from recollect.testing.in_memory.state import StoredMemory
from recollect.values.link import EDGE_WEIGHTS, Edge, Node, step_weight

Found = tuple[int, str, int, float]


def edges_all(
    account: Sequence[StoredMemory], clusters: Mapping[int, str], nodes: Sequence[Node], most: int
) -> list[Edge]:
    """The steps from some nodes; `clusters` says in which cluster a row is."""
    wanted = {key for kind, key in nodes if kind == "memory"}
    by_node: dict[tuple[int, str], dict[int, float]] = {}
    for source, relation, target, weight in _links(account):
        for one, other in ((source, target), (target, source)):
            if one in wanted:
                ends = by_node.setdefault((one, relation), {})
                ends[other] = max(ends.get(other, 0.0), weight)
    found = [
        Edge(("memory", one), ("memory", other), relation, step_weight(relation, weight))
        for (one, relation), ends in sorted(by_node.items())
        for other, weight in sorted(ends.items(), key=lambda end: (end[1], end[0]), reverse=True)[:most]
    ]
    groups = [*_tagged(account), *(("cluster", cluster, row) for row, cluster in clusters.items())]
    found += [_edge(("memory", row), (kind, key)) for kind, key, row in groups if row in wanted]
    for node in nodes:
        rows = sorted((row for kind, key, row in groups if (kind, key) == node), reverse=True)[:most]
        found += [_edge(node, ("memory", row)) for row in rows]
    return found


def _links(account: Sequence[StoredMemory]) -> Iterator[Found]:
    rows = {held.memory.id: held.row for held in account}
    for held in account:
        memory = held.memory
        for link in memory.links:
            if link.target in rows:
                yield held.row, link.relation, rows[link.target], link.weight
        if memory.supersedes in rows:
            yield held.row, "supersedes", rows[str(memory.supersedes)], 1.0


def _tagged(account: Sequence[StoredMemory]) -> Iterator[tuple[str, str, int]]:
    return (("tag", tag, held.row) for held in account for tag in held.memory.tags)


def _edge(source: Node, target: Node) -> Edge:
    relation = "has_tag" if "tag" in (source[0], target[0]) else "in_cluster"
    return Edge(source, target, relation, EDGE_WEIGHTS[relation])
