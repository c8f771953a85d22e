"""The graph of one account in a database: steps between memories, tags and clusters, each level of a walk in a few queries;
and clusters, documents and accesses as columns and back. Both databases answer queries of the same names."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from recollect.store.rows import IdOf, IdText, dumped, micros, time_of
from recollect.values.cluster import Cluster
from recollect.values.document import Access, Document
from recollect.values.enums import DocumentKind
from recollect.values.link import EDGE_WEIGHTS, Edge, Node, step_weight
from recollect.values.search import Search

# Asks a named query about the account: (name, values) -> rows as bare tuples.
Ask = Callable[..., list[Any]]
# Asks several of them at once.
AskAll = Callable[[Sequence[tuple[str, dict[str, Any]]]], list[list[Any]]]
# A link as it is found: the row asked about, the row at its other end, the relation and its weight.
End = tuple[int, int, str, float]
_RELATIONS = {"tag": "has_tag", "cluster": "in_cluster"}


class AccountGraph:
    """The edges, clusters and documents of one account."""

    def __init__(
        self,
        ask: Ask,
        account: str,
        model: str,
        id_of: IdOf = str,
        id_text: IdText = str,
        ask_all: AskAll | None = None,
    ) -> None:
        self._ask, self._account, self._model = ask, account, model
        self._id_of, self._id_text = id_of, id_text
        self._ask_all = ask_all or (lambda asked: [ask(name, **values) for name, values in asked])

    def edges(self, nodes: Sequence[Node], most: int, *, upwards: bool) -> list[Edge]:
        """The steps from some nodes."""
        rows = [int(key) for kind, key in nodes if kind == "memory"]
        groups = [(kind, str(key)) for kind, key in nodes if kind != "memory"]
        links = self._link_queries(rows, 2 * most) if rows else []
        above = self._upward_queries(rows) if rows and upwards else []
        members = [self._member_query(kind, key, most) for kind, key in groups]
        # All together: on a server, one round trip per level of a walk.
        answers = self._ask_all([*links, *above, *members])
        found = _strongest(self._ends(links, answers), most)
        if above:
            found += self._upward_edges(*answers[len(links) : len(links) + 2])
        for (kind, key), answer in zip(groups, answers[len(links) + len(above) :], strict=True):
            relation = _RELATIONS[kind]
            found += [Edge((kind, key), ("memory", row), relation, EDGE_WEIGHTS[relation]) for (row,) in answer]
        return found

    def clusters(self) -> list[Cluster]:
        """The clusters made of vectors of the model in use, the largest first."""
        return [cluster_of(row, self._id_text) for row in self._ask("clusters_of", model=self._model)]

    def all_clusters(self) -> list[tuple[str, Cluster]]:
        """The clusters of every model, by id, each with its model."""
        return [(row[-1], cluster_of(row, self._id_text)) for row in self._ask("all_clusters")]

    def documents(self, kind: str, name: str | None, prefix: str | None) -> list[Document]:
        """The documents of a kind, of one name, or of names that begin alike."""
        if name is not None:
            rows = self._ask("named_documents", kind=kind, name=name)
        elif prefix is not None:
            rows = self._ask("prefixed_documents", kind=kind, low=prefix, high=prefix + "\U0010ffff")
        else:
            rows = self._ask("find_documents", kind=kind)
        return [document_of(row, self._account, self._id_text) for row in rows]

    def documents_by_id(self, ids: Any) -> list[Document]:
        """The documents with some ids, spelled as the database takes them."""
        return [document_of(row, self._account, self._id_text) for row in self._ask("documents_by_id", ids=ids)]

    def accesses(self, document: str, limit: int) -> list[Access]:
        """The latest readings and writings of a context, newest first."""
        rows = self._ask("accesses_of", document=self._id_of(document), limit=limit)
        return [access_of(row, self._id_text) for row in rows]

    def _link_queries(self, rows: Sequence[int], limit: int) -> list[tuple[str, dict[str, Any]]]:
        several = {"rows": self._several(rows)}
        return [
            ("links_from", several),
            ("supersedes_from", several),
            ("supersedes_to", several),
            *(("links_to", {**one, "limit": limit}) for one in self._links_to(rows)),
        ]

    def _links_to(self, rows: Sequence[int]) -> list[dict[str, Any]]:
        """The values of the queries for the links that lead to some rows."""
        return [{"rows": rows}]

    def _ends(self, queries: Sequence[tuple[str, dict[str, Any]]], answers: Sequence[list[Any]]) -> Iterator[End]:
        for (name, _), answer in zip(queries, answers, strict=False):
            if name.startswith("supersedes"):
                yield from ((source, target, "supersedes", 1.0) for source, target in answer)
            else:
                yield from answer

    def _several(self, rows: Sequence[int]) -> Any:
        """Row numbers as the database takes them."""
        return rows

    def _upward_queries(self, rows: Sequence[int]) -> list[tuple[str, dict[str, Any]]]:
        several = self._several(rows)
        return [("tag_steps", {"rows": several}), ("cluster_steps", {"rows": several, "model": self._model})]

    def _upward_edges(self, tags: list[Any], clusters: list[Any]) -> list[Edge]:
        has_tag, in_cluster = EDGE_WEIGHTS["has_tag"], EDGE_WEIGHTS["in_cluster"]
        return [
            *(Edge(("memory", row), ("tag", tag), "has_tag", has_tag) for row, tag in tags),
            *(
                Edge(("memory", row), ("cluster", self._id_text(held)), "in_cluster", in_cluster)
                for row, held in clusters
            ),
        ]

    def _member_query(self, kind: str, key: str, most: int) -> tuple[str, dict[str, Any]]:
        values: dict[str, Any] = {"tag": key} if kind == "tag" else {"id": self._id_of(key)}
        return f"{kind}_members", {"limit": most, **values}


class GraphQueries(ABC):
    """The part of a reader that asks the graph of an account."""

    def edges(self, account: str, nodes: Sequence[Node], most: int, *, upwards: bool = True) -> list[Edge]:
        return self._graph(account).edges(nodes, most, upwards=upwards)

    def visible_edges(self, search: Search, nodes: Sequence[Node], most: int, *, upwards: bool = True) -> list[Edge]:
        found = self.edges(search.viewer.account, nodes, most, upwards=upwards)
        return among_visible(found, self.filter_visible(search, memories_reached(found)))

    def clusters(self, account: str) -> list[Cluster]:
        return self._graph(account).clusters()

    def all_clusters(self, account: str) -> list[tuple[str, Cluster]]:
        return self._graph(account).all_clusters()

    def documents(
        self, account: str, kind: DocumentKind, name: str | None = None, *, prefix: str | None = None
    ) -> list[Document]:
        return self._graph(account).documents(kind, name, prefix)

    def accesses(self, account: str, document: str, limit: int) -> list[Access]:
        return self._graph(account).accesses(document, limit)

    @abstractmethod
    def filter_visible(self, search: Search, rows: Sequence[int]) -> list[int]: ...

    @abstractmethod
    def _graph(self, account: str) -> AccountGraph: ...


def memories_reached(edges: Iterable[Edge]) -> list[int]:
    """The rows of the memories that some edges lead to."""
    return list(dict.fromkeys(int(edge.target[1]) for edge in edges if edge.target[0] == "memory"))


def among_visible(edges: Iterable[Edge], visible: Iterable[int]) -> list[Edge]:
    """Those of some edges that lead to a tag, to a cluster or to one of the visible rows."""
    rows = set(visible)
    return [edge for edge in edges if edge.target[0] != "memory" or edge.target[1] in rows]


def cluster_row(cluster: Cluster, model: str, id_of: IdOf = str) -> dict[str, Any]:
    """The values of one cluster by column."""
    scope, room, _ = cluster.owner
    return {
        "id": id_of(cluster.id),
        "scope": scope,
        "room": room,
        "name": cluster.name,
        "model": model,
        "centroid": cluster.centroid.astype("<f4").tobytes(),
        "radius": cluster.radius,
        "made_at": micros(cluster.made_at),
    }


def cluster_of(row: Sequence[Any], id_text: IdText = str) -> Cluster:
    """The cluster of a row of a query for clusters; the model it was made with comes last."""
    own_id, name, centroid, radius, made_at, scope, room, size, _ = row
    return Cluster(
        id=id_text(own_id),
        name=name,
        size=size,
        centroid=np.frombuffer(centroid, "<f4"),
        radius=radius,
        made_at=time_of(made_at),
        owner=(scope, room, ""),
    )


def document_row(document: Document, id_of: IdOf = str) -> dict[str, Any]:
    """The values of one document by column."""
    scope, room, project = document.place
    return {
        "id": id_of(document.id),
        "kind": document.kind,
        "name": document.name,
        "scope": scope,
        "room": room,
        "project": project,
        "body": dumped(document.body or {}),
        "created_at": micros(document.created_at),
        "updated_at": micros(document.updated_at),
    }


def document_of(row: Sequence[Any], account: str, id_text: IdText = str) -> Document:
    """The document of a row that holds the columns of the query `document`, in its order."""
    own_id, kind, name, scope, room, project, body, created_at, updated_at = row
    return Document(
        id=id_text(own_id),
        account=account,
        kind=kind,
        name=name,
        created_at=time_of(created_at),
        updated_at=time_of(updated_at),
        place=(scope, room, project),
        body=json.loads(body),
    )


def access_row(access: Access, id_of: IdOf = str) -> dict[str, Any]:
    """The values of one reading or writing of a context by column."""
    return {
        "at": micros(access.at),
        "agent": access.agent,
        "action": access.action,
        "memory": None if access.memory_id is None else id_of(access.memory_id),
    }


def access_of(row: Sequence[Any], id_text: IdText = str) -> Access:
    """The reading or writing of a row of the log."""
    at, agent, action, memory = row
    return Access(time_of(at), agent, action, None if memory is None else id_text(memory))


def _strongest(ends: Iterable[End], most: int) -> list[Edge]:
    """The steps over links: of each row and relation the strongest, and of these the newest, so many at most."""
    by_node: dict[tuple[int, str], dict[int, float]] = {}
    for source, target, relation, weight in ends:
        known = by_node.setdefault((source, relation), {})
        if weight > known.get(target, 0.0):
            known[target] = weight
    return [
        Edge(("memory", source), ("memory", target), relation, step_weight(relation, weight))
        for (source, relation), known in sorted(by_node.items())
        for target, weight in sorted(known.items(), key=_by_weight, reverse=True)[:most]
    ]


def _by_weight(end: tuple[int, float]) -> tuple[float, int]:
    return end[1], end[0]
