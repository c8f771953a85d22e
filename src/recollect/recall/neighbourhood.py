"""Neighbourhood: what a memory, or the hits of a question, lead to; as a list by nearness, or as a graph to draw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.ports import Reader
from recollect.recall.cascade import walk
from recollect.recall.explaining import node_names
from recollect.recall.sight import Reached
from recollect.recall.walking import steps_of
from recollect.values.graph import Graph, GraphEdge, GraphNode
from recollect.values.hit import Related
from recollect.values.link import Node
from recollect.values.memory import Record
from recollect.values.search import Search
from recollect.values.trust import confidence_now

_LABEL = 40


@dataclass(frozen=True, slots=True)
class Seed:
    """Where a walk starts: a memory by its row, and how much it matters."""

    row: int
    score: float = 1.0


def related(reader: Reader, search: Search, seed: Seed, depth: int, limit: int) -> list[Related]:
    """The memories one leads to within some hops, the strongest path first."""
    # A tag or a cluster is a step of its own: memories that share one are one hop apart.
    reached = walk({("memory", seed.row): seed.score}, steps_of(reader, search), depth=2 * depth)
    known = {int(node[1]): reached[node] for node in reached if node[0] == "memory"}
    paths = {row: found for row, found in known.items() if 0 < _hops(found) <= depth}
    allowed = reader.among(search, list(paths))
    best = sorted(allowed, key=lambda row: (-paths[row].score, -row))[:limit]
    names = node_names(reader, search.viewer.account, [paths[row] for row in best])
    records = reader.fetch(search.viewer.account, best)
    return [
        Related(record, round(paths[row].score, 6), _steps(paths[row], names))
        for row, record in zip(best, records, strict=True)
    ]


def _hops(reached: Reached) -> int:
    return sum(kind == "memory" for _, (kind, _) in reached.path)


def _steps(reached: Reached, names: Mapping[Node, str]) -> tuple[str, ...]:
    return tuple(f"{relation} {names.get(node, node[1])}" for relation, node in reached.path)


def drawn(
    reader: Reader, search: Search, seeds: Sequence[Seed], depth: int, limit: int, title: str, now: datetime
) -> Graph:
    """The neighbourhood of some memories: the best nodes, and every edge between them."""
    start: dict[Node, float] = {("memory", seed.row): seed.score for seed in seeds}
    reached = walk(dict(start), steps_of(reader, search), depth=2 * depth)
    rows = reader.among(search, [int(key) for kind, key in reached if kind == "memory"])
    score = {row: reached.score(("memory", row)) for row in rows}
    best = sorted(rows, key=lambda row: (("memory", row) not in start, -score[row], -row))[:limit]
    records = dict(zip(best, reader.fetch(search.viewer.account, best), strict=True))
    groups = _groups(reader, search.viewer.account, best)
    nodes = [_memory(record, score[row], ("memory", row) in start, now) for row, record in records.items()]
    keys = {row: record.id for row, record in records.items()}
    edges = [*_links(records.values()), *_memberships(groups, keys)]
    named = {cluster.id: cluster for cluster in reader.clusters(search.viewer.account)}
    for kind, key in dict.fromkeys(group for _, group in groups):
        size = sum(group == (kind, key) for _, group in groups)
        label = str(key) if kind == "tag" else named[str(key)].name
        nodes.append(GraphNode(_key((kind, key)), kind, label, size=size))  # type: ignore[arg-type]
    return Graph(title, tuple(nodes), tuple(edges), left_out=len(rows) - len(best))


def _groups(reader: Reader, account: str, rows: Sequence[int]) -> list[tuple[int, Node]]:
    """The tags and clusters of some memories."""
    found = reader.edges(account, [("memory", row) for row in rows], len(rows) or 1)
    return [(int(edge.source[1]), edge.target) for edge in found if edge.target[0] != "memory"]


def _memory(record: Record, score: float, seed: bool, now: datetime) -> GraphNode:
    label = record.content if len(record.content) <= _LABEL else f"{record.content[:_LABEL].rstrip()}…"
    return GraphNode(
        record.id,
        "memory",
        label.replace("\n", " "),
        record.content,
        record.type,
        record.scope,
        record.status,
        record.trust,
        round(confidence_now(record, now), 3),
        score=round(score, 4),
        seed=seed,
    )


def _links(records: Iterable[Record]) -> list[GraphEdge]:
    kept = {record.id: record for record in records}
    edges = [
        GraphEdge(record.id, link.target, link.relation, link.weight)
        for record in kept.values()
        for link in record.links
        if link.target in kept
    ]
    replaced = [
        GraphEdge(r.id, r.supersedes, "supersedes") for r in kept.values() if r.supersedes in kept and r.supersedes
    ]
    return edges + replaced


def _memberships(groups: Sequence[tuple[int, Node]], keys: Mapping[int, str]) -> list[GraphEdge]:
    return [GraphEdge(keys[row], _key(node), "has_tag" if node[0] == "tag" else "in_cluster") for row, node in groups]


def _key(node: Node) -> str:
    return f"{node[0]}:{node[1]}"
