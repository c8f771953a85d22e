"""`make demo`: three weeks of a small project, as commands on a temporary store. Every command is run for real."""

from __future__ import annotations

import io
import json
import shlex
import sys
import tempfile
import time
from contextlib import redirect_stdout
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from recollect.serve.cli.errors import EXIT_REFUSED
from recollect.serve.cli.main import main as run_command
from recollect.serve.cli.output import emit
from recollect.serve.cli.renderer import Line, Renderer, Span, new_renderer

_DAYS = 21
_SECONDS_PER_LINE = 1.1
_SECRET = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"  # looks like a token, but is not one


class DemoClock:
    """A clock that is set forward by hand and never passes the real time."""

    def __init__(self, days_ago: int) -> None:
        self._now = datetime.now(UTC) - timedelta(days=days_ago)

    def __call__(self) -> datetime:
        # Every call is a second later, as on a real clock: no two changes have the same time.
        return self.advance(timedelta(seconds=1))

    def advance(self, by: timedelta) -> datetime:
        """Set the clock forward."""
        self._now = min(self._now + by, datetime.now(UTC))
        return self._now


class Demo:
    """Runs commands on one store and prints them with their answers; on a terminal it leaves time to read."""

    def __init__(self, store: Path, clock: DemoClock, *, fast: bool) -> None:
        self._options = ["--db", str(store), "--project", "shop"]
        self._clock, self._pauses = clock, sys.stdout.isatty() and not fast

    def chapter(self, title: str, *lines: str, days: int = 0) -> None:
        """Start a chapter, `days` after the one before."""
        self._clock.advance(timedelta(days=days))
        out = new_renderer()
        out.heading(title)
        for line in lines:
            out.line(Span(line, "dim"))
        emit(out.text())
        self._pause(len(lines) * _SECONDS_PER_LINE)

    def run(self, command: str) -> None:
        """Print a command, run it, and let it print its answer."""
        out = new_renderer()
        out.line()
        out.line(Span("$ recollect ", "dim"), Span(command, "strong"))
        emit(out.text())
        self._pause(0.6)
        self._call(*shlex.split(command))
        self._pause(2 * _SECONDS_PER_LINE)

    def id_of(self, text: str) -> str:
        """The short id of the memory that contains `text`."""
        with redirect_stdout(io.StringIO()) as captured:
            self._call("list", "--json")
        found: str = next(memory["short_id"] for memory in json.loads(captured.getvalue()) if text in memory["content"])
        return found

    def _call(self, *arguments: str) -> None:
        code = run_command([*self._options, *arguments], clock=self._clock)
        if code > EXIT_REFUSED:  # a refusal is part of the demo, an error or an interrupt ends it
            raise SystemExit(code)

    def _pause(self, seconds: float) -> None:
        if self._pauses:
            time.sleep(seconds)


def tell(demo: Demo) -> None:
    """The whole demo, chapter by chapter."""
    demo.chapter("Remember", "A small team builds a shop. Its agent stores what is worth keeping.")
    demo.run('remember "We deploy with make deploy, from main only" --type procedure')
    demo.run("""remember "The shop's database is PostgreSQL 16" """.strip())
    demo.run('remember "Maria owns the billing service" -t people')
    demo.run('remember "The nightly import must end by 6 am" --type rule')
    demo.run('remember "The spring release is on Friday"')
    demo.run('remember "Tom is looking for a new job" -t people')

    demo.chapter(
        "Recall", "The query shares no word with the answer. It is found by meaning, and its score is explained."
    )
    demo.run('recall "which data store do we use?" -n 2 --explain')

    demo.chapter(
        "Reinforce", "Six days later the same fact in other words: it is not stored twice, it gets stronger.", days=6
    )
    demo.run('remember "The billing service is owned by Maria"')

    demo.chapter(
        "Supersede", "A value changes. The new memory replaces the old one, which is kept with its history.", days=4
    )
    demo.run("""remember "The shop's database is PostgreSQL 17" """.strip())
    demo.run('recall "which database do we use?" -n 1')
    demo.run(f"history {demo.id_of('PostgreSQL 17')}")

    demo.chapter("Contradiction", "Both memories are kept until someone decides. Four ways to resolve it are offered.")
    demo.run('remember "The spring release is not on Friday"')
    demo.run(f"resolve {demo.id_of('is not on Friday')} {demo.id_of('is on Friday')} supersede")

    demo.chapter(
        "Warning", "A memory with a trigger comes first whenever the trigger matches, whatever the query.", days=4
    )
    demo.run("remember \"Never commit the .env file\" --trigger 'glob:*.env'")
    demo.run('recall "what is left to do?" -n 1 --working-on "git add main.py .env"')

    demo.chapter("Secret", "Credentials never reach the disk.")
    demo.run(f'remember "The GitHub token is {_SECRET}"')

    demo.chapter("Update", "The text of a memory is corrected. Its history is kept.")
    demo.run(f'update {demo.id_of("import")} --content "The nightly import must end by 5 am"')

    demo.chapter("Forget", "A forgotten fact is refused when it comes again, also in other words.", days=6)
    demo.run(f'forget {demo.id_of("Tom")} --reason "told in confidence"')
    demo.run('remember "Tom looks for a new job"')

    demo.chapter("Undo", "Every change can be undone, a forget too.")
    demo.run("undo")

    demo.chapter("Time travel", "What was believed two weeks ago? And today, including what was replaced:")
    demo.run('--as-of "2 weeks ago" recall "which database do we use?" -n 1')
    demo.run("list --status all")


def _show_title(out: Renderer) -> None:
    body: list[Line] = [
        ("Long-term memory for AI agents: three weeks in two minutes.",),
        (Span("The store of this demo is temporary and is deleted at the end.", "dim"),),
    ]
    out.card((Span("recollect", "strong"),), body, "id")


def _show_next_steps(out: Renderer) -> None:
    rows = (
        ('recollect remember "…"', "store your first memory"),
        ('recollect recall "…" --explain', "find it, and see why"),
        ("recollect --help", "all commands, each with examples"),
        ("recollect config", "the path of the store, and every setting"),
        ("import recollect", "the same verbs in Python: recollect.open()"),
    )
    body: list[Line] = [(Span(command.ljust(34), "id"), Span(what, "dim")) for command, what in rows]
    out.line()
    out.card((Span("Next steps", "strong"),), body, "id")


@click.command()
@click.option("--fast", is_flag=True, help="Do not pause between commands.")
def main(fast: bool) -> None:
    """Run the demo."""
    title, next_steps = new_renderer(), new_renderer()
    _show_title(title)
    _show_next_steps(next_steps)
    emit(title.text())
    with tempfile.TemporaryDirectory(prefix="recollect-demo-") as folder:
        tell(Demo(Path(folder) / "demo.db", DemoClock(_DAYS), fast=fast))
    emit(next_steps.text())


if __name__ == "__main__":
    main(prog_name="demo")
