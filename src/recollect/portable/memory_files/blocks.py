"""Parses a Markdown file (CommonMark with tables) into blocks, each with its line number and its plain text.

Emphasis is removed from the text, except that bold text stays marked by two private characters, because people write labels and
small headings in bold.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

BlockKind = Literal["heading", "paragraph", "list", "item", "table", "code", "quote", "html", "rule"]
BOLD_START, BOLD_END = "\ue000", "\ue001"
_KINDS: dict[str, BlockKind] = {
    "heading": "heading", "paragraph": "paragraph", "bullet_list": "list", "ordered_list": "list", "list_item": "item",
    "table": "table", "fence": "code", "code_block": "code", "blockquote": "quote", "html_block": "html", "hr": "rule",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of a table and its line number."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """One block; its text has the line breaks of the file. `number` is that of an item in a numbered list, as written."""

    kind: BlockKind
    line: int
    text: str = ""
    level: int = 0
    ordered: bool = False
    number: str = ""
    children: tuple[MarkdownBlock, ...] = ()
    rows: tuple[TableRow, ...] = ()


def parse_blocks(text: str, first_line: int = 1) -> tuple[MarkdownBlock, ...]:
    """The blocks of a Markdown text."""
    from markdown_it.tree import SyntaxTreeNode

    clean = text.replace(BOLD_START, "").replace(BOLD_END, "")
    return _children(SyntaxTreeNode(_parser().parse(clean)), first_line)


def strip_bold(text: str) -> str:
    """Text without the marks of bold text."""
    return text.replace(BOLD_START, "").replace(BOLD_END, "")


@cache
def _parser() -> MarkdownIt:
    # Imported here, because no other command needs it.
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def _children(node: SyntaxTreeNode, first: int) -> tuple[MarkdownBlock, ...]:
    return tuple(_block(child, first) for child in node.children if child.type in _KINDS)


def _block(node: SyntaxTreeNode, first: int) -> MarkdownBlock:
    kind, line = _KINDS[node.type], first + (node.map[0] if node.map else 0)
    match kind:
        case "heading":
            return MarkdownBlock(kind, line, _text_of(node), level=int(node.tag[1:]))
        case "paragraph":
            return MarkdownBlock(kind, line, _text_of(node))
        case "table":
            return MarkdownBlock(kind, line, rows=_rows(node, first))
        case "code":
            return MarkdownBlock(kind, line, _code_text(node))
        case "html" | "rule":
            return MarkdownBlock(kind, line, node.content)
    number = node.info if kind == "item" else ""
    return MarkdownBlock(
        kind, line, ordered=node.type == "ordered_list", children=_children(node, first), number=number
    )


def _code_text(node: SyntaxTreeNode) -> str:
    """Code with its fence and the name of its language."""
    fence = "````" if "```" in node.content else "```"
    language = node.info.strip() if node.type == "fence" else ""
    return f"{fence}{language}\n{node.content.rstrip()}\n{fence}"


def _rows(table: SyntaxTreeNode, first: int) -> tuple[TableRow, ...]:
    found = [row for part in table.children for row in part.children]
    return tuple(
        TableRow(
            first + (row.map[0] if row.map else 0), tuple(strip_bold(_text_of(cell)).strip() for cell in row.children)
        )
        for row in found
    )


def _text_of(node: SyntaxTreeNode) -> str:
    return "".join(_inline_text(child) for inline in node.children for child in inline.children).strip()


def _inline_text(node: SyntaxTreeNode) -> str:
    """One inline element as plain text, without emphasis."""
    inner = "".join(_inline_text(child) for child in node.children)
    match node.type:
        case "text" | "text_special":
            return node.content
        case "html_inline":
            return "" if node.content.startswith("<!--") else node.content
        case "code_inline":
            tick = "``" if "`" in node.content else "`"
            return f"{tick}{node.content}{tick}"
        case "softbreak" | "hardbreak":
            return "\n"
        case "strong":
            return f"{BOLD_START}{inner}{BOLD_END}"
        case "s":
            return f"~~{inner}~~"
        case "link":
            return _link(inner, str(node.attrs.get("href", "")))
        case "image":
            return f"[{strip_bold(node.content)}]({node.attrs.get('src', '')})"
    return inner


def _link(text: str, target: str) -> str:
    bare = target.removeprefix("mailto:")
    return text if strip_bold(text) in (target, bare) else f"[{text}]({target})"
