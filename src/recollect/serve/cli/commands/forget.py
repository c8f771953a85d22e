"""forget, archive, restore, purge and vacuum: hide memories, restore them, erase them, and remove what erased rows leave."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from recollect.serve.cli.app_context import fetch_one
from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.errors import EXIT_REFUSED
from recollect.serve.cli.formatting import excerpt
from recollect.serve.cli.output import escape_control
from recollect.serve.cli.selecting import bulk_of, selecting
from recollect.serve.cli.views import print_changed, print_moved
from recollect.values.plain import plain
from recollect.values.purge import Erasure, Purged, Repeat

if TYPE_CHECKING:
    from recollect.engine import Memory
    from recollect.serve.cli.app_context import AppContext
    from recollect.serve.cli.renderer import Renderer


@click.command(
    "forget",
    cls=MemoryCommand,
    examples=(
        "forget 3f9a1c22",
        'forget 3f9a1c22 --reason "no longer true"',
        "forget --tag draft --dry-run",
        "forget --type task --until 30d --yes",
    ),
)
@click.argument("id", required=False)
@click.option("--reason", metavar="TEXT", help="The reason, recorded in the journal.")
@selecting()
@click.pass_obj
def forget(app: AppContext, /, id: str | None, reason: str | None, **options: Any) -> int:
    """Hide memories and prevent them from being stored again.

    They are no longer recalled, and the same statement, also reworded, is refused until `restore` or `undo`.
    """
    bulk = bulk_of(id, options)
    if bulk is not None:
        return bulk.change(app, lambda found: partial(found.forget, reason))
    with app.open_for_writing() as memory:
        record = memory.forget(str(id), reason)
    detail = f"`recollect restore {record.short_id}` restores it"
    print_changed(app, "forgotten", record, detail)
    return 0


@click.command("restore", cls=MemoryCommand, examples=("restore 3f9a1c22",))
@click.argument("id")
@click.pass_obj
def restore(app: AppContext, id: str) -> None:
    """Restore a forgotten memory."""
    with app.open_for_writing() as memory:
        record = memory.restore(id)
    print_changed(app, "restored", record)


@click.command("archive", cls=MemoryCommand, examples=("archive 3f9a1c22", "archive --in-project shop --until 90d"))
@click.argument("id", required=False)
@selecting()
@click.pass_obj
def archive(app: AppContext, /, id: str | None, **options: Any) -> int:
    """Take memories out of use; the same may be stored again."""
    bulk = bulk_of(id, options)
    if bulk is not None:
        return bulk.change(app, lambda found: found.archive)
    with app.open_for_writing() as memory:
        return print_moved(app, "archived", memory.archive(str(id)))


@click.command("unarchive", cls=MemoryCommand, examples=("unarchive 3f9a1c22", "unarchive --in-project shop"))
@click.argument("id", required=False)
@selecting()
@click.pass_obj
def unarchive(app: AppContext, /, id: str | None, **options: Any) -> int:
    """Use archived memories again.

    Unless the same is stored by now, or was forgotten or purged since.
    """
    bulk = bulk_of(id, options)
    if bulk is not None:
        return bulk.change(app, lambda found: found.unarchive, "lazy")
    with app.open_for_writing("lazy") as memory:
        return print_moved(app, "in use again", memory.unarchive(str(id)))


@click.command(
    "purge",
    cls=MemoryCommand,
    examples=(
        "purge 3f9a1c22",
        "purge 3f9a1c22 --repeats",
        "purge 3f9a1c22 --yes",
        "purge --meta customer=acme --status all --dry-run",
    ),
)
@click.argument("id", required=False)
@click.option("--repeats", is_flag=True, help="Also erase what repeats the text or was derived from it.")
@selecting()
@click.pass_obj
def purge(app: AppContext, /, id: str | None, repeats: bool, **options: Any) -> int:
    """Erase memories permanently.

    Their rows, vectors, index entries and journal content are deleted and cannot be restored. `forget` only hides them. Lists
    what else repeats the texts, and which copies are out of reach.
    """
    yes = options["yes"]
    bulk = bulk_of(id, options)
    if bulk is not None:
        return bulk.change(app, lambda found: partial(found.purge, repeats=repeats))
    with app.open_for_writing() as memory:
        looked = memory.purge(str(id), repeats=repeats, dry_run=True)
        if not (yes or _purge_confirmed(app, memory, looked)):
            app.note("nothing was erased")
            return EXIT_REFUSED
        done = memory.purge(looked.id, repeats=repeats)
    app.print_change(lambda: _purged_json(done), lambda out: _show_purged(out, done))
    return 0


@click.command("vacuum", cls=MemoryCommand, examples=("vacuum",))
@click.pass_obj
def vacuum(app: AppContext) -> None:
    """Rewrite the files of the store without what was erased.

    Needed when `purge` says so. On a server it locks the tables while it works: run it when few use them.
    """
    with app.open_for_writing("lazy") as memory:
        left = memory.vacuum()

    def show(out: Renderer) -> None:
        out.line("✓ the files were rewritten" if not left.pending else "✗ not everything was rewritten")
        _show_left(out, left)

    app.print_change(lambda: plain(left), show)


def _purge_confirmed(app: AppContext, memory: Memory, looked: Purged) -> bool:
    app.note(*(f"is erased with it: {_told(one)}" for one in looked.erased))
    app.note(*(f"repeats it and stays (--repeats erases it too): {_told(one)}" for one in looked.repeats))
    record = fetch_one(memory, looked.id)
    # A memory that was undone before is only in the journal.
    text = "" if record is None else f" {escape_control(excerpt(record.content))!r}"
    return click.confirm(f"Erase {_short(looked.id)} permanently?{text}", err=True)


def _show_purged(out: Renderer, done: Purged) -> None:
    out.line(f"✓ erased {_short(done.id)} permanently")
    for one in done.erased:
        out.line(f"  erased with it: {_told(one)}")
    for one in done.repeats:
        out.line(f"  still there: {_told(one)}")
    _show_left(out, Erasure(done.pending, done.out_of_reach))


def _show_left(out: Renderer, left: Erasure) -> None:
    for text in left.pending:
        out.line(f"  to do: {text}")
    if left.out_of_reach:
        out.line(f"  out of reach: {'; '.join(left.out_of_reach)}")


def _purged_json(done: Purged) -> dict[str, Any]:
    found = plain(done)
    return {"purged": done.id, **{name: found[name] for name in ("erased", "repeats", "pending", "out_of_reach")}}


def _told(one: Repeat) -> str:
    if one.kind not in ("memory", "narrative", "entry"):
        return escape_control(one.where)
    derived = " (derived from it)" if one.why == "derived" else ""
    return escape_control(f"{one.kind} {_short(one.id)} in {one.where}{derived}")


def _short(id: str) -> str:
    return id[-8:]
