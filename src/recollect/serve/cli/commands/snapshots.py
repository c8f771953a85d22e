"""The past of a context: who used it, snapshots, what changed since, and the way back. Verbs of `contexts`."""

from __future__ import annotations

import click

from recollect.serve.cli.door import Door
from recollect.serve.cli.verb import Verb
from recollect.serve.cli.views.words import counted


@click.command("log", cls=Verb, examples=("contexts log handbook", "contexts log handbook -n 5 --json"))
@click.argument("name")
@click.option("-n", "--limit", type=int, default=50, show_default=True, help="How many lines at most.")
@click.pass_obj
def log(door: Door, name: str, limit: int) -> None:
    """Who read and wrote a context; its owner sees it."""
    from recollect.serve.cli.tier_forms import plain
    from recollect.serve.cli.views.containers import show_accesses

    with door.reading() as memory:
        found = memory.contexts.access_log(name, limit)
    door.answer(lambda: plain(found), lambda page: show_accesses(page, found, door.now))


@click.command("snapshot", cls=Verb, examples=('contexts snapshot handbook "before the move"',))
@click.argument("name")
@click.argument("title", nargs=-1, required=True)
@click.pass_obj
def snapshot(door: Door, name: str, title: tuple[str, ...]) -> None:
    """Name what a context is now."""
    from recollect.serve.cli.tier_forms import plain

    with door.writing() as memory:
        made = memory.contexts.snapshot(name, " ".join(title))
    done = f"✓ {made.name}  {counted(made.entries, 'entry', 'entries')}"
    door.done(lambda: plain(made), lambda page: page.line(done))


@click.command("snapshots", cls=Verb, examples=("contexts snapshots handbook --json",))
@click.argument("name")
@click.pass_obj
def snapshots(door: Door, name: str) -> None:
    """The snapshots of a context, newest first."""
    from recollect.serve.cli.tier_forms import plain
    from recollect.serve.cli.views.containers import show_snapshots

    with door.reading() as memory:
        found = memory.contexts.snapshots(name)
    door.answer(lambda: plain(found), lambda page: show_snapshots(page, found, door.now))


@click.command(
    "diff",
    cls=Verb,
    examples=('contexts diff handbook "before the move"', "contexts diff handbook 2026-11-01T12:00:00Z after"),
)
@click.argument("name")
@click.argument("one")
@click.argument("other", required=False)
@click.pass_obj
def diff(door: Door, name: str, one: str, other: str | None) -> None:
    """What changed from one moment to another, or to now.

    ONE and OTHER are snapshots by their names, or times.
    """
    from recollect.serve.cli.tier_forms import plain
    from recollect.serve.cli.views.containers import show_difference

    with door.reading() as memory:
        found = memory.contexts.diff(name, one, other)
    door.answer(lambda: plain(found), lambda page: show_difference(page, found))


@click.command("restore", cls=Verb, examples=('contexts restore handbook "before the move"',))
@click.argument("name")
@click.argument("when", nargs=-1, required=True)
@click.pass_obj
def restore(door: Door, name: str, when: tuple[str, ...]) -> None:
    """Bring the entries back to a snapshot or a time; one `undo` takes it back."""
    with door.writing("as set") as memory:
        changed = memory.contexts.restore(name, " ".join(when))
    done = f"✓ {counted(changed, 'entry', 'entries')} brought back"
    door.done(lambda: {"changed": changed}, lambda page: page.line(done))


PAST = (log, snapshot, snapshots, diff, restore)
