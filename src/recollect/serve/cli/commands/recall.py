"""recall and search: find memories by a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.input import read_option
from recollect.serve.cli.options import filter_options, given_filters
from recollect.serve.cli.times import past_time
from recollect.serve.cli.views import print_recalled
from recollect.values.enums import SEARCH_MODES, SearchMode

if TYPE_CHECKING:
    from recollect.serve.cli.app_context import AppContext


@click.command(
    "recall",
    cls=MemoryCommand,
    examples=(
        'recall "how do we ship?"',
        'recall "how do we ship?" --explain',
        "recall deploy -n 3 --type procedure --json",
        'recall "what to beware of" --working-on @src/app.rs',
        '--as-of "2 weeks ago" recall "which database do we use?"',
    ),
)
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "--limit", type=int, help="Maximum number of hits (setting: limit).")
@click.option(
    "--profile", metavar="NAME", help="hybrid, composite, hebbian, cascade, relevance, belief, or a custom one."
)
@click.option("--explain", is_flag=True, help="Explain the score of each hit.")
@click.option("--session", metavar="NAME", help="The current session: its memories are visible too.")
@click.option("--task", metavar="NAME", help="The current task: its memories are visible too.")
@click.option("--working-on", metavar="TEXT", help="The text you work on, for triggers; - reads stdin, @FILE a file.")
@click.option("--true-at", type=past_time, metavar="TIME", help="Only what was valid at that time, as known today.")
@click.option("--season", metavar="LABEL", help="The current season: release-week.")
@click.option("--named", is_flag=True, help="Only memories with a tag that the query names, and what they link to.")
@click.option(
    "--floor", type=float, metavar="P", help="Only hits that answer the query with at least this probability."
)
@click.option("--verify", is_flag=True, default=None, help="Let the configured judge drop hits that do not help.")
@click.option("--now", type=past_time, metavar="TIME", help="Score as if this were the current time.")
@filter_options
@click.pass_obj
def recall(app: AppContext, /, query: tuple[str, ...], **options: Any) -> None:
    """Find what is known about something, best first.

    A memory whose trigger matches the query or the text of --working-on comes before all others.
    """
    options["working_on"] = read_option(options["working_on"])
    # Printed while the store is open: access counts are written after the user has the answer.
    with app.open_view("eager") as memory:
        print_recalled(app, memory.recall(" ".join(query), **given_filters(options)))


@click.command(
    "search",
    cls=MemoryCommand,
    examples=(
        "search PostgreSQL --mode lexical",
        'search "who looks after billing" --mode semantic -n 3',
        "search deploy --status all --since 30d --json",
    ),
)
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--mode",
    type=click.Choice(SEARCH_MODES),
    default="hybrid",
    show_default=True,
    help="By words, by meaning, or both.",
)
@click.option("-n", "--limit", type=int, default=10, show_default=True, help="Maximum number of hits.")
@click.option("--explain", is_flag=True, help="Explain the score of each hit.")
@click.option("--session", metavar="NAME", help="The current session: its memories are visible too.")
@click.option("--task", metavar="NAME", help="The current task: its memories are visible too.")
@filter_options
@click.pass_obj
def search(
    app: AppContext, /, query: tuple[str, ...], mode: SearchMode, limit: int, explain: bool, **options: Any
) -> None:
    """Search by words, by meaning, or both."""
    with app.open_view("offline" if mode == "lexical" else "eager") as memory:
        found = memory.search(" ".join(query), mode=mode, limit=limit, explain=explain, **given_filters(options))
        print_recalled(app, found)
