"""The click classes of all commands: examples in the help, and `--json`, `--db` and `--project` accepted after the name too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from recollect.serve.cli.app_context import AppContext
from recollect.serve.cli.output import emit


class MemoryCommand(click.Command):
    """A command with examples."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)
        self.params += [
            click.Option(
                ["--json"],
                is_flag=True,
                expose_value=False,
                callback=_set_on_app("json"),
                help="Print JSON, for programs.",
            ),
            click.Option(["--db"], expose_value=False, hidden=True, callback=_set_on_app("db")),
            click.Option(["--project"], expose_value=False, hidden=True, callback=_set_on_app("project")),
        ]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - the signature of click
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    # An example with a pipe or a variable spells out the whole line.
                    formatter.write(f"  $ {example if 'recollect ' in example else f'recollect {example}'}\n")


class MemoryGroup(MemoryCommand, click.Group):
    """A command with subcommands (`recollect pool create …`), listed in the order they are defined."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args:
            emit(ctx.get_help() + "\n")
            ctx.exit()
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature of click
        return list(self.commands)


def _set_on_app(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """An option callback that stores its value on the AppContext, over what was given before the command."""

    def store(ctx: click.Context, _: click.Parameter, value: Any) -> None:
        app = ctx.find_object(AppContext)
        if value and app is not None:
            setattr(app, name, value)

    return store
