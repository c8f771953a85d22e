"""narrative: summaries of sessions, in a chain, linked with the memories they mention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from recollect.errors import NotFound
from recollect.serve.cli.command import MemoryCommand, MemoryGroup
from recollect.serve.cli.input import join_text
from recollect.serve.cli.json_output import memory_json
from recollect.serve.cli.views import print_changed, print_list, print_recalled, show_summary

if TYPE_CHECKING:
    from recollect.serve.cli.app_context import AppContext

_SCOPE = click.Choice(("global", "team", "agent", "user", "project"))


@click.group(
    "narrative",
    cls=MemoryGroup,
    examples=(
        'narrative add "We found the port and fixed the login" --session s1',
        "narrative latest",
        'narrative search "the login"',
    ),
)
def narrative() -> None:
    """Summaries of sessions, newest first."""


@narrative.command(
    "add",
    cls=MemoryCommand,
    examples=('narrative add "We fixed the login" --session s1 --memory 3f9a1c22', "narrative add - --session s1"),
)
@click.argument("text", nargs=-1, required=True)
@click.option("--session", required=True, metavar="NAME", help="The session it summarises.")
@click.option("--memory", "memories", multiple=True, metavar="ID", help="A memory it mentions; may be repeated.")
@click.option("--scope", type=_SCOPE, metavar="SCOPE", help="global, team, agent, user or project.")
@click.pass_obj
def add(app: AppContext, text: tuple[str, ...], session: str, memories: tuple[str, ...], scope: Any) -> None:
    """Add the summary of a session; a second one replaces the first."""
    with app.open_for_writing("lazy") as memory:
        added = memory.narratives.write(join_text(text), session=session, memories=memories, scope=scope)
    print_changed(app, "added", added)


@narrative.command("latest", cls=MemoryCommand, examples=("narrative latest", "narrative latest --json"))
@click.pass_obj
def latest(app: AppContext) -> None:
    """Show the newest narrative of the project."""
    with app.open_view("offline") as memory:
        found = memory.narratives.latest()
    if found is None:
        raise NotFound("narrative", "of this project", "`narrative add` adds one")
    app.print_answer(lambda: memory_json(found), lambda out: show_summary(out, found, app.now))


@narrative.command("list", cls=MemoryCommand, examples=("narrative list -n 5",))
@click.option("-n", "--limit", type=int, default=20, show_default=True, help="Maximum number of narratives.")
@click.pass_obj
def listed(app: AppContext, limit: int) -> None:
    """List the narratives of the project, newest first."""
    with app.open_view("offline") as memory:
        found = memory.narratives.chain(limit)
    print_list(app, found)


@narrative.command("search", cls=MemoryCommand, examples=('narrative search "the login" -n 3 --json',))
@click.argument("text", nargs=-1, required=True)
@click.option("-n", "--limit", type=int, default=5, show_default=True, help="Maximum number of narratives.")
@click.pass_obj
def search(app: AppContext, text: tuple[str, ...], limit: int) -> None:
    """Search the narratives, best first."""
    with app.open_view("eager") as memory:
        print_recalled(app, memory.narratives.search(" ".join(text), limit))


@narrative.command("memories", cls=MemoryCommand, examples=("narrative memories 3f9a1c22",))
@click.argument("id")
@click.pass_obj
def memories(app: AppContext, id: str) -> None:
    """List the memories that a narrative mentions."""
    with app.open_view() as memory:
        found = memory.narratives.memories(id)
    print_list(app, found)


@narrative.command("of", cls=MemoryCommand, examples=("narrative of 3f9a1c22",))
@click.argument("id")
@click.pass_obj
def of(app: AppContext, id: str) -> None:
    """List the narratives that mention a memory."""
    with app.open_view() as memory:
        found = memory.narratives.of(id)
    print_list(app, found)
