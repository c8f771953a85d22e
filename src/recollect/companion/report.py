"""The report of an extraction: what each session gave, what became of it, and why the rest gave nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from recollect.values.enums import MemoryType, ProvenanceKind
from recollect.values.judging import Summary

ExtractionOutcome = Literal["kept", "replaced", "merged", "refused"]
EXTRACTION_OUTCOMES: tuple[str, ...] = get_args(ExtractionOutcome)


@dataclass(frozen=True, slots=True)
class ExtractedItem:
    """One statement: the messages it comes from, what became of it, and why.

    The text of what was refused is shown with its secrets masked, or not at all.
    """

    message_range: tuple[int, int]
    outcome: ExtractionOutcome
    text: str
    type: MemoryType
    source: ProvenanceKind
    cue: str
    reason: str = ""
    id: str | None = None


@dataclass(frozen=True, slots=True)
class SessionExtraction:
    """What one session gave. `messages` counts what it has, `new` what was not read before, `turns` what was stored verbatim.

    `summary` is its brief, and `narrative` the id of the narrative that was made of it.
    """

    session: str
    messages: int
    new: int
    items: tuple[ExtractedItem, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    turns: int = 0
    summary: Summary | None = None
    narrative: str | None = None

    @property
    def counts(self) -> Mapping[str, int]:
        """How many statements were kept, replaced another, were known, or were refused."""
        return count_outcomes(self.items)


@dataclass(frozen=True, slots=True)
class ExtractionReport:
    """What an extraction did, or would do. `undo(operation)` takes it back; None if nothing was stored."""

    sessions: tuple[SessionExtraction, ...]
    dry_run: bool = False
    operation: str | None = None
    counts: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        items = [item for session in self.sessions for item in session.items]
        turns = sum(session.turns for session in self.sessions)
        object.__setattr__(self, "counts", {**count_outcomes(items), "turns": turns})


def count_outcomes(items: list[ExtractedItem] | tuple[ExtractedItem, ...]) -> Mapping[str, int]:
    """How many items have each outcome."""
    found = Counter[str](item.outcome for item in items)
    return {outcome: found[outcome] for outcome in EXTRACTION_OUTCOMES}
