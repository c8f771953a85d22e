"""Splits the blocks of one Markdown file into facts, each with the headings that make it understandable on its own.

A fact is a line, a table row, a list of steps or a block of code. `blocks` parses the file before, `reader` makes drafts after.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from recollect.portable.memory_files.blocks import MarkdownBlock, TableRow, strip_bold
from recollect.portable.memory_files.dates import leading_date, line_date
from recollect.portable.memory_files.headings import Heading, HeadingStack
from recollect.portable.memory_files.line_rules import (
    are_separate_lines,
    ends_as_label,
    has_label,
    is_all_bold,
    is_procedure,
    is_unfilled,
    label_text,
    skip_reason,
    starts_turn,
)
from recollect.values.enums import MemoryType


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact: the text to store, and `bare`, the same without the headings put before it.

    `parts` contain the same in smaller pieces, for the case that the whole is refused because of one of them. `type` is set if the
    line says what it is; otherwise the type is inferred.
    """

    text: str
    bare: str
    line: int
    headings: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    occurred_at: datetime | None = None
    is_procedure: bool = False
    parts: tuple[Fact, ...] = ()
    type: MemoryType | None = None


@dataclass(frozen=True, slots=True)
class SkippedBlock:
    """Something that is not a fact: its line, its text, and why it was skipped."""

    line: int
    text: str
    reason: str


_INTRODUCED = ("list", "code", "table", "quote")
_SHORT_LABEL = 8
_LONGEST_ITEM = 900
_SENTENCE = 3
_CONTINUES = re.compile(r"(?i)^(?:why|how to apply|reason|rationale|because|warum|por qu[eé])\b[^:\n]{0,20}:")
_CHECKBOX = re.compile(r"^\[([ xX])\]\s+")
_QUESTION = re.compile(r"\?[\"'”’»)]*$")
# A sentence ends before white space, not inside of "v2.0" or "e.g. this".
_SENTENCE_END = re.compile(r"(?<=[.!?。])(?<!\b[a-zA-Z]\.)(?<!e\.g\.)(?<!i\.e\.)\s+(?=\S)")

Labels = tuple[str, ...]


