"""The graph of one file: steps between memories, tags and clusters, each level of a walk in a few queries."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

import numpy as np

from recollect.persist.sqlite.rows import id_text, micros, time_of
from recollect.persist.sqlite.sql import queries
from recollect.values.access import Access
from recollect.values.cluster import Cluster
from recollect.values.document import Document
from recollect.values.link import EDGE_WEIGHTS, Edge, Node, step_weight


class FileGraph:
    """The edges, clusters and documents of one account."""

    def __init__(self, connection: sqlite3.Connection, account: str, number: int, model: str) -> None:
        self._connection, self._account, self._number, self._model = connection, account, number, model

    def edges(self, nodes: Sequence[Node], most: int, *, upwards: bool) -> list[Edge]:
        """The steps from some nodes."""
        rows = [int(key) for kind, key in nodes if kind == "memory"]
        found = self._links(rows, most)
        if upwards:
            found += self._upwards(json.dumps(rows))
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
        several = json.dumps(rows)
        yield from self._plain("links_from", rows=several)
        for row in rows:
            yield from self._plain("links_to", row=row, limit=2 * most)
        for query in ("supersedes_from", "supersedes_to"):
            yield from ((source, target, "supersedes", 1.0) for source, target in self._plain(query, rows=several))

    def _upwards(self, rows: str) -> list[Edge]:
        tags = self._plain("tag_steps", rows=rows)
        clusters = self._plain("cluster_steps", rows=rows, model=self._model)
        return [
            *(Edge(("memory", row), ("tag", tag), "has_tag", EDGE_WEIGHTS["has_tag"]) for row, tag in tags),
            *(
                Edge(("memory", row), ("cluster", id_text(held)), "in_cluster", EDGE_WEIGHTS["in_cluster"])
                for row, held in clusters
            ),
        ]

    def _members(self, kind: str, key: str, most: int) -> list[Edge]:
        relation = "has_tag" if kind == "tag" else "in_cluster"
        if kind == "tag":
            rows = self._plain("tag_members", tag=key, limit=most)
        else:
            rows = self._plain("cluster_members", id=UUID(key).bytes, limit=most)
        return [Edge((kind, key), ("memory", row), relation, EDGE_WEIGHTS[relation]) for (row,) in rows]

    def clusters(self) -> list[Cluster]:
        """The clusters made of vectors of the model in use, the largest first."""
        return [cluster_of(row) for row in self._run("all_clusters", model=self._model)]

    def documents(self, kind: str, name: str | None, prefix: str | None) -> list[Document]:
        """The documents of a kind, of one name, or of names that begin alike."""
        if name is not None:
            rows = self._run("named_documents", kind=kind, name=name)
        elif prefix is not None:
            rows = self._run("prefixed_documents", kind=kind, low=prefix, high=prefix + "\U0010ffff")
        else:
            rows = self._run("find_documents", kind=kind)
        return [_document_of(row, self._account) for row in rows]

    def accesses(self, document: str, limit: int) -> list[Access]:
        """The latest readings and writings of a context, newest first."""
        rows = self._run("accesses_of", document=UUID(document).bytes, limit=limit)
        return [
            Access(
                time_of(row["at"]),
                row["agent"],
                row["action"],
                None if row["memory"] is None else id_text(row["memory"]),
            )
            for row in rows
        ]

    def _plain(self, name: str, /, **values: Any) -> list[Any]:
        """Rows as bare tuples: a walk reads thousands."""
        cursor = self._connection.cursor()
        cursor.row_factory = None
        return cursor.execute(queries()[name], {"account": self._number, **values}).fetchall()

    def _run(self, name: str, /, **values: Any) -> sqlite3.Cursor:
        return self._connection.execute(queries()[name], {"account": self._number, **values})


def _strongest(end: tuple[int, float]) -> tuple[float, int]:
    return end[1], end[0]


def cluster_row(cluster: Cluster, account: int, model: str) -> dict[str, Any]:
    """The bound values of one cluster."""
    scope, room, _ = cluster.wall
    return {
        "id": UUID(cluster.id).bytes,
        "account": account,
        "scope": scope,
        "room": room,
        "name": cluster.name,
        "model": model,
        "centroid": cluster.centroid.astype("<f4").tobytes(),
        "radius": cluster.radius,
        "made_at": micros(cluster.made_at),
    }


def document_row(document: Document, account: int) -> dict[str, Any]:
    """The bound values of one document."""
    scope, room, project = document.place
    return {
        "id": UUID(document.id).bytes,
        "account": account,
        "kind": document.kind,
        "name": document.name,
        "scope": scope,
        "room": room,
        "project": project,
        "body": json.dumps(document.body or {}, ensure_ascii=False, separators=(",", ":")),
        "created_at": micros(document.created_at),
        "updated_at": micros(document.updated_at),
    }


def cluster_of(row: sqlite3.Row) -> Cluster:
    """The cluster a row holds."""
    return Cluster(
        id=id_text(row["id"]),
        name=row["name"],
        size=row["size"],
        centroid=np.frombuffer(row["centroid"], "<f4"),
        radius=row["radius"],
        made_at=time_of(row["made_at"]),
        wall=(row["scope"], row["room"], ""),
    )


def _document_of(row: sqlite3.Row, account: str) -> Document:
    return Document(
        id=id_text(row["id"]),
        account=account,
        kind=row["kind"],
        name=row["name"],
        created_at=time_of(row["created_at"]),
        updated_at=time_of(row["updated_at"]),
        place=(row["scope"], row["room"], row["project"]),
        body=json.loads(row["body"]),
    )
