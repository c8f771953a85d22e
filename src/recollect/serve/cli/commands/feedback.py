"""reinforce, demote, feedback and confirm: record how useful memories were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.formatting import excerpt, short_id
from recollect.serve.cli.json_output import memory_json
from recollect.serve.cli.renderer import Renderer, Span, Tone
from recollect.serve.cli.views import print_changed, show_changed

if TYPE_CHECKING:
    from recollect.serve.cli.app_context import AppContext
    from recollect.values.memory import Record


@click.command("reinforce", cls=MemoryCommand, examples=("reinforce 3f9a1c22",))
@click.argument("id")
@click.pass_obj
def reinforce(app: AppContext, id: str) -> None:
    """Mark a memory as useful: score +3."""
    with app.open_for_writing() as memory:
        record = memory.reinforce(id)
    print_changed(app, "reinforced", record, f"score {record.score:+d}")


@click.command("demote", cls=MemoryCommand, examples=("demote 3f9a1c22",))
@click.argument("id")
@click.pass_obj
def demote(app: AppContext, id: str) -> None:
    """Mark a memory as irrelevant or stale: score -1."""
    with app.open_for_writing() as memory:
        record = memory.demote(id)
    print_changed(app, "demoted", record, f"score {record.score:+d}")


@click.command(
    "feedback",
    cls=MemoryCommand,
    examples=("feedback 3f9a1c22 --helpful", "feedback 3f9a1c22 8b01d4e7 --unhelpful --json"),
)
@click.argument("ids", nargs=-1, required=True)
@click.option("--helpful/--unhelpful", default=None, help="Whether it helped.")
@click.pass_obj
def feedback(app: AppContext, ids: tuple[str, ...], helpful: bool | None) -> None:
    """Record whether recalled memories helped.

    With --json, one ID gives an object, several give a list.
    """
    if helpful is None:
        raise click.UsageError("give --helpful or --unhelpful")
    with app.open_for_writing() as memory:
        records = memory.feedback_many(ids, "helpful" if helpful else "unhelpful")
    forms = [memory_json(record) for record in records]

    def show(out: Renderer) -> None:
        for record in records:
            detail = f"confidence {record.confidence:.2f}, strength {record.strength}"
            show_changed(out, "helpful" if helpful else "unhelpful", record, app.now, detail)

    app.print_change(lambda: forms[0] if len(ids) == 1 else forms, show)


@click.command(
    "confirm",
    cls=MemoryCommand,
    examples=("confirm 3f9a1c22 8b01d4e7", 'confirm 3f9a1c22 --rejected 8b01d4e7 --query "how do we ship?"'),
)
@click.argument("ids", nargs=-1)
@click.option("--rejected", multiple=True, metavar="ID", help="A memory that did not help; may be repeated.")
@click.option("--query", metavar="TEXT", help="The query: a word of it may become a shared tag.")
@click.pass_obj
def confirm(app: AppContext, ids: tuple[str, ...], rejected: tuple[str, ...], query: str | None) -> None:
    """Record which hits of one recall helped and which did not.

    Confidence rises or falls slightly, and the memories that helped are linked with each other.
    """
    with app.open_for_writing("offline") as memory:
        bad = {memory.get(each).id for each in rejected}
        records = memory.confirm(*ids, rejected=rejected, query=query)
    helped, others = ([record for record in records if (record.id in bad) is side] for side in (False, True))
    app.print_change(
        lambda: [memory_json(record) for record in records],
        lambda out: show_confirmed(out, helped, others),
    )


def show_confirmed(out: Renderer, helped: Sequence[Record], rejected: Sequence[Record]) -> None:
    """What helped and what did not, with the new confidence of each."""
    parts = [f"{len(records)} {word}" for records, word in ((helped, "helped"), (rejected, "did not help")) if records]
    linked = ", linked with each other" if len(helped) > 1 else ""
    out.line(Span("✓ confirmed", "good"), Span(f"  {', '.join(parts)}{linked}", "strong"))
    marks: list[tuple[str, Tone, Sequence[Record]]] = [("+", "good", helped), ("-", "bad", rejected)]
    for mark, tone, records in marks:
        for record in records:
            rest = Span(f"  confidence {record.confidence:.2f}", "dim")
            out.line(Span(f"  {mark} ", tone), short_id(record), f"  {excerpt(record.content, 44)}", rest)
