"""What is believed: what helped, what contradicts what, and what nobody knows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from recollect.serve.cli.page import Line, Page, Part, Piece, Tone
from recollect.serve.cli.times import age, short_age
from recollect.serve.cli.views.memory import show_now
from recollect.serve.cli.views.outcome import ways_out
from recollect.serve.cli.views.words import aligned, counted, excerpt, flat, short_id
from recollect.values.gap import Gap, Topic
from recollect.values.memory import Record
from recollect.values.outcome import Conflict, Contradiction


def show_confirmed(page: Page, helped: Sequence[Record], rejected: Sequence[Record]) -> None:
    """What helped and what did not, with how far each is believed now."""
    told = [f"{len(records)} {word}" for records, word in ((helped, "helped"), (rejected, "did not help")) if records]
    linked = ", linked with each other" if len(helped) > 1 else ""
    page.line(Piece("✓ confirmed", "good"), Piece(f"  {', '.join(told)}{linked}", "strong"))
    marks: list[tuple[str, Tone, Sequence[Record]]] = [("+", "good", helped), ("-", "bad", rejected)]
    for mark, tone, records in marks:
        for record in records:
            rest = Piece(f"  confidence {record.confidence:.2f}", "dim")
            page.line(Piece(f"  {mark} ", tone), short_id(record), f"  {excerpt(record.content, 44)}", rest)


def show_contradictions(page: Page, found: Sequence[Contradiction], now: datetime, *, scanned: bool) -> None:
    """Each pair, the newer memory above the older, and the four ways out."""
    if not found:
        more = "" if scanned else "none is flagged; `recollect contradictions --scan` compares everything"
        page.line(Piece(more or "nothing contradicts anything", "dim"))
    for each in found:
        # Without vectors nobody knows how alike they are.
        alike = f"  {each.similarity:.0%} alike" if each.similarity else ""
        sides = [(name, _side(record, now)) for name, record in (("newer", each.newer), ("older", each.older))]
        conflict = Conflict(each.older, each.similarity, each.reason, each.newer.id)
        page.card(
            (Piece(f"contradiction{alike}", "warn"),), [*aligned(sides), *ways_out(conflict, each.newer.id)], "warn"
        )


def _side(record: Record, now: datetime) -> Line:
    said = age(record.occurred_at or record.created_at, now)
    return (short_id(record), f"  {flat(record.content)}", Piece(f"  {said}", "dim"))


def show_resolved(page: Page, way: str, changed: Sequence[Record], now: datetime) -> None:
    """What a way out changed."""
    page.line(Piece("✓ resolved", "good"), Piece(f"  {way}", "strong"))
    for record in changed:
        show_now(page, record, now)


def show_gaps(page: Page, topics: Sequence[Topic], now: datetime) -> None:
    """Topics, the most asked first; further questions of a topic under it."""
    if not topics:
        page.line(Piece("nothing was asked in vain", "dim"))
        return
    gaps = [gap for topic in topics for gap in topic.gaps]
    page.line(Piece(counted(len(topics), "topic"), "strong"), f", {counted(len(gaps), 'question')}")
    rows = [row for topic in topics for row in _topic(topic, now)]
    answered = any(gap.answered_by for gap in gaps)
    shown = [0, 1, 2, *([3] if answered else []), 4]
    names = (">asked", ">last", "where", "answered by", "question")
    page.table([names[n] for n in shown], [[row[n] for n in shown] for row in rows])


def _topic(topic: Topic, now: datetime) -> list[Sequence[Part]]:
    """The topic as a whole, by its first question; its other questions below, each for itself."""
    first, *others = topic.gaps
    last = max(gap.last_at for gap in topic.gaps)
    whole = _row(first, topic.count, short_age(last, now), Piece(flat(first.question), "strong"))
    return [whole, *(_row(gap, gap.count, short_age(gap.last_at, now), f"  {flat(gap.question)}") for gap in others)]


def _row(gap: Gap, count: int, last: str, question: Part) -> Sequence[Part]:
    answer = Piece(gap.answered_by[-8:] if gap.answered_by else "", "id")
    return (f"{count:,}×", Piece(last, "dim"), gap.project or "", answer, question)
