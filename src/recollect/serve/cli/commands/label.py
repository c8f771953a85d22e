"""tag and untag."""

from __future__ import annotations

import click

from recollect.serve.cli.changed import tell_changed
from recollect.serve.cli.door import Door
from recollect.serve.cli.verb import Verb


@click.command("tag", cls=Verb, examples=("tag 3f9a1c22 deploy release",))
@click.argument("id")
@click.argument("tags", nargs=-1, required=True)
@click.pass_obj
def tag(door: Door, id: str, tags: tuple[str, ...]) -> None:
    """Add tags to a memory."""
    with door.writing() as memory:
        record = memory.tag(id, *tags)
    tell_changed(door, "tagged", record)


@click.command("untag", cls=Verb, examples=("untag 3f9a1c22 release",))
@click.argument("id")
@click.argument("tags", nargs=-1, required=True)
@click.pass_obj
def untag(door: Door, id: str, tags: tuple[str, ...]) -> None:
    """Take tags away from a memory."""
    with door.writing() as memory:
        record = memory.untag(id, *tags)
    tell_changed(door, "untagged", record)
