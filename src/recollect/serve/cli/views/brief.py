"""What a context block holds: layer by layer, and what was left out."""

from __future__ import annotations

from recollect.serve.cli.page import Page, Piece
from recollect.serve.cli.views.words import excerpt, short_id
from recollect.values.block import Block


def show_block(page: Page, block: Block) -> None:
    """How full it is, then every memory with the layer that took it, then the others with the reason."""
    over = f", {block.over:,} over: what is never cut takes more" if block.over else ""
    page.line(Piece(f"{block.used:,} of {block.budget:,} characters{over}", "dim"))
    if block.items:
        rows = [(i.layer, str(i.characters), short_id(i.memory), excerpt(i.memory.content, 50)) for i in block.items]
        page.table(("layer", "size", "id", "in it"), rows)
    if block.left_out:
        out = [(o.layer, short_id(o.memory), o.reason, excerpt(o.memory.content, 40)) for o in block.left_out]
        page.table(("layer", "id", "why not", "left out"), out)
    for note in block.notes:
        page.line(Piece(note, "dim"))
