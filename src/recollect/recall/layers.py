"""Layers: the parts of a context block, which memories each part may take, and which memories are relevant to a topic.

Relevance to a topic uses only what the viewer sees: what else is stored in the account, or how often something was read, cannot
change the result, so that the text stays the same while nothing relevant changes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import Any

import numpy as np

from recollect.errors import InvalidInput
from recollect.ports import Calibrated, Reader
from recollect.recall.features import Features, extract_features
from recollect.recall.profiles import Profile
from recollect.recall.query import Query
from recollect.validation import shown
from recollect.values.link import Node
from recollect.values.memory import Record
from recollect.values.search import Candidates, DeliveryQuery, Floats, Search
from recollect.values.tiers import NARRATIVE_TAG, latest_narrative

# A memory is relevant if it is nearly as similar as the floor or has half of the topic's distinctive words, and its score is
# at least this part of the best score.
_NEAR_FLOOR, _ENOUGH_WORDS, _PART_OF_BEST = 0.75, 0.5, 0.35
# A word in fewer visible memories than this is counted exactly; for commoner words the rounded count of the account is enough.
_COMMON, _ROUNDING = 500, 4


def relevant_rows(
    reader: Reader, search: Search, query: Query, profile: Profile, calibration: Calibrated | None, floor: float
) -> list[int]:
    """The rows that are relevant to a topic, best first."""
    found = reader.candidates(replace(search, holders=_COMMON))
    if len(found) == 0:
        return []
    features = _stable_features(query, replace(found, idf=_visible_idf(found)), calibration)
    total = np.round(profile.steady().score(features).total, 4)
    rows, created = features.candidates.rows, features.columns.created
    near = features.similarity >= _NEAR_FLOOR * floor if features.embedded else features.coverage > 0
    best = float(np.nan_to_num(total, nan=0.0).max(initial=0.0))
    enough = near | (features.coverage >= _ENOUGH_WORDS)
    indexes = np.flatnonzero(found.selected & enough & (total >= _PART_OF_BEST * best))
    order = np.lexsort((rows[indexes], created[indexes], -total[indexes]))
    return [int(row) for row in rows[indexes[order]]]


def _visible_idf(found: Candidates) -> Floats:
    """How distinctive each word of the topic is, by how few of the visible memories have it; 0 when none has it."""
    common = np.where((found.matches > 0).any(axis=0), np.round(found.idf * _ROUNDING) / _ROUNDING, 0.0)
    own = [math.log1p((found.visible - count + 0.5) / (count + 0.5)) for count in found.holders.tolist()]
    return np.where(found.holders > 0, own, common).astype(np.float32)


def _stable_features(query: Query, found: Candidates, calibration: Calibrated | None) -> Features:
    """The features with every statistic of the whole account replaced by one of the visible memories."""
    features = extract_features(query, found, calibration)
    length = 2.0 ** round(math.log2(max(float(found.columns.length.mean()), 1.0)))
    similarity = np.where(np.isnan(found.cosine), np.float32(np.nan), features.similarity)
    own = replace(found, cosine=similarity, mean_cosine=0.0, mean_length=length, considered=found.visible)
    return replace(features, candidates=own, unrelated=None)


@dataclass(frozen=True, slots=True)
class Layer:
    """A part of the block: its heading, the share of the budget it may use, and whether its memories are never cut."""

    name: str
    heading: str
    share: float
    whole: bool = False


LAYERS = (
    Layer("pinned", "Always in mind", 0.10, whole=True),
    Layer("identity", "Who is who", 0.05, whole=True),
    Layer("rules", "Rules and warnings", 0.20),
    Layer("narrative", "Where the work stands", 0.10),
    Layer("recent", "Lately", 0.15),
    Layer("team", "From the team", 0.10),
    Layer("personal", "On this topic", 0.20),
    Layer("knowledge", "Reference", 0.10),
)
NAMES = tuple(layer.name for layer in LAYERS)
RULES = ("rule", "correction", "negative")
SELF_TAGS = ("identity", "me")
RECENT = timedelta(days=7)
# A global memory of one of these types is personal; of any other type it is reference material.
_PERSONAL_TYPES = ("preference", "observation", "reflection", "plan", "task", "episode")
_MOST_PINNED = 10_000
_MOST_RULES, _MOST_RECENT, _MOST_RELEVANT, _MOST_TAGGED = 100, 60, 60, 400


@dataclass(frozen=True, slots=True)
class LayerRequest:
    """What a block is made from: the viewer's search, and rows.

    `tagged` are the rows with a tag that a layer is filled by, visible or not; `relevant` are relevant to the topic, best first.
    """

    search: Search
    tagged: Mapping[str, tuple[int, ...]]
    relevant: tuple[int, ...] | None = None
    triggered: tuple[int, ...] = ()
    start: bool = False


@dataclass(frozen=True, slots=True)
class LayerOffers:
    """The memories each layer may take, first choice first; and the row of each memory by id."""

    layers: Mapping[str, Sequence[Record]]
    rows: Mapping[str, int]


def select_layers(layers: Any) -> tuple[Layer, ...]:
    """The layers a caller wants: all, some by name, or all with other shares for some; a share of 0 leaves one out."""
    if layers is None:
        return LAYERS
    if isinstance(layers, str) or not isinstance(layers, Iterable):
        raise InvalidInput("layers", f"{shown(layers)} is not a list of layers", "give names, or shares by name")
    given = list(layers)
    for name in given:
        if name not in NAMES:
            raise InvalidInput("layers", f"{shown(name)} is unknown", f"layers: {', '.join(NAMES)}")
    shares = {layer.name: layer.share for layer in LAYERS}
    if isinstance(layers, Mapping):
        shares |= {name: _share(name, value) for name, value in layers.items()}
    else:
        shares = {name: share for name, share in shares.items() if name in given}
    kept = [layer for layer in LAYERS if shares.get(layer.name)]
    total = sum(shares[layer.name] for layer in kept)
    # Layers given by name share the whole budget. Given shares are scaled down only if they add up to more than it.
    scale = max(total, 1.0) if isinstance(layers, Mapping) else total or 1.0
    return tuple(Layer(x.name, x.heading, shares[x.name] / scale, x.whole) for x in kept)


def _share(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput("layers", f"the share of {name} is {shown(value)}", "give a number from 0 to 1")
    return float(value)


def collect_offers(reader: Reader, request: LayerRequest) -> LayerOffers:
    """What each layer may take: all lists are read together, with their memories."""
    queries = _layer_queries(request)
    listed = dict(zip(queries, reader.fetch_by_delivery(request.search, list(queries.values())), strict=True))
    found = {name: list(memories.values()) for name, memories in listed.items()}
    if request.relevant is not None:
        found["relevant"] = [listed["relevant"][row] for row in request.relevant[:_MOST_RELEVANT]]
    rows = {record.id: row for memories in listed.values() for row, record in memories.items()}
    return LayerOffers(_by_layer(found, request.search.viewer.project), rows)


def _layer_queries(request: LayerRequest) -> dict[str, DeliveryQuery]:
    """The lists that the layers are filled from. Without a topic, the most important memories are the relevant ones."""
    relevant = None if request.relevant is None else request.relevant[:_MOST_RELEVANT]
    identity = tuple(dict.fromkeys(row for tag in SELF_TAGS for row in request.tagged[tag]))
    narrative = request.tagged[NARRATIVE_TAG]
    return {
        "pinned": DeliveryQuery(_MOST_PINNED, deliveries=("pinned", "bootstrap") if request.start else ("pinned",)),
        "identity": DeliveryQuery(len(identity), rows=identity),
        "rules": DeliveryQuery(_MOST_RULES, types=RULES),
        "narrative": DeliveryQuery(len(narrative), rows=narrative),
        "recent": DeliveryQuery(_MOST_RECENT, since=_recent_since(request.search.now)),
        "triggered": DeliveryQuery(len(request.triggered), rows=request.triggered),
        "relevant": DeliveryQuery(_MOST_RELEVANT, rows=relevant),
    }


def in_order(memories: Iterable[Record]) -> list[Record]:
    """The most important first, then the oldest: a new memory comes last and moves nothing before it."""
    return sorted(memories, key=lambda memory: (-memory.importance, memory.created_at, memory.id))


def _by_layer(found: Mapping[str, Sequence[Record]], project: str | None) -> dict[str, Sequence[Record]]:
    narrative = latest_narrative(found["narrative"], project)
    layers: dict[str, Sequence[Record]] = {
        "pinned": in_order(found["pinned"]),
        "identity": in_order(memory for memory in found["identity"] if memory.type == "entity"),
        "rules": [*in_order(found["triggered"]), *in_order(found["rules"])],
        "narrative": [] if narrative is None else [narrative],
        "recent": found["recent"],
    }
    for name in ("team", "personal", "knowledge"):
        layers[name] = [memory for memory in found["relevant"] if _topic_layer(memory) == name]
    return layers


def _topic_layer(memory: Record) -> str:
    """The layer of a memory that is relevant to the topic."""
    if memory.scope == "team":
        return "team"
    return "knowledge" if memory.scope == "global" and memory.type not in _PERSONAL_TYPES else "personal"


def tagged_rows(reader: Reader, account: str) -> dict[str, tuple[int, ...]]:
    """The newest rows with each tag that a layer is filled by, visible or not."""
    tags = (*SELF_TAGS, NARRATIVE_TAG)
    nodes: list[Node] = [("tag", tag) for tag in tags]
    edges = reader.edges(account, nodes, _MOST_TAGGED)
    return {tag: tuple(int(edge.target[1]) for edge in edges if edge.source[1] == tag) for tag in tags}


def _recent_since(now: float) -> float:
    """A week before the start of today, so that the result changes once a day and not every second."""
    day = datetime.combine(datetime.fromtimestamp(now, UTC), time(), UTC)
    return (day - RECENT).timestamp()
