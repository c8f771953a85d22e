"""Neighbourhood: the memories that a memory or the hits of a query are connected to, as a ranked list or as a graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from recollect.errors import InvalidInput
from recollect.filters import filter_from
from recollect.ports import Reader
from recollect.recall.explain import node_names
from recollect.recall.features import GraphPath
from recollect.recall.graph_walk import visible_edges, walk
from recollect.recall.run import answer_in_view, record_recall
from recollect.recall.state import RecallRequest
from recollect.unit_of_work import UnitOfWork
from recollect.validation import shown
from recollect.values.link import Graph, GraphEdge, GraphNode, Node
from recollect.values.memory import Record, confidence_now
from recollect.values.recalled import Related
from recollect.values.search import Filter, Search

_LABEL = 40
_MAX_DEPTH = 4


@dataclass(frozen=True, slots=True)
class GraphSeed:
    """Where a walk starts: the row of a memory, and its score."""

    row: int
    score: float = 1.0


def related(reader: Reader, search: Search, seed: GraphSeed, depth: int, limit: int) -> list[Related]:
    """The memories within some hops of a memory, the strongest path first. The search has no filter of the caller."""
    # A tag or a cluster is a node of its own: memories that share one are two steps but one hop apart.
    reached = walk({("memory", seed.row): seed.score}, visible_edges(reader, search), depth=2 * depth)
    known = {int(node[1]): reached[node] for node in reached if node[0] == "memory"}
    paths = {row: found for row, found in known.items() if 0 < _hops(found) <= depth}
    best = sorted(paths, key=lambda row: (-paths[row].score, -row))[:limit]
    names = node_names(reader, search.viewer.account, [paths[row] for row in best])
    records = reader.fetch(search.viewer.account, best)
    return [
        Related(record, round(paths[row].score, 6), _steps(paths[row], names))
        for row, record in zip(best, records, strict=True)
    ]


def _hops(reached: GraphPath) -> int:
    return sum(kind == "memory" for _, (kind, _) in reached.path)


def _steps(reached: GraphPath, names: Mapping[Node, str]) -> tuple[str, ...]:
    return tuple(f"{relation} {names.get(node, node[1])}" for relation, node in reached.path)


def build_graph(
    reader: Reader, search: Search, seeds: Sequence[GraphSeed], depth: int, limit: int, title: str, now: datetime
) -> Graph:
    """The neighbourhood of some memories: the best nodes and all edges between them.

    The search has no filter of the caller, so every memory that the walk reached may be shown; the seeds may be hidden.
    """
    start: dict[Node, float] = {("memory", seed.row): seed.score for seed in seeds}
    reached = walk(dict(start), visible_edges(reader, search), depth=2 * depth)
    score = {int(key): reached.score((kind, key)) for kind, key in reached if kind == "memory"}
    rows = sorted(score, key=lambda row: (("memory", row) not in start, -score[row], -row))
    # The seeds come first, and there are others in place of those that are hidden.
    found = reader.fetch_visible(search, rows[: limit + len(seeds)])
    rows = [row for row in rows if row in found or ("memory", row) not in start]
    best = rows[:limit]
    records = {row: found[row] for row in best}
    named = {cluster.id: cluster.name for cluster in reader.clusters(search.viewer.account)}
    groups = [*_tags(records), *(_clusters(reader, search.viewer.account, best) if named else ())]
    nodes = [_memory_node(record, score[row], ("memory", row) in start, now) for row, record in records.items()]
    keys = {row: record.id for row, record in records.items()}
    edges = [*_links(records.values()), *_memberships(groups, keys)]
    for kind, key in dict.fromkeys(group for _, group in groups):
        size = sum(group == (kind, key) for _, group in groups)
        label = str(key) if kind == "tag" else named[str(key)]
        nodes.append(GraphNode(_key((kind, key)), kind, label, size=size))
    return Graph(title, tuple(nodes), tuple(edges), left_out=len(rows) - len(best))


def _tags(records: Mapping[int, Record]) -> list[tuple[int, Node]]:
    """The tags of some memories."""
    return [(row, ("tag", tag)) for row in sorted(records) for tag in sorted(set(records[row].tags))]


def _clusters(reader: Reader, account: str, rows: Sequence[int]) -> list[tuple[int, Node]]:
    """The clusters of some memories."""
    found = reader.edges(account, [("memory", row) for row in rows], len(rows) or 1)
    return [(int(edge.source[1]), edge.target) for edge in found if edge.target[0] == "cluster"]


def _memory_node(record: Record, score: float, seed: bool, now: datetime) -> GraphNode:
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


def related_memories(uow: UnitOfWork, id: str, depth: int, limit: int) -> list[Related]:
    """The memories a memory is connected to over links, tags and clusters, the strongest path first."""
    check_depth(depth)
    with uow.view() as reader:
        record = uow.find(reader, id)
        seed = GraphSeed(*reader.rows_of(record.account, [record.id]))
        return uow.redact(reader, related(reader, _search_at(uow, reader, record), seed, depth, limit))


def graph_of_memory(uow: UnitOfWork, id: str, depth: int, limit: int) -> Graph:
    """The neighbourhood of one memory."""
    with uow.view() as reader:
        record = uow.find(reader, id)
        seeds = [GraphSeed(*reader.rows_of(record.account, [record.id]))]
        search = _search_at(uow, reader, record)
        return build_graph(reader, search, seeds, depth, limit, record.short_id, uow.runtime.clock())


def graph_of_hits(uow: UnitOfWork, request: RecallRequest, depth: int, limit: int) -> Graph:
    """The neighbourhood of the best hits of a query, in the view that they are found in."""
    prepared = uow.runtime.recall.prepare(request)
    with uow.view() as reader:
        answer = answer_in_view(uow, reader, request, prepared)
        best = max((hit.score for hit in answer.recalled), default=0.0)
        seeds = [
            GraphSeed(row, max(hit.score, 0.01))
            for hit, row in zip(answer.recalled, answer.rows, strict=True)
            if 2 * hit.score >= best
        ]
        graph = _graph_from(uow, reader, seeds, depth, limit, request.text)
    record_recall(uow, request, prepared, answer)
    return graph


def graph_of_newest(uow: UnitOfWork, filters: Mapping[str, Any], depth: int, limit: int) -> Graph:
    """The neighbourhood of the newest memories of the current project."""
    wanted = filter_from({"in_project": uow.viewer.project, **filters})
    with uow.view() as reader:
        here = replace(wanted, visit=(uow.viewer.session or wanted.session, uow.viewer.task))
        found = reader.find(uow.viewer.identity, here, uow.runtime.clock(), limit=max(limit // 2, 1))
        seeds = [GraphSeed(row) for row in reader.rows_of(uow.viewer.account, [record.id for record in found])]
        return _graph_from(uow, reader, seeds, depth, limit, "the newest memories")


def check_depth(depth: Any) -> None:
    """Check a number of hops: 1 to 4."""
    if isinstance(depth, bool) or not isinstance(depth, int) or not 1 <= depth <= _MAX_DEPTH:
        raise InvalidInput("depth", f"{shown(depth)} is out of range", f"give a whole number from 1 to {_MAX_DEPTH}")


def _graph_from(
    uow: UnitOfWork, reader: Reader, seeds: Sequence[GraphSeed], depth: int, limit: int, title: str
) -> Graph:
    search = Search(uow.viewer, _enabled_only(uow, reader), uow.runtime.clock().timestamp())
    return build_graph(reader, search, seeds, depth, limit, title, uow.runtime.clock())


def _search_at(uow: UnitOfWork, reader: Reader, record: Record) -> Search:
    """A search by this identity from the place of a memory."""
    viewer = replace(uow.viewer, project=record.project, session=record.session, task=record.task)
    return Search(viewer, _enabled_only(uow, reader), uow.runtime.clock().timestamp())


def _enabled_only(uow: UnitOfWork, reader: Reader) -> Filter:
    return Filter(without=tuple(sorted(reader.switched_off(uow.viewer.account))))
