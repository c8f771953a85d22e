"""narrative: what each session was about, in a chain, linked with the memories it tells of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from recollect.errors import NotFound
from recollect.serve.cli.changed import tell_changed
from recollect.serve.cli.door import Door
from recollect.serve.cli.drafts import read_text
from recollect.serve.cli.family import Family
from recollect.serve.cli.verb import Verb

if TYPE_CHECKING:
    from recollect.values.memory import Record

_SCOPE = click.Choice(("global", "team", "agent", "project"))


@click.group(
    "narrative",
    cls=Family,
    examples=(
        'narrative add "We found the port and fixed the login" --session s1',
        "narrative latest",
        'narrative search "the login"',
    ),
)
def narrative() -> None:
    """What each session was about, newest first."""


@narrative.command(
    "add",
    cls=Verb,
    examples=('narrative add "We fixed the login" --session s1 --memory 3f9a1c22', "narrative add - --session s1"),
)
@click.argument("text", nargs=-1, required=True)
@click.option("--session", required=True, metavar="NAME", help="The session it tells of.")
@click.option("--memory", "memories", multiple=True, metavar="ID", help="A memory it tells of; may be repeated.")
@click.option("--scope", type=_SCOPE, metavar="SCOPE", help="global, team, agent or project.")
@click.pass_obj
def add(door: Door, text: tuple[str, ...], session: str, memories: tuple[str, ...], scope: Any) -> None:
    """Tell what a session was about; told again, the new text replaces the earlier one."""
    told = read_text() if text == ("-",) else " ".join(text)
    with door.writing("as set") as memory:
        made = memory.narratives.write(told, session=session, memories=memories, scope=scope)
    tell_changed(door, "told", made)


@narrative.command("latest", cls=Verb, examples=("narrative latest", "narrative latest --json"))
@click.pass_obj
def latest(door: Door) -> None:
    """The newest narrative of the project."""
    from recollect.serve.cli.json_form import memory_form
    from recollect.serve.cli.views.memory import show_now

    with door.reading("at hand") as memory:
        found = memory.narratives.latest()
    if found is None:
        raise NotFound("narrative", "of this project", "`narrative add` tells one")
    door.answer(lambda: memory_form(found), lambda page: show_now(page, found, door.now))


@narrative.command("list", cls=Verb, examples=("narrative list -n 5",))
@click.option("-n", "--limit", type=int, default=20, show_default=True, help="How many at most.")
@click.pass_obj
def listed(door: Door, limit: int) -> None:
    """The narratives of the project, newest first."""
    with door.reading("at hand") as memory:
        found = memory.narratives.chain(limit)
    _tell(door, found)


@narrative.command("search", cls=Verb, examples=('narrative search "the login" -n 3 --json',))
@click.argument("text", nargs=-1, required=True)
@click.option("-n", "--limit", type=int, default=5, show_default=True, help="How many at most.")
@click.pass_obj
def search(door: Door, text: tuple[str, ...], limit: int) -> None:
    """The narratives that bear on something, best first."""
    from recollect.serve.cli.json_form import recalled_form
    from recollect.serve.cli.views.hits import show_recalled

    with door.reading("at once") as memory:
        found = memory.narratives.search(" ".join(text), limit)
    door.note(*found.notes)
    door.answer(lambda: recalled_form(found), lambda page: show_recalled(page, found, door.now))


@narrative.command("memories", cls=Verb, examples=("narrative memories 3f9a1c22",))
@click.argument("id")
@click.pass_obj
def memories(door: Door, id: str) -> None:
    """The memories a narrative tells of."""
    with door.reading() as memory:
        found = memory.narratives.memories(id)
    _tell(door, found)


@narrative.command("of", cls=Verb, examples=("narrative of 3f9a1c22",))
@click.argument("id")
@click.pass_obj
def of(door: Door, id: str) -> None:
    """The narratives that tell of a memory."""
    with door.reading() as memory:
        found = memory.narratives.of(id)
    _tell(door, found)


def _tell(door: Door, found: list[Record]) -> None:
    from recollect.serve.cli.json_form import memory_form
    from recollect.serve.cli.views.memory import show_list

    door.answer(lambda: [memory_form(record) for record in found], lambda page: show_list(page, found, door.now))
