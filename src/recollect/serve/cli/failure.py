"""Failures: from an error to what is said on stderr and the exit code. A traceback means a bug, never a mistake of use."""

from __future__ import annotations

from typing import Any

import click

from recollect.errors import Disabled, InvalidInput, NotFound, ReadOnly, RecollectError, SettingsError
from recollect.serve.cli.output import complain, complain_json

REFUSED, WRONG_USE, TROUBLE, SWITCHED_OFF, INTERRUPTED = 1, 2, 3, 4, 130


def report(error: RecollectError | click.ClickException, *, as_json: bool) -> int:
    """Say what went wrong; returns the exit code."""
    if as_json:
        complain_json(_form(error))
    else:
        complain(_message(error))
        if isinstance(error, click.UsageError) and error.ctx is not None:
            complain_hint(error.ctx)
    return exit_code(error)


def exit_code(error: RecollectError | click.ClickException) -> int:
    """2 the caller's mistake, 3 store or embedder, 4 switched off."""
    match error:
        case Disabled():
            return SWITCHED_OFF
        case InvalidInput() | NotFound() | ReadOnly() | SettingsError() | click.ClickException():
            return WRONG_USE
        case _:
            return TROUBLE


def complain_hint(ctx: click.Context) -> None:
    """Where to read more about the command that was used wrongly."""
    click.echo(f"`{ctx.command_path} --help` shows how it is used.", err=True)


def _form(error: RecollectError | click.ClickException) -> dict[str, Any]:
    param = getattr(error, "param", None)
    field = getattr(error, "field", None) or (param.name if isinstance(param, click.Parameter) else None)
    # Click's own kinds of wrong use differ between its versions.
    kind = "UsageError" if isinstance(error, click.ClickException) else type(error).__name__
    return {"type": kind, "message": _message(error), "field": field}


def _message(error: RecollectError | click.ClickException) -> str:
    return error.format_message() if isinstance(error, click.ClickException) else str(error)
