"""judge: whether the configured language model answers, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from recollect.serve.cli.command import MemoryCommand, MemoryGroup
from recollect.serve.cli.errors import EXIT_FAILURE
from recollect.serve.cli.renderer import Renderer, Span

if TYPE_CHECKING:
    from recollect.serve.cli.app_context import AppContext
    from recollect.values.judging import JudgeTest, JudgeUsage


@click.group("judge", cls=MemoryGroup, examples=("judge test", "judge usage", "judge usage --json"))
def judge() -> None:
    """Test the configured judge, or show what it cost.

    A judge is a language model that decides what the rules leave open. The settings judge, judge_url, judge_model and
    judge_key name one; without them nothing is sent anywhere.
    """


@judge.command("test", cls=MemoryCommand, examples=("judge test", "judge test --json"))
@click.pass_obj
def test(app: AppContext) -> int:
    """Ask the judge one harmless question.

    Nothing of the store is sent. Exits with 3 if the judge does not answer, or wrongly.
    """
    with app.open_for_writing("judge") as memory:
        found = memory.judge_test()
    app.print_answer(found.to_dict, lambda out: _show_test(out, found))
    return 0 if found.works else EXIT_FAILURE


@judge.command("usage", cls=MemoryCommand, examples=("judge usage", "judge usage --json"))
@click.pass_obj
def usage(app: AppContext) -> None:
    """Show the requests and tokens of the judge, by day and question."""
    app.reject_as_of()
    with app.open_current("judge") as memory:
        found = memory.judge_usage()
    app.print_answer(found.to_dict, lambda out: _show_usage(out, found))


def _show_test(out: Renderer, found: JudgeTest) -> None:
    if found.works:
        out.line(Span("✓ ", "good"), f"{found.judge} answers", Span(f"  prompt {found.prompt}", "dim"))
    else:
        out.line(Span("✗ ", "bad"), f"{found.judge or 'no judge'}: {found.problem}")
    if found.judge is not None:
        out.line(f"  {found.seconds:.2f} s, {found.tokens_in:,} tokens sent, {found.tokens_out:,} received")


def _show_usage(out: Renderer, found: JudgeUsage) -> None:
    limit = f" of {found.tokens_per_day:,}" if found.tokens_per_day else ""
    out.line(Span(found.judge or "no judge is configured", "strong"), f"  {found.tokens_today:,}{limit} tokens today")
    if not found.rows:
        return
    out.line()
    header = ("day", "question", "requests", "asked", "kept", "tokens sent", "received")
    out.table(
        header,
        [
            (
                row.day,
                row.question,
                *(f"{n:,}" for n in (row.calls, row.asked, row.kept, row.tokens_in, row.tokens_out)),
            )
            for row in found.rows
        ],
    )
