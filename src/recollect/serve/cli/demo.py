"""`make demo`: recollect told as a story, in a store of its own that is thrown away at the end."""

from __future__ import annotations

import sys
import tempfile
from datetime import timedelta
from pathlib import Path

import click

from recollect.engine import Memory
from recollect.errors import RecollectError
from recollect.serve.cli.failure import INTERRUPTED, report
from recollect.serve.cli.page import Line, Page, Piece
from recollect.serve.cli.progress import Fetching
from recollect.serve.cli.stage import Calendar, Stage
from recollect.serve.cli.views.beliefs import show_resolved
from recollect.serve.cli.views.hits import show_recalled
from recollect.serve.cli.views.journal import show_history, show_undone
from recollect.serve.cli.views.memory import show_changed, show_list
from recollect.serve.cli.views.outcome import show_outcome
from recollect.values.draft import DraftFields
from recollect.values.outcome import Outcome, Refused
from recollect.wiring import open_memory

_WEEKS = 3
_FACTS: tuple[tuple[str, str, DraftFields], ...] = (
    ("We deploy with make deploy, from main only", " --type procedure", {"type": "procedure"}),
    ("The shop's database is PostgreSQL 16", "", {}),
    ("Maria owns the billing service", " -t people", {"tags": ["people"]}),
    ("The nightly import must end by 6 am", " --type rule", {"type": "rule"}),
    ("The spring release is on Friday", "", {}),
    ("Tom is looking for a new job", " -t people", {"tags": ["people"]}),
)
_SECRET = "The GitHub token is ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"  # a shape, not a token


def tell(memory: Memory, stage: Stage, calendar: Calendar) -> None:
    """The whole story."""
    _keep(memory, stage)
    _ask(memory, stage)
    calendar.pass_days(6)
    _say_again(memory, stage)
    calendar.pass_days(4)
    _change(memory, stage)
    _contradict(memory, stage)
    calendar.pass_days(4)
    _beware(memory, stage)
    _screen(memory, stage)
    _correct(memory, stage)
    calendar.pass_days(6)
    _forget_and_undo(memory, stage)
    _look_back(memory, stage)
    _go_on(stage)


def _keep(memory: Memory, stage: Stage) -> None:
    stage.chapter("Keep", "A small team builds a shop. Its agent keeps what is worth keeping.")
    for content, options, fields in _FACTS:
        _remember(memory, stage, content, options, **fields)


def _ask(memory: Memory, stage: Stage) -> None:
    stage.chapter(
        "Ask", "The question shares no word with the answer. It is found by meaning,", "and every score says why."
    )
    _recall(memory, stage, "who should I talk to about invoices?", limit=2, explain=True)


def _say_again(memory: Memory, stage: Stage) -> None:
    stage.chapter(
        "Say it again", "Six days later, in other words. Nothing is stored twice:", "the memory grows stronger."
    )
    _remember(memory, stage, "The billing service is owned by Maria")


def _change(memory: Memory, stage: Stage) -> None:
    stage.chapter("A value changes", "The new belief takes the place of the old one, which is kept with its history.")
    new = _remember(memory, stage, "The shop's database is PostgreSQL 17").memory
    _recall(memory, stage, "which database do we use?", limit=1)
    if new is not None and new.supersedes:
        chain, events = [memory.get(new.supersedes), new], memory.history(new.id)
        stage.command(f"history {new.short_id}", lambda page: show_history(page, chain, new, events, stage.now))


def _contradict(memory: Memory, stage: Stage) -> None:
    stage.chapter("A contradiction", "Both are kept until someone decides; four ways out are offered, as commands.")
    outcome = _remember(memory, stage, "The spring release is not on Friday")
    if outcome.memory is not None and outcome.conflicts:
        new, old = outcome.memory, outcome.conflicts[0].memory
        settled = memory.resolve((new.id, old.id), "supersede")
        stage.command(
            f"resolve {new.short_id} {old.short_id} supersede",
            lambda page: show_resolved(page, "supersede", settled, stage.now),
        )


def _beware(memory: Memory, stage: Stage) -> None:
    stage.chapter("Beware", "What not to do is told before it is done, whatever the question was.")
    content, trigger = "Never commit the .env file", "glob:*.env"
    _remember(memory, stage, content, f" --trigger '{trigger}'", triggers=[trigger])
    query, context = "what is left to do?", "git add main.py .env"
    found = memory.recall(query, limit=1, context=context)
    stage.command(f'recall "{query}" -n 1 --context "{context}"', lambda page: show_recalled(page, found, stage.now))


