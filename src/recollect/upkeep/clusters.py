"""Clusters of an account: recomputed, refined by feedback, listed. A cluster that continues an earlier one keeps its id and name.

Clusters are derived from the vectors, like an index: they are not journalled, and losing them costs only the time to compute them
again. The memories of each owner (an agent, a team, a user, the whole account) are clustered separately.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from recollect.errors import InvalidInput, NotFound
from recollect.log import timed
from recollect.ports import Calibrated, Reader, Store, Transaction
from recollect.unit_of_work import UnitOfWork
from recollect.upkeep.cluster_names import names
from recollect.upkeep.clustering import Given, Labels, centre, continued_ids, find_clusters
from recollect.values.cluster import Cluster, owner_of
from recollect.values.ids import new_id
from recollect.values.memory import Record
from recollect.values.scope import Place, reaches, shares
from recollect.values.search import Embedded, Floats

# How many texts per cluster its name is made from, and how many of all it is compared with.
_NAMING_SAMPLE, _BACKGROUND = 300, 5_000
_EVERY = 1 << 30
_ROWS_PER_TRANSACTION = 2_000
# A cluster has at least so many members near enough to its centre.
_FEWEST = 2
# A required cosine that every vector has, and how finely others are looked for.
NOTHING_REQUIRED, _STEPS = -2.0, 2001
ClustersWithRows = list[tuple[Cluster, list[int]]]
FindClusters = Callable[[Given], Labels]


def required_cosine(scale: Callable[[], Calibrated], similarity: float) -> float:
    """The lowest cosine that has a similarity; below any cosine for 0, which requires nothing."""
    if similarity <= 0:
        return NOTHING_REQUIRED
    cosines = np.linspace(-1, 1, _STEPS)
    reached = np.flatnonzero(np.asarray(scale().similarity(cosines)) >= similarity)
    return float(cosines[reached[0]]) if len(reached) else 1.0


def refresh(
    store: Store,
    account: str,
    actor: str,
    now: datetime,
    find: FindClusters = find_clusters,
    required: float = NOTHING_REQUIRED,
) -> list[Cluster]:
    """Cluster an account; returns the clusters, the largest first. Reads and writes continue meanwhile.

    A member has at least the `required` cosine to the centre of its cluster.
    """
    with timed("clusters") as counts:
        made = _refreshed(store, account, actor, now, find, required)
        counts["clusters"] = len(made)
    return made


def _refreshed(
    store: Store, account: str, actor: str, now: datetime, find: FindClusters, required: float
) -> list[Cluster]:
    with store.view(now) as reader:
        embedded, earlier = reader.embedded(account), reader.clusters(account)
        members = {cluster.id: _members(reader, account, cluster) for cluster in earlier}
    by_owner = defaultdict(list)
    for place, where in enumerate(embedded.places):
        by_owner[owner_of(where)].append(place)
    made: ClustersWithRows = []
    for owner, places in by_owner.items():
        known = [cluster for cluster in earlier if cluster.owner == owner]
        spots = np.array(places)
        labels = find(embedded.vectors if len(by_owner) == 1 else embedded.vectors[spots])
        made += _clusters_of_owner(store, account, embedded, spots, labels, known, members, now, required)
    _store_clusters(store, account, actor, now, made)
    stay = {cluster.id for cluster, _ in made}
    with store.transaction(account, actor, now, origin="upkeep") as tx:
        tx.drop_clusters(account, [cluster.id for cluster in earlier if cluster.id not in stay])
        tx.set_note("clustered", str(len(embedded.rows)), account)
    return sorted((cluster for cluster, _ in made), key=lambda cluster: -cluster.size)


def _store_clusters(store: Store, account: str, actor: str, now: datetime, made: ClustersWithRows) -> None:
    """Write the clusters a few per transaction, so that no other writer waits long."""
    first = 0
    while first < len(made):
        sizes = np.cumsum([len(rows) for _, rows in made[first:]])
        last = first + max(1, int(np.searchsorted(sizes, _ROWS_PER_TRANSACTION, side="right")))
        with store.transaction(account, actor, now, origin="upkeep") as tx:
            for cluster, rows in made[first:last]:
                tx.put_cluster(account, cluster, rows)
        first = last


def _clusters_of_owner(
    store: Store,
    account: str,
    embedded: Embedded,
    places: NDArray[np.int64],
    labels: Labels,
    known: Sequence[Cluster],
    members: dict[str, list[int]],
    now: datetime,
    required: float,
) -> ClustersWithRows:
    """The clusters of one owner."""
    rows = embedded.rows[places]
    found = (np.flatnonzero(labels == label) for label in range(int(labels.max(initial=-1)) + 1))
    dense = [_dense(embedded, places, group, required) for group in found]
    kept_groups = [one for one in dense if len(one[0]) >= _FEWEST]
    groups = [group for group, *_ in kept_groups]
    kept = continued_ids(
        {cluster.id: members[cluster.id] for cluster in known}, [rows[group].tolist() for group in groups]
    )
    proposed = _names(store, account, rows, groups)
    old = {cluster.id: cluster for cluster in known}
    owner: Place = owner_of(embedded.places[int(places[0])])
    made: ClustersWithRows = []
    for (group, centroid, radius), known_id, name in zip(kept_groups, kept, proposed, strict=True):
        members_now = rows[group].tolist()
        # A continued cluster keeps its name, so that people recognise it, until more than half of it is new.
        if known_id is not None and _overlap(members[known_id], members_now) > 0.5:
            name = old[known_id].name
        cluster = Cluster(known_id or new_id(now), name, len(group), centroid, radius, now, owner)
        made.append((cluster, members_now))
    return made


def _dense(
    embedded: Embedded, places: NDArray[np.int64], group: NDArray[np.int64], required: float
) -> tuple[NDArray[np.int64], Floats, float]:
    """Those of a group that are near enough to its centre, the centre, and the radius."""
    vectors = embedded.vectors[places[group]].astype(np.float32)
    centroid, radius = centre(vectors)
    return group[vectors @ centroid >= required], centroid, max(radius, required)


def _names(store: Store, account: str, rows: NDArray[np.int64], groups: Sequence[NDArray[np.int64]]) -> list[str]:
    with store.view() as reader:
        texts = [_texts(reader, account, rows[group[:_NAMING_SAMPLE]]) for group in groups]
        return names(texts, _texts(reader, account, rows[:: max(1, len(rows) // _BACKGROUND)]))


def _texts(reader: Reader, account: str, rows: NDArray[np.int64]) -> list[str]:
    return [record.content for record in reader.fetch(account, rows.tolist())]


def _members(reader: Reader, account: str, cluster: Cluster) -> list[int]:
    return [int(edge.target[1]) for edge in reader.edges(account, [("cluster", cluster.id)], _EVERY)]


def _overlap(one: Sequence[int], other: Sequence[int]) -> float:
    mine, theirs = set(one), set(other)
    return len(mine & theirs) / max(len(mine | theirs), 1)


def refine(
    tx: Transaction, account: str, rows: Sequence[int], scale: Calibrated, merge: float, similarity: float = 0.0
) -> None:
    """After a confirmed recall: recompute the centres of its clusters, and merge the two largest if they are that similar.

    A new member needs at least `similarity` to the centre.
    """
    spanned = {
        str(edge.target[1])
        for edge in tx.edges(account, [("memory", row) for row in rows], 1)
        if edge.target[0] == "cluster"
    }
    touched = [cluster for cluster in tx.clusters(account) if cluster.id in spanned]
    if len(touched) < 2:
        return
    required = required_cosine(lambda: scale, similarity)
    updated = [_with_new_centre(tx, account, cluster, required) for cluster in touched]
    (one, mine), (other, theirs) = sorted(updated, key=lambda pair: -len(pair[1]))[:2]
    alike = float(scale.similarity(float(one.centroid @ other.centroid)))
    if one.owner == other.owner and alike >= merge:
        tx.drop_clusters(account, [other.id])
        updated = [(one, [*mine, *theirs]), *(pair for pair in updated if pair[0].id not in (one.id, other.id))]
    for cluster, members in updated:
        tx.put_cluster(account, cluster, members)


def _with_new_centre(tx: Transaction, account: str, cluster: Cluster, required: float) -> tuple[Cluster, list[int]]:
    rows = _members(tx, account, cluster)
    some = [record.id for record in tx.fetch(account, rows[:_NAMING_SAMPLE])]
    vectors = [passages[0] for passages in tx.vectors(account, some).values()]
    if not vectors:
        return cluster, rows
    centroid, radius = centre(np.stack(vectors))
    return replace(cluster, centroid=centroid, radius=max(radius, required)), rows


def list_clusters(uow: UnitOfWork, *, refresh_first: bool) -> list[Cluster]:
    """The visible clusters, the largest first."""
    if refresh_first:
        uow.check_enabled()
        runtime = uow.runtime
        required = runtime.background.required()
        refresh(runtime.store, uow.viewer.account, uow.actor, runtime.clock(), required=required)
    with uow.view() as reader:
        return _visible_clusters(uow, reader)


def members(uow: UnitOfWork, wanted: str, limit: int) -> list[Record]:
    """The newest memories of a cluster, by its id, the beginning or end of one, or its name."""
    account = uow.viewer.account
    if not isinstance(wanted, str):
        raise InvalidInput("cluster", f"{type(wanted).__name__} is not text", "give the id or the name of a cluster")
    with uow.view() as reader:
        matching = [
            known
            for known in _visible_clusters(uow, reader)
            if wanted == known.name or known.id.startswith(wanted) or known.id.endswith(wanted)
        ]
        if not wanted or len(matching) != 1:
            raise NotFound("cluster", wanted, "`clusters` lists them")
        off = reader.switched_off(account)
        edges = reader.edges(account, [("cluster", matching[0].id)], max(matching[0].size, 1) + limit)
        rows = reader.fetch(account, [int(edge.target[1]) for edge in edges])
        known = reader.get(account, [record.id for record in rows])
        visible = [r for r in known if r is not None and r.status == "active" and r.project not in off]
        visible = [record for record in visible if shares(uow.viewer, record.place)][:limit]
        return uow.redact(reader, visible)


def _visible_clusters(uow: UnitOfWork, reader: Reader) -> list[Cluster]:
    return [cluster for cluster in reader.clusters(uow.viewer.account) if reaches(uow.viewer.identity, cluster.owner)]
