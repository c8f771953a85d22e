"""Clustering: density-based labels for vectors (HDBSCAN on smoothed, projected vectors).

Embedders put all texts into a narrow cone, where HDBSCAN alone labels most of them as noise or finds one giant cluster. Averaging
each vector with its nearest neighbours first pulls clusters together: with 200 planted clusters in 10,000 vectors, a tenth of them
noise, adjusted Rand is 0.3 to 0.7 without it (in 15 to 25 dimensions) and 0.99 with it (in 20). The proposed clusters are then
checked on the original vectors.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from recollect.advice import install_command
from recollect.errors import InvalidInput, StoreError
from recollect.values.search import Floats

Labels = NDArray[np.int64]
Given = Floats | NDArray[np.float16]

NOISE = -1
SAMPLE = 20_000
_MEMBERS_WITHIN = 0.95
_NEIGHBOURS = 10
_DIMENSIONS = 20
_BLOCK = 512
# A member is within this many standard deviations (estimated by the median, which outliers do not move) of the typical
# member. One in 4,000 true members is lost; with a limit at 5 %, small clusters would lose too many members to noise.
_DEVIATIONS = 3.5
_SPREAD_OF_MEDIAN = 1.4826
# Distance to the other members divided by the distance to everything else: mostly 0.2 to 0.8 for clusters of real text,
# around 1 and above for random ones.
_SEPARATION = 0.85
# A cluster with more than 1/_WIDE of the vectors is wide and is split, at most _DEEPEST times, which bounds the time.
_WIDE = 10
_DEEPEST = 3
# Vectors closer than this differ by rounding only.
_SAME = 1e-3
# The cosine of an unrelated vector to a centre: the 5th percentile of a sample, since one subject may cover most vectors.
_BASELINE_SAMPLE, _BASELINE_PERCENTILE = 2000, 5
_ROUNDING = 1e-6


def find_clusters(vectors: Given, *, smallest: int | None = None, sample: int = SAMPLE) -> Labels:
    """A label per vector: 0 for the largest cluster and so on, NOISE for those in none.

    With more than `sample` vectors, the clusters are found on a sample and the other vectors are assigned to them. A cluster too
    small to show in the sample is found by a second pass over what the first left as noise.
    """
    try:
        import sklearn.cluster  # noqa: F401 - checks that it is installed
        from threadpoolctl import threadpool_limits  # comes with scikit-learn
    except ImportError as missing:
        how = f"run `{install_command('clusters')}`"
        raise InvalidInput("clusters", "need scikit-learn", how) from missing
    # One core: the threads of the linear algebra library wait for each other when the machine is busy.
    with threadpool_limits(1):
        return _find_clusters(vectors, smallest, sample)


def _find_clusters(vectors: Given, smallest: int | None, sample: int) -> Labels:
    vectors = np.ascontiguousarray(vectors, np.float32)
    fewest = smallest_for(min(len(vectors), sample)) if smallest is None else max(smallest, 2)
    labels = _one_pass(vectors, fewest, sample)
    if len(vectors) > sample:
        rest = np.flatnonzero(labels == NOISE)
        again = _one_pass(vectors[rest], fewest, sample)
        labels[rest] = np.where(again == NOISE, NOISE, again + labels.max() + 1)
    return _renumber(labels, fewest)


def smallest_for(count: int) -> int:
    """The fewest members of a cluster, by the number of vectors: 5 up to 5,000, 7 at 10,000, 10 at 20,000."""
    return max(5, int(count**0.5 / 14))


def centre(vectors: Floats) -> tuple[Floats, float]:
    """The centre of a cluster (a unit vector), and the cosine to it that 95 % of the members have at least."""
    centroid = _mean_direction(vectors)
    cosines = np.sort(vectors @ centroid)
    # Vectors of half precision can be a little longer than 1.
    return centroid, min(1.0, float(cosines[int(len(cosines) * (1 - _MEMBERS_WITHIN))]) - _ROUNDING)


def continued_ids(old: Mapping[str, Collection[int]], new: Sequence[Collection[int]]) -> list[str | None]:
    """For each new cluster the id of the earlier one it continues, or None.

    Best overlap first, each id once; a cluster continues another when they share half of the smaller one.
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


