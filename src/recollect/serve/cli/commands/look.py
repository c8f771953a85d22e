"""get and list: memories by id and by what they are."""

from __future__ import annotations

from typing import Any

import click

from recollect.serve.cli.door import Door
from recollect.serve.cli.filters import chosen, narrowing
from recollect.serve.cli.verb import Verb


@click.command("get", cls=Verb, examples=("get 3f9a1c22", "--as-of yesterday get 3f9a1c22 --json"))
@click.argument("id")
@click.pass_obj
def get(door: Door, id: str) -> None:
    """Show one memory in full.

    ID may be any unique beginning or end of an id, from four characters.
    """
    from recollect.serve.cli.held import held
    from recollect.serve.cli.json_form import memory_form
    from recollect.serve.cli.views.memory import show_memory

    with door.reading() as memory:
        record = memory.get(id)
        linked = held(memory, [link.target for link in record.links])
    door.answer(lambda: memory_form(record), lambda page: show_memory(page, record, door.now, linked))


@click.command(
    "list",
    cls=Verb,
    examples=("list --type procedure -t deploy", "--project shop list --since 7d", "list --status forgotten --json"),
)
@click.option("-n", "--limit", type=int, default=50, show_default=True, help="How many at most.")
@click.option("--offset", type=int, default=0, help="Leave out this many of the newest.")
@click.option("--session", metavar="NAME", help="Only said in this session.")
@narrowing
@click.pass_obj
def list_(door: Door, /, limit: int, offset: int, **options: Any) -> None:
    """Show memories, newest first.

    All projects, unless --project names one.
    """
    from recollect.serve.cli.json_form import memory_form
    from recollect.serve.cli.views.memory import show_list

    with door.reading() as memory:
        records = memory.list(limit=limit, offset=offset, project=door.project, **chosen(options))
    more = len(records) == limit
    door.answer(
        lambda: [memory_form(record) for record in records], lambda page: show_list(page, records, door.now, more=more)
    )
