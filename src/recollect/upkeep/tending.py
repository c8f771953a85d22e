"""Tending: the clusters of an account found anew, with ids and names kept where a cluster continues an earlier one.

Clusters are derived from the vectors, like an index: they are not journalled, and losing them costs only the time to find
them again. Each room (an agent's, a team's, what all may see) is clustered for itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from recollect.ports import Calibrated, Reader, Store, Transaction
from recollect.upkeep.cluster_names import names
from recollect.upkeep.clustering import Labels, centre, found, kept_ids
from recollect.values.cluster import Cluster, wall_of
from recollect.values.ids import new_id
from recollect.values.scope import Place
from recollect.values.search import Embedded, Floats

# Names are made of so many texts a cluster, and told apart from so many of all.
_TOLD, _BACKGROUND = 300, 5_000
_EVERY = 1 << 30
_AT_ONCE = 2_000
Found = list[tuple[Cluster, list[int]]]
Find = Callable[[Floats], Labels]


def refresh(store: Store, account: str, actor: str, now: datetime, find: Find = found) -> list[Cluster]:
    """Cluster an account anew; what it found, the largest first. Searching and writing go on meanwhile."""
    with store.reading(now) as reader:
        held, earlier = reader.embedded(account), reader.clusters(account)
        members = {cluster.id: _members(reader, account, cluster) for cluster in earlier}
    walls = defaultdict(list)
    for place, where in enumerate(held.places):
        walls[wall_of(where)].append(place)
    made: Found = []
    for wall, places in walls.items():
        known = [cluster for cluster in earlier if cluster.wall == wall]
        spots = np.array(places)
        labels = find(held.vectors[spots].astype(np.float32))
        made += _clustered(store, account, held, spots, labels, known, members, now)
    _keep(store, account, actor, now, made, earlier)
    with store.transaction(account, actor, now) as tx:
        tx.set_note(f"clustered:{account}", str(len(held.rows)))
    return sorted((cluster for cluster, _ in made), key=lambda cluster: -cluster.size)


def _keep(store: Store, account: str, actor: str, now: datetime, made: Found, earlier: Sequence[Cluster]) -> None:
    """Write the clusters a few at a time, so that no writer waits long; what is gone goes last."""
    first = 0
    while first < len(made):
        sizes = np.cumsum([len(rows) for _, rows in made[first:]])
        last = first + max(1, int(np.searchsorted(sizes, _AT_ONCE, side="right")))
        with store.transaction(account, actor, now) as tx:
            for cluster, rows in made[first:last]:
                tx.put_cluster(account, cluster, rows)
        first = last
    stay = {cluster.id for cluster, _ in made}
    with store.transaction(account, actor, now) as tx:
        tx.drop_clusters(account, [cluster.id for cluster in earlier if cluster.id not in stay])


def _clustered(
    store: Store,
    account: str,
    held: Embedded,
    places: NDArray[np.int64],
    labels: Labels,
    known: Sequence[Cluster],
    members: dict[str, list[int]],
    now: datetime,
) -> Found:
    """The clusters of one room."""
    vectors, rows = held.vectors[places], held.rows[places]
    groups = [np.flatnonzero(labels == label) for label in range(int(labels.max(initial=-1)) + 1)]
    kept = kept_ids({cluster.id: members[cluster.id] for cluster in known}, [rows[group].tolist() for group in groups])
    spoken = _names(store, account, rows, groups)
    old = {cluster.id: cluster for cluster in known}
    wall: Place = wall_of(held.places[int(places[0])])
    made: Found = []
    for group, known_id, name in zip(groups, kept, spoken, strict=True):
        centroid, radius = centre(vectors[group].astype(np.float32))
        members_now = rows[group].tolist()
        # A cluster that goes on keeps its name, so that people find it again, until more than half of it is new.
        if known_id is not None and _overlap(members[known_id], members_now) > 0.5:
            name = old[known_id].name
        cluster = Cluster(known_id or new_id(now), name, len(group), centroid, radius, now, wall)
        made.append((cluster, members_now))
    return made


def _names(store: Store, account: str, rows: NDArray[np.int64], groups: Sequence[NDArray[np.int64]]) -> list[str]:
    with store.reading() as reader:
        texts = [_texts(reader, account, rows[group[:_TOLD]]) for group in groups]
        return names(texts, _texts(reader, account, rows[:: max(1, len(rows) // _BACKGROUND)]))


def _texts(reader: Reader, account: str, rows: NDArray[np.int64]) -> list[str]:
    return [record.content for record in reader.fetch(account, rows.tolist())]


def _members(reader: Reader, account: str, cluster: Cluster) -> list[int]:
    return [int(edge.target[1]) for edge in reader.edges(account, [("cluster", cluster.id)], _EVERY)]


def _overlap(one: Sequence[int], other: Sequence[int]) -> float:
    mine, theirs = set(one), set(other)
    return len(mine & theirs) / max(len(mine | theirs), 1)


def refine(tx: Transaction, account: str, rows: Sequence[int], scale: Calibrated, merge: float) -> None:
    """After a confirmed recall: the clusters it spans get their centres anew, and two that lie that close become one."""
    spanned = {
        str(edge.target[1])
        for edge in tx.edges(account, [("memory", row) for row in rows], 1)
        if edge.target[0] == "cluster"
    }
    touched = [cluster for cluster in tx.clusters(account) if cluster.id in spanned]
    if len(touched) < 2:
        return
    moved = [_recentred(tx, account, cluster) for cluster in touched]
    (one, mine), (other, theirs) = sorted(moved, key=lambda pair: -len(pair[1]))[:2]
    alike = float(scale.similarity(float(one.centroid @ other.centroid)))
    if one.wall == other.wall and alike >= merge:
        tx.drop_clusters(account, [other.id])
        moved = [(one, [*mine, *theirs]), *(pair for pair in moved if pair[0].id not in (one.id, other.id))]
    for cluster, members in moved:
        tx.put_cluster(account, cluster, members)


def _recentred(tx: Transaction, account: str, cluster: Cluster) -> tuple[Cluster, list[int]]:
    rows = _members(tx, account, cluster)
    some = [record.id for record in tx.fetch(account, rows[:_TOLD])]
    vectors = [held[0] for held in tx.vectors(account, some).values()]
    if not vectors:
        return cluster, rows
    centroid, radius = centre(np.stack(vectors))
    return replace(cluster, centroid=centroid, radius=radius), rows
