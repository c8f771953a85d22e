"""The Markdown elements of the reference pages: tables and code blocks."""

from __future__ import annotations

from collections.abc import Iterable

WIDTH = 96


def table(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Rows under headings."""
    lines = [list(columns)]
    lines += [["---"] * len(lines[0]), *([str(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def code(text: str) -> str:
    """A block that is shown and not run."""
    return f"```text\n{text.rstrip()}\n```"
