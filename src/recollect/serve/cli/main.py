"""The entry point of `recollect`: global options, errors and exit codes. It imports nothing of the engine, to start fast."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from datetime import datetime

import click

from recollect import __version__
from recollect.errors import RecollectError
from recollect.serve.cli.app_context import AppContext
from recollect.serve.cli.command_table import LazyGroup
from recollect.serve.cli.errors import EXIT_INTERRUPTED, EXIT_USAGE, report
from recollect.serve.cli.logs import start_logging
from recollect.serve.cli.output import print_error
from recollect.serve.cli.times import past_time

_EPILOG = """\b
Exit codes: 0 success, 1 refused, 2 usage error or not found,
3 failure of the store or the embedder, 4 memory is disabled.

\b
The store: --db, else RECOLLECT_DB, else the settings
(`recollect config` shows every setting and its source).

\b
Shell completion for bash (also zsh_source, fish_source):
  eval "$(_RECOLLECT_COMPLETE=bash_source recollect)"
"""


@click.group(
    cls=LazyGroup,
    epilog=_EPILOG,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 96},
)
@click.option("--db", metavar="PATH", help="The store: a file, or a PostgreSQL URL.")
@click.option("--project", metavar="NAME", help="The current project (default: derived from the working directory).")
@click.option("--account", metavar="NAME", help="The account that owns the memories.")
@click.option("--agent", metavar="NAME", help="The agent that calls.")
@click.option("--user", metavar="NAME", help="The user who is served: also what is private to that user.")
@click.option("--team", "teams", multiple=True, metavar="NAME", help="A team of the caller; may be repeated.")
@click.option(
    "--as-of", type=past_time, metavar="TIME", help="Read the store as it was then: a date, 3d, '2 hours ago'."
)
@click.option("--json", is_flag=True, help="Print JSON (also accepted after the command).")
@click.option("-q", "--quiet", is_flag=True, help="Print only answers: no notes, no progress.")
@click.option("-v", "--verbose", count=True, help="Log long operations on stderr; -vv logs every verb.")
@click.version_option(__version__, message="recollect %(version)s")
@click.pass_context
def recollect(
    ctx: click.Context,
    db: str | None,
    project: str | None,
    account: str | None,
    agent: str | None,
    user: str | None,
    teams: tuple[str, ...],
    as_of: datetime | None,
    json: bool,
    quiet: bool,
    verbose: int,
) -> None:
    """Long-term memory for AI agents: store what is worth keeping, recall it with the reason, undo any change."""
    ctx.call_on_close(start_logging(verbose, os.environ.get("RECOLLECT_LOG", "")))
    ctx.obj = AppContext(db, project, account, agent, user, teams, as_of, json, quiet, clock=ctx.obj)
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: Sequence[str] | None = None, *, clock: Callable[[], datetime] | None = None) -> int:
    """Run one command; returns its exit code. `clock` replaces the real time, for tests and the demo."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _reduce_startup_cost()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # an old code page must not cause a traceback
    try:
        return recollect.main(words, prog_name="recollect", standalone_mode=False, obj=clock) or 0
    except (RecollectError, click.ClickException) as error:
        return report(error, as_json="--json" in words)
    except click.Abort as abort:
        if isinstance(abort.__cause__, KeyboardInterrupt):
            return EXIT_INTERRUPTED
        print_error("no answer was given; nothing was changed")
        return EXIT_USAGE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _reduce_startup_cost() -> None:
    """Avoid costs that only a long-running process earns back."""
    # No command multiplies matrices, but each BLAS thread that numpy starts spins for a tenth of a second first.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imports create no garbage, yet by default the collector scans all objects every few modules.
    gc.set_threshold(50_000, *gc.get_threshold()[1:])


if __name__ == "__main__":
    sys.exit(main())
