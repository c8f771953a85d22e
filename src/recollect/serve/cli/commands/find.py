"""recall and search: what is known about something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from recollect.serve.cli.door import Door
from recollect.serve.cli.drafts import given_text
from recollect.serve.cli.filters import chosen, narrowing
from recollect.serve.cli.times import past
from recollect.serve.cli.verb import Verb
from recollect.values.words import SEARCH_MODES

if TYPE_CHECKING:
    from recollect.values.hit import Recalled


@click.command(
    "recall",
    cls=Verb,
    examples=(
        'recall "how do we ship?"',
        'recall "how do we ship?" --explain',
        "recall deploy -n 3 --type procedure --json",
        'recall "what to beware of" --context @src/app.rs',
        '--as-of "2 weeks ago" recall "which database do we use?"',
    ),
)
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "--limit", type=int, help="How many at most (setting: limit).")
@click.option("--profile", metavar="NAME", help="hybrid, composite, hebbian, cascade, relevance, belief, or your own.")
@click.option("--explain", is_flag=True, help="Show the whole reason for each.")
@click.option("--session", metavar="NAME", help="The session at hand: its memories are visible too.")
@click.option("--task", metavar="NAME", help="The task at hand: its memories are visible too.")
@click.option("--context", metavar="TEXT", help="What you work on, for triggers; - is stdin, @FILE a file.")
@click.option("--true-at", type=past, metavar="TIME", help="What was true then, as far as is known today.")
@click.option("--season", metavar="LABEL", help="The season at hand: release-week.")
@click.option("--named", is_flag=True, help="Only what the question names by a tag, and what that is linked to.")
@click.option("--now", type=past, metavar="TIME", help="Rank as if it were then.")
@narrowing
@click.pass_obj
def recall(door: Door, /, query: tuple[str, ...], **options: Any) -> None:
    """What is known about something, best first.

    A memory with a trigger that the question or the context matches comes before all others.
    """
    options["context"] = given_text(options["context"])
    with door.reading("at once") as memory:
        _print(door, memory.recall(" ".join(query), **chosen(options)))


@click.command(
    "search",
    cls=Verb,
    examples=(
        "search PostgreSQL --mode lexical",
        'search "who looks after billing" --mode semantic -n 3',
        "search deploy --status all --since 30d --json",
    ),
)
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--mode", type=click.Choice(SEARCH_MODES), default="hybrid", show_default=True, help="Words, meaning, both."
)
@click.option("-n", "--limit", type=int, default=10, show_default=True, help="How many at most.")
@click.option("--explain", is_flag=True, help="Show the whole reason for each.")
@click.option("--session", metavar="NAME", help="The session at hand: its memories are visible too.")
@click.option("--task", metavar="NAME", help="The task at hand: its memories are visible too.")
@narrowing
@click.pass_obj
def search(door: Door, /, query: tuple[str, ...], mode: str, limit: int, explain: bool, **options: Any) -> None:
    """Look by words, by meaning, or both."""
    with door.reading("at hand" if mode == "lexical" else "at once") as memory:
        found = memory.search(" ".join(query), mode=mode, limit=limit, explain=explain, **chosen(options))
        _print(door, found)


def _print(door: Door, found: Recalled) -> None:
    """Printed while the store is still open: the counts of access can be written after the person has the answer."""
    from recollect.serve.cli.json_form import recalled_form
    from recollect.serve.cli.views.hits import show_recalled

    door.answer(lambda: recalled_form(found), lambda page: show_recalled(page, found, door.now))
    door.note(*found.notes)
