"""Page: what a view writes on. A terminal gets colour, frames and its own width; a pipe gets aligned, complete, plain text.

Views say what a text *is* (its tone); how that looks is decided here and in `rich_page`, and every text is made harmless.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from recollect.serve.cli.output import visible

Tone = Literal["plain", "dim", "strong", "good", "warn", "bad", "old", "id", "bar"]
_INDENT = "  "


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text and what it is."""

    text: str
    tone: Tone = "plain"


Part = str | Piece
Line = tuple[Part, ...]


class Page(Protocol):
    """Where a view puts lines, tables, cards and entries."""

    @property
    def room(self) -> int | None:
        """How many characters of one memory to show at most; None is all of them."""
        ...

    def line(self, *parts: Part) -> None:
        """One line; without parts, an empty one."""
        ...

    def heading(self, title: str) -> None:
        """Something new begins."""
        ...

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[Part]]) -> None:
        """Rows under headings; the last column takes the room that is left. A heading that starts with > aligns right."""
        ...

    def card(self, title: Line, body: Sequence[Line], tone: Tone = "dim") -> None:
        """Lines that belong together, under a title."""
        ...

    def entry(self, lead: Line, body: Sequence[Line]) -> None:
        """Lines hanging beside what leads them."""
        ...

    def text(self) -> str:
        """Everything so far, ready to be written."""
        ...


def new_page() -> Page:
    """The page that suits stdout."""
    if sys.stdout.isatty():
        from recollect.serve.cli.rich_page import RichPage

        return RichPage()
    return PlainPage()


def plain(part: Part) -> str:
    """The harmless text of a part."""
    return visible(part.text if isinstance(part, Piece) else part)


def cells(text: str) -> int:
    """How many columns a text takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


class PlainPage:
    """Plain text for pipes and files: aligned, nothing cut, no colour codes."""

    room = None

    def __init__(self) -> None:
        self._lines: list[str] = []

    def line(self, *parts: Part) -> None:
        self._lines.append("".join(map(plain, parts)).rstrip())

    def heading(self, title: str) -> None:
        self._lines += ["", f"── {visible(title)} ──", ""]

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[Part]]) -> None:
        right = [name.startswith(">") for name in columns]
        grid = [[name.lstrip(">") for name in columns], *([plain(part) for part in row] for row in rows)]
        widths = [max(cells(row[place]) for row in grid) for place in range(len(columns))]
        for row in grid:
            padded = [_pad(text, width, side) for text, width, side in zip(row, widths, right, strict=True)]
            self._lines.append(_INDENT.join(padded).rstrip())

    def card(self, title: Line, body: Sequence[Line], tone: Tone = "dim") -> None:  # noqa: ARG002 - plain text has no tone
        self.line(*title)
        for line in body:
            self.line(_INDENT, *line)

    def entry(self, lead: Line, body: Sequence[Line]) -> None:
        start = "".join(map(plain, lead))
        hang = " " * cells(start)
        for number, line in enumerate(body):
            self.line(hang if number else start, _INDENT, *line)

    def text(self) -> str:
        return "".join(f"{line}\n" for line in self._lines)


def _pad(text: str, width: int, right: bool) -> str:
    gap = " " * (width - cells(text))
    return gap + text if right else text + gap