@dataclass(slots=True)
class FactExtractor:
    """One pass over the blocks of a file. `pointer_reason` returns why a line only points to another text, or None."""

    headings: HeadingStack = field(default_factory=HeadingStack)
    pointer_reason: Callable[[str], str | None] = lambda _: None
    facts: list[Fact] = field(default_factory=list)
    skipped: list[SkippedBlock] = field(default_factory=list)
    _bold_label: Labels = ()

    def read(self, blocks: Sequence[MarkdownBlock]) -> None:
        """Read a whole file."""
        self.walk(blocks, ())
        self._skip_empty(self.headings.leave())

    def walk(self, blocks: Sequence[MarkdownBlock], labels: Labels, number: str = "") -> None:
        """Read neighbouring blocks; a paragraph may belong to what follows it. `number` is that of the first paragraph."""
        place = 0
        while place < len(blocks):
            block = blocks[place]
            if block.kind == "heading":
                self._bold_label = ()
                self._skip_empty(self.headings.enter(block))
            elif block.kind == "paragraph":
                place += self._paragraph(block, blocks[place + 1 :], labels, "" if place else number)
            else:
                self._read_block(block, (*self._bold_label, *labels))
            place += 1

    def _read_block(self, block: MarkdownBlock, labels: Labels) -> None:
        match block.kind:
            case "list":
                self._list(block, labels)
            case "table":
                self._table(block, labels)
            case "code":
                self._add(block.text, block.line, labels)
            case "quote":
                self._quote(block, labels)
            case "html":
                self._html(block, labels)
            case "rule":
                self._skip(block.line, "---", "a separator")

    def _paragraph(self, block: MarkdownBlock, after: Sequence[MarkdownBlock], labels: Labels, number: str = "") -> int:
        """Read a paragraph; returns how many of the blocks after it were read with it."""
        *first, (line, last) = paragraph_units(block)
        within = (*self._bold_label, *labels)
        for start, text in first:
            self._read_text(text, start, within, number)
            number = ""
        following = after[0].kind if after else None
        if following in _INTRODUCED and _introduces(last, following):
            return self._introduced(line, last, after, labels, number)
        if following == "paragraph" and is_all_bold(last) and not strip_bold(last).rstrip().endswith((".", "!", "。")):
            self._bold_label = (numbered(number, label_text(last)),)
            self.headings.use()
            return 0
        if following == "code":
            before, lead_in = _split_lead_in(join_lines(last))
            if before:
                self._read_text(before, line, within, number)
                number = ""
            self._add(f"{lead_in}\n{after[0].text}", line, within, number=number)
            return 1
        self._read_text(last, line, within, number)
        return 0

    def _introduced(
        self, line: int, text: str, after: Sequence[MarkdownBlock], labels: Labels, number: str = ""
    ) -> int:
        """Read the blocks that a sentence introduces, each with that sentence as its label.

        A sentence introduces the block after it and further ones of its kind; a small bold heading is above all of them.
        """
        before, lead_in = _split_lead_in(label_text(text) + ":")
        if before:
            self._read_text(before, line, (*self._bold_label, *labels), number)
            number = ""
        above_all = is_all_bold(text)
        if above_all:
            self._bold_label = ()
        label = numbered(number, label_text(lead_in))
        count = next((n for n, block in enumerate(after) if block.kind not in _INTRODUCED), len(after))
        if not above_all:
            count = next((n for n, block in enumerate(after[:count]) if block.kind != after[0].kind), count)
        found = len(self.facts) + len(self.skipped)
        for block in after[:count]:
            self._read_block(block, (*self._bold_label, *labels, label))
        if len(self.facts) + len(self.skipped) == found:
            self._skip(line, label, "a label with nothing under it")
        return count

    def _list(self, block: MarkdownBlock, labels: Labels) -> None:
        heads = [join_lines(item.children[0].text) if item.children else "" for item in block.children]
        title = labels[-1] if labels else self.headings.title()
        pointers = sum(1 for head in heads if self.pointer_reason(head))
        if not pointers and is_procedure(heads, title, ordered=block.ordered):
            self._add(render_block(block), block.line, labels, is_procedure=True)
            return
        for item in block.children:
            self._item(item, labels)

    def _item(self, item: MarkdownBlock, labels: Labels) -> None:
        if not item.children:
            self._skip(item.line, "", "an empty item")
            return
        head, rest = item.children[0], item.children[1:]
        if head.kind != "paragraph" or not rest:
            self.walk(item.children, labels, item.number)
        elif not any(block.kind == "list" for block in rest):
            self._add(render_block(item), item.line, labels, parts=self._parts(item, labels), number=item.number)
        elif ends_as_label(head.text) or is_all_bold(head.text):
            self.walk(rest, (*labels, numbered(item.number, label_text(head.text))))
        else:
            self._branch(item, labels)

    def _branch(self, item: MarkdownBlock, labels: Labels) -> None:
        """A statement with details under it: one memory, unless it is too long to be one."""
        whole, parts = render_block(item), self._parts(item, labels)
        if len(whole) <= _LONGEST_ITEM:
            self._add(whole, item.line, labels, parts=parts, number=item.number)
        else:
            self.facts += parts

    def _parts(self, item: MarkdownBlock, labels: Labels) -> tuple[Fact, ...]:
        """The same item line by line."""
        inner = FactExtractor(self.headings, self.pointer_reason)
        head, rest = item.children[0], item.children[1:]
        inner._read_text(head.text, head.line, labels, item.number)
        inner.walk(rest, (*labels, numbered(item.number, label_text(head.text))))
        return tuple(inner.facts)

    def _table(self, block: MarkdownBlock, labels: Labels) -> None:
        header, rows = block.rows[0], block.rows[1:]
        if not rows:
            self._skip(block.line, " | ".join(header.cells), "an empty table")
        for row in rows:
            if is_empty_row(row):
                self._skip(row.line, " | ".join(row.cells), "a row that was not filled in")
            elif reason := self.pointer_reason(" — ".join(cell for cell in row.cells if cell)):
                self._skip(row.line, " | ".join(row.cells), reason)
            else:
                self._row(header, row, labels)

    def _row(self, header: TableRow, row: TableRow, labels: Labels) -> None:
        dated = [found for cell in row.cells if (found := leading_date(cell))]
        self._add(row_text(header, row), row.line, labels, at=dated[0] if dated else None)

    def _quote(self, block: MarkdownBlock, labels: Labels) -> None:
        if labels and _QUESTION.search(labels[-1]):
            answer = "\n".join(render_block(child) for child in block.children)
            self._add(f"{labels[-1]} {answer}", block.line, labels[:-1])
        else:
            self.walk(block.children, labels)

    def _html(self, block: MarkdownBlock, labels: Labels) -> None:
        text = re.sub(r"(?s)<!--.*?(?:-->|$)|<(script|style)\b.*?(?:</\1>|$)", "", block.text)
        text = re.sub(r"</?[a-zA-Z][^>]*>", " ", text).strip()
        if len(text.split()) >= _SENTENCE:
            self._read_text(text, block.line, labels)
        else:
            self._skip(block.line, block.text, "a comment" if block.text.lstrip().startswith("<!--") else "markup")

    def _read_text(self, text: str, line: int, labels: Labels, number: str = "") -> None:
        """A line of text: a fact, the continuation of the fact before, or nothing worth storing."""
        text_line = join_lines(text)
        reason = self.pointer_reason(text_line) or skip_reason(text)
        if reason is None and is_all_bold(text) and (ends_as_label(text) or len(text_line.split()) < _SENTENCE):
            reason = "a label with nothing under it"
        if reason:
            self._skip(line, numbered(number, text_line), reason)
        elif _CONTINUES.match(text_line) and self.facts and self.facts[-1].headings == self.headings.names:
            last = self.facts.pop()
            more = f"\n{numbered(number, text_line)}"
            self.facts.append(replace(last, text=last.text + more, bare=last.bare + more))
        else:
            self._add(text_line, line, labels, number=number)

    def _add(
        self,
        text_line: str,
        line: int,
        labels: Labels,
        *,
        is_procedure: bool = False,
        at: datetime | None = None,
        parts: tuple[Fact, ...] = (),
        number: str = "",
    ) -> None:
        box = _CHECKBOX.match(text_line)
        bare = f"{text_line[box.end() :]} ({'to do' if box[1] == ' ' else 'done'})" if box else text_line
        before = self.headings.before(bare, labels)
        separator = "\n" if is_procedure or bare.startswith("```") else " "
        text = f"{before}:{separator}{numbered(number, bare)}" if before else numbered(number, bare)
        self.headings.use()
        date = at or self._date_of(bare, is_procedure=is_procedure) or self.headings.date
        self.facts.append(Fact(text, bare, line, self.headings.names, self.headings.tags, date, is_procedure, parts))

    def _date_of(self, text: str, *, is_procedure: bool) -> datetime | None:
        """The date in the first line of a text; the steps of a procedure have none."""
        first = text.partition("\n")[0]
        return leading_date(first) if is_procedure or first.startswith("```") else line_date(first, self.headings.date)

    def _skip(self, line: int, text: str, reason: str) -> None:
        self.headings.use()
        self.skipped.append(SkippedBlock(line, strip_bold(text).strip(), reason))

    def _skip_empty(self, headings: Sequence[Heading]) -> None:
        for heading in headings:
            self.skipped.append(SkippedBlock(heading.line, heading.text, "a heading with nothing under it"))


