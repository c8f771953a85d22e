"""Clustering: which memories lie close together, by density, as labels over their vectors.

Before it: the vectors of one room. After it: names (`cluster_names`) and the stored `Cluster` values. Embedders put all
texts into a narrow cone, where HDBSCAN alone calls most of them noise or sees one giant cluster; averaging each vector
with its nearest neighbours first draws the clusters together (two hundred planted ones in 10,000 vectors with a tenth of
strays: 0.3 to 0.7 adjusted Rand without in 15 to 25 dimensions, 0.99 with it in 20). What was proposed there is then
checked on the vectors as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.errors import InvalidInput
from recollect.values.search import Floats

Labels = NDArray[np.int64]

NOWHERE = -1
SAMPLE = 20_000
_MEMBERS_WITHIN = 0.95
_NEIGHBOURS = 10
_DIMENSIONS = 20
_BLOCK = 512
# A member lies within this many standard deviations (estimated by the median, which outliers do not move) of the
# typical member. Of true members it loses one in 4,000; at the 5 % of the radius, small clusters would drown in NOWHERE.
_REACH = 3.5
_SPREAD_OF_MEDIAN = 1.4826
# Distance to the other members as a share of the distance to everything else: mostly 0.2 to 0.8 for clusters of real
# text, around and above 1 for those that chance makes.
_TELLING = 0.85
# A cluster with more than one in so many of the vectors is wide; how often wide ones are divided bounds the time.
_WIDE = 10
_DEEPEST = 3
# Less than this apart, vectors differ by rounding only.
_SAME = 1e-3
# How near to a middle anyone lies: the farthest twentieth, since one subject may be most of what there is.
_ANYONE, _FAR = 2000, 5
_ROUNDING = 1e-6
_NEEDED = ("clusters", "finding them needs scikit-learn", "run `pip install 'recollect[clusters]'`")


def found(vectors: Floats, *, smallest: int | None = None, sample: int = SAMPLE) -> Labels:
    """A label for each vector, 0 for the largest cluster and so on; NOWHERE for those in none.

    Beyond `sample` vectors the clusters are found on that many, and the others join the one they fall into. A cluster
    too small to show in the sample is found by a second look, at what the first left over.
    """
    try:
        import sklearn.cluster  # noqa: F401 - what follows needs it
        from threadpoolctl import threadpool_limits  # comes with scikit-learn
    except ImportError as missing:
        raise InvalidInput(*_NEEDED) from missing
    # One core: the threads of the linear algebra library wait for each other whenever the machine has other work.
    with threadpool_limits(1):
        return _found(vectors, smallest, sample)


def _found(vectors: Floats, smallest: int | None, sample: int) -> Labels:
    vectors = np.ascontiguousarray(vectors, np.float32)
    fewest = smallest_for(min(len(vectors), sample)) if smallest is None else max(smallest, 2)
    labels = _looked(vectors, fewest, sample)
    if len(vectors) > sample:
        rest = np.flatnonzero(labels == NOWHERE)
        again = _looked(vectors[rest], fewest, sample)
        labels[rest] = np.where(again == NOWHERE, NOWHERE, again + labels.max() + 1)
    return _by_size(labels, fewest)


def smallest_for(count: int) -> int:
    """The fewest members of a cluster among so many vectors: 5 up to 5,000, 7 at 10,000, 10 at 20,000."""
    return max(5, int(count**0.5 / 14))


def centre(vectors: Floats) -> tuple[Floats, float]:
    """The middle of a cluster (a unit vector), and the cosine to it that 95 % of the members reach."""
    centroid = _middle(vectors)
    cosines = np.sort(vectors @ centroid)
    return centroid, float(cosines[int(len(cosines) * (1 - _MEMBERS_WITHIN))]) - _ROUNDING


def kept_ids(old: Mapping[str, Collection[int]], new: Sequence[Collection[int]]) -> list[str | None]:
    """For each new cluster the id of the earlier one it continues, or None.

    Best overlap first, each id once; two continue each other when they share half of the smaller.
    """
    owners: dict[int, list[str]] = {}
    sizes = {}
    for before, members in old.items():
        distinct = set(members)
        sizes[before] = len(distinct)
        for member in distinct:
            owners.setdefault(member, []).append(before)
    pairs = []
    for place, now in enumerate(map(set, new)):
        for before, shared in Counter(owner for member in now for owner in owners.get(member, ())).items():
            if 2 * shared >= min(sizes[before], len(now)):
                pairs.append((-shared / (sizes[before] + len(now) - shared), place, before))
    kept: list[str | None] = [None] * len(new)
    for _, place, before in sorted(pairs):
        if kept[place] is None and before in sizes:
            kept[place] = before
            del sizes[before]
    return kept


def _looked(vectors: Floats, smallest: int, sample: int) -> Labels:
    if len(vectors) < smallest:
        return np.full(len(vectors), NOWHERE, np.int64)
    chosen = _chosen(len(vectors), sample)
    # Ties are many (vectors share their nearest neighbours) and broken by order: by the vectors' own, not their arrival's.
    chosen = chosen[np.lexsort(vectors[chosen, :3].T)]
    clusters = _divided(vectors[chosen], smallest, max(len(chosen) // _WIDE, 10 * smallest))
    return _settled(vectors, [chosen[members] for members in clusters])


def _chosen(count: int, sample: int) -> Labels:
    if count <= sample:
        return np.arange(count)
    # One draw a place: a vector appended later changes few of the earlier draws' fates, so the next run agrees.
    draws = np.random.default_rng(0).random(count)
    return np.sort(np.argsort(draws, kind="stable")[:sample])


def _divided(vectors: Floats, smallest: int, wide: int, depth: int = 0) -> list[Labels]:
    """The members of each cluster. A wide one gives way to its parts if these hold most of it.

    On real text the widest dense region is often all of one kind of talk; its parts are what a person calls a subject.
    """
    labels = _proposed(vectors, smallest)
    everything = vectors.sum(axis=0)
    kept: list[Labels] = []
    for label in range(int(labels.max()) + 1):
        members = np.flatnonzero(labels == label)
        whole = len(members) == len(vectors)
        telling = whole or _telling(vectors[members], everything)
        divisible = len(members) >= wide and not whole and depth < _DEEPEST
        parts = _divided(vectors[members], smallest, wide, depth + 1) if divisible else []
        if telling and 2 * sum(map(len, parts)) < len(members):
            kept.append(members)
        else:
            kept += [members[part] for part in parts]
    return kept


def _proposed(vectors: Floats, smallest: int) -> Labels:
    centred = vectors - vectors.mean(axis=0)
    if float(np.abs(centred).max()) < _SAME:
        return np.zeros(len(vectors), np.int64)
    neighbours = _neighbours(vectors, int(np.clip(len(vectors) // 10, 2, _NEIGHBOURS)))
    # Copies stay one point: a product of matrices may round what is equal in one row otherwise than in the next, by processor.
    first = _first_copies(vectors)
    return _dense(_reduced(_together(_unit(centred), neighbours[first]))[first], smallest)


def _first_copies(vectors: Floats) -> Labels:
    """For each vector the place of the first that equals it."""
    places: dict[bytes, int] = {}
    return np.array([places.setdefault(vector.tobytes(), place) for place, vector in enumerate(vectors)], np.int64)


def _neighbours(vectors: Floats, count: int) -> Labels:
    """The nearest of each vector, itself among them."""
    near = np.empty((len(vectors), count), np.int64)
    for start in range(0, len(vectors), _BLOCK):
        cosines = vectors[start : start + _BLOCK] @ vectors.T
        near[start : start + _BLOCK] = np.argpartition(cosines, -count, axis=1)[:, -count:]
    return near


def _together(vectors: Floats, neighbours: Labels) -> Floats:
    total = np.zeros_like(vectors)
    for column in neighbours.T:
        total += vectors[column]
    return _unit(total)


def _reduced(vectors: Floats) -> Floats:
    """The vectors in the few directions in which they differ most."""
    centred = vectors - vectors.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    return _unit(centred @ directions[:, ::-1][:, :_DIMENSIONS])


def _dense(points: Floats, smallest: int) -> Labels:
    from sklearn.cluster import HDBSCAN

    # The tree, because its memory grows with the points and not with their square.
    search = HDBSCAN(min_cluster_size=smallest, min_samples=min(5, smallest), algorithm="kd_tree", copy=True)
    labels: Labels = search.fit(points.astype(np.float64)).labels_.astype(np.int64)
    return labels


def _telling(inside: Floats, everything: Floats) -> bool:
    """Whether the members are closer together than to everything else; some that chance brought together are not."""
    total = inside.sum(axis=0)
    apart = 1 - np.median(np.vecdot(inside, _unit(total - inside)))
    away = 1 - np.median(inside @ _middle((everything - total)[None]))
    return bool(apart <= _TELLING * away)


def _settled(vectors: Floats, clusters: Sequence[Labels]) -> Labels:
    """Members stay if they lie near enough to their cluster's middle; whoever is in none joins the nearest in reach."""
    settled = np.full(len(vectors), NOWHERE, np.int64)
    if not clusters:
        return settled
    for label, members in enumerate(clusters):
        settled[members] = label
    middles = np.stack([_middle(vectors[members]) for members in clusters])
    anyone = np.percentile(vectors[:: max(1, len(vectors) // _ANYONE)] @ middles.T, _FAR, axis=0)
    reach = np.array([_reach(vectors[members], anyone[label]) for label, members in enumerate(clusters)], np.float32)
    for start in range(0, len(vectors), _BLOCK):
        block = settled[start : start + _BLOCK]
        cosines = vectors[start : start + _BLOCK] @ middles.T
        rows, nearest = np.arange(len(block)), cosines.argmax(axis=1)
        own = np.where(block == NOWHERE, nearest, block)
        own = np.where(cosines[rows, own] >= reach[own], own, nearest)
        block[:] = np.where(cosines[rows, own] >= reach[own], own, NOWHERE)
    return settled


def _reach(members: Floats, anyone: float) -> float:
    """How near a member lies to the middle of the others: few members pull their own middle towards themselves.

    Never less than half way up from how near anyone lies, or a loose cluster would swallow the strays around it.
    """
    cosines = np.vecdot(members, _unit(members.sum(axis=0) - members))
    typical = float(np.median(cosines))
    spread = _SPREAD_OF_MEDIAN * float(np.median(np.abs(cosines - typical)))
    return max(typical - _REACH * spread, (typical + anyone) / 2) - _ROUNDING


def _by_size(labels: Labels, smallest: int) -> Labels:
    """Renumbered, the largest first; what shrank below the smallest size is a cluster no more."""
    sizes = np.bincount(labels[labels != NOWHERE], minlength=1)
    order = [label for label in np.argsort(-sizes, kind="stable") if sizes[label] >= smallest]
    renumbered = np.full(len(sizes) + 1, NOWHERE, np.int64)  # its last place answers for NOWHERE
    renumbered[order] = np.arange(len(order))
    return renumbered[labels]


def _middle(vectors: Floats) -> Floats:
    total = vectors.sum(axis=0, dtype=np.float64)
    length = float(np.linalg.norm(total))
    middle: Floats = (total / length if length > _SAME else vectors[0]).astype(np.float32)
    return middle


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Floats = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > _ROUNDING)
    return unit
