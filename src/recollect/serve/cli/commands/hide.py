"""forget, restore and purge: hidden, brought back, gone for good."""

from __future__ import annotations

import click

from recollect.serve.cli.changed import tell_changed
from recollect.serve.cli.door import Door
from recollect.serve.cli.failure import REFUSED
from recollect.serve.cli.output import visible
from recollect.serve.cli.verb import Verb


@click.command("forget", cls=Verb, examples=("forget 3f9a1c22", 'forget 3f9a1c22 --reason "no longer true"'))
@click.argument("id")
@click.option("--reason", metavar="TEXT", help="Why; kept in the journal.")
@click.pass_obj
def forget(door: Door, id: str, reason: str | None) -> None:
    """Hide a memory and keep it from coming back.

    It is not recalled any more and, in these or other words, not stored again, until `restore` or `undo`.
    """
    with door.writing() as memory:
        record = memory.forget(id, reason)
    detail = f"`recollect restore {record.short_id}` brings it back"
    tell_changed(door, "forgotten", record, detail)


@click.command("restore", cls=Verb, examples=("restore 3f9a1c22",))
@click.argument("id")
@click.pass_obj
def restore(door: Door, id: str) -> None:
    """Bring a forgotten memory back."""
    with door.writing() as memory:
        record = memory.restore(id)
    tell_changed(door, "restored", record)


@click.command("purge", cls=Verb, examples=("purge 3f9a1c22", "purge 3f9a1c22 --yes"))
@click.argument("id")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def purge(door: Door, id: str, yes: bool) -> int:
    """Erase a memory for good.

    Row, vector, words and journal; nothing brings it back. `forget` hides it instead.
    """
    from recollect.serve.cli.views.words import excerpt

    with door.writing() as memory:
        record = memory.get(id)
        asked = f"Erase {record.short_id} for good? {visible(excerpt(record.content))!r}"
        if not (yes or click.confirm(asked, err=True)):
            door.note("nothing was erased")
            return REFUSED
        memory.purge(record.id)
    door.done(lambda: {"purged": record.id}, lambda page: page.line(f"✓ erased {record.short_id} for good"))
    return 0
