"""Views that several commands share: a list of memories, a changed memory, the outcome of a draft, hits, and plain values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from recollect.serve.cli.errors import EXIT_REFUSED
from recollect.serve.cli.formatting import (
    ROW,
    WARNING_MARK,
    aligned,
    bar,
    content_lines,
    count_memories,
    excerpt,
    one_line,
    short_id,
    short_scope_label,
    summary_line,
)
from recollect.serve.cli.json_output import memory_json, outcome_json, recalled_json
from recollect.serve.cli.renderer import Line, Renderer, Span, Tone
from recollect.serve.cli.times import short_age
from recollect.values.enums import RESOLUTIONS
from recollect.values.outcome import Refused, Reinforced, Stored, Superseded
from recollect.values.recalled import NOT_ANSWERED, RERANKER

if TYPE_CHECKING:
    from recollect.serve.cli.app_context import AppContext
    from recollect.values.memory import Page, Record
    from recollect.values.outcome import Conflict, Outcome
    from recollect.values.recalled import Hit, Recalled, Signal, Trace

OUTCOME_MARKS: dict[str, tuple[str, Tone]] = {
    "stored": ("✓", "good"), "reinforced": ("+", "good"), "superseded": ("↻", "warn"), "refused": ("✗", "bad"),
}  # fmt: skip


def print_changed(app: AppContext, done: str, record: Record, detail: str = "") -> None:
    """Print what was done to a memory, and its current state."""
    app.print_change(lambda: memory_json(record), lambda out: show_changed(out, done, record, app.now, detail))


def print_moved(app: AppContext, done: str, record: Record | Refused) -> int:
    """The same for a change that may be refused; returns the exit code."""
    if isinstance(record, Refused):
        refused = record
        app.print_answer(lambda: outcome_json(refused), lambda out: show_outcome(out, refused, app.now))
        return EXIT_REFUSED
    print_changed(app, done, record)
    return 0


def print_outcome(app: AppContext, outcome: Outcome) -> int:
    """Print the outcome of one draft; returns the exit code."""
    refused = outcome.kind == "refused"
    print_ = app.print_answer if refused else app.print_change
    print_(lambda: outcome_json(outcome), lambda out: show_outcome(out, outcome, app.now))
    return EXIT_REFUSED if refused else 0


def print_list(app: AppContext, records: Sequence[Record]) -> None:
    """Print memories, one per line."""
    app.print_answer(lambda: [memory_json(record) for record in records], lambda out: show_list(out, records, app.now))


def print_page(app: AppContext, page: Page) -> None:
    """Print one page of a list, with how many there are and where the next page begins."""

    def show(out: Renderer) -> None:
        show_list(out, page, app.now)
        if page.next is not None:
            out.line(Span(f"{len(page)} of {count_memories(page.total or 0)}; --after {page.next[-8:]} goes on", "dim"))

    app.print_answer(lambda: [memory_json(record) for record in page], show)


def show_list(out: Renderer, records: Sequence[Record], now: datetime) -> None:
    """One memory per line."""
    if not records:
        out.line(Span("no memories", "dim"))
        return
    rows = [
        (
            short_id(r),
            Span(r.type, "warn" if r.type == "negative" else "plain"),
            short_scope_label(r),
            Span(short_age(r.created_at, now), "dim"),
            Span("" if r.status == "active" else r.status, "warn"),
            _list_text(r),
        )
        for r in records
    ]
    # The status column is shown only if it says something: the text needs the width.
    shown = [0, 1, 2, 3, *([4] if any(r.status != "active" for r in records) else []), 5]
    names = ("id", "type", "scope", ">age", "status", "memory")
    out.table([names[n] for n in shown], [[row[n] for n in shown] for row in rows])


def _list_text(record: Record) -> Span:
    """The text on one line; a negative memory is shown as a warning."""
    negative = record.type == "negative"
    tone: Tone = "old" if record.status == "superseded" else "warn" if negative else "plain"
    return Span((WARNING_MARK if negative else "") + excerpt(record.content, ROW), tone)


def show_changed(out: Renderer, done: str, record: Record, now: datetime, detail: str = "") -> None:
    """What was done to one memory, and its current state."""
    out.line(Span(f"✓ {done}", "good"), Span(f"  {detail}" if detail else "", "strong"))
    show_summary(out, record, now)


def show_summary(out: Renderer, record: Record, now: datetime) -> None:
    """The text of a memory and one line about it."""
    for line in content_lines(out, record):
        out.line("  ", *line)
    out.line("  ", *summary_line(record, now))


def _lifting(refused: Refused) -> list[Line]:
    """The commands that lift a tombstone, or lead to the memory that has the text."""
    ways = [f"recollect restore {refused.forgotten[-8:]}"] if refused.forgotten else []
    ways += ["--revive stores it all the same"] if refused.revivable else []
    ways += [f"recollect get {refused.existing[-8:]}"] if refused.existing else []
    return [(Span(" · ".join(ways), "dim"),)] if ways else []


def show_outcome(out: Renderer, outcome: Outcome, now: datetime) -> None:
    """Stored, reinforced, superseded or refused, and why."""
    mark, tone = OUTCOME_MARKS[outcome.kind]
    lead: Line = (Span(f"{mark} {outcome.kind}", tone),)
    notes: list[Line] = [(Span(text, "warn"),) for text in outcome.notes]
    if outcome.memory is not None and outcome.memory.triggers:
        notes.insert(0, (Span("triggers  ", "dim"), "   ".join(outcome.memory.triggers)))
    match outcome:
        case Refused(reason):
            out.entry(lead, [(reason,), *notes, *_lifting(outcome)])
        case Stored(memory):
            out.entry(lead, [*content_lines(out, memory), summary_line(memory, now), *notes])
        case Reinforced(memory, reason):
            why = (Span(f"{reason}; strength {memory.strength}", "dim"),)
            out.entry(lead, [*content_lines(out, memory), summary_line(memory, now), why, *notes])
        case Superseded(memory, old, reason):
            was = (Span("was  ", "dim"), Span(excerpt(old.content, ROW), "old"), "  ", short_id(old))
            why = (Span(f"why  {reason}", "dim"),)
            back = (Span(outcome.way_back, "dim"),)
            out.entry(lead, [*content_lines(out, memory), summary_line(memory, now), was, why, back, *notes])
    if outcome.memory is not None:
        for conflict in outcome.conflicts:
            _show_conflict(out, conflict, outcome.memory.id)
        if not outcome.conflicts and outcome.related:
            _show_related(out, outcome.related[0], outcome.memory.id)


def _show_related(out: Renderer, told: Conflict, new_id: str) -> None:
    """What bears most on the new memory, in two lines."""
    out.line(Span("see also  ", "dim"), short_id(told.memory), "  ", excerpt(told.memory.content, ROW))
    ways = " | ".join(RESOLUTIONS)
    out.line(Span(f"          {told.reason}; recollect resolve {new_id[-8:]} {told.memory.short_id} {ways}", "dim"))


def _show_conflict(out: Renderer, conflict: Conflict, new_id: str) -> None:
    """An existing memory that the new one may contradict, and the four ways to resolve it."""
    title: Line = (Span(f"possible contradiction  {similarity_label(conflict.similarity)}", "warn"),)
    old: Line = (short_id(conflict.memory), "  ", excerpt(conflict.memory.content, ROW))
    out.card(title, [old, *resolution_lines(conflict, new_id)], "warn")


def resolution_lines(conflict: Conflict, new_id: str) -> list[Line]:
    """Why two memories contradict each other, and the four ways to resolve it, as commands."""
    ways = [option.split(": ", 1) for option in conflict.options(new_id)]
    return [(Span(conflict.reason, "dim"),), ("",), *aligned([(name, (command,)) for name, command in ways])]


def similarity_label(similarity: float) -> str:
    """A calibrated similarity, as text."""
    return f"similarity {similarity:.2f}"


def print_recalled(app: AppContext, found: Recalled) -> None:
    """Print the hits of one query, and the notes on stderr."""
    app.print_answer(lambda: recalled_json(found), lambda out: show_recalled(out, found, app.now))
    app.note(*found.notes)


def show_recalled(out: Renderer, recalled: Recalled, now: datetime) -> None:
    """Hits, best first; if explained, with every signal, the matched terms, the formula and what was filtered out."""
    if not recalled:
        out.line(Span("nothing found", "dim"))
    elif not recalled.answered:
        out.line(Span(NOT_ANSWERED, "warn"))
    # Some profiles give scores above one; then bars are relative to the best.
    scale = max([1.0, *(hit.score for hit in recalled)])
    for rank, hit in enumerate(recalled, 1):
        lead: Line = (Span(f"{rank:>2} ", "dim"), *bar(hit.score / scale), Span(f" {hit.score:.2f}", "strong"))
        out.entry(lead, [*_trigger(hit), *content_lines(out, hit.memory), _hit_summary(hit, now), *_explanation(hit)])
    explained = next((hit.explain for hit in recalled if hit.explain), None)
    if explained is not None:
        out.line()
        out.line(Span(f"{explained.profile} = ", "strong"), explained.formula)
        out.line(Span(_trace_line(recalled.trace), "dim"))


def _trigger(hit: Hit) -> list[Line]:
    return [] if hit.trigger is None else [(Span(f"{WARNING_MARK}trigger ", "warn"), Span(hit.trigger, "strong"))]


def _hit_summary(hit: Hit, now: datetime) -> Line:
    similarity = () if hit.similarity is None else (Span(f" · {similarity_label(hit.similarity)}", "dim"),)
    relevance = (Span(f" · relevance {hit.relevance:.0%}", "dim"),)
    newer = () if hit.newer is None else (Span(f" · older; see {hit.newer[-8:]}", "warn"),)
    return (*summary_line(hit.memory, now), *similarity, *relevance, *newer)


def _explanation(hit: Hit) -> list[Line]:
    explain = hit.explain
    if explain is None:
        return []
    moving = [signal for signal in explain.signals if round(signal.contribution, 3) or _orders(signal)]
    width = max((len(signal.name) for signal in moving), default=0)
    scale = max([1.0, *(abs(signal.value) for signal in moving)])
    lines: list[Line] = [_signal(signal, width, scale) for signal in moving]
    # A hit without matched terms came by a graph path, by a trigger, or by meaning.
    otherwise = "none" if explain.path or hit.trigger else "none (found by meaning alone)"
    lines.append((Span("  matched terms: ", "dim"), ", ".join(explain.terms) or otherwise))
    if explain.confidence is not None:
        lines.append((Span("  current confidence: ", "dim"), f"{explain.confidence:.2f}"))
    if explain.path:
        lines.append((Span("  path: ", "dim"), " → ".join(explain.path)))
    return lines + [(Span(f"  {note}", "warn"),) for note in explain.notes]


def _orders(signal: Signal) -> bool:
    """Whether it is the reranker's score, which decides the order and adds nothing to the score."""
    return signal.name == RERANKER


