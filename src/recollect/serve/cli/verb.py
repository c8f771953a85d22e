"""Verb: a command that shows examples in its help, and takes `--json`, `--db` and `--project` after its name as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from recollect.serve.cli.door import Door


class Verb(click.Command):
    """One command of recollect."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)
        self.params += [
            click.Option(
                ["--json"],
                is_flag=True,
                expose_value=False,
                callback=_hand_over("json"),
                help="Answer with JSON, for programs.",
            ),
            click.Option(["--db"], expose_value=False, hidden=True, callback=_hand_over("db")),
            click.Option(["--project"], expose_value=False, hidden=True, callback=_hand_over("project")),
        ]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - the signature of click
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    # One that is more than a bare command (a pipe, a variable) spells out the whole line.
                    formatter.write(f"  $ {example if 'recollect ' in example else f'recollect {example}'}\n")


def _hand_over(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def keep(ctx: click.Context, _: click.Parameter, value: Any) -> None:
        door = ctx.find_object(Door)
        if value and door is not None:
            setattr(door, name, value)

    return keep