def _screen(memory: Memory, stage: Stage) -> None:
    stage.chapter("A secret", "Credentials never reach the disk.")
    _remember(memory, stage, _SECRET)


def _correct(memory: Memory, stage: Stage) -> None:
    stage.chapter("A correction", "The import was noted wrongly. The text changes, its history stays.")
    wrong = next(record for record in memory.list() if "import" in record.content)
    text = "The nightly import must end by 5 am"
    right = memory.update(wrong.id, content=text)
    if not isinstance(right, Refused):
        stage.command(
            f'update {wrong.short_id} --content "{text}"',
            lambda page: show_changed(page, "updated", right, stage.now, "content"),
        )


def _forget_and_undo(memory: Memory, stage: Stage) -> None:
    stage.chapter(
        "Forget", "That was told in confidence. Forgotten means forgotten:", "other words do not bring it back."
    )
    told = next(record for record in memory.list() if "Tom" in record.content)
    hidden = memory.forget(told.id, "told in confidence")
    stage.command(f"forget {told.short_id}", lambda page: show_changed(page, "forgotten", hidden, stage.now))
    _remember(memory, stage, "Tom looks for a new job")
    stage.chapter("Undo", "Every change can be taken back, a forget as well.")
    changed = {each: memory.get(each) for each in memory.undo()}
    stage.command("undo", lambda page: show_undone(page, changed))


def _look_back(memory: Memory, stage: Stage) -> None:
    stage.chapter("Look back", "What did we believe two weeks ago? The same question, asked of that day.")
    with memory.as_of(stage.now - timedelta(weeks=2)) as then:
        found = then.recall("which database do we use?", limit=1)
        stage.command(
            '--as-of "2 weeks ago" recall "which database do we use?" -n 1',
            lambda page: show_recalled(page, found, stage.now),
        )
    records = memory.list(status="all")
    stage.tell("", "And today, with what was replaced:")
    stage.command("list --status all", lambda page: show_list(page, records, stage.now))


def _go_on(stage: Stage) -> None:
    rows: tuple[tuple[str, str], ...] = (
        ('recollect remember "…"', "keep something of your own"),
        ('recollect recall "…" --explain', "ask, and see why"),
        ("recollect --help", "every command, each with examples"),
        ("recollect config", "where the store is, and every setting"),
        ("import recollect", "the same verbs in Python: recollect.open()"),
    )
    body: list[Line] = [(Piece(command.ljust(34), "id"), Piece(what, "dim")) for command, what in rows]
    stage.tell("")
    stage.show(lambda page: page.card((Piece("Now yours", "strong"),), body, "id"))


def _remember(memory: Memory, stage: Stage, content: str, options: str = "", **fields: object) -> Outcome:
    outcome = memory.remember(content, **fields)  # type: ignore[arg-type]
    stage.command(f'remember "{content}"{options}', lambda page: show_outcome(page, outcome, stage.now))
    return outcome


def _recall(memory: Memory, stage: Stage, query: str, *, limit: int, explain: bool = False) -> None:
    found = memory.recall(query, limit=limit, explain=explain)
    options = f" -n {limit}" + (" --explain" if explain else "")
    stage.command(f'recall "{query}"{options}', lambda page: show_recalled(page, found, stage.now))


def _title(page: Page) -> None:
    body: list[Line] = [
        ("Long-term memory for AI agents, told in two minutes and three weeks.",),
        (Piece("The store of this story is thrown away at the end.", "dim"),),
    ]
    page.card((Piece("recollect", "strong"),), body, "id")


@click.command()
@click.option("--fast", is_flag=True, help="Do not wait for the reader.")
def demo(fast: bool) -> None:
    """Tell the story."""
    calendar = Calendar(7 * _WEEKS)
    stage = Stage(calendar, fast=fast)
    stage.show(_title)
    with tempfile.TemporaryDirectory(prefix="recollect-demo-") as folder:
        with Fetching() as fetching:
            memory = open_memory(Path(folder) / "story.db", project="shop", clock=calendar, fetching=fetching)
        with memory:
            tell(memory, stage, calendar)


def main() -> int:
    """Run the demo; returns the exit code."""
    try:
        return demo.main(prog_name="demo", standalone_mode=False) or 0
    except (RecollectError, click.ClickException) as error:
        return report(error, as_json=False)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
