"""forget, restore and purge: hide a memory, restore it, or erase it permanently."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.errors import EXIT_REFUSED
from recollect.serve.cli.formatting import excerpt
from recollect.serve.cli.output import escape_control
from recollect.serve.cli.views import print_changed

if TYPE_CHECKING:
    from recollect.serve.cli.app_context import AppContext


@click.command("forget", cls=MemoryCommand, examples=("forget 3f9a1c22", 'forget 3f9a1c22 --reason "no longer true"'))
@click.argument("id")
@click.option("--reason", metavar="TEXT", help="The reason, recorded in the journal.")
@click.pass_obj
def forget(app: AppContext, id: str, reason: str | None) -> None:
    """Hide a memory and prevent it from being stored again.

    It is no longer recalled, and the same statement, also reworded, is refused until `restore` or `undo`.
    """
    with app.open_for_writing() as memory:
        record = memory.forget(id, reason)
    detail = f"`recollect restore {record.short_id}` restores it"
    print_changed(app, "forgotten", record, detail)


@click.command("restore", cls=MemoryCommand, examples=("restore 3f9a1c22",))
@click.argument("id")
@click.pass_obj
def restore(app: AppContext, id: str) -> None:
    """Restore a forgotten memory."""
    with app.open_for_writing() as memory:
        record = memory.restore(id)
    print_changed(app, "restored", record)


@click.command("purge", cls=MemoryCommand, examples=("purge 3f9a1c22", "purge 3f9a1c22 --yes"))
@click.argument("id")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@click.pass_obj
def purge(app: AppContext, id: str, yes: bool) -> int:
    """Erase a memory permanently.

    Its row, vector, index entries and journal content are deleted and cannot be restored. `forget` only hides it.
    """
    with app.open_for_writing() as memory:
        record = memory.get(id)
        asked = f"Erase {record.short_id} permanently? {escape_control(excerpt(record.content))!r}"
        if not (yes or click.confirm(asked, err=True)):
            app.note("nothing was erased")
            return EXIT_REFUSED
        memory.purge(record.id)
    app.print_change(lambda: {"purged": record.id}, lambda out: out.line(f"✓ erased {record.short_id} permanently"))
    return 0