def _one_pass(vectors: Floats, smallest: int, sample: int) -> Labels:
    if len(vectors) < smallest:
        return np.full(len(vectors), NOISE, np.int64)
    chosen = _sample_places(len(vectors), sample)
    # Ties are frequent (vectors share nearest neighbours) and are broken by order, so sort by value, not by arrival.
    chosen = chosen[np.lexsort(vectors[chosen, :3].T)]
    clusters = _split_wide(vectors[chosen], smallest, max(len(chosen) // _WIDE, 10 * smallest))
    return _assign(vectors, [chosen[members] for members in clusters])


def _sample_places(count: int, sample: int) -> Labels:
    if count <= sample:
        return np.arange(count)
    # One random draw per position: a vector appended later changes few of the earlier choices, so the next run agrees.
    draws = np.random.default_rng(0).random(count)
    return np.sort(np.argsort(draws, kind="stable")[:sample])


def _split_wide(vectors: Floats, smallest: int, wide: int, depth: int = 0) -> list[Labels]:
    """The members of each cluster. A wide cluster is replaced by its parts if these cover most of it.

    In real text the widest dense region is often one style of speech; its parts are what a person calls a subject.
    """
    labels = _propose(vectors, smallest)
    everything = vectors.sum(axis=0)
    kept: list[Labels] = []
    for label in range(int(labels.max()) + 1):
        members = np.flatnonzero(labels == label)
        whole = len(members) == len(vectors)
        separated = whole or _is_separated(vectors[members], everything)
        divisible = len(members) >= wide and not whole and depth < _DEEPEST
        parts = _split_wide(vectors[members], smallest, wide, depth + 1) if divisible else []
        if separated and 2 * sum(map(len, parts)) < len(members):
            kept.append(members)
        else:
            kept += [members[part] for part in parts]
    return kept


def _propose(vectors: Floats, smallest: int) -> Labels:
    centred = vectors - vectors.mean(axis=0)
    if float(np.abs(centred).max()) < _SAME:
        return np.zeros(len(vectors), np.int64)
    neighbours = _neighbours(vectors, int(np.clip(len(vectors) // 10, 2, _NEIGHBOURS)))
    # Equal vectors must stay equal: a matrix product may round equal rows differently, depending on the processor.
    first = _first_copies(vectors)
    return _hdbscan(_project(_smooth(_unit(centred), neighbours[first]))[first], smallest)


def _first_copies(vectors: Floats) -> Labels:
    """For each vector the position of the first equal one."""
    places: dict[bytes, int] = {}
    return np.array([places.setdefault(vector.tobytes(), place) for place, vector in enumerate(vectors)], np.int64)


def _neighbours(vectors: Floats, count: int) -> Labels:
    """The nearest neighbours of each vector, including itself."""
    near = np.empty((len(vectors), count), np.int64)
    for start in range(0, len(vectors), _BLOCK):
        cosines = vectors[start : start + _BLOCK] @ vectors.T
        near[start : start + _BLOCK] = np.argpartition(cosines, -count, axis=1)[:, -count:]
    return near


def _smooth(vectors: Floats, neighbours: Labels) -> Floats:
    total = np.zeros_like(vectors)
    for column in neighbours.T:
        total += vectors[column]
    return _unit(total)


def _project(vectors: Floats) -> Floats:
    """The vectors projected on the few directions in which they differ most (PCA)."""
    centred = vectors - vectors.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    return _unit(centred @ directions[:, ::-1][:, :_DIMENSIONS])


def _hdbscan(points: Floats, smallest: int) -> Labels:
    from sklearn.cluster import HDBSCAN

    # A k-d tree, because its memory grows linearly with the number of points.
    search = HDBSCAN(min_cluster_size=smallest, min_samples=min(5, smallest), algorithm="kd_tree", copy=True)
    labels: Labels = search.fit(points.astype(np.float64)).labels_.astype(np.int64)
    return labels


def _is_separated(inside: Floats, everything: Floats) -> bool:
    """Whether the members are closer to each other than to everything else; random groups are not."""
    total = inside.sum(axis=0)
    apart = 1 - np.median(np.vecdot(inside, _unit(total - inside)))
    away = 1 - np.median(inside @ _mean_direction((everything - total)[None]))
    return bool(apart <= _SEPARATION * away)


def _assign(vectors: Floats, clusters: Sequence[Labels]) -> Labels:
    """Assign vectors: a member stays if it is close enough to the centre of its cluster; others join the nearest one in range."""
    labels = np.full(len(vectors), NOISE, np.int64)
    if not clusters:
        return labels
    for label, members in enumerate(clusters):
        labels[members] = label
    centres = np.stack([_mean_direction(vectors[members]) for members in clusters])
    baseline = np.percentile(
        vectors[:: max(1, len(vectors) // _BASELINE_SAMPLE)] @ centres.T, _BASELINE_PERCENTILE, axis=0
    )
    least = np.array(
        [_min_cosine(vectors[members], baseline[label]) for label, members in enumerate(clusters)], np.float32
    )
    for start in range(0, len(vectors), _BLOCK):
        block = labels[start : start + _BLOCK]
        cosines = vectors[start : start + _BLOCK] @ centres.T
        rows, nearest = np.arange(len(block)), cosines.argmax(axis=1)
        own = np.where(block == NOISE, nearest, block)
        own = np.where(cosines[rows, own] >= least[own], own, nearest)
        block[:] = np.where(cosines[rows, own] >= least[own], own, NOISE)
    return labels


def _min_cosine(members: Floats, baseline: float) -> float:
    """The lowest cosine of a member to the centre of the others (in a small cluster, a member moves its own centre).

    Never below the midpoint between a typical member and an unrelated vector, or a loose cluster would absorb the noise around it.
    """
    cosines = np.vecdot(members, _unit(members.sum(axis=0) - members))
    typical = float(np.median(cosines))
    spread = _SPREAD_OF_MEDIAN * float(np.median(np.abs(cosines - typical)))
    return max(typical - _DEVIATIONS * spread, (typical + baseline) / 2) - _ROUNDING


def _renumber(labels: Labels, smallest: int) -> Labels:
    """Labels renumbered, the largest cluster first; clusters below the smallest size become noise."""
    sizes = np.bincount(labels[labels != NOISE], minlength=1)
    order = [label for label in np.argsort(-sizes, kind="stable") if sizes[label] >= smallest]
    renumbered = np.full(len(sizes) + 1, NOISE, np.int64)  # its last element is for the label NOISE, -1
    renumbered[order] = np.arange(len(order))
    return renumbered[labels]


def _mean_direction(vectors: Floats) -> Floats:
    total = vectors.sum(axis=0, dtype=np.float64)
    length = float(np.linalg.norm(total))
    middle: Floats = (total / length if length > _SAME else vectors[0]).astype(np.float32)
    return middle


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Floats = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > _ROUNDING)
    return unit


_CHILD = "import sys; sys.path[:] = {path!r}; from recollect.upkeep.clustering import child_main; child_main({width})"


class ClusteringProcess:
    """Clustering in a child process, at most one at a time."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None

    def find_clusters(self, vectors: Given) -> Labels:
        """The result of `find_clusters`, computed in a child process. It is sent blocks: this process makes no copy of all."""
        command = [sys.executable, "-c", _CHILD.format(path=sys.path, width=vectors.shape[1])]
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        try:
            with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=null) as self._child:
                assert self._child.stdin is not None
                with suppress(BrokenPipeError):  # it ended early, which its output tells
                    for start in range(0, len(vectors), _BLOCK):
                        self._child.stdin.write(vectors[start : start + _BLOCK].astype(np.float32).tobytes())
                output, _ = self._child.communicate()
        except OSError as error:
            raise StoreError(f"the clustering process could not be started: {error}") from error
        if len(output) != 8 * len(vectors):
            raise StoreError("the clustering process ended early; run `recollect clusters --refresh`")
        return np.frombuffer(output, np.int64).copy()

    def stop(self) -> None:
        """Terminate the child process, if it is running; the work can be done again."""
        if self._child is not None and self._child.poll() is None:
            self._child.terminate()


def child_main(width: int) -> None:
    """The child process: vectors from standard input, labels to standard output."""
    if hasattr(os, "nice"):
        os.nice(19)
    vectors = np.frombuffer(sys.stdin.buffer.read(), np.float32).reshape(-1, width)
    sys.stdout.buffer.write(find_clusters(vectors).astype(np.int64).tobytes())
