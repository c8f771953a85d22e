"""Results of recall: hits with scores and explanations, traces, and blocks of context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from recollect.values.memory import Record
from recollect.values.plain import plain, shorten

# Said above hits of which none answers the query.
# The signal that decides the order of reranked hits; it adds nothing to their scores.
RERANKER = "reranker"
NOT_ANSWERED = "Nothing known is about this. The nearest memories:"


@dataclass(frozen=True, slots=True)
class Signal:
    """One part of a score: what it is, its value, and what it contributed."""

    name: str
    value: float
    weight: float = 1.0
    contribution: float = 0.0


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a memory was recalled: the formula of the profile, every signal, the matched terms, the path in the graph.

    `confidence` is the confidence that is left today.
    """

    profile: str
    formula: str
    signals: tuple[Signal, ...]
    terms: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    confidence: float | None = None

    def signal(self, name: str) -> float:
        """The value of one signal by name; 0 when the profile does not use it."""
        return next((s.value for s in self.signals if s.name == name), 0.0)


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory found for a query; `trigger` is its pattern that matched what the caller works on.

    `relevance` is the probability that it answers the query, whatever else was found. `newer` is the id of another
    memory that was found, contradicts it and is newer.
    """

    memory: Record
    score: float
    similarity: float | None = None
    explain: Explanation | None = None
    trigger: str | None = None
    newer: str | None = None
    relevance: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """The memory's fields under `memory`, and the score with its reasons, as plain JSON."""
        return {**plain(self), "memory": self.memory.to_dict()}

    def __repr__(self) -> str:
        return f"<Hit {self.score:.3f} {self.memory!r}>"

    def __str__(self) -> str:
        return str(self.memory)


@dataclass(frozen=True, slots=True)
class Related:
    """A memory connected with another one: how strongly, and over which steps."""

    memory: Record
    score: float
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """What the read path did: how many rows passed each step, how many hits were reranked, and how long that took."""

    considered: int = 0
    visible: int = 0
    hidden: tuple[tuple[str, int], ...] = ()
    dense: int = 0
    lexical: int = 0
    reranked: int = 0
    milliseconds: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Recalled(Sequence[Hit]):
    """The hits, best first, with notes for the caller (for example that recall was lexical only) and a trace.

    `answered` says whether any hit is about what the query asks for; otherwise the hits are only the nearest memories.
    `id` names this recall.
    """

    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()
    trace: Trace = field(default_factory=Trace)
    answered: bool = True
    id: str = field(default="", compare=False)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def to_dict(self) -> dict[str, Any]:
        """The id of the recall, whether the query is answered, the hits, notes and trace as plain JSON."""
        return {
            "id": self.id,
            "answered": self.answered,
            "hits": [hit.to_dict() for hit in self.hits],
            "notes": list(self.notes),
            "trace": plain(self.trace),
        }

    def __repr__(self) -> str:
        best = f", best {shorten(self.hits[0].memory.content)!r}" if self.hits else ""
        return f"<Recalled {len(self.hits)} hit{'' if len(self.hits) == 1 else 's'}{best}>"

    def __str__(self) -> str:
        """The hits as lines for a prompt, best first, below a remark if none of them answers the query."""
        lines = [f"- {hit}" for hit in self.hits]
        return "\n".join(lines if self.answered or not lines else [NOT_ANSWERED, *lines])


@dataclass(frozen=True, slots=True)
class BlockItem:
    """One memory in a block: its layer, and how many characters it takes."""

    memory: Record
    layer: str
    characters: int


@dataclass(frozen=True, slots=True)
class Omitted:
    """A candidate of a layer that is not in the block, and why."""

    memory: Record
    layer: str
    reason: str


@dataclass(frozen=True, slots=True)
class Block:
    """A block of context. `used` is the length of the text; `over` is by how much what is never cut exceeds the budget, else 0."""

    text: str
    items: tuple[BlockItem, ...] = ()
    left_out: tuple[Omitted, ...] = ()
    budget: int = 0
    used: int = 0
    over: int = 0
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text
