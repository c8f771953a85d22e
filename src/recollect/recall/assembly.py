"""Assembly, the last stage of the read path: a block of text under a budget that counts every character. Before: layers.

A memory is in the block once, in the first layer that takes it; what a layer does not use goes to the next. Pinned memories
and those of identity are never cut: when they alone are too long, nothing else is in and the block says by how much.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from recollect.ports import Reader
from recollect.recall.hybrid import Hybrid
from recollect.recall.layers import Asked, Layer, in_order, offers
from recollect.recall.pipeline import Prepared
from recollect.recall.relevance import relevant
from recollect.recall.rendering import fenced, frame, item
from recollect.recall.triggered import Fired, Triggers
from recollect.values.block import Block, Item, LeftOut
from recollect.values.ids import normalised
from recollect.values.memory import Record
from recollect.values.search import Search

_BY_RANK = ("team", "personal", "knowledge")
_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Plan:
    """One block to make: for whom and when, of which layers, in how many characters, at the start of a session or not."""

    search: Search
    layers: tuple[Layer, ...]
    budget: int
    start: bool = False


@dataclass(frozen=True, slots=True)
class Topic:
    """What the work is about, taken apart and embedded."""

    text: str
    prepared: Prepared


@dataclass(frozen=True, slots=True)
class Assembled:
    """The block, and what the topic brought into it: rows by id."""

    block: Block
    brought: Mapping[str, int]


@dataclass(slots=True)
class _Filling:
    """The block as it grows: what is in, what is not, and how long the text would be."""

    budget: int
    used: int = field(default_factory=frame)
    allowance: float = 0.0
    texts: list[str] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    held: set[str] = field(default_factory=set)
    left_out: dict[str, LeftOut] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)

    def fill(self, layer: Layer, offered: Iterable[Record]) -> None:
        """Take what has room, in the order offered."""
        self.allowance += layer.share * self.budget
        heading = f"## {layer.heading}\n"
        opening = len(heading) + bool(self.texts)
        taken: dict[str, tuple[Record, str]] = {}
        for memory in offered:
            # Taken by an earlier layer, or offered to this one twice.
            if memory.id in taken or memory.id in self.held:
                continue
            text = item(memory, whole=layer.whole) + "\n"
            cost = len(text) + (0 if taken else opening)
            reason = self._refusal(layer, memory, cost)
            if reason is not None:
                self.left_out.setdefault(memory.id, LeftOut(memory, layer.name, reason))
                continue
            self.used += cost
            self.said.setdefault(normalised(memory.content), layer.name)
            taken[memory.id] = (memory, text)
        if taken:
            shown = [memory for memory, _ in taken.values()]
            self._show(layer, heading, in_order(shown) if layer.name in _BY_RANK else shown, taken)

    def _refusal(self, layer: Layer, memory: Record, cost: int) -> str | None:
        if layer.whole:
            return None
        if self.used + cost > self.budget:
            return "over the budget"
        if (where := self.said.get(normalised(memory.content))) is not None:
            return f"said already in {where}"
        return "over the layer's cap" if self.used + cost > self.allowance else None

    def _show(self, layer: Layer, heading: str, shown: Sequence[Record], taken: dict[str, tuple[Record, str]]) -> None:
        self.texts.append(heading + "".join(taken[memory.id][1] for memory in shown))
        self.items += [Item(memory, layer.name, len(taken[memory.id][1])) for memory in shown]
        self.held |= taken.keys()

    def block(self, seed: str, notes: tuple[str, ...]) -> Block:
        """What came of it; nothing at all is an empty text."""
        left_out = tuple(left for left in self.left_out.values() if left.memory.id not in self.held)
        text = fenced("\n".join(self.texts), seed) if self.items else ""
        over = max(len(text) - self.budget, 0)
        return Block(text, tuple(self.items), left_out, self.budget, len(text), over, notes)


@dataclass(slots=True)
class Assembly:
    """Makes blocks; keeps the trigger patterns of each account ready."""

    profile: Hybrid
    floor: float
    _triggers: Triggers = field(default_factory=Triggers)

    def block(self, reader: Reader, plan: Plan, topic: Topic | None) -> Assembled:
        """One block over one consistent view of the store."""
        fired = Fired({}) if topic is None else self._triggers.fired(reader, plan.search, topic.text)
        bearing = None if topic is None else tuple(self._bearing(reader, plan.search, topic.prepared))
        offered = offers(reader, Asked(plan.search, bearing, tuple(fired.patterns), plan.start))
        filling = _Filling(plan.budget)
        for layer in plan.layers:
            filling.fill(layer, offered.layers[layer.name])
        notes = () if topic is None else (*topic.prepared.notes, *fired.notes)
        block = filling.block(plan.search.viewer.account, notes)
        asked_for = {*fired.patterns, *(bearing or ())}
        ids = [held.memory.id for held in block.items if held.layer in (*_BY_RANK, "rules")]
        return Assembled(block, {one: offered.rows[one] for one in ids if offered.rows[one] in asked_for})

    def _bearing(self, reader: Reader, search: Search, prepared: Prepared) -> list[int]:
        query = prepared.query
        look = replace(
            search,
            vector=prepared.search.vector,
            terms=query.terms,
            depth=_DEPTH,
            neighbours=2,
            windows=tuple((since.timestamp(), until.timestamp()) for since, until in query.windows),
            seasons=query.seasons,
        )
        return relevant(reader, look, query, self.profile, prepared.calibration, self.floor)