def _introduces(text: str, following: str) -> bool:
    """Whether a paragraph introduces the block after it."""
    text_line = join_lines(text)
    if ends_as_label(text) or (is_all_bold(text) and not text_line.endswith((".", "!"))):
        return True
    return following != "quote" and len(text_line.split()) <= _SHORT_LABEL and text_line[-1:].isalnum()


def _split_lead_in(text: str) -> tuple[str, str]:
    """What stands before the last sentence of a text, if it says something of its own, and the last sentence."""
    ends = list(_SENTENCE_END.finditer(text))
    before, lead_in = (text[: ends[-1].start()], text[ends[-1].end() :]) if ends else ("", text)
    return (before, lead_in) if len(before.split()) >= _SENTENCE else ("", text)


def numbered(number: str, text: str) -> str:
    """A text with its number in a list: the order may be what the list says."""
    return f"{number}. {text}" if number else text


_GENERIC_HEADERS = frozenset(
    "metric|key|name|item|field|#|no|no.|nr|setting|property|attribute|feature|thing|entry|parameter|option|component|variable".split("|")
)  # fmt: skip
_GENERIC_VALUES = frozenset(
    "value|description|notes|note|details|meaning|definition|info|what|text|content|valor|descripción|wert".split("|")
)
_INDENT = "   "
# Scripts written without spaces are wrapped without them too.
_NO_SPACE = re.compile(r"(?<=[\u3040-\u30ff\u3400-\u9fff])\n(?=[\u3040-\u30ff\u3400-\u9fff])")


