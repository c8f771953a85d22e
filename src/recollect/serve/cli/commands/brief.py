"""context and preview: the block of text an agent is given, and what is in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from recollect.serve.cli.door import Door
from recollect.serve.cli.output import emit, visible
from recollect.serve.cli.verb import Verb


def about(command: Callable[..., Any]) -> Callable[..., Any]:
    """What a block is to be about, and how large: the same for both commands."""
    for option in (
        click.option("--task", metavar="NAME", help="The task at hand."),
        click.option("--session", metavar="NAME", help="The session at hand."),
        click.option("--start", is_flag=True, help="Add what a session starts with."),
        click.option("--layer", "layers", multiple=True, metavar="NAME", help="Only this layer; may be repeated."),
        click.option("--budget", type=int, default=16_000, show_default=True, help="Characters at most, all counted."),
        click.argument("topic", nargs=-1),
    ):
        command = option(command)
    return command


@click.command("context", cls=Verb, examples=('context "how do we ship?"', "context --start --budget 4000"))
@about
@click.pass_obj
def context(door: Door, /, topic: tuple[str, ...], **options: Any) -> None:
    """The block of text to give an agent."""
    with door.reading("at once" if topic else "as set") as memory:
        block = memory.context(" ".join(topic) or None, **_asked(options))
    if door.json:
        door.answer(lambda: _form(block), lambda _: None)
    else:
        emit("".join(f"{visible(line)}\n" for line in block.text.splitlines()))


@click.command("preview", cls=Verb, examples=('preview "how do we ship?"', "preview --json"))
@about
@click.pass_obj
def preview(door: Door, /, topic: tuple[str, ...], **options: Any) -> None:
    """What such a block holds, what not, and why."""
    from recollect.serve.cli.views.brief import show_block

    with door.reading("at once" if topic else "as set") as memory:
        block = memory.preview(" ".join(topic) or None, **_asked(options))
    door.answer(lambda: _form(block), lambda page: show_block(page, block))


def _asked(options: dict[str, Any]) -> dict[str, Any]:
    return {**options, "layers": options["layers"] or None}


def _form(block: Any) -> dict[str, Any]:
    return {
        "text": block.text,
        "budget": block.budget,
        "used": block.used,
        "over": block.over,
        "items": [{"id": item.memory.id, "layer": item.layer, "characters": item.characters} for item in block.items],
        "left_out": [{"id": out.memory.id, "layer": out.layer, "reason": out.reason} for out in block.left_out],
        "notes": list(block.notes),
    }
