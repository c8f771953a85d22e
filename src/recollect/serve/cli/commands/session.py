"""session: the typed entries of a session, gone after their time unless they prove useful."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import click

from recollect.errors import NotFound
from recollect.serve.cli.door import Door
from recollect.serve.cli.family import Family
from recollect.serve.cli.given import as_text, value_of
from recollect.serve.cli.times import lifetime
from recollect.serve.cli.verb import Verb
from recollect.values.words import SHORT_TERM_TYPES

if TYPE_CHECKING:
    from recollect.values.entry import Entry

_TYPE = click.Choice(SHORT_TERM_TYPES)


@click.group(
    "session",
    cls=Family,
    examples=('session store s1 port "The gateway listens on 8080"', "session get s1 port", "session list s1"),
)
def session() -> None:
    """The entries of a session: counted, kept for a while."""


@session.command(
    "store",
    cls=Verb,
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
@click.option("--ttl", type=lifetime, default="1h", show_default=True, metavar="DURATION", help="At most 30d.")
@as_text
@click.pass_obj
def store(door: Door, name: str, key: str, value: tuple[str, ...], type: str, ttl: timedelta, as_text: bool) -> None:
    """Keep a value under a key of a session.

    VALUE is JSON if it reads as JSON, else text; - reads it from stdin. What was there is replaced.
    """
    given = value_of(value, as_text=as_text)
    with door.writing() as memory:
        entry = memory.short_term.write(key, given, session=name, type=type, ttl=ttl)  # type: ignore[arg-type]
    _done(door, entry, "kept")


@session.command("get", cls=Verb, examples=("session get s1 port", "session get s1 port --peek --json"))
@click.argument("name", metavar="SESSION")
@click.argument("key")
@click.option("--peek", is_flag=True, help="Without counting it as read.")
@click.pass_obj
def get(door: Door, name: str, key: str, peek: bool) -> None:
    """One entry; counted as read."""
    from recollect.serve.cli.tier_forms import plain
    from recollect.serve.cli.views.entries import show_entry

    with door.writing() as memory:
        entry = memory.short_term.peek(key, name) if peek else memory.short_term.read(key, name)
    door.answer(lambda: plain(entry), lambda page: show_entry(page, entry, door.now))


@session.command("list", cls=Verb, examples=("session list", "session list s1 --type plan --json"))
@click.argument("name", metavar="[SESSION]", required=False)
@click.option("--type", type=_TYPE, metavar="TYPE", help="Only of this type.")
@click.pass_obj
def listed(door: Door, name: str | None, type: str | None) -> None:
    """The entries of a session, or of all, newest first."""
    from recollect.serve.cli.tier_forms import plain
    from recollect.serve.cli.views.entries import show_entries

    with door.writing() as memory:
        found = memory.short_term.entries(name, type)  # type: ignore[arg-type]
    door.answer(lambda: plain(found), lambda page: show_entries(page, found, door.now))


@session.command("refresh", cls=Verb, examples=("session refresh s1 port", "session refresh s1 port --ttl 2d"))
@click.argument("name", metavar="SESSION")
@click.argument("key")
@click.option("--ttl", type=lifetime, metavar="DURATION", help="From now; without it, once more its own time.")
@click.pass_obj
def refresh(door: Door, name: str, key: str, ttl: timedelta | None) -> None:
    """Let an entry live on."""
    with door.writing() as memory:
        entry = memory.short_term.refresh_ttl(key, name, ttl)
    _done(door, entry, "lives on")


@session.command("remove", cls=Verb, examples=("session remove s1 port",))
@click.argument("name", metavar="SESSION")
@click.argument("key")
@click.pass_obj
def remove(door: Door, name: str, key: str) -> None:
    """Delete an entry for good."""
    with door.writing() as memory:
        if not memory.short_term.remove(key, name):
            raise NotFound("entry", key, "`session list` shows which there are")
    door.done(lambda: {"session": name, "key": key, "removed": True}, lambda page: page.line(f"✓ {key} is gone"))


@session.command("cleanup", cls=Verb, examples=("session cleanup",))
@click.pass_obj
def cleanup(door: Door) -> None:
    """Delete for good what expired."""
    with door.writing() as memory:
        gone = memory.short_term.cleanup_expired()
    door.done(lambda: {"removed": gone}, lambda page: page.line(f"✓ {gone:,} gone"))


def _done(door: Door, entry: Entry, done: str) -> None:
    from recollect.serve.cli.tier_forms import plain
    from recollect.serve.cli.times import age
    from recollect.serve.cli.views.entries import show_kept

    until = f"  expires {age(entry.expires_at, door.now)}"
    door.done(lambda: plain(entry), lambda page: show_kept(page, done, entry.key, entry.value, until))
