"""context and preview: the context block for an agent, and what it contains."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from recollect.serve.cli.command import MemoryCommand
from recollect.serve.cli.formatting import excerpt, short_id
from recollect.serve.cli.output import emit, escape_control
from recollect.serve.cli.renderer import Renderer, Span

if TYPE_CHECKING:
    from recollect.serve.cli.app_context import AppContext
    from recollect.values.recalled import Block


def block_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of both commands: the topic and the size of the block."""
    for option in (
        click.option("--task", metavar="NAME", help="The current task."),
        click.option("--session", metavar="NAME", help="The current session."),
        click.option("--start", is_flag=True, help="Include the memories for the start of a session."),
        click.option("--layer", "layers", multiple=True, metavar="NAME", help="Only this layer; may be repeated."),
        click.option("--budget", type=int, default=16_000, show_default=True, help="Maximum size in characters."),
        click.argument("topic", nargs=-1),
    ):
        command = option(command)
    return command


@click.command("context", cls=MemoryCommand, examples=('context "how do we ship?"', "context --start --budget 4000"))
@block_options
@click.pass_obj
def context(app: AppContext, /, topic: tuple[str, ...], **options: Any) -> None:
    """Print a context block for an agent."""
    with app.open_view("eager" if topic else "lazy") as memory:
        block = memory.context(" ".join(topic) or None, **_block_arguments(options))
    if app.json:
        app.print_answer(lambda: _block_json(block), lambda _: None)
    else:
        emit("".join(f"{escape_control(line)}\n" for line in block.text.splitlines()))


@click.command("preview", cls=MemoryCommand, examples=('preview "how do we ship?"', "preview --json"))
@block_options
@click.pass_obj
def preview(app: AppContext, /, topic: tuple[str, ...], **options: Any) -> None:
    """Show what a context block contains and omits, and why."""
    with app.open_view("eager" if topic else "lazy") as memory:
        block = memory.preview(" ".join(topic) or None, **_block_arguments(options))
    app.print_answer(lambda: _block_json(block), lambda out: show_block(out, block))


def _block_arguments(options: dict[str, Any]) -> dict[str, Any]:
    return {**options, "layers": options["layers"] or None}


def _block_json(block: Any) -> dict[str, Any]:
    return {
        "text": block.text,
        "budget": block.budget,
        "used": block.used,
        "over": block.over,
        "items": [{"id": item.memory.id, "layer": item.layer, "characters": item.characters} for item in block.items],
        "left_out": [{"id": out.memory.id, "layer": out.layer, "reason": out.reason} for out in block.left_out],
        "notes": list(block.notes),
    }


def show_block(out: Renderer, block: Block) -> None:
    """The size, every memory with its layer, then the omitted memories with the reason."""
    over = f", {block.over:,} over: layers that are never truncated exceed it" if block.over else ""
    out.line(Span(f"{block.used:,} of {block.budget:,} characters{over}", "dim"))
    if block.items:
        rows = [(i.layer, str(i.characters), short_id(i.memory), excerpt(i.memory.content, 50)) for i in block.items]
        out.table(("layer", ">size", "id", "included"), rows)
    if block.left_out:
        omitted = [(o.layer, short_id(o.memory), o.reason, excerpt(o.memory.content, 40)) for o in block.left_out]
        out.table(("layer", "id", "reason", "omitted"), omitted)
    for note in block.notes:
        out.line(Span(note, "dim"))
