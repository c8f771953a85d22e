"""The graph of one account: steps between memories, tags and clusters, each level of a walk in a few queries; and documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from recollect.persist.postgres.rows import micros, time_of
from recollect.values.access import Access
from recollect.values.cluster import Cluster
from recollect.values.document import Document
from recollect.values.link import EDGE_WEIGHTS, Edge, Node, step_weight

# Asks a named query about the account: (name, values) -> rows.
Ask = Callable[..., list[tuple[Any, ...]]]


class AccountGraph:
    """The edges, clusters and documents of one account."""

    def __init__(self, ask: Ask, account: str, model: str) -> None:
        self._ask, self._account, self._model = ask, account, model

    def edges(self, nodes: Sequence[Node], most: int, *, upwards: bool) -> list[Edge]:
        """The steps from some nodes."""
        rows = [int(key) for kind, key in nodes if kind == "memory"]
        found = self._links(rows, most) if rows else []
        if rows and upwards:
            found += self._upwards(rows)
        for kind, key in nodes:
            if kind != "memory":
                found += self._members(kind, str(key), most)
        return found

    def _links(self, rows: Sequence[int], most: int) -> list[Edge]:
        by_node: dict[tuple[int, str], dict[int, float]] = {}
        for source, target, relation, weight in self._ends(rows, most):
            ends = by_node.setdefault((source, relation), {})
            if weight > ends.get(target, 0.0):
                ends[target] = weight
        return [
            Edge(("memory", source), ("memory", target), relation, step_weight(relation, weight))
            for (source, relation), ends in sorted(by_node.items())
            for target, weight in sorted(ends.items(), key=_strongest, reverse=True)[:most]
        ]

    def _ends(self, rows: Sequence[int], most: int) -> Iterator[tuple[int, int, str, float]]:
        for source, target, relation, weight in self._ask("links_from", rows=rows):
            yield source, target, relation, weight
        for source, target, relation, weight in self._ask("links_to", rows=rows, limit=2 * most):
            yield source, target, relation, weight
        for query in ("supersedes_from", "supersedes_to"):
            yield from ((source, target, "supersedes", 1.0) for source, target in self._ask(query, rows=rows))

    def _upwards(self, rows: Sequence[int]) -> list[Edge]:
        tags = self._ask("tag_steps", rows=rows)
        clusters = self._ask("cluster_steps", rows=rows, model=self._model)
        return [
            *(Edge(("memory", row), ("tag", tag), "has_tag", EDGE_WEIGHTS["has_tag"]) for row, tag in tags),
            *(
                Edge(("memory", row), ("cluster", held), "in_cluster", EDGE_WEIGHTS["in_cluster"])
                for row, held in clusters
            ),
        ]

    def _members(self, kind: str, key: str, most: int) -> list[Edge]:
        relation = "has_tag" if kind == "tag" else "in_cluster"
        values = {"tag": key} if kind == "tag" else {"id": key}
        rows = self._ask(f"{kind}_members", limit=most, **values)
        return [Edge((kind, key), ("memory", row), relation, EDGE_WEIGHTS[relation]) for (row,) in rows]

    def clusters(self) -> list[Cluster]:
        """The clusters made of vectors of the model in use, the largest first."""
        return [_cluster_of(row) for row in self._ask("clusters_of", model=self._model)]

    def all_clusters(self) -> list[tuple[str, Cluster]]:
        """The clusters of every model, by id, each with its model."""
        return [(row[8], _cluster_of(row)) for row in self._ask("all_clusters")]

    def documents(self, kind: str, name: str | None, prefix: str | None) -> list[Document]:
        """The documents of a kind, of one name, or of names that begin alike."""
        if name is not None:
            rows = self._ask("named_documents", kind=kind, name=name)
        elif prefix is not None:
            rows = self._ask("prefixed_documents", kind=kind, low=prefix, high=prefix + "\U0010ffff")
        else:
            rows = self._ask("find_documents", kind=kind)
        return [_document_of(row, self._account) for row in rows]

    def accesses(self, document: str, limit: int) -> list[Access]:
        """The latest readings and writings of a context, newest first."""
        rows = self._ask("accesses_of", document=document, limit=limit if limit >= 0 else None)
        return [Access(time_of(at), agent, action, memory) for at, agent, action, memory in rows]


def _strongest(end: tuple[int, float]) -> tuple[float, int]:
    return end[1], end[0]


def cluster_row(cluster: Cluster, model: str) -> dict[str, Any]:
    """The bound values of one cluster."""
    scope, room, _ = cluster.wall
    return {
        "id": cluster.id,
        "scope": scope,
        "room": room,
        "name": cluster.name,
        "model": model,
        "centroid": cluster.centroid.astype("<f4").tobytes(),
        "radius": cluster.radius,
        "made_at": micros(cluster.made_at),
    }


def document_row(document: Document) -> dict[str, Any]:
    """The bound values of one document."""
    scope, room, project = document.place
    return {
        "id": document.id,
        "kind": document.kind,
        "name": document.name,
        "scope": scope,
        "room": room,
        "project": project,
        "body": json.dumps(document.body or {}, ensure_ascii=False, separators=(",", ":")),
        "created_at": micros(document.created_at),
        "updated_at": micros(document.updated_at),
    }


def _cluster_of(row: Sequence[Any]) -> Cluster:
    own_id, name, centroid, radius, made_at, scope, room, size, _ = row
    return Cluster(
        id=own_id,
        name=name,
        size=size,
        centroid=np.frombuffer(centroid, "<f4"),
        radius=radius,
        made_at=time_of(made_at),
        wall=(scope, room, ""),
    )


def _document_of(row: Sequence[Any], account: str) -> Document:
    own_id, kind, name, scope, room, project, body, created_at, updated_at = row
    return Document(
        id=own_id,
        account=account,
        kind=kind,
        name=name,
        created_at=time_of(created_at),
        updated_at=time_of(updated_at),
        place=(scope, room, project),
        body=json.loads(body),
    )
