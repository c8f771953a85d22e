"""stats, doctor and reembed: how the store is."""

from __future__ import annotations

import click

from recollect.serve.cli.door import Door
from recollect.serve.cli.failure import TROUBLE
from recollect.serve.cli.verb import Verb


@click.command("stats", cls=Verb, examples=("stats", "--account acme stats --json"))
@click.pass_obj
def stats(door: Door) -> None:
    """How many memories there are, of what kinds."""
    from recollect.serve.cli.views.health import show_stats

    with door.reading("at hand") as memory:
        found = memory.stats()
    door.answer(lambda: found, lambda page: show_stats(page, found))


@click.command("doctor", cls=Verb, examples=("doctor", "doctor --json"))
@click.pass_obj
def doctor(door: Door) -> int:
    """The health of the store and the embedder.

    Exits with 3 when the file is damaged.
    """
    from recollect.serve.cli.views.health import show_doctor

    with door.writing("as set") as memory:
        found = memory.doctor()
    door.answer(lambda: found, lambda page: show_doctor(page, found))
    return 0 if found["integrity"] == "ok" and not found["orphans"] else TROUBLE


@click.command("reembed", cls=Verb, examples=("reembed",))
@click.pass_obj
def reembed(door: Door) -> None:
    """Give every memory a vector of the model in use.

    After a change of embedder, or when it was away. Can be stopped and run again.
    """
    from recollect.serve.cli.progress import Counting
    from recollect.serve.cli.views.words import memories

    with door.writing("as set") as memory, Counting("embedding", quiet=door.quiet) as progress:
        count = memory.reembed(progress)
    said = f"✓ {memories(count)} embedded" if count else "✓ every memory has its vector already"
    door.done(lambda: {"embedded": count}, lambda page: page.line(said))
