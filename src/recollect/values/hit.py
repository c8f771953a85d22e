"""Hit: one recalled memory with its score and, when asked, the whole reason; Recalled: the answer of one recall."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import overload

from recollect.values.memory import Record


@dataclass(frozen=True, slots=True)
class Signal:
    """One part of a score: what it is, its value, and what it contributed."""

    name: str
    value: float
    weight: float = 1.0
    contribution: float = 0.0


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a memory was recalled: the profile's formula, every signal of it, the words that met, the path walked.

    `confidence` is what is left today of what was believed at first.
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
    """One memory that answers a query; `trigger` is the pattern of its own that the context matched."""

    memory: Record
    score: float
    similarity: float | None = None
    explain: Explanation | None = None
    trigger: str | None = None


@dataclass(frozen=True, slots=True)
class Related:
    """A memory another one leads to: how strongly, and over which steps."""

    memory: Record
    score: float
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """What the read path did: how many rows stood behind each gate."""

    considered: int = 0
    visible: int = 0
    hidden: tuple[tuple[str, int], ...] = ()
    dense: int = 0
    lexical: int = 0
    milliseconds: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Recalled(Sequence[Hit]):
    """The hits, best first, with notes for the caller (for example that recall was lexical only) and a trace."""

    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()
    trace: Trace = field(default_factory=Trace)

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
