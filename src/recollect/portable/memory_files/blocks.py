"""Blocks: the structure of a Markdown file (CommonMark and tables), each block with its line and its plain text.

Emphasis is taken off the text; where something is bold is kept as a pair of private marks, because people write labels
and small headings so. After it: `facts` decides what a block says.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

Kind = Literal["heading", "paragraph", "list", "item", "table", "code", "quote", "html", "rule"]
BOLD, LIGHT = "\ue000", "\ue001"
_KINDS: dict[str, Kind] = {
    "heading": "heading", "paragraph": "paragraph", "bullet_list": "list", "ordered_list": "list", "list_item": "item",
    "table": "table", "fence": "code", "code_block": "code", "blockquote": "quote", "html_block": "html", "hr": "rule",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table and the line it stands on."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """One block; its text keeps the line breaks of the file."""

    kind: Kind
    line: int
    text: str = ""
    level: int = 0
    ordered: bool = False
    children: tuple[Block, ...] = ()
    rows: tuple[Row, ...] = ()


def blocks_of(text: str, first_line: int = 1) -> tuple[Block, ...]:
    """The blocks of a Markdown text."""
    from markdown_it.tree import SyntaxTreeNode

    clean = text.replace(BOLD, "").replace(LIGHT, "")
    return _children(SyntaxTreeNode(_parser().parse(clean)), first_line)


def plain(text: str) -> str:
    """Text without the marks of what is bold."""
    return text.replace(BOLD, "").replace(LIGHT, "")


@cache
def _parser() -> MarkdownIt:
    # Imported when a file is read: no other command needs it.
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def _children(node: SyntaxTreeNode, first: int) -> tuple[Block, ...]:
    return tuple(_block(child, first) for child in node.children if child.type in _KINDS)


def _block(node: SyntaxTreeNode, first: int) -> Block:
    kind, line = _KINDS[node.type], first + (node.map[0] if node.map else 0)
    match kind:
        case "heading":
            return Block(kind, line, _inline(node), level=int(node.tag[1:]))
        case "paragraph":
            return Block(kind, line, _inline(node))
        case "table":
            return Block(kind, line, rows=_rows(node, first))
        case "code":
            return Block(kind, line, _fenced(node))
        case "html" | "rule":
            return Block(kind, line, node.content)
    return Block(kind, line, ordered=node.type == "ordered_list", children=_children(node, first))


def _fenced(node: SyntaxTreeNode) -> str:
    """Code with its fence; the language says what it is."""
    fence = "````" if "```" in node.content else "```"
    language = node.info.strip() if node.type == "fence" else ""
    return f"{fence}{language}\n{node.content.rstrip()}\n{fence}"


def _rows(table: SyntaxTreeNode, first: int) -> tuple[Row, ...]:
    found = [row for part in table.children for row in part.children]
    return tuple(
        Row(first + (row.map[0] if row.map else 0), tuple(plain(_inline(cell)).strip() for cell in row.children))
        for row in found
    )


def _inline(node: SyntaxTreeNode) -> str:
    return "".join(_spelled(child) for inline in node.children for child in inline.children).strip()


def _spelled(node: SyntaxTreeNode) -> str:
    """One piece of running text as a reader would type it, without emphasis."""
    inner = "".join(_spelled(child) for child in node.children)
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
            return f"{BOLD}{inner}{LIGHT}"
        case "s":
            return f"~~{inner}~~"
        case "link":
            return _link(inner, str(node.attrs.get("href", "")))
        case "image":
            return f"[{plain(node.content)}]({node.attrs.get('src', '')})"
    return inner


def _link(text: str, target: str) -> str:
    bare = target.removeprefix("mailto:")
    return text if plain(text) in (target, bare) else f"[{text}]({target})"
