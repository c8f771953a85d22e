"""Changing many memories from the command line: filters in place of an ID, the count first, and how to take it back."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from recollect.serve.cli.errors import EXIT_REFUSED
from recollect.serve.cli.formatting import count_memories, excerpt
from recollect.serve.cli.options import FILTER_NAMES, Decorator, combine, filter_options, given_filters
from recollect.serve.cli.output import escape_control
from recollect.serve.cli.renderer import Renderer, Span
from recollect.unit_of_work import MOST_UNCONFIRMED

if TYPE_CHECKING:
    from recollect.selection import Selection
    from recollect.serve.cli.app_context import AppContext, Embedding
    from recollect.values.changed import Changed

Change = Callable[..., "Changed"]
_DONE = {
    "forget": "forgotten", "purge": "erased permanently", "tag": "tagged", "untag": "untagged", "update": "updated",
    "move": "moved", "archive": "archived", "unarchive": "in use again",
}  # fmt: skip
_MOST_TOLD = 5
_ID = re.compile(r"[0-9a-f]{8}(?:[0-9a-f-]*)", re.IGNORECASE)


def selecting(filters: Decorator = filter_options) -> Decorator:
    """The options of a command that takes filters in place of an ID."""
    return combine(
        filters,
        click.option("--everything", is_flag=True, help="Every memory that you see, without a filter."),
        click.option("--dry-run", is_flag=True, help="Show how many memories it would be; change nothing."),
        click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation."),
    )


@dataclass(frozen=True, slots=True)
class Bulk:
    """What was asked for in place of an ID."""

    filters: Mapping[str, Any]
    everything: bool
    dry_run: bool
    yes: bool

    def change(self, app: AppContext, change: Callable[[Selection], Change], embedding: Embedding = "none") -> int:
        """Count first, ask where it is much, change, and say how to undo it."""
        with app.open_for_writing(embedding) as memory:
            carry_out = change(memory.select(everything=self.everything, **self.filters))
            looked = carry_out(dry_run=True)
            if self.dry_run or looked.count == 0:
                app.print_answer(looked.to_dict, lambda out: show_selected(out, looked))
                return 0
            if not (self.yes or _confirmed(app, looked)):
                app.note("nothing was changed")
                return EXIT_REFUSED
            done = carry_out(force=True)
        app.print_change(done.to_dict, lambda out: show_selected(out, done))
        return 0


def bulk_of(id: str | None, options: dict[str, Any]) -> Bulk | None:
    """The filters that stand in place of an ID; None if there is an ID. Leaves other options in `options`."""
    own = {name: options.pop(name) for name in ("everything", "dry_run", "yes")}
    given = given_filters({name: options.pop(name) for name in FILTER_NAMES if name in options})
    if id is not None and (given or own["everything"]):
        raise click.UsageError("an ID and filters are both given; omit one of them")
    if id is None and not (given or own["everything"]):
        raise click.UsageError("name a memory by its ID, or many by filters, for example --where or --in-project")
    if id is not None and own["dry_run"]:
        raise click.UsageError("--dry-run is for filters; `recollect get` shows one memory")
    return None if id is not None else Bulk(given, **own)


def split_words(words: tuple[str, ...], options: Mapping[str, Any]) -> tuple[str | None, tuple[str, ...]]:
    """The ID and the tags after it; with filters there are only tags."""
    if not (options["everything"] or given_filters({name: options[name] for name in FILTER_NAMES})):
        if len(words) < 2:
            raise click.UsageError("give an ID and tags, or filters and tags")
        return words[0], words[1:]
    if not words:
        raise click.UsageError("name at least one tag")
    return words[0] if _ID.fullmatch(words[0]) else None, words


def _confirmed(app: AppContext, looked: Changed) -> bool:
    """Whether the user wants it: asked above 20 memories, and before anything is erased."""
    if looked.count <= MOST_UNCONFIRMED and looked.verb != "purge":
        return True
    if app.json or not sys.stdin.isatty():
        raise click.UsageError(
            f"this would {looked.verb} {count_memories(looked.count)}; look with --dry-run, then add --yes to do it"
        )
    app.note(*_first_lines(looked), *_told(looked))
    return click.confirm(f"{looked.verb.capitalize()} {count_memories(looked.count)}?", err=True)


def show_selected(out: Renderer, done: Changed) -> None:
    """How many memories were or would be changed, the first of them, and how to take it back."""
    count = count_memories(done.count)
    if done.dry_run:
        out.line(f"{count} would be {_DONE[done.verb]}" if done.count else "no memory would be changed")
        for line in _first_lines(done):
            out.line("  ", line)
    else:
        out.line(Span(f"✓ {count} {_DONE[done.verb]}", "good"))
    for line in _told(done):
        out.line("  ", Span(line, "dim"))
    if done.operation is not None and done.verb != "purge":
        out.line("  ", Span(f"`recollect undo {done.operation[-8:]} --yes` takes it back", "dim"))


def _first_lines(done: Changed) -> list[str]:
    lines = [f"{one.short_id}  {escape_control(excerpt(one.content))}" for one in done.first[:_MOST_TOLD]]
    more = done.count - len(lines)
    return [*lines, f"and {more:,} more"] if lines and more > 0 else lines


def _told(done: Changed) -> list[str]:
    """What else there is to know: pinned ones, what is left as it is, and of a purge what is left."""
    lines = [f"{count_memories(done.pinned)} of them pinned"] if done.pinned else []
    lines += [f"left as it is: {one.id[-8:]}: {escape_control(one.reason)}" for one in done.refused[:_MOST_TOLD]]
    if len(done.refused) > _MOST_TOLD:
        lines.append(f"and {len(done.refused) - _MOST_TOLD:,} more are left as they are")
    for what, some in (("erased with them", done.erased), ("repeats their texts and stays", done.repeats)):
        lines += [f"{what}: {one.kind} in {escape_control(one.where)}" for one in some[:_MOST_TOLD]]
        if len(some) > _MOST_TOLD:
            lines.append(f"{what}: {len(some) - _MOST_TOLD:,} more")
    lines += [f"to do: {text}" for text in done.pending]
    return [*lines, f"out of reach: {'; '.join(done.out_of_reach)}"] if done.out_of_reach else lines
