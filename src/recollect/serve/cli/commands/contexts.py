"""contexts: containers of memories with versions, grants, an access log and snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from recollect.serve.cli.command import MemoryCommand, MemoryGroup
from recollect.serve.cli.formatting import ROW, aligned, count_of, excerpt, one_line, short_id
from recollect.serve.cli.input import join_text
from recollect.serve.cli.json_output import to_json
from recollect.serve.cli.options import access_facts, access_options, add_grant_commands, create_fields
from recollect.serve.cli.renderer import Line, Renderer, Span
from recollect.serve.cli.times import age, short_age
from recollect.serve.cli.views import print_changed, print_outcome, print_recalled, show_list, value_text
from recollect.values.enums import CONTEXT_TYPES, MEMORY_TYPES

if TYPE_CHECKING:
    from recollect.serve.cli.app_context import AppContext
    from recollect.values.document import Access
    from recollect.values.tiers import Context, Difference, Snapshot


@click.group(
    "contexts",
    cls=MemoryGroup,
    examples=(
        "contexts create handbook --type knowledge_base",
        'contexts add handbook "Releases are cut on Tuesdays"',
        "contexts diff handbook before",
    ),
)
def contexts() -> None:
    """Containers of memories with versions and snapshots.

    A context is addressed by its name; if the name is ambiguous, by its id or by OWNER/NAME. Its entries are found only
    through the context, not by `recall`.
    """


def _print_context(app: AppContext, changed: Context, done: str) -> None:
    app.print_change(lambda: to_json(changed), lambda out: show_context(out, changed, app.now, done))


@contexts.command(
    "create",
    cls=MemoryCommand,
    examples=(
        'contexts create handbook --type knowledge_base --about "how we work"',
        "contexts create notes --type agent_memory --read eve --write bob",
    ),
)
@click.argument("name")
@click.option(
    "--type", required=True, type=click.Choice(CONTEXT_TYPES), metavar="TYPE", help="knowledge_base, agent_memory …"
)
@click.option("--about", "description", metavar="TEXT", help="Its description.")
@access_options("context")
@click.pass_obj
def create(app: AppContext, /, name: str, type: Any, **given: Any) -> None:
    """Create an empty context."""
    with app.open_for_writing(create=True) as memory:
        changed = memory.contexts.create(name, type=type, **create_fields(given))
    _print_context(app, changed, "created")


@contexts.command("list", cls=MemoryCommand, examples=("contexts list", "contexts list --archived --json"))
@click.option("--type", type=click.Choice(CONTEXT_TYPES), metavar="TYPE", help="Only this type.")
@click.option("--archived", is_flag=True, help="Only archived contexts.")
@click.pass_obj
def listed(app: AppContext, type: str | None, archived: bool) -> None:
    """List the visible contexts."""
    with app.open_view() as memory:
        found = memory.contexts.list(type, archived)  # type: ignore[arg-type]
    app.print_answer(lambda: to_json(found), lambda out: show_contexts(out, found, app.now))


@contexts.command("show", cls=MemoryCommand, examples=("contexts show handbook", "contexts show handbook -n 5 --json"))
@click.argument("name")
@click.option("-n", "--limit", type=int, default=50, show_default=True, help="Maximum number of entries.")
@click.pass_obj
def show(app: AppContext, name: str, limit: int) -> None:
    """Show a context and its entries, newest first."""
    with app.open_view() as memory:
        found, entries = memory.contexts.get(name), memory.contexts.entries(name, limit)

    def view(out: Any) -> None:
        show_context(out, found, app.now)
        show_list(out, entries, app.now)

    app.print_answer(lambda: {**to_json(found), "entries": to_json(entries)}, view)


@contexts.command(
    "add",
    cls=MemoryCommand,
    examples=('contexts add handbook "Releases are cut on Tuesdays" -t release', "contexts add handbook -"),
)
@click.argument("name")
@click.argument("content", nargs=-1, required=True)
@click.option("--type", type=click.Choice(MEMORY_TYPES), metavar="TYPE", help="fact, preference, procedure …")
@click.option("-t", "--tag", "tags", multiple=True, metavar="TAG", help="A tag; may be repeated.")
@click.option("--importance", type=float, help="0 to 1.")
@click.pass_obj
def add(app: AppContext, /, name: str, content: tuple[str, ...], **fields: Any) -> int:
    """Add an entry to a context; - reads it from stdin."""
    given = {field: value for field, value in fields.items() if value not in (None, ())}
    with app.open_for_writing("lazy") as memory:
        outcome = memory.contexts.add(name, join_text(content), **given)
    return print_outcome(app, outcome)


@contexts.command("search", cls=MemoryCommand, examples=('contexts search handbook "when do we release?"',))
@click.argument("name")
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "--limit", type=int, default=10, show_default=True, help="Maximum number of hits.")
@click.pass_obj
def search(app: AppContext, name: str, query: tuple[str, ...], limit: int) -> None:
    """Search the entries of a context, best first."""
    with app.open_view("eager") as memory:
        print_recalled(app, memory.contexts.search(name, " ".join(query), limit))


@contexts.command(
    "edit", cls=MemoryCommand, examples=('contexts edit handbook 3f9a1c22 "Releases are cut on Mondays"',)
)
@click.argument("name")
@click.argument("id")
@click.argument("content", nargs=-1, required=True)
@click.pass_obj
def edit(app: AppContext, name: str, id: str, content: tuple[str, ...]) -> None:
    """Replace the text of an entry; the previous version is kept."""
    with app.open_for_writing("lazy") as memory:
        changed = memory.contexts.update_content(name, id, join_text(content))
    print_changed(app, "edited", changed)


@contexts.command("history", cls=MemoryCommand, examples=("contexts history handbook 3f9a1c22",))
@click.argument("name")
@click.argument("id")
@click.pass_obj
def history(app: AppContext, name: str, id: str) -> None:
    """List the versions of an entry, newest first."""
    with app.open_view() as memory:
        found = memory.contexts.versions(name, id)
    app.print_answer(lambda: to_json(found), lambda out: show_list(out, found, app.now))


@contexts.command("remove", cls=MemoryCommand, examples=("contexts remove handbook 3f9a1c22",))
@click.argument("name")
@click.argument("id")
@click.pass_obj
def remove(app: AppContext, name: str, id: str) -> None:
    """Forget an entry with all its versions; `undo` restores it."""
    with app.open_for_writing() as memory:
        gone = memory.contexts.remove_entry(name, id)
    print_changed(app, "forgotten", gone)


@contexts.command(
    "archive", cls=MemoryCommand, examples=("contexts archive handbook", "contexts archive handbook --back")
)
@click.argument("name")
@click.option("--back", is_flag=True, help="Unarchive it.")
@click.pass_obj
def archive(app: AppContext, name: str, back: bool) -> None:
    """Archive a context: it is kept, but not searched or written."""
    with app.open_for_writing() as memory:
        changed = memory.contexts.unarchive(name) if back else memory.contexts.archive(name)
    _print_context(app, changed, "unarchived" if back else "archived")


@contexts.command("log", cls=MemoryCommand, examples=("contexts log handbook", "contexts log handbook -n 5 --json"))
@click.argument("name")
@click.option("-n", "--limit", type=int, default=50, show_default=True, help="Maximum number of accesses.")
@click.pass_obj
def log(app: AppContext, name: str, limit: int) -> None:
    """Show who read and wrote a context; for its owner."""
    with app.open_view() as memory:
        found = memory.contexts.access_log(name, limit)
    app.print_answer(lambda: to_json(found), lambda out: show_accesses(out, found, app.now))


@contexts.command("snapshot", cls=MemoryCommand, examples=('contexts snapshot handbook "before the move"',))
@click.argument("name")
@click.argument("title", nargs=-1, required=True)
@click.pass_obj
def snapshot(app: AppContext, name: str, title: tuple[str, ...]) -> None:
    """Create a named snapshot of a context."""
    with app.open_for_writing() as memory:
        changed = memory.contexts.snapshot(name, " ".join(title))
    done = f"✓ {changed.name}  {count_of(changed.entries, 'entry', 'entries')}"
    app.print_change(lambda: to_json(changed), lambda out: out.line(done))


@contexts.command("snapshots", cls=MemoryCommand, examples=("contexts snapshots handbook --json",))
@click.argument("name")
@click.pass_obj
def snapshots(app: AppContext, name: str) -> None:
    """List the snapshots of a context, newest first."""
    with app.open_view() as memory:
        found = memory.contexts.snapshots(name)
    app.print_answer(lambda: to_json(found), lambda out: show_snapshots(out, found, app.now))


@contexts.command(
    "diff",
    cls=MemoryCommand,
    examples=('contexts diff handbook "before the move"', "contexts diff handbook 2026-11-01T12:00:00Z after"),
)
@click.argument("name")
@click.argument("one")
@click.argument("other", required=False)
@click.pass_obj
def diff(app: AppContext, name: str, one: str, other: str | None) -> None:
    """Show what changed between two points in time, or until now.

    ONE and OTHER are names of snapshots, or times.
    """
    with app.open_view() as memory:
        found = memory.contexts.diff(name, one, other)
    app.print_answer(lambda: to_json(found), lambda out: show_difference(out, found))


@contexts.command("restore", cls=MemoryCommand, examples=('contexts restore handbook "before the move"',))
@click.argument("name")
@click.argument("when", nargs=-1, required=True)
@click.pass_obj
def restore(app: AppContext, name: str, when: tuple[str, ...]) -> None:
    """Restore the entries to a snapshot or a time; one `undo` reverts it."""
    with app.open_for_writing("lazy") as memory:
        changed = memory.contexts.restore(name, " ".join(when))
    done = f"✓ {count_of(changed, 'entry', 'entries')} restored"
    app.print_change(lambda: {"changed": changed}, lambda out: out.line(done))


add_grant_commands(
    contexts,
    lambda memory: memory.contexts,
    _print_context,
    grants=("contexts grant handbook eve read",),
    revokes=("contexts revoke handbook eve",),
)


def show_contexts(out: Renderer, contexts: Sequence[Context], now: datetime) -> None:
    """One context per line."""
    if not contexts:
        out.line(Span("no contexts; `recollect contexts create` creates one", "dim"))
        return
    rows = [
        (
            Span(each.name, "id"),
            each.type,
            each.owner or "",
            Span(short_age(each.updated_at, now), "dim"),
            one_line(each.description or ""),
        )
        for each in contexts
    ]
    out.table(("name", "type", "owner", ">age", "description"), rows)


def show_context(out: Renderer, context: Context, now: datetime, done: str = "") -> None:
    """A context, without its entries."""
    if done:
        out.line(Span(f"✓ {done}", "good"))
    state = Span("archived", "warn") if context.archived else Span("active", "good")
    title: Line = (Span(context.name, "id"), f"  {context.type}  ", state)
    facts: list[tuple[str, Line]] = [
        *([("description", (one_line(context.description),))] if context.description else []),
        ("owner", (context.owner or "no agent",)),
        *access_facts(context.access),
        ("updated", (age(context.updated_at, now),)),
        ("id", (context.id,)),
    ]
    out.card(title, aligned(facts), "id")


def show_accesses(out: Renderer, accesses: Sequence[Access], now: datetime) -> None:
    """Accesses to a context, newest first."""
    if not accesses:
        out.line(Span("no accesses yet", "dim"))
        return
    rows = [
        (
            Span(short_age(each.at, now), "dim"),
            each.agent or "–",
            each.action,
            Span((each.memory_id or "")[-8:], "id"),
        )
        for each in accesses
    ]
    out.table((">age", "agent", "action", "entry"), rows)


def show_snapshots(out: Renderer, snapshots: Sequence[Snapshot], now: datetime) -> None:
    """The snapshots of a context, newest first."""
    if not snapshots:
        out.line(Span("no snapshots; `recollect contexts snapshot` creates one", "dim"))
        return
    rows = [(Span(short_age(each.at, now), "dim"), f"{each.entries:,}", Span(each.name, "id")) for each in snapshots]
    out.table((">age", ">entries", "name"), rows)


def show_difference(out: Renderer, found: Difference) -> None:
    """The entries added, removed and changed between two points in time."""
    if not found:
        out.line(Span("no changes", "dim"))
        return
    for record in found.added:
        out.line(Span("+ ", "good"), short_id(record), f"  {excerpt(record.content, ROW)}")
    for record in found.removed:
        out.line(Span("- ", "bad"), short_id(record), f"  {excerpt(record.content, ROW)}")
    for each in found.changed:
        out.line(Span("~ ", "warn"), Span(each.id[-8:], "id"))
        for name, after in each.after.items():
            out.line(f"    {name}: {value_text(each.before[name])} → {value_text(after)}")
