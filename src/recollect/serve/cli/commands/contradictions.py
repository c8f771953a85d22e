"""contradictions, resolve and gaps: memories that contradict each other, and questions no memory answered."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import click

from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.formatting import ROW, aligned, count_of, excerpt, short_id
from recollect.serve.cli.input import read_text
from recollect.serve.cli.json_output import contradiction_json, memory_json, topic_json
from recollect.serve.cli.options import visit_options
from recollect.serve.cli.output import ItemProgress
from recollect.serve.cli.renderer import Line, Part, Renderer, Span
from recollect.serve.cli.times import age, short_age
from recollect.serve.cli.views import resolution_lines, show_summary, similarity_label
from recollect.values.enums import RESOLUTIONS
from recollect.values.outcome import Conflict

if TYPE_CHECKING:
    from recollect.serve.cli.app_context import AppContext
    from recollect.values.gap import Gap, Topic
    from recollect.values.memory import Record
    from recollect.values.outcome import Contradiction


@click.command("contradictions", cls=MemoryCommand, examples=("contradictions", "contradictions --scan --json"))
@click.option("--scan", is_flag=True, help="First compare all memories and flag what is found.")
@visit_options
@click.pass_obj
def contradictions(app: AppContext, scan: bool, session: str | None, task: str | None) -> None:
    """List unresolved contradictions.

    Each pair is shown with the newer memory first, and the four ways to resolve it as commands.
    """
    found = (_scan if scan else _known)(app, session, task)
    app.print_answer(
        lambda: [contradiction_json(each) for each in found],
        lambda out: show_contradictions(out, found, app.now, scanned=scan),
    )


def _known(app: AppContext, session: str | None, task: str | None) -> list[Contradiction]:
    with app.open_view("offline") as memory:
        return memory.contradictions(session=session, task=task)


def _scan(app: AppContext, session: str | None, task: str | None) -> list[Contradiction]:
    with app.open_for_writing("lazy") as memory, ItemProgress("comparing", quiet=app.quiet) as progress:
        return memory.contradictions(scan=True, progress=progress, session=session, task=task)


@click.command(
    "resolve",
    cls=MemoryCommand,
    examples=(
        "resolve 8b01d4e7 3f9a1c22 supersede",
        'resolve 8b01d4e7 3f9a1c22 update --content "The release is on Monday"',
    ),
)
@click.argument("new")
@click.argument("old")
@click.argument("resolution", type=click.Choice(RESOLUTIONS), metavar="RESOLUTION")
@click.option("--content", metavar="TEXT", help="For update: a text to use instead of that of NEW; - reads stdin.")
@click.pass_obj
def resolve(app: AppContext, new: str, old: str, resolution: str, content: str | None) -> None:
    """Resolve a contradiction in one of four ways.

    RESOLUTION is keep_both; update (OLD gets the text of NEW, which is archived); supersede (NEW replaces OLD); or forget
    (OLD is hidden).
    """
    text = read_text() if content == "-" else content
    with app.open_for_writing("lazy" if resolution == "update" else "none") as memory:
        changed = memory.resolve((new, old), resolution, content=text)  # type: ignore[arg-type]
    app.print_change(
        lambda: [memory_json(record) for record in changed],
        lambda out: show_resolved(out, resolution, changed, app.now),
    )


@click.command("gaps", cls=MemoryCommand, examples=("gaps", "gaps --answered --json"))
@click.option("--answered", is_flag=True, help="Include questions that a memory answers by now.")
@visit_options
@click.pass_obj
def gaps(app: AppContext, answered: bool, session: str | None, task: str | None) -> None:
    """List questions that no memory answered.

    Grouped by topic, most frequent first. A gap closes automatically when a new memory answers it.
    """
    with app.open_view() as memory:
        found = memory.gaps(answered=answered, session=session, task=task)
    app.print_answer(lambda: [topic_json(topic) for topic in found], lambda out: show_gaps(out, found, app.now))


def show_contradictions(out: Renderer, found: Sequence[Contradiction], now: datetime, *, scanned: bool) -> None:
    """Each pair, newer memory first, and the four ways to resolve it."""
    if not found:
        more = (
            "" if scanned else "no contradictions are flagged; `recollect contradictions --scan` compares all memories"
        )
        out.line(Span(more or "no contradictions found", "dim"))
    for each in found:
        # Without vectors the similarity is unknown.
        similarity = f"  {similarity_label(each.similarity)}" if each.similarity else ""
        sides = [(name, _side(record, now)) for name, record in (("newer", each.newer), ("older", each.older))]
        conflict = Conflict(each.older, each.similarity, each.reason, each.newer.id)
        out.card(
            (Span(f"contradiction{similarity}", "warn"),),
            [*aligned(sides), *resolution_lines(conflict, each.newer.id)],
            "warn",
        )


def _side(record: Record, now: datetime) -> Line:
    when = age(record.occurred_at or record.created_at, now)
    return (short_id(record), f"  {excerpt(record.content, ROW)}", Span(f"  {when}", "dim"))


def show_resolved(out: Renderer, resolution: str, changed: Sequence[Record], now: datetime) -> None:
    """The memories that a resolution changed."""
    out.line(Span("✓ resolved", "good"), Span(f"  {resolution}", "strong"))
    for record in changed:
        show_summary(out, record, now)


def show_gaps(out: Renderer, topics: Sequence[Topic], now: datetime) -> None:
    """Topics, most frequent first, with their questions."""
    if not topics:
        out.line(Span("no unanswered questions", "dim"))
        return
    gaps = [gap for topic in topics for gap in topic.gaps]
    out.line(Span(count_of(len(topics), "topic"), "strong"), f", {count_of(len(gaps), 'question')}")
    rows = [row for topic in topics for row in _topic(topic, now)]
    answered = any(gap.answered_by for gap in gaps)
    shown = [0, 1, 2, *([3] if answered else []), 4]
    names = (">count", ">age", "project", "answered by", "question")
    out.table([names[n] for n in shown], [[row[n] for n in shown] for row in rows])


def _topic(topic: Topic, now: datetime) -> list[Sequence[Part]]:
    """One row for the topic, named by its first question, and one row per other question."""
    first, *others = topic.gaps
    last = max(gap.last_at for gap in topic.gaps)
    whole = _row(first, topic.count, short_age(last, now), Span(excerpt(first.question, ROW), "strong"))
    return [
        whole,
        *(_row(gap, gap.count, short_age(gap.last_at, now), f"  {excerpt(gap.question, ROW)}") for gap in others),
    ]


def _row(gap: Gap, count: int, last: str, question: Part) -> Sequence[Part]:
    answer = Span(gap.answered_by[-8:] if gap.answered_by else "", "id")
    return (f"{count:,}×", Span(last, "dim"), gap.project or "", answer, question)
