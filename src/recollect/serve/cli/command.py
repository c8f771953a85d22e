"""The click classes of all commands: examples in the help, global options accepted after the name too, and what was meant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import click

from recollect.serve.cli.app_context import AppContext
from recollect.serve.cli.output import emit

Resolved = tuple[str | None, click.Command | None, list[str]]


def unknown_command(
    ctx: click.Context, typed: str, known: Sequence[str], synonyms: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> click.UsageError:
    """The error for a command that does not exist, with those that may be meant."""
    from difflib import get_close_matches

    meant = synonyms.get(typed.lower()) or get_close_matches(typed.lower(), known, n=2, cutoff=0.6)
    hint = f"; did you mean {' or '.join(f'`{ctx.command_path} {name}`' for name in meant)}?" if meant else ""
    return click.UsageError(f"there is no command {typed!r}{hint}", ctx)


class MemoryCommand(click.Command):
    """A command with examples."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)
        given = {name for param in self.params for name in param.opts}
        self.params += [option for option in _global_options() if not given & set(option.opts)]

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

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Resolved:
        """The subcommand, or an error that says what may be meant."""
        if click.Group.get_command(self, ctx, args[0]) is None:
            raise unknown_command(ctx, args[0], list(self.commands))
        return super().resolve_command(ctx, args)


def _global_options() -> Iterator[click.Option]:
    """The options of `recollect` that every command takes too; a command may have its own option of that name."""
    yield click.Option(
        ["--json"], is_flag=True, expose_value=False, callback=set_on_app("json"), help="Print JSON, for programs."
    )
    for name in ("db", "project", "account", "agent", "user"):
        yield click.Option([f"--{name}"], expose_value=False, hidden=True, callback=set_on_app(name))
    yield click.Option(["--team"], multiple=True, expose_value=False, hidden=True, callback=joined_team)


def joined_team(ctx: click.Context, _: click.Parameter, value: Any) -> Any:
    """An option callback: whoever names a team after a command speaks as a member of it."""
    app = ctx.find_object(AppContext)
    named = (value,) if isinstance(value, str) else value or ()
    if app is not None:
        app.teams = tuple(dict.fromkeys((*app.teams, *named)))
    return value


def set_on_app(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """An option callback that stores its value on the AppContext, over what was given before the command."""

    def store(ctx: click.Context, _: click.Parameter, value: Any) -> None:
        app = ctx.find_object(AppContext)
        if value and app is not None:
            setattr(app, name, value)

    return store
