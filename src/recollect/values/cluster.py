"""Cluster: a group of memories with similar vectors, with a readable name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from recollect.values.scope import GLOBAL, OWNED_SCOPES, Place
from recollect.values.search import Floats


@dataclass(frozen=True, slots=True)
class Cluster:
    """A dense region of vectors: its centre (a unit vector) and radius (the lowest cosine of a member).

    `owner` is the agent, team or user all its members belong to, or GLOBAL for what the whole account may see. A cluster never
    mixes owners, so its name reveals nothing about memories that a viewer cannot see.
    """

    id: str
    name: str
    size: int
    centroid: Floats
    radius: float
    made_at: datetime
    owner: Place = GLOBAL


def owner_of(place: Place) -> Place:
    """The agent, team or user a place belongs to, as a place; GLOBAL for every other scope."""
    scope, key, _ = place
    return (scope, key, "") if scope in OWNED_SCOPES else GLOBAL


def nearest_cluster(clusters: Sequence[Cluster], place: Place, vector: Floats) -> Cluster | None:
    """The cluster of the same owner that a new memory belongs to, if any."""
    owner = owner_of(place)
    near = [cluster for cluster in clusters if cluster.owner == owner]
    if not near:
        return None
    cosines = np.vecdot(np.stack([cluster.centroid for cluster in near]), vector)
    best = int(np.argmax(cosines))
    return near[best] if cosines[best] >= near[best].radius else None
