"""Layout: blocks written out again as plain text: wrapped lines joined, nested items indented, a table row as a sentence."""

from __future__ import annotations

import re

from recollect.portable.memory_files.blocks import Block, Row, plain
from recollect.portable.memory_files.signs import is_unfilled, labelled, own_lines, starts_turn

_PLAIN_HEADERS = frozenset(
    "metric|key|name|item|field|#|no|no.|nr|setting|property|attribute|feature|thing|entry|parameter|option|component|variable".split("|")
)  # fmt: skip
_PLAIN_VALUES = frozenset(
    "value|description|notes|note|details|meaning|definition|info|what|text|content|valor|descripción|wert".split("|")
)
_INDENT = "   "
# Scripts written without spaces are wrapped without them too.
_NO_SPACE = re.compile(r"(?<=[\u3040-\u30ff\u3400-\u9fff])\n(?=[\u3040-\u30ff\u3400-\u9fff])")


def joined(text: str) -> str:
    """Running text on one line."""
    return " ".join(_NO_SPACE.sub("", plain(text)).split())


def units(block: Block) -> list[tuple[int, str]]:
    """The things a paragraph says, with the line of each: labelled lines and turns one by one, else the paragraph as a whole."""
    lines = block.text.split("\n")
    if len(lines) > 1 and own_lines(lines):
        return [(block.line + place, line) for place, line in enumerate(lines)]
    begins = next((sign for sign in (labelled, starts_turn) if sign(lines[0])), None)
    if begins is None:
        return [(block.line, block.text)]
    found: list[tuple[int, str]] = []
    for place, line in enumerate(lines):
        if begins(line):
            found.append((block.line + place, line))
        else:
            start, before = found.pop()
            found.append((start, f"{before}\n{line}"))
    return found


def written(block: Block, indent: str = "") -> str:
    """A block as plain text, nested lists indented under their item."""
    match block.kind:
        case "list":
            marks = [f"{n}. " if block.ordered else "- " for n in range(1, len(block.children) + 1)]
            pairs = zip(marks, block.children, strict=True)
            return "\n".join(f"{indent}{mark}{written(item, indent + _INDENT).lstrip()}" for mark, item in pairs)
        case "item" | "quote":
            return _of_item(block, indent)
        case "table":
            header, *rows = block.rows
            return "\n".join(f"{indent}- {row_text(header, row)}" for row in rows)
        case "code":
            return "\n".join(indent + line for line in block.text.split("\n"))
    return indent + joined(block.text)


def _of_item(item: Block, indent: str) -> str:
    """A single detail follows its statement on the same line; several stand under it."""
    if not item.children:
        return ""
    head, *rest = (written(child, indent) for child in item.children)
    if len(item.children) == 2 and _is_one_line(item.children[1]):
        detail = written(item.children[1]).removeprefix("- ").removeprefix("1. ")
        return f"{head.rstrip(':')}: {detail}"
    return "\n".join((head, *rest))


def _is_one_line(block: Block) -> bool:
    return block.kind == "list" and len(block.children) == 1 and "\n" not in written(block)


def is_sparse(row: Row) -> bool:
    """Whether a row of a table holds nothing beyond its name."""
    return not any(cell and not is_unfilled(cell) for cell in row.cells[1:] or row.cells)


def row_text(header: Row, row: Row) -> str:
    """A row as a sentence: what it is about, then each column with its name."""
    names = [name.strip() for name in header.cells]
    first = row.cells[0] if names[0].casefold() in _PLAIN_HEADERS or not names[0] else f"{names[0]} {row.cells[0]}"
    rest = [(name, cell) for name, cell in zip(names[1:], row.cells[1:], strict=False) if cell]
    if len(rest) == 1 and (not rest[0][0] or rest[0][0].casefold() in _PLAIN_VALUES):
        return f"{first}: {rest[0][1]}"
    told = "; ".join(f"{name}: {cell}" if name else cell for name, cell in rest)
    return f"{first} — {told}" if row.cells[0] else told
