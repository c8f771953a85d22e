"""The options that narrow `recall`, `search` and `list`, and how they become the filters of the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from recollect.serve.cli.times import past
from recollect.values.words import MEMORY_TYPES, PROVENANCE_KINDS, SCOPES, STATUSES

_Command = TypeVar("_Command", bound=Callable[..., Any])
_OPTIONS = (
    click.option("--type", type=click.Choice(MEMORY_TYPES), multiple=True, metavar="TYPE", help="Only this type."),
    click.option("-t", "--tag", multiple=True, metavar="TAG", help="Only with this tag; several must all be there."),
    click.option("--scope", type=click.Choice(SCOPES), multiple=True, metavar="SCOPE", help="Only of this scope."),
    click.option(
        "--status",
        type=click.Choice((*STATUSES, "all")),
        multiple=True,
        metavar="STATUS",
        help="active (unless said otherwise), superseded, archived, forgotten or all.",
    ),
    click.option(
        "--source", type=click.Choice(PROVENANCE_KINDS), multiple=True, metavar="KIND", help="Only from this source."
    ),
    click.option("--since", type=past, metavar="TIME", help="Not before: 2026-11-01, yesterday, 3d."),
    click.option("--until", type=past, metavar="TIME", help="Before this time."),
    click.option("--min-trust", type=click.FloatRange(0, 1), metavar="TRUST", help="Only trusted this much, 0 to 1."),
)


def narrowing(command: _Command) -> _Command:
    """Give a command the options that narrow."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def chosen(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given."""
    given = {name: value for name, value in options.items() if value not in (None, ())}
    if "all" in given.get("status", ()):
        given["status"] = "all"
    return given
