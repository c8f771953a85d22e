"""reinforce, demote and feedback: how useful a memory was."""

from __future__ import annotations

import click

from recollect.serve.cli.changed import tell_changed
from recollect.serve.cli.door import Door
from recollect.serve.cli.verb import Verb


@click.command("reinforce", cls=Verb, examples=("reinforce 3f9a1c22",))
@click.argument("id")
@click.pass_obj
def reinforce(door: Door, id: str) -> None:
    """This memory was useful: +3."""
    with door.writing() as memory:
        record = memory.reinforce(id)
    tell_changed(door, "reinforced", record, f"score {record.score:+d}")


@click.command("demote", cls=Verb, examples=("demote 3f9a1c22",))
@click.argument("id")
@click.pass_obj
def demote(door: Door, id: str) -> None:
    """This memory was irrelevant or stale: -1."""
    with door.writing() as memory:
        record = memory.demote(id)
    tell_changed(door, "demoted", record, f"score {record.score:+d}")


@click.command("feedback", cls=Verb, examples=("feedback 3f9a1c22 --helpful", "feedback 3f9a1c22 --unhelpful"))
@click.argument("id")
@click.option("--helpful/--unhelpful", default=None, help="Whether it helped.")
@click.pass_obj
def feedback(door: Door, id: str, helpful: bool | None) -> None:
    """Say whether a recalled memory helped."""
    if helpful is None:
        raise click.UsageError("say whether it helped: --helpful or --unhelpful")
    with door.writing() as memory:
        record = memory.feedback(id, helpful)
    tell_changed(
        door,
        "helpful" if helpful else "unhelpful",
        record,
        f"confidence {record.confidence:.2f}, strength {record.strength}",
    )