def join_lines(text: str) -> str:
    """Text on one line."""
    return " ".join(_NO_SPACE.sub("", strip_bold(text)).split())


def paragraph_units(block: MarkdownBlock) -> list[tuple[int, str]]:
    """The statements of a paragraph, each with its line: labelled lines and turns of a conversation are separate."""
    lines = block.text.split("\n")
    if len(lines) > 1 and are_separate_lines(lines):
        return [(block.line + place, line) for place, line in enumerate(lines)]
    begins = next((sign for sign in (has_label, starts_turn) if sign(lines[0])), None)
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


def render_block(block: MarkdownBlock, indent: str = "") -> str:
    """A block as plain text, nested lists indented under their item."""
    match block.kind:
        case "list":
            marks = [f"{item.number}." if item.number else "-" for item in block.children]
            pairs = zip(marks, block.children, strict=True)
            return "\n".join(f"{indent}{mark} {render_block(item, indent + _INDENT).lstrip()}" for mark, item in pairs)
        case "item" | "quote":
            return _render_item(block, indent)
        case "table":
            header, *rows = block.rows
            return "\n".join(f"{indent}- {row_text(header, row)}" for row in rows)
        case "code":
            return "\n".join(indent + line for line in block.text.split("\n"))
    return indent + join_lines(block.text)


def _render_item(item: MarkdownBlock, indent: str) -> str:
    """A single detail follows its statement on the same line; several go below it."""
    if not item.children:
        return ""
    head, *rest = (render_block(child, indent) for child in item.children)
    if len(item.children) == 2 and _is_one_line(item.children[1]):
        detail = render_block(item.children[1]).removeprefix("- ")
        return f"{head.rstrip(':')}: {detail}"
    return "\n".join((head, *rest))


def _is_one_line(block: MarkdownBlock) -> bool:
    return block.kind == "list" and len(block.children) == 1 and "\n" not in render_block(block)


def is_empty_row(row: TableRow) -> bool:
    """Whether a row of a table has nothing but its name."""
    return not any(cell and not is_unfilled(cell) for cell in row.cells[1:] or row.cells)


def row_text(header: TableRow, row: TableRow) -> str:
    """A row as a sentence: what it is about, then each column with its name."""
    names = [name.strip() for name in header.cells]
    first = row.cells[0] if names[0].casefold() in _GENERIC_HEADERS or not names[0] else f"{names[0]} {row.cells[0]}"
    rest = [(name, cell) for name, cell in zip(names[1:], row.cells[1:], strict=False) if cell]
    if len(rest) == 1 and (not rest[0][0] or rest[0][0].casefold() in _GENERIC_VALUES):
        return f"{first}: {rest[0][1]}"
    columns = "; ".join(f"{name}: {cell}" if name else cell for name, cell in rest)
    return f"{first} — {columns}" if row.cells[0] else columns
