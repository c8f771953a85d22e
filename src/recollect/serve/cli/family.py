"""Family: a command that is a group of verbs (`recollect pool create …`), with examples and `--json` like any other."""

from __future__ import annotations

import click

from recollect.serve.cli.output import emit
from recollect.serve.cli.verb import Verb


class Family(Verb, click.Group):
    """Verbs about one thing, listed in its help in the order they were written."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args:
            emit(ctx.get_help() + "\n")
            ctx.exit()
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature of click
        return list(self.commands)
