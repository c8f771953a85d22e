"""erase-user: erase everything that the store holds of one user, and show the proof."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.errors import EXIT_FAILURE, EXIT_REFUSED
from recollect.serve.cli.formatting import count_memories, count_of
from recollect.serve.cli.renderer import Renderer, Span

if TYPE_CHECKING:
    from recollect.serve.cli.app_context import AppContext
    from recollect.values.erased import Erased

_NOUNS = {
    "memory": ("memory", "memories"), "short_term": ("short-term entry", "short-term entries"), "event": ("change in the journal",
    "changes in the journal"), "tag": ("description of a tag", "descriptions of tags"), "gap": ("unanswered question", None),
    "working": ("working value", None), "actor": ("event that the user caused", "events that the user caused"), "access": (
    "line of an access log", "lines of access logs"), "purged": ("hash of a purged text", "hashes of purged texts"),
    "counter": ("count", None), "grant": ("grant or note", "grants and notes"),
}  # fmt: skip


@click.command(
    "erase-user",
    cls=MemoryCommand,
    examples=("erase-user ada --dry-run", "erase-user ada", "erase-user ada --yes --json"),
)
@click.argument("name")
@click.option("--dry-run", is_flag=True, help="Count what would be erased; change nothing.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@click.pass_obj
def erase_user(app: AppContext, name: str, dry_run: bool, yes: bool) -> int:
    """Erase everything of one user permanently.

    In every scope and tier, with the journal, and the name itself. Cannot be undone. Searches afterwards for what is left.
    """
    with app.open_for_writing() as memory:
        looked = memory.erase_user(name, dry_run=True)
        if dry_run:
            app.print_answer(looked.to_dict, lambda out: show_erased(out, looked))
            return 0
        if not yes:
            if app.json or not sys.stdin.isatty():
                raise click.UsageError("nothing restores what is erased; look with --dry-run, then add --yes to do it")
            app.note(*_lines(looked))
            if not click.confirm(f"Erase everything of {name!r} permanently?", err=True):
                app.note("nothing was erased")
                return EXIT_REFUSED
        done = memory.erase_user(name)
    print_ = app.print_change if done.complete else app.print_answer
    print_(done.to_dict, lambda out: show_erased(out, done))
    return 0 if done.complete else EXIT_FAILURE


def show_erased(out: Renderer, done: Erased) -> None:
    """What was or would be erased, what is left, and what to do."""
    if done.dry_run:
        out.line(f"would erase everything of {done.user}:" if done.counts else f"nothing here is of {done.user}")
    elif done.complete and not done.counts:
        out.line(f"nothing here was of {done.user}; nothing was erased")
        return
    elif done.left:
        out.line(Span(f"✗ not everything of {done.user} was erased; run it again", "bad"))
    else:
        out.line(Span(f"✓ erased everything of {done.user}; a search finds nothing", "good"))
    for line in _lines(done):
        out.line("  ", line)


def _lines(done: Erased) -> list[str]:
    lines = [_told(kind, count) for kind, count in done.counts.items()]
    lines += [f"still there: {_told(kind, count)}" for kind, count in done.left.items()]
    if done.mentioned:
        lines.append(f"mentioned elsewhere, which stays: {count_memories(done.mentioned)} or documents of others")
    lines += [f"to do: {text}" for text in done.pending]
    return [*lines, f"out of reach: {'; '.join(done.out_of_reach)}"] if done.out_of_reach else lines


def _told(kind: str, count: int) -> str:
    noun, plural = _NOUNS.get(kind, (kind, None))
    return count_of(count, noun, plural)
