"""The graph: edges between memories, tags and clusters, and the clusters themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from recollect.values.cluster import Cluster
from recollect.values.enums import LinkRelation
from recollect.values.link import Edge, Node
from recollect.values.search import Search


class GraphReader(Protocol):
    """Edges and clusters of an account."""

    def edges(self, account: str, nodes: Sequence[Node], most: int, *, upwards: bool = True) -> list[Edge]:
        """The edges of some nodes, in both directions: at most `most` per node and relation, the strongest and newest.

        Without `upwards`, the edges from a memory to its tags and its cluster are left out.
        """

    def visible_edges(self, search: Search, nodes: Sequence[Node], most: int, *, upwards: bool = True) -> list[Edge]:
        """The same edges without those that lead to a memory which the search may not return."""

    def linked_by(self, account: str, relation: LinkRelation) -> list[str]:
        """The ids of the memories that have a link of one relation, newest first."""

    def clusters(self, account: str) -> list[Cluster]: ...


class GraphWriter(Protocol):
    """Changes of clusters. They are derived from the vectors, so no event is written."""

    def put_cluster(self, account: str, cluster: Cluster, rows: Sequence[int], model: str | None = None) -> None:
        """Create or replace a cluster of the model in use, or of a named one; its members are these rows."""

    def drop_clusters(self, account: str, ids: Sequence[str]) -> None: ...
