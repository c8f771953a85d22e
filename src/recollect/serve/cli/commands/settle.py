"""contradictions, resolve and gaps: what cannot both hold, and what nobody knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from recollect.serve.cli.door import Door
from recollect.serve.cli.drafts import read_text
from recollect.serve.cli.verb import Verb
from recollect.values.words import WAYS_OUT

if TYPE_CHECKING:
    from recollect.values.outcome import Contradiction


@click.command("contradictions", cls=Verb, examples=("contradictions", "contradictions --scan --json"))
@click.option("--scan", is_flag=True, help="Compare everything first, and flag what is found.")
@click.pass_obj
def contradictions(door: Door, scan: bool) -> None:
    """What contradicts what and is not settled.

    Each pair with the newer memory first, and the four ways out as commands.
    """
    from recollect.serve.cli.json_form import contradiction_form
    from recollect.serve.cli.views.beliefs import show_contradictions

    found = _scanned(door) if scan else _flagged(door)
    door.answer(
        lambda: [contradiction_form(each) for each in found],
        lambda page: show_contradictions(page, found, door.now, scanned=scan),
    )


def _flagged(door: Door) -> list[Contradiction]:
    with door.reading("at hand") as memory:
        return memory.contradictions()


def _scanned(door: Door) -> list[Contradiction]:
    from recollect.serve.cli.progress import Counting

    with door.writing("as set") as memory, Counting("comparing", quiet=door.quiet) as progress:
        return memory.contradictions(scan=True, progress=progress)


@click.command(
    "resolve",
    cls=Verb,
    examples=(
        "resolve 8b01d4e7 3f9a1c22 supersede",
        'resolve 8b01d4e7 3f9a1c22 update --content "The release is on Monday"',
    ),
)
@click.argument("new")
@click.argument("old")
@click.argument("way", type=click.Choice(WAYS_OUT), metavar="WAY")
@click.option("--content", metavar="TEXT", help="For update: the text instead of that of NEW; - is stdin.")
@click.pass_obj
def resolve(door: Door, new: str, old: str, way: str, content: str | None) -> None:
    """Settle a contradiction in one of four ways.

    WAY is keep_both; update (OLD gets the text of NEW, which is archived); supersede (NEW takes the place of OLD); or
    forget (OLD is hidden).
    """
    from recollect.serve.cli.json_form import memory_form
    from recollect.serve.cli.views.beliefs import show_resolved

    text = read_text() if content == "-" else content
    with door.writing("as set" if way == "update" else "none") as memory:
        changed = memory.resolve((new, old), way, content=text)  # type: ignore[arg-type]
    door.done(
        lambda: [memory_form(record) for record in changed], lambda page: show_resolved(page, way, changed, door.now)
    )


@click.command("gaps", cls=Verb, examples=("gaps", "gaps --answered --json"))
@click.option("--answered", is_flag=True, help="Also what a memory answers by now.")
@click.pass_obj
def gaps(door: Door, answered: bool) -> None:
    """What was asked and nothing answered.

    By topic, the most asked first. A gap closes by itself when a memory answers it.
    """
    from recollect.serve.cli.json_form import topic_form
    from recollect.serve.cli.views.beliefs import show_gaps

    with door.reading() as memory:
        found = memory.gaps(answered=answered)
    door.answer(lambda: [topic_form(topic) for topic in found], lambda page: show_gaps(page, found, door.now))
