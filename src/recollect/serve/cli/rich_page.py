"""RichPage: the page of a terminal. Imported only when there is one: rich costs a tenth of a second."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rich.box import ROUNDED, SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from recollect.serve.cli.page import Line, Part, Piece, Tone, plain

_STYLES: dict[Tone, str] = {
    "plain": "", "dim": "bright_black", "strong": "bold", "good": "green", "warn": "yellow", "bad": "red",
    "old": "strike bright_black", "id": "cyan", "bar": "blue",
}  # fmt: skip
# Beyond this, lines of text are tiring to read, however wide the window is.
_WIDEST = 100


class RichPage:
    """Colour, frames and the terminal's width."""

    room = 1500

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False, markup=False, emoji=False)
        self._width = min(self._console.width, _WIDEST)
        self._blocks: list[RenderableType] = []

    def line(self, *parts: Part) -> None:
        self._blocks.append(_text(parts))

    def heading(self, title: str) -> None:
        named = Text(plain(title), "bold")
        self._blocks += [Text(), Rule(named, align="left", style=_STYLES["dim"]), Text()]

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[Part]]) -> None:
        frame = _STYLES["dim"]
        table = Table(box=SIMPLE_HEAD, header_style="bold", border_style=frame, padding=(0, 1, 0, 0), show_edge=False)
        table.expand = True
        for place, name in enumerate(columns):
            last = place == len(columns) - 1
            side: Literal["left", "right"] = "right" if name.startswith(">") else "left"
            ratio = 1 if last else None
            table.add_column(name.lstrip(">"), justify=side, no_wrap=True, overflow="ellipsis", ratio=ratio)
        for row in rows:
            table.add_row(*(_text((part,)) for part in row))
        self._blocks.append(table)

    def card(self, title: Line, body: Sequence[Line], tone: Tone = "dim") -> None:
        inside = Group(*(_text(line) for line in body))
        frame = _STYLES[tone]
        self._blocks.append(
            Panel(inside, title=_text(title), title_align="left", box=ROUNDED, border_style=frame, padding=(0, 1))
        )

    def entry(self, lead: Line, body: Sequence[Line]) -> None:
        grid = Table.grid(padding=(0, 2, 0, 0), expand=True)
        grid.add_column(no_wrap=True)
        grid.add_column(ratio=1)
        grid.add_row(_text(lead), Group(*(_text(line) for line in body)))
        self._blocks.append(grid)

    def text(self) -> str:
        with self._console.capture() as captured:
            for block in self._blocks:
                self._console.print(block, width=self._width)
        return captured.get()


def _text(parts: Line) -> Text:
    """Styled text from parts; nothing in them is read as markup."""
    return Text.assemble(*((plain(part), _STYLES[part.tone] if isinstance(part, Piece) else "") for part in parts))
