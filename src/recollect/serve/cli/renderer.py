"""Rendering answers: colour, frames and the terminal's width on a terminal; aligned, complete, plain text in a pipe.

Commands say what a text *means* (its tone); how that looks is decided here. Every text is made safe for a terminal.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from recollect.serve.cli.output import escape_control, wants_codes

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

Tone = Literal["plain", "dim", "strong", "good", "warn", "bad", "old", "id", "bar"]
_INDENT = "  "
_STYLES: dict[Tone, str] = {
    "plain": "", "dim": "bright_black", "strong": "bold", "good": "green", "warn": "yellow", "bad": "red",
    "old": "strike bright_black", "id": "cyan", "bar": "blue",
}  # fmt: skip
# Longer lines are tiring to read, however wide the window is.
_MAX_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Span:
    """Some text and its tone."""

    text: str
    tone: Tone = "plain"


Part = str | Span
Line = tuple[Part, ...]


class Renderer(Protocol):
    """Collects lines, tables, cards and entries, and renders them as text."""

    @property
    def room(self) -> int | None:
        """The most characters of one memory to show; None means all."""
        ...

    def line(self, *parts: Part) -> None:
        """One line; without parts, an empty one."""
        ...

    def heading(self, title: str) -> None:
        """The heading of a new section."""
        ...

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[Part]]) -> None:
        """Rows under column names. The last column takes the remaining width; a name that starts with > aligns right."""
        ...

    def card(self, title: Line, body: Sequence[Line], tone: Tone = "dim") -> None:
        """Lines in a frame with a title."""
        ...

    def entry(self, lead: Line, body: Sequence[Line]) -> None:
        """Lines indented beside `lead`."""
        ...

    def text(self) -> str:
        """Everything rendered so far."""
        ...


def new_renderer() -> Renderer:
    """The renderer for stdout."""
    return RichRenderer() if sys.stdout.isatty() else PlainRenderer()


def safe_text(part: Part) -> str:
    """The text of a part, safe for a terminal."""
    return escape_control(part.text if isinstance(part, Span) else part)


def cell_width(text: str) -> int:
    """How many columns a text takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


class PlainRenderer:
    """Plain text for pipes and files: aligned, nothing truncated, no colour codes."""

    room = None

    def __init__(self) -> None:
        self._lines: list[str] = []

    def line(self, *parts: Part) -> None:
        self._lines.append("".join(map(safe_text, parts)).rstrip())

    def heading(self, title: str) -> None:
        self._lines += ["", f"── {escape_control(title)} ──", ""]

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[Part]]) -> None:
        right = [name.startswith(">") for name in columns]
        grid = [[name.lstrip(">") for name in columns], *([safe_text(part) for part in row] for row in rows)]
        widths = [max(cell_width(row[place]) for row in grid) for place in range(len(columns))]
        for row in grid:
            padded = [_pad(text, width, side) for text, width, side in zip(row, widths, right, strict=True)]
            self._lines.append(_INDENT.join(padded).rstrip())

    def card(self, title: Line, body: Sequence[Line], tone: Tone = "dim") -> None:  # noqa: ARG002 - plain text has no tone
        self.line(*title)
        for line in body:
            self.line(_INDENT, *line)

    def entry(self, lead: Line, body: Sequence[Line]) -> None:
        start = "".join(map(safe_text, lead))
        indent = " " * cell_width(start)
        for number, line in enumerate(body):
            self.line(indent if number else start, _INDENT, *line)

    def text(self) -> str:
        return "".join(f"{line}\n" for line in self._lines)


def _pad(text: str, width: int, right: bool) -> str:
    gap = " " * (width - cell_width(text))
    return gap + text if right else text + gap


class RichRenderer:
    """Frames and the terminal's width, and colour where it is wanted. Imports rich only when used: it costs a tenth of a second."""

    room = 1500

    def __init__(self, console: Console | None = None) -> None:
        from rich.console import Console

        colour: Literal["auto"] | None = "auto" if wants_codes(sys.stdout) else None
        self._console = console or Console(highlight=False, markup=False, emoji=False, color_system=colour)
        self._width = min(self._console.width, _MAX_WIDTH)
        self._blocks: list[RenderableType] = []

    def line(self, *parts: Part) -> None:
        self._blocks.append(_styled(parts))

    def heading(self, title: str) -> None:
        from rich.rule import Rule

        rule = Rule(_styled((Span(title, "strong"),)), align="left", style=_STYLES["dim"])
        self._blocks += ["", rule, ""]

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[Part]]) -> None:
        from rich.box import SIMPLE_HEAD
        from rich.table import Table

        frame = _STYLES["dim"]
        table = Table(box=SIMPLE_HEAD, header_style="bold", border_style=frame, padding=(0, 1, 0, 0), show_edge=False)
        table.expand = True
        for place, name in enumerate(columns):
            last = place == len(columns) - 1
            side: Literal["left", "right"] = "right" if name.startswith(">") else "left"
            ratio = 1 if last else None
            table.add_column(name.lstrip(">"), justify=side, no_wrap=True, overflow="ellipsis", ratio=ratio)
        for row in rows:
            table.add_row(*(_styled((part,)) for part in row))
        self._blocks.append(table)

    def card(self, title: Line, body: Sequence[Line], tone: Tone = "dim") -> None:
        from rich.box import ROUNDED
        from rich.console import Group
        from rich.panel import Panel

        lines = Group(*(_styled(line) for line in body))
        frame = _STYLES[tone]
        self._blocks.append(
            Panel(lines, title=_styled(title), title_align="left", box=ROUNDED, border_style=frame, padding=(0, 1))
        )

    def entry(self, lead: Line, body: Sequence[Line]) -> None:
        from rich.console import Group
        from rich.table import Table

        grid = Table.grid(padding=(0, 2, 0, 0), expand=True)
        grid.add_column(no_wrap=True)
        grid.add_column(ratio=1)
        grid.add_row(_styled(lead), Group(*(_styled(line) for line in body)))
        self._blocks.append(grid)

    def text(self) -> str:
        with self._console.capture() as captured:
            for block in self._blocks:
                self._console.print(block, width=self._width)
        return captured.get()


def _styled(parts: Line) -> Text:
    """Styled text; nothing in it is read as rich markup."""
    from rich.text import Text

    return Text.assemble(*((safe_text(part), _STYLES[part.tone] if isinstance(part, Span) else "") for part in parts))
