"""contexts: containers of memories with versions, grants, a log of who used them, and snapshots (see `snapshots.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from recollect.serve.cli.changed import tell_changed, tell_outcome
from recollect.serve.cli.commands.snapshots import PAST
from recollect.serve.cli.door import Door
from recollect.serve.cli.drafts import read_text
from recollect.serve.cli.family import Family
from recollect.serve.cli.sharing import add_grants, fields_of, whose
from recollect.serve.cli.verb import Verb
from recollect.values.words import CONTEXT_TYPES, MEMORY_TYPES

if TYPE_CHECKING:
    from recollect.values.container import Context


@click.group(
    "contexts",
    cls=Family,
    examples=(
        "contexts create handbook --type knowledge_base",
        'contexts add handbook "Releases are cut on Tuesdays"',
        "contexts diff handbook before",
    ),
)
def contexts() -> None:
    """Containers of memories with versions and snapshots.

    A context goes by its name; of two that bear one, by its id or by OWNER/NAME. Its entries are found through it
    alone, not by `recall`.
    """


def _done(door: Door, made: Context, done: str) -> None:
    from recollect.serve.cli.tier_forms import plain
    from recollect.serve.cli.views.containers import show_context

    door.done(lambda: plain(made), lambda page: show_context(page, made, door.now, done))


@contexts.command(
    "create",
    cls=Verb,
    examples=(
        'contexts create handbook --type knowledge_base --about "how we work"',
        "contexts create notes --type agent_memory --read eve --write bob",
    ),
)
@click.argument("name")
@click.option(
    "--type", required=True, type=click.Choice(CONTEXT_TYPES), metavar="TYPE", help="knowledge_base, agent_memory …"
)
@click.option("--about", "description", metavar="TEXT", help="What it is for.")
@whose("context")
@click.pass_obj
def create(door: Door, /, name: str, type: Any, **given: Any) -> None:
    """Make an empty context."""
    with door.writing() as memory:
        made = memory.contexts.create(name, type=type, **fields_of(given))
    _done(door, made, "made")


@contexts.command("list", cls=Verb, examples=("contexts list", "contexts list --archived --json"))
@click.option("--type", type=click.Choice(CONTEXT_TYPES), metavar="TYPE", help="Only of this type.")
@click.option("--archived", is_flag=True, help="Those that were put away.")
@click.pass_obj
def listed(door: Door, type: str | None, archived: bool) -> None:
    """The contexts within reach."""
    from recollect.serve.cli.tier_forms import plain
    from recollect.serve.cli.views.containers import show_contexts

    with door.reading() as memory:
        found = memory.contexts.list(type, archived)  # type: ignore[arg-type]
    door.answer(lambda: plain(found), lambda page: show_contexts(page, found, door.now))


@contexts.command("show", cls=Verb, examples=("contexts show handbook", "contexts show handbook -n 5 --json"))
@click.argument("name")
@click.option("-n", "--limit", type=int, default=50, show_default=True, help="How many of its entries at most.")
@click.pass_obj
def show(door: Door, name: str, limit: int) -> None:
    """A context and its entries, newest first."""
    from recollect.serve.cli.tier_forms import plain
    from recollect.serve.cli.views.containers import show_context
    from recollect.serve.cli.views.memory import show_list

    with door.reading() as memory:
        found, entries = memory.contexts.get(name), memory.contexts.entries(name, limit)

    def view(page: Any) -> None:
        show_context(page, found, door.now)
        show_list(page, entries, door.now)

    door.answer(lambda: {**plain(found), "entries": plain(entries)}, view)


@contexts.command(
    "add",
    cls=Verb,
    examples=('contexts add handbook "Releases are cut on Tuesdays" -t release', "contexts add handbook -"),
)
@click.argument("name")
@click.argument("content", nargs=-1, required=True)
@click.option("--type", type=click.Choice(MEMORY_TYPES), metavar="TYPE", help="fact, preference, procedure …")
@click.option("-t", "--tag", "tags", multiple=True, metavar="TAG", help="A tag; may be repeated.")
@click.option("--importance", type=float, help="0 to 1.")
@click.pass_obj
def add(door: Door, /, name: str, content: tuple[str, ...], **fields: Any) -> int:
    """Keep one thing in a context; - reads it from stdin."""
    given = {field: value for field, value in fields.items() if value not in (None, ())}
    text = read_text() if content == ("-",) else " ".join(content)
    with door.writing("as set") as memory:
        outcome = memory.contexts.add(name, text, **given)
    return tell_outcome(door, outcome)


@contexts.command("search", cls=Verb, examples=('contexts search handbook "when do we release?"',))
@click.argument("name")
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "--limit", type=int, default=10, show_default=True, help="How many at most.")
@click.pass_obj
def search(door: Door, name: str, query: tuple[str, ...], limit: int) -> None:
    """What a context holds about something, best first."""
    from recollect.serve.cli.json_form import recalled_form
    from recollect.serve.cli.views.hits import show_recalled

    with door.reading("at once") as memory:
        found = memory.contexts.search(name, " ".join(query), limit)
    door.note(*found.notes)
    door.answer(lambda: recalled_form(found), lambda page: show_recalled(page, found, door.now))


@contexts.command("edit", cls=Verb, examples=('contexts edit handbook 3f9a1c22 "Releases are cut on Mondays"',))
@click.argument("name")
@click.argument("id")
@click.argument("content", nargs=-1, required=True)
@click.pass_obj
def edit(door: Door, name: str, id: str, content: tuple[str, ...]) -> None:
    """Say an entry anew; the version before is kept."""
    text = read_text() if content == ("-",) else " ".join(content)
    with door.writing("as set") as memory:
        made = memory.contexts.update_content(name, id, text)
    tell_changed(door, "said anew", made)


@contexts.command("history", cls=Verb, examples=("contexts history handbook 3f9a1c22",))
@click.argument("name")
@click.argument("id")
@click.pass_obj
def history(door: Door, name: str, id: str) -> None:
    """Every version of an entry, newest first."""
    from recollect.serve.cli.tier_forms import plain
    from recollect.serve.cli.views.memory import show_list

    with door.reading() as memory:
        found = memory.contexts.versions(name, id)
    door.answer(lambda: plain(found), lambda page: show_list(page, found, door.now))


@contexts.command("remove", cls=Verb, examples=("contexts remove handbook 3f9a1c22",))
@click.argument("name")
@click.argument("id")
@click.pass_obj
def remove(door: Door, name: str, id: str) -> None:
    """Forget an entry with all its versions; `undo` brings it back."""
    with door.writing() as memory:
        gone = memory.contexts.remove_entry(name, id)
    tell_changed(door, "forgotten", gone)


@contexts.command("archive", cls=Verb, examples=("contexts archive handbook", "contexts archive handbook --back"))
@click.argument("name")
@click.option("--back", is_flag=True, help="Take it into use again.")
@click.pass_obj
def archive(door: Door, name: str, back: bool) -> None:
    """Put a context away: not searched, not written, kept."""
    with door.writing() as memory:
        made = memory.contexts.unarchive(name) if back else memory.contexts.archive(name)
    _done(door, made, "in use again" if back else "put away")


add_grants(
    contexts,
    lambda memory: memory.contexts,
    _done,
    grants=("contexts grant handbook eve read",),
    revokes=("contexts revoke handbook eve",),
)
for past in PAST:
    contexts.add_command(past)
