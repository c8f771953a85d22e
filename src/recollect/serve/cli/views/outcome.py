"""What became of a draft, or of a file of them, and the ways out of a conflict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from recollect.serve.cli.page import Line, Page, Piece, Tone
from recollect.serve.cli.views.words import about, aligned, content_lines, counted, excerpt, flat, short_id
from recollect.values.outcome import Conflict, Outcome, Refused, Reinforced, Stored, Superseded

_MARKS: dict[str, tuple[str, Tone]] = {
    "stored": ("✓", "good"), "reinforced": ("+", "good"), "superseded": ("↻", "warn"), "refused": ("✗", "bad"),
}  # fmt: skip
_MANY = 20


def show_outcome(page: Page, outcome: Outcome, now: datetime) -> None:
    """Stored, reinforced, superseded or refused, and why."""
    mark, tone = _MARKS[outcome.kind]
    lead: Line = (Piece(f"{mark} {outcome.kind}", tone),)
    notes: list[Line] = [(Piece(text, "warn"),) for text in outcome.notes]
    if outcome.memory is not None and outcome.memory.triggers:
        notes.insert(0, (Piece("triggers  ", "dim"), "   ".join(outcome.memory.triggers)))
    match outcome:
        case Refused(reason):
            page.entry(lead, [(reason,), *notes])
        case Stored(memory):
            page.entry(lead, [*content_lines(page, memory), about(memory, now), *notes])
        case Reinforced(memory, reason):
            why = (Piece(f"{reason}; strength {memory.strength}", "dim"),)
            page.entry(lead, [*content_lines(page, memory), about(memory, now), why, *notes])
        case Superseded(memory, old, reason):
            was = (Piece("was  ", "dim"), Piece(flat(old.content), "old"), "  ", short_id(old))
            why = (Piece(f"why  {reason}", "dim"),)
            page.entry(lead, [*content_lines(page, memory), about(memory, now), was, why, *notes])
    if outcome.memory is not None:
        for conflict in outcome.conflicts:
            _show_conflict(page, conflict, outcome.memory.id)


def _show_conflict(page: Page, conflict: Conflict, new_id: str) -> None:
    """An existing memory that may be contradicted, and the four ways out as commands."""
    title: Line = (Piece(f"may contradict  {conflict.similarity:.0%} alike", "warn"),)
    page.card(
        title, [(short_id(conflict.memory), "  ", flat(conflict.memory.content)), *ways_out(conflict, new_id)], "warn"
    )


def ways_out(conflict: Conflict, new_id: str) -> list[Line]:
    """Why two memories cannot both hold, and the four ways out as commands."""
    ways = [option.split(": ", 1) for option in conflict.options(new_id)]
    return [(Piece(conflict.reason, "dim"),), ("",), *aligned([(name, (command,)) for name, command in ways])]


def show_loaded(page: Page, numbered: Sequence[tuple[int, Outcome]]) -> None:
    """A file of drafts: how many of each kind, what was refused and why, what conflicts."""
    counts = Counter[str](outcome.kind for _, outcome in numbered)
    page.line(Piece(counted(len(numbered), "draft"), "strong"))
    for kind, (mark, tone) in _MARKS.items():
        if counts[kind]:
            page.line(Piece(f"  {mark} {kind.ljust(10)}", tone), f"  {counts[kind]:,}")
    refused = [(line, out) for line, out in numbered if isinstance(out, Refused)]
    for line, out in refused[: page.room and _MANY]:
        page.line(Piece(f"  line {line}", "bad"), f"  {out.reason}")
    if page.room and len(refused) > _MANY:
        page.line(Piece(f"  … and {len(refused) - _MANY:,} more; --json shows all", "dim"))
    torn = [(line, out) for line, out in numbered if out.conflicts and out.memory]
    for line, torn_out in torn[:_MANY]:
        other = torn_out.conflicts[0].memory
        said = excerpt(other.content, 50)
        page.line(Piece(f"  line {line}", "warn"), "  may contradict ", short_id(other), f"  {said}")
