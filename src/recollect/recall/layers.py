"""Layers: what a context block is made of, in order, and who is offered to which. Before: relevance. After: assembly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any

from recollect.errors import InvalidInput
from recollect.ports import Reader
from recollect.values.link import Node
from recollect.values.memory import Record
from recollect.values.narrative import TAG, latest
from recollect.values.search import Search


@dataclass(frozen=True, slots=True)
class Layer:
    """A part of the block: its heading, the share of the budget it may fill, and whether its memories are never cut."""

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
# A global memory of one of these types is the viewer's own business rather than reference.
_OWN = ("preference", "observation", "reflection", "plan", "task", "episode")
_EVERY = 10_000
_MOST_RULES, _MOST_RECENT, _MOST_RELEVANT, _MOST_TAGGED = 100, 60, 60, 400


@dataclass(frozen=True, slots=True)
class Asked:
    """What a block is to be about: who looks and when, what the topic brought, best first, and what it called up."""

    search: Search
    relevant: tuple[int, ...] | None = None
    fired: tuple[int, ...] = ()
    start: bool = False


@dataclass(frozen=True, slots=True)
class Offers:
    """The memories offered to each layer, those to be taken first in front; and the row of each memory."""

    layers: Mapping[str, Sequence[Record]]
    rows: Mapping[str, int]


def chosen(layers: Any) -> tuple[Layer, ...]:
    """The layers a caller wants: all, some by name, or all with other shares for some; a share of 0 leaves one out."""
    if layers is None:
        return LAYERS
    if isinstance(layers, str) or not isinstance(layers, Iterable):
        raise InvalidInput("layers", f"{layers!r} is not a list of layers", "give names, or shares by name")
    given = list(layers)
    for name in given:
        if name not in NAMES:
            raise InvalidInput("layers", f"{name!r} is unknown", f"layers: {', '.join(NAMES)}")
    shares = {layer.name: layer.share for layer in LAYERS}
    if isinstance(layers, Mapping):
        shares |= {name: _share(name, value) for name, value in layers.items()}
    else:
        shares = {name: share for name, share in shares.items() if name in given}
    kept = [layer for layer in LAYERS if shares.get(layer.name)]
    total = sum(shares[layer.name] for layer in kept)
    # Named alone, layers share the whole budget; with shares of their own, they never share more than it.
    scale = max(total, 1.0) if isinstance(layers, Mapping) else total or 1.0
    return tuple(Layer(x.name, x.heading, shares[x.name] / scale, x.whole) for x in kept)


def _share(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput("layers", f"the share of {name} is {value!r}", "give a number from 0 to 1")
    return float(value)


def offers(reader: Reader, asked: Asked) -> Offers:
    """What each layer may take, all read at once."""
    search = asked.search
    account = search.viewer.account
    deliveries = ("pinned", "bootstrap") if asked.start else ("pinned",)
    tagged = _tagged(reader, search)
    relevant = asked.relevant
    rows = {
        "pinned": reader.standing(search, deliveries=deliveries, limit=_EVERY),
        "identity": tagged[SELF_TAGS],
        "fired": asked.fired,
        "rules": reader.standing(search, types=RULES, limit=_MOST_RULES),
        "narrative": tagged[(TAG,)],
        "recent": reader.standing(search, since=_lately(search.now), limit=_MOST_RECENT),
        "relevant": reader.standing(search, limit=_MOST_RELEVANT) if relevant is None else relevant[:_MOST_RELEVANT],
    }
    every = list(dict.fromkeys(row for some in rows.values() for row in some))
    known = dict(zip(every, reader.fetch(account, every), strict=True)) if every else {}
    found = {name: [known[row] for row in some] for name, some in rows.items()}
    return Offers(_shelved(found, search.viewer.project), {record.id: row for row, record in known.items()})


def in_order(memories: Iterable[Record]) -> list[Record]:
    """The most important first, then as they were stored: what is new comes last and moves nothing before it."""
    return sorted(memories, key=lambda memory: (-memory.importance, memory.created_at, memory.id))


def _shelved(found: Mapping[str, Sequence[Record]], project: str | None) -> dict[str, Sequence[Record]]:
    told = latest(found["narrative"], project)
    shelves: dict[str, Sequence[Record]] = {
        "pinned": in_order(found["pinned"]),
        "identity": in_order(memory for memory in found["identity"] if memory.type == "entity"),
        "rules": [*in_order(found["fired"]), *in_order(found["rules"])],
        "narrative": [] if told is None else [told],
        "recent": found["recent"],
    }
    for name in ("team", "personal", "knowledge"):
        shelves[name] = [memory for memory in found["relevant"] if _shelf(memory) == name]
    return shelves


def _shelf(memory: Record) -> str:
    """The layer of a memory that bears on the topic."""
    if memory.scope == "team":
        return "team"
    return "knowledge" if memory.scope == "global" and memory.type not in _OWN else "personal"


def _tagged(reader: Reader, search: Search) -> dict[tuple[str, ...], list[int]]:
    """The visible rows that carry one of some tags."""
    nodes: list[Node] = [("tag", tag) for tag in (*SELF_TAGS, TAG)]
    edges = reader.edges(search.viewer.account, nodes, _MOST_TAGGED)
    by_tag = {
        tags: list(dict.fromkeys(int(edge.target[1]) for edge in edges if edge.source[1] in tags))
        for tags in (SELF_TAGS, (TAG,))
    }
    return {tags: reader.among(search, rows) for tags, rows in by_tag.items()}


def _lately(now: float) -> float:
    """A week before this day began: so that the passing of an hour changes nothing."""
    day = datetime.combine(datetime.fromtimestamp(now, UTC), time(), UTC)
    return (day - RECENT).timestamp()
