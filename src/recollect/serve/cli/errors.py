"""Errors as a message on stderr and an exit code. A mistake of the user never causes a traceback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from recollect.errors import Disabled, InvalidInput, NotFound, ReadOnly, RecollectError, SettingsError
from recollect.serve.cli.output import print_error, print_json_error
from recollect.serve.words import DOTTED, replace_dotted

EXIT_REFUSED, EXIT_USAGE, EXIT_FAILURE, EXIT_DISABLED, EXIT_INTERRUPTED = 1, 2, 3, 4, 130


class NoStoreYet(RecollectError):
    """The command needs a store, and there is none; only commands that store something create one."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"no memory here yet: {path} does not exist; `recollect remember` creates it")


def report(error: RecollectError | click.ClickException, *, as_json: bool) -> int:
    """Print an error; returns the exit code."""
    if as_json:
        print_json_error(_error_json(error))
    else:
        print_error(_message(error))
        if isinstance(error, click.UsageError) and error.ctx is not None:
            click.echo(f"See `{error.ctx.command_path} --help`.", err=True)
    return exit_code(error)


def exit_code(error: RecollectError | click.ClickException) -> int:
    """2 for the caller's mistake, 3 for the store or the embedder, 4 if memory is disabled."""
    match error:
        case Disabled():
            return EXIT_DISABLED
        case InvalidInput() | NotFound() | NoStoreYet() | ReadOnly() | SettingsError() | click.ClickException():
            return EXIT_USAGE
        case _:
            return EXIT_FAILURE


def _error_json(error: RecollectError | click.ClickException) -> dict[str, Any]:
    param = getattr(error, "param", None)
    field = getattr(error, "field", None) or (param.name if isinstance(param, click.Parameter) else None)
    # The names of click's own usage errors differ between its versions.
    kind = "UsageError" if isinstance(error, click.ClickException) else type(error).__name__
    return {"type": kind, "message": _message(error), "field": field}


def _message(error: RecollectError | click.ClickException) -> str:
    if isinstance(error, click.ClickException):
        return error.format_message()
    return replace_dotted(str(error), lambda verb: f"`recollect {DOTTED[verb]}`")
