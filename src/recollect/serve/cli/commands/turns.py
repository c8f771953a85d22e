"""turns: what a companion gave to each turn of a session, and what the replies used of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import click

from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.formatting import count_of
from recollect.serve.cli.renderer import Part, Renderer, Span
from recollect.serve.cli.times import short_age

if TYPE_CHECKING:
    from recollect.serve.cli.app_context import AppContext
    from recollect.values.companion import Turn


@click.command("turns", cls=MemoryCommand, examples=("turns", "turns --session s1 -n 50 --json"))
@click.option("--session", metavar="NAME", help="Only the turns of this session.")
@click.option("-n", "--limit", type=int, default=20, show_default=True, help="Maximum number of turns.")
@click.pass_obj
def turns(app: AppContext, session: str | None, limit: int) -> None:
    """Show what was given to each turn of a session, and what was used.

    Oldest first. Memories are shown by their ids: those that were injected into the turn, and those the reply used.
    """
    with app.open_view() as memory:
        found = memory.turns(session=session, limit=limit)
    app.print_answer(lambda: [turn.to_dict() for turn in found], lambda out: show_turns(out, found, app.now))


def show_turns(out: Renderer, found: Sequence[Turn], now: datetime) -> None:
    """One row per turn."""
    if not found:
        out.line(Span("no turns: no companion has observed any yet", "dim"))
        return
    injected, cited = (sum(len(getattr(turn, name)) for turn in found) for name in ("injected", "cited"))
    out.line(Span(count_of(len(found), "turn"), "strong"), f", {injected:,} injected, {cited:,} cited")
    names = ("session", ">turn", ">age", ">retrieved", "injected", "cited", "")
    out.table(names, [_row(turn, now) for turn in found])


def _row(turn: Turn, now: datetime) -> Sequence[Part]:
    note = Span("new topic" if turn.new_topic else "", "dim")
    return (
        turn.session,
        f"{turn.number:,}",
        Span(short_age(turn.at, now), "dim"),
        f"{len(turn.retrieved):,}",
        _ids(turn.injected),
        _ids(turn.cited),
        note,
    )


def _ids(ids: Sequence[str]) -> Part:
    return Span(" ".join(one[-8:] for one in ids), "id")
