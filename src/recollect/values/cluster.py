"""Cluster: memories that lie close together, found by density, with a name a person can read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from recollect.values.scope import GLOBAL, Place
from recollect.values.search import Floats


@dataclass(frozen=True, slots=True)
class Cluster:
    """A dense region: its centre (a unit vector), how far from it a member may lie (a cosine), and whose it is.

    `wall` is the room its members live in: an agent's, a team's, or (GLOBAL) what the whole account may see. A cluster
    never mixes rooms, so that its name tells nobody about memories they cannot reach.
    """

    id: str
    name: str
    size: int
    centroid: Floats
    radius: float
    made_at: datetime
    wall: Place = GLOBAL


def wall_of(place: Place) -> Place:
    """The room a place is in."""
    scope, key, _ = place
    return (scope, key, "") if scope in ("agent", "team") else GLOBAL


def nearest_cluster(clusters: Sequence[Cluster], place: Place, vector: Floats) -> Cluster | None:
    """The cluster of the same room a new memory falls into, if it falls into any."""
    wall = wall_of(place)
    near = [cluster for cluster in clusters if cluster.wall == wall]
    if not near:
        return None
    cosines = np.vecdot(np.stack([cluster.centroid for cluster in near]), vector)
    best = int(np.argmax(cosines))
    return near[best] if cosines[best] >= near[best].radius else None
