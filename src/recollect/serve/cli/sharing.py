"""Sharing: what the commands of pools and contexts have in common: where a new one lives, who may use it, and grants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from recollect.serve.cli.door import Door
from recollect.serve.cli.given import options
from recollect.serve.cli.verb import Verb
from recollect.values.words import ACCESS_LEVELS, SCOPES

if TYPE_CHECKING:
    from recollect.engine import Memory
    from recollect.verbs.contexts import Contexts
    from recollect.verbs.pools import Pools

_LEVEL = click.Choice(ACCESS_LEVELS)


def whose(thing: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The options of a new one that say where it lives and who may use it."""
    return options(
        click.option(
            "--scope", type=click.Choice(SCOPES), metavar="SCOPE", help="global, team, agent, project, session, task."
        ),
        click.option("--team", metavar="NAME", help=f"For a {thing} of a team."),
        click.option("--session", metavar="NAME", help=f"For a {thing} of a session."),
        click.option("--task", metavar="NAME", help=f"For a {thing} of a task."),
        click.option("--read", multiple=True, metavar="AGENT", help="Who may read; may be repeated."),
        click.option("--write", multiple=True, metavar="AGENT", help="Who may read and write; may be repeated."),
        click.option("--public", is_flag=True, help="All of the account may read."),
    )


def fields_of(given: dict[str, Any]) -> dict[str, Any]:
    """What was given for a new one, as `create` takes it."""
    read, write, public = (given.pop(name) for name in ("read", "write", "public"))
    fields = {name: value for name, value in given.items() if value is not None}
    if read or write or public:
        fields["access"] = {"read": list(read), "write": list(write), "public_read": public}
    return fields


def add_grants(
    family: click.Group,
    held_in: Callable[[Memory], Pools | Contexts],
    tell: Callable[[Door, Any, str], None],
    *,
    grants: Sequence[str],
    revokes: Sequence[str],
) -> None:
    """Give a family the verbs `grant` and `revoke`, with these examples."""

    @family.command("grant", cls=Verb, examples=grants)
    @click.argument("name")
    @click.argument("to_agent", metavar="AGENT")
    @click.argument("level", type=_LEVEL, metavar="read|write")
    @click.pass_obj
    def grant(door: Door, name: str, to_agent: str, level: Any) -> None:
        """Let another agent read, or read and write."""
        with door.writing() as memory:
            made = held_in(memory).grant(name, to_agent, level)
        tell(door, made, f"{to_agent} may {level}")

    @family.command("revoke", cls=Verb, examples=revokes)
    @click.argument("name")
    @click.argument("of_agent", metavar="AGENT")
    @click.argument("level", type=_LEVEL, metavar="[read|write]", required=False)
    @click.pass_obj
    def revoke(door: Door, name: str, of_agent: str, level: Any) -> None:
        """Take a grant back."""
        with door.writing() as memory:
            made = held_in(memory).revoke(name, of_agent, level)
        tell(door, made, f"taken from {of_agent}")
