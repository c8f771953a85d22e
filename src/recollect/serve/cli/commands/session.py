"""session: short-term memory, the typed entries of a session, with a TTL."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import click

from recollect.errors import NotFound
from recollect.serve.cli.command import MemoryCommand, MemoryGroup
from recollect.serve.cli.formatting import aligned, count_of
from recollect.serve.cli.input import parse_value
from recollect.serve.cli.json_output import to_json
from recollect.serve.cli.options import text_option
from recollect.serve.cli.renderer import Line, Renderer, Span
from recollect.serve.cli.times import age, duration, short_age
from recollect.serve.cli.views import show_written, value_lines, value_text
from recollect.values.enums import SHORT_TERM_TYPES

if TYPE_CHECKING:
    from recollect.serve.cli.app_context import AppContext
    from recollect.values.tiers import ShortTermEntry


_TYPE = click.Choice(SHORT_TERM_TYPES)


@click.group(
    "session",
    cls=MemoryGroup,
    examples=('session store s1 port "The gateway listens on 8080"', "session get s1 port", "session list s1"),
)
def session() -> None:
    """Short-term memory: the entries of a session, with a TTL."""


@session.command(
    "store",
    cls=MemoryCommand,
    examples=(
        'session store s1 port "The gateway listens on 8080" --type observation',
        """session store s1 plan '["tag", "ship"]' --type plan --ttl 3d""",
    ),
)
@click.argument("name", metavar="SESSION")
@click.argument("key")
@click.argument("value", nargs=-1, required=True)
@click.option(
    "--type", type=_TYPE, default="general", show_default=True, metavar="TYPE", help="plan, state, observation …"
)
@click.option(
    "--ttl", type=duration, default="1h", show_default=True, metavar="DURATION", help="Time to live, at most 30d."
)
@text_option
@click.pass_obj
def store(
    app: AppContext, name: str, key: str, value: tuple[str, ...], type: str, ttl: timedelta, as_text: bool
) -> None:
    """Write a value to a key of a session.

    VALUE is JSON if it parses as JSON, else text; - reads it from stdin. An existing value is replaced.
    """
    given = parse_value(value, as_text=as_text)
    with app.open_for_writing(create=True) as memory:
        entry = memory.short_term.write(key, given, session=name, type=type, ttl=ttl)  # type: ignore[arg-type]
    _print_entry(app, entry, "stored")


@session.command("get", cls=MemoryCommand, examples=("session get s1 port", "session get s1 port --peek --json"))
@click.argument("name", metavar="SESSION")
@click.argument("key")
@click.option("--peek", is_flag=True, help="Do not count it as a read.")
@click.pass_obj
def get(app: AppContext, name: str, key: str, peek: bool) -> None:
    """Show one entry; this counts as a read."""
    with app.open_for_writing() as memory:
        entry = memory.short_term.peek(key, name) if peek else memory.short_term.read(key, name)
    app.print_answer(lambda: to_json(entry), lambda out: show_entry(out, entry, app.now))


@session.command("list", cls=MemoryCommand, examples=("session list", "session list s1 --type plan --json"))
@click.argument("name", metavar="[SESSION]", required=False)
@click.option("--type", type=_TYPE, metavar="TYPE", help="Only this type.")
@click.pass_obj
def listed(app: AppContext, name: str | None, type: str | None) -> None:
    """List the entries of a session, or of all, newest first."""
    with app.open_for_writing() as memory:
        found = memory.short_term.entries(name, type)  # type: ignore[arg-type]
    app.print_answer(lambda: to_json(found), lambda out: show_entries(out, found, app.now))


@session.command("refresh", cls=MemoryCommand, examples=("session refresh s1 port", "session refresh s1 port --ttl 2d"))
@click.argument("name", metavar="SESSION")
@click.argument("key")
@click.option(
    "--ttl", type=duration, metavar="DURATION", help="The new TTL, counted from now (default: its original TTL)."
)
@click.pass_obj
def refresh(app: AppContext, name: str, key: str, ttl: timedelta | None) -> None:
    """Extend the TTL of an entry."""
    with app.open_for_writing() as memory:
        entry = memory.short_term.refresh_ttl(key, name, ttl)
    _print_entry(app, entry, "extended")


@session.command("remove", cls=MemoryCommand, examples=("session remove s1 port",))
@click.argument("name", metavar="SESSION")
@click.argument("key")
@click.pass_obj
def remove(app: AppContext, name: str, key: str) -> None:
    """Delete an entry permanently."""
    with app.open_for_writing() as memory:
        if not memory.short_term.remove(key, name):
            raise NotFound("entry", key, "`session list` shows the existing ones")
    app.print_change(lambda: {"session": name, "key": key, "removed": True}, lambda out: out.line(f"✓ {key} removed"))


@session.command("cleanup", cls=MemoryCommand, examples=("session cleanup",))
@click.pass_obj
def cleanup(app: AppContext) -> None:
    """Delete expired entries permanently."""
    with app.open_for_writing() as memory:
        gone = memory.short_term.cleanup_expired()
    app.print_change(lambda: {"removed": gone}, lambda out: out.line(f"✓ {count_of(gone, 'entry', 'entries')} removed"))


def _print_entry(app: AppContext, entry: ShortTermEntry, done: str) -> None:
    expiry = f"  expires {age(entry.expires_at, app.now)}"
    app.print_change(lambda: to_json(entry), lambda out: show_written(out, done, entry.key, entry.value, expiry))


def show_entry(out: Renderer, entry: ShortTermEntry, now: datetime) -> None:
    """An entry in full."""
    title: Line = (Span(entry.key, "id"), f"  {entry.type}  ", Span(f"session {entry.session}", "dim"))
    facts: list[tuple[str, Line]] = [
        ("reads", (f"{entry.access_count:,}",)),
        ("written", (age(entry.created_at, now),)),
        ("expires", (age(entry.expires_at, now),)),
    ]
    out.card(title, [*value_lines(entry.value), ("",), *aligned(facts)], "id")


def show_entries(out: Renderer, entries: Sequence[ShortTermEntry], now: datetime) -> None:
    """One entry per line."""
    if not entries:
        out.line(Span("no entries; `recollect session store` writes one", "dim"))
        return
    rows = [
        (
            entry.session,
            Span(entry.key, "id"),
            entry.type,
            f"{entry.access_count:,}",
            Span(short_age(now, entry.expires_at), "dim"),
            value_text(entry.value),
        )
        for entry in entries
    ]
    out.table(("session", "key", "type", ">reads", ">expires", "value"), rows)