def _signal(signal: Signal, width: int, scale: float) -> Line:
    return (
        f"  {signal.name.ljust(width)}  ",
        *bar(abs(signal.value) / scale),
        f"  {signal.value:6.3f}",
        Span(f" × {signal.weight:5.2f} → {round(signal.contribution, 3) + 0.0:+6.3f}", "dim"),
    )


def _trace_line(trace: Trace) -> str:
    hidden = [f"{count:,} {why}" for why, count in trace.hidden if count]
    reranked = f"; {trace.reranked} reranked in {dict(trace.milliseconds)['rerank']:.0f} ms" if trace.reranked else ""
    return (
        f"{count_memories(trace.considered)} considered, {trace.visible:,} visible;"
        f" filtered out: {', '.join(hidden) or 'none'}{reranked}"
    )


def value_text(value: Any) -> str:
    """A value on one line: a text as it is, anything else as JSON."""
    return one_line(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def value_lines(value: Any) -> list[Line]:
    """A value in full: a text with its line breaks, anything else as indented JSON."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    return [(line,) for line in text.expandtabs(4).split("\n")]


def show_value(out: Renderer, value: Any) -> None:
    """A value and nothing else."""
    for line in value_lines(value):
        out.line(*line)


def show_written(out: Renderer, done: str, key: str, value: Any, expiry: str = "") -> None:
    """A key and the value written to it."""
    out.line(Span(f"✓ {done}", "good"), "  ", Span(key, "id"), f"  {excerpt(value_text(value))}", Span(expiry, "dim"))
