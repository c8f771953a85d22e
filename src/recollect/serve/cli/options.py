"""Options that several commands share: filters, access to pools and contexts, and the commands `grant` and `revoke`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from recollect.serve.cli.command import MemoryCommand, joined_team
from recollect.serve.cli.metadata import metadata_conditions
from recollect.serve.cli.times import past_time
from recollect.values.enums import ACCESS_LEVELS, MEMORY_TYPES, PROVENANCE_KINDS, SCOPES, STATUSES

if TYPE_CHECKING:
    from recollect.engine import Memory
    from recollect.serve.cli.app_context import AppContext
    from recollect.serve.cli.renderer import Line
    from recollect.tiers.contexts import Contexts
    from recollect.tiers.pools import Pools
    from recollect.values.tiers import Grants

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
_LEVEL = click.Choice(ACCESS_LEVELS)


def combine(*options: Decorator) -> Decorator:
    """One decorator for several options, in the order the help shows them."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


scope_option = click.option(
    "--scope", type=click.Choice(SCOPES), metavar="SCOPE", help="global, team, agent, user, project, session or task."
)
text_option = click.option("--text", "as_text", is_flag=True, help="Store VALUE as text even if it is valid JSON.")
_FILTERS: dict[str, Decorator] = {
    "type": click.option(
        "--type", type=click.Choice(MEMORY_TYPES), multiple=True, metavar="TYPE", help="Only this type."
    ),
    "tags": click.option(
        "-t", "--tag", "tags", multiple=True, metavar="TAG", help="Only with this tag; if repeated, with all of them."
    ),
    "any_tags": click.option(
        "--any-tag", "any_tags", multiple=True, metavar="TAG", help="Only with one of these tags."
    ),
    "scope": click.option(
        "--scope", type=click.Choice(SCOPES), multiple=True, metavar="SCOPE", help="Only this scope."
    ),
    "status": click.option(
        "--status",
        type=click.Choice((*STATUSES, "all")),
        multiple=True,
        metavar="STATUS",
        help="active (default), superseded, archived, forgotten or all.",
    ),
    "source": click.option(
        "--source", type=click.Choice(PROVENANCE_KINDS), multiple=True, metavar="KIND", help="Only from this source."
    ),
    "in_project": click.option("--in-project", metavar="NAME", help="Only from this project."),
    "in_session": click.option("--in-session", metavar="NAME", help="Only from this session."),
    "speaker": click.option("--speaker", multiple=True, metavar="NAME", help="Only what this speaker said."),
    "since": click.option("--since", type=past_time, metavar="TIME", help="Not before: 2026-11-01, yesterday, 3d."),
    "until": click.option("--until", type=past_time, metavar="TIME", help="Before this time."),
    **{
        f"{what}_{end}": click.option(
            f"--{what}-{end}", type=past_time, metavar="TIME", help=f"{what.title()} {when} this time."
        )
        for what in ("created", "updated")
        for end, when in (("since", "not before"), ("until", "before"))
    },
    "min_trust": click.option(
        "--min-trust", type=click.FloatRange(0, 1), metavar="TRUST", help="Only with at least this trust, 0 to 1."
    ),
    "metadata": click.option(
        "--meta",
        "metadata",
        multiple=True,
        metavar="CONDITION",
        help="Only with this metadata: team=core, score>=3, reviewer (has it), !reviewer (has it not).",
    ),
    "where": click.option(
        "--where", metavar="JSON", help='A filter as JSON, with AND, OR and NOT: {"NOT": {"tags": "draft"}}.'
    ),
}
FILTER_NAMES = tuple(_FILTERS)
filter_options = combine(*_FILTERS.values())
# What belongs to a session or a task is shown only to those who name it.
visit_options = combine(
    click.option("--session", metavar="NAME", help="Also the memories of this session."),
    click.option("--task", metavar="NAME", help="Also the memories of this task."),
)


def filter_options_without(*names: str) -> Decorator:
    """The filters of a command that has options of its own with these names; `--where` can say all of them."""
    return combine(*(option for name, option in _FILTERS.items() if name not in names))


def given_filters(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, as the engine's keywords."""
    given = {name: value for name, value in options.items() if value not in (None, ())}
    if "all" in given.get("status", ()):
        given["status"] = "all"
    if "metadata" in given:
        given["metadata"] = metadata_conditions(given["metadata"])
    return given


def access_options(noun: str) -> Decorator:
    """The options of a new pool or context: its scope, and who may use it."""
    return combine(
        scope_option,
        click.option("--team", metavar="NAME", callback=joined_team, help=f"The team of a {noun} with scope team."),
        click.option("--session", metavar="NAME", help=f"The session of a {noun} with scope session."),
        click.option("--task", metavar="NAME", help=f"The task of a {noun} with scope task."),
        click.option("--read", multiple=True, metavar="AGENT", help="An agent that may read; may be repeated."),
        click.option(
            "--write", multiple=True, metavar="AGENT", help="An agent that may read and write; may be repeated."
        ),
        click.option("--public", is_flag=True, help="Every agent of the account may read."),
    )


def create_fields(given: dict[str, Any]) -> dict[str, Any]:
    """The keywords of `create`, from the options that were given."""
    read, write, public = (given.pop(name) for name in ("read", "write", "public"))
    fields = {name: value for name, value in given.items() if value is not None}
    if read or write or public:
        fields["access"] = {"read": list(read), "write": list(write), "public_read": public}
    return fields


def add_grant_commands(
    group: click.Group,
    container: Callable[[Memory], Pools | Contexts],
    print_result: Callable[[AppContext, Any, str], None],
    *,
    grants: Sequence[str],
    revokes: Sequence[str],
) -> None:
    """Add `grant` and `revoke`, with these examples, to the commands of pools or contexts."""

    @group.command("grant", cls=MemoryCommand, examples=grants)
    @click.argument("name")
    @click.argument("to_agent", metavar="AGENT")
    @click.argument("level", type=_LEVEL, metavar="read|write")
    @click.pass_obj
    def grant(app: AppContext, name: str, to_agent: str, level: Any) -> None:
        """Allow another agent to read, or to read and write."""
        with app.open_for_writing() as memory:
            changed = container(memory).grant(name, to_agent, level)
        print_result(app, changed, f"{to_agent} may {level}")

    @group.command("revoke", cls=MemoryCommand, examples=revokes)
    @click.argument("name")
    @click.argument("of_agent", metavar="AGENT")
    @click.argument("level", type=_LEVEL, metavar="[read|write]", required=False)
    @click.pass_obj
    def revoke(app: AppContext, name: str, of_agent: str, level: Any) -> None:
        """Revoke a grant."""
        with app.open_for_writing() as memory:
            changed = container(memory).revoke(name, of_agent, level)
        print_result(app, changed, f"revoked from {of_agent}")


def access_facts(access: Grants) -> list[tuple[str, Line]]:
    """Who may use a pool or context, as labelled values."""
    facts: list[tuple[str, Line]] = [("may read", (", ".join(access.read),))] if access.read else []
    facts += [("may write", (", ".join(access.write),))] if access.write else []
    return [*facts, ("public", ("every agent of the account may read",))] if access.public_read else facts
