"""What was recalled, best first; with the reason: every signal as a bar, the formula, the words that met, what was hidden."""

from __future__ import annotations

from datetime import datetime

from recollect.serve.cli.page import Line, Page, Piece
from recollect.serve.cli.views.words import WARNING, about, bar, content_lines, memories
from recollect.values.hit import Explanation, Hit, Recalled, Signal, Trace


def show_recalled(page: Page, recalled: Recalled, now: datetime) -> None:
    """The hits of one question."""
    if not recalled:
        page.line(Piece("nothing found", "dim"))
    # Some profiles score beyond one; then the best is the measure.
    scale = max([1.0, *(hit.score for hit in recalled)])
    for rank, hit in enumerate(recalled, 1):
        lead: Line = (Piece(f"{rank:>2} ", "dim"), *bar(hit.score / scale), Piece(f" {hit.score:.2f}", "strong"))
        page.entry(lead, [*_trigger(hit), *content_lines(page, hit.memory), _about(hit, now), *_reason(hit.explain)])
    explained = next((hit.explain for hit in recalled if hit.explain), None)
    if explained is not None:
        page.line()
        page.line(Piece(f"{explained.profile} = ", "strong"), explained.formula)
        page.line(Piece(_behind(recalled.trace), "dim"))


def _trigger(hit: Hit) -> list[Line]:
    return [] if hit.trigger is None else [(Piece(f"{WARNING}trigger ", "warn"), Piece(hit.trigger, "strong"))]


def _about(hit: Hit, now: datetime) -> Line:
    alike = () if hit.similarity is None else (Piece(f" · {hit.similarity:.0%} alike", "dim"),)
    return (*about(hit.memory, now), *alike)


def _reason(explain: Explanation | None) -> list[Line]:
    if explain is None:
        return []
    telling = [signal for signal in explain.signals if signal.value]
    silent = [signal.name for signal in explain.signals if not signal.value]
    width = max((len(signal.name) for signal in telling), default=0)
    scale = max([1.0, *(abs(signal.value) for signal in telling)])
    lines: list[Line] = [_signal(signal, width, scale) for signal in telling]
    if silent:
        lines.append((Piece(f"  nothing from: {', '.join(silent)}", "dim"),))
    led = explain.path or any(note.startswith("surfaced first") for note in explain.notes)
    alone = "none" if led else "none: found by its meaning alone"
    met = ", ".join(explain.terms) or alone
    lines.append((Piece("  words that met: ", "dim"), met))
    if explain.confidence is not None:
        lines.append((Piece("  confidence today: ", "dim"), f"{explain.confidence:.2f}"))
    if explain.path:
        lines.append((Piece("  path: ", "dim"), " → ".join(explain.path)))
    return lines + [(Piece(f"  {note}", "warn"),) for note in explain.notes]


def _signal(signal: Signal, width: int, scale: float) -> Line:
    return (
        f"  {signal.name.ljust(width)}  ",
        *bar(abs(signal.value) / scale),
        f"  {signal.value:6.3f}",
        Piece(f" × {signal.weight:5.2f} = {signal.contribution:6.3f}", "dim"),
    )


def _behind(trace: Trace) -> str:
    hidden = [f"{count:,} {why}" for why, count in trace.hidden if count]
    return f"{memories(trace.considered)} considered, {trace.visible:,} visible here; hidden: {', '.join(hidden) or 'none'}"
