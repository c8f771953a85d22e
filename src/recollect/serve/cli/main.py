"""`recollect`: the options before the command, and what becomes of errors. Kept light: nothing of the engine is imported here."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from datetime import datetime

import click

from recollect import __version__
from recollect.errors import RecollectError
from recollect.serve.cli.door import Door
from recollect.serve.cli.failure import INTERRUPTED, WRONG_USE, report
from recollect.serve.cli.menu import Menu
from recollect.serve.cli.output import complain
from recollect.serve.cli.times import past

_EPILOG = """\b
Exit codes: 0 done, 1 refused, 2 wrong use or not found,
3 trouble with the store or the embedder, 4 memory is switched off.

\b
Where the store is: --db, else RECOLLECT_DB, else the settings
(`recollect config` shows them all, and where each comes from).

\b
Completion, for bash (also zsh_source, fish_source):
  eval "$(_RECOLLECT_COMPLETE=bash_source recollect)"
"""


@click.group(
    cls=Menu,
    epilog=_EPILOG,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 96},
)
@click.option("--db", metavar="PATH", help="The file of the store.")
@click.option("--project", metavar="NAME", help="The project; otherwise found from the folder.")
@click.option("--account", metavar="NAME", help="Whose memories.")
@click.option("--agent", metavar="NAME", help="The agent that asks.")
@click.option("--as-of", type=past, metavar="TIME", help="Read what was believed then: a date, 3d, '2 hours ago'.")
@click.option("--json", is_flag=True, help="Answer with JSON (also after the command).")
@click.option("-q", "--quiet", is_flag=True, help="No remarks and no progress, only answers.")
@click.version_option(__version__, message="recollect %(version)s")
@click.pass_context
def recollect(
    ctx: click.Context,
    db: str | None,
    project: str | None,
    account: str | None,
    agent: str | None,
    as_of: datetime | None,
    json: bool,
    quiet: bool,
) -> None:
    """Long-term memory: keep what is worth keeping, get it back with the reason, and take back any change."""
    ctx.obj = Door(db, project, account, agent, as_of, json, quiet)
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    _start_lean()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # an old code page must not end in a traceback
    try:
        return recollect.main(given, prog_name="recollect", standalone_mode=False) or 0
    except (RecollectError, click.ClickException) as error:
        return report(error, as_json="--json" in given)
    except click.Abort as abort:
        if isinstance(abort.__cause__, KeyboardInterrupt):
            return INTERRUPTED
        complain("there was no answer; nothing was changed")
        return WRONG_USE
    except KeyboardInterrupt:
        return INTERRUPTED


def _start_lean() -> None:
    """What a process that does one thing need not pay for."""
    # No command multiplies matrices, but each thread that numpy starts for that spins for a tenth of a second first.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imports are no garbage, and by default the collector looks through all of them every few modules.
    gc.set_threshold(50_000, *gc.get_threshold()[1:])


if __name__ == "__main__":
    sys.exit(main())
