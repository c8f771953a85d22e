"""Facts: the blocks of one file read in order. A line, a row, a step list, a block of code: each with what makes it stand alone.

Before: `blocks`. After: `tree` gathers the files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from recollect.portable.memory_files.blocks import Block, Row, plain
from recollect.portable.memory_files.dates import leading_date
from recollect.portable.memory_files.finding import Fact, LeftOut
from recollect.portable.memory_files.heading import Heading, Headings
from recollect.portable.memory_files.layout import is_sparse, joined, row_text, units, written
from recollect.portable.memory_files.signs import all_bold, as_label, ends_as_label, unwanted
from recollect.portable.memory_files.steps import are_steps

_INTRODUCED = ("list", "code", "table", "quote")
_SHORT_LABEL = 8
_LONGEST_ITEM = 900
_SENTENCE = 3
_GOES_ON = re.compile(r"(?i)^(?:why|how to apply|reason|rationale|because|warum|por qu[eé])\b[^:\n]{0,20}:")
_LAST_SENTENCE = re.compile(r"^(.+[.!?。])\s+(\S.*:)$", re.DOTALL)
_BOX = re.compile(r"^\[([ xX])\]\s+")
_QUESTION = re.compile(r"\?[\"'”’»)]*$")
_EXCERPT = 60

Labels = tuple[str, ...]


@dataclass(slots=True)
class Reading:
    """One pass over the blocks of a file. `index` says of a line that only points somewhere where it points to."""

    headings: Headings = field(default_factory=Headings)
    index: Callable[[str], str | None] = lambda _: None
    facts: list[Fact] = field(default_factory=list)
    left: list[LeftOut] = field(default_factory=list)
    _small: Labels = ()

    def read(self, blocks: Sequence[Block]) -> None:
        """Read a whole file."""
        self.walk(blocks, ())
        self._bare(self.headings.leave())

    def walk(self, blocks: Sequence[Block], labels: Labels) -> None:
        """Read neighbouring blocks; a paragraph may belong to what follows it."""
        place = 0
        while place < len(blocks):
            block = blocks[place]
            if block.kind == "heading":
                self._small = ()
                self._bare(self.headings.enter(block))
            elif block.kind == "paragraph":
                place += self._paragraph(block, blocks[place + 1 :], labels)
            else:
                self._other(block, (*self._small, *labels))
            place += 1

    def _other(self, block: Block, labels: Labels) -> None:
        match block.kind:
            case "list":
                self._list(block, labels)
            case "table":
                self._table(block, labels)
            case "code":
                self._keep(block.text, block.line, labels)
            case "quote":
                self._quote(block, labels)
            case "html":
                self._html(block, labels)
            case "rule":
                self._leave(block.line, "---", "a separator")

    def _paragraph(self, block: Block, after: Sequence[Block], labels: Labels) -> int:
        """Read a paragraph; returns how many of the blocks after it were read with it."""
        *first, (line, last) = units(block)
        within = (*self._small, *labels)
        for start, text in first:
            self._say(text, start, within)
        following = after[0].kind if after else None
        if following in _INTRODUCED and _introduces(last, following):
            return self._introduced(line, last, after, labels)
        if following == "paragraph" and all_bold(last) and not plain(last).rstrip().endswith((".", "!", "。")):
            self._small = (as_label(last),)
            self.headings.use()
            return 0
        if following == "code":
            self._keep(f"{joined(last)}\n{after[0].text}", line, within)
            return 1
        self._say(last, line, within)
        return 0

    def _introduced(self, line: int, text: str, after: Sequence[Block], labels: Labels) -> int:
        """Read the blocks a sentence introduces, each with that sentence."""
        said = _LAST_SENTENCE.match(as_label(text) + ":")
        if said and len(said[1].split()) >= _SENTENCE:
            self._say(said[1], line, (*self._small, *labels))
        if all_bold(text):
            self._small = ()
        label = as_label(said[2] if said and len(said[1].split()) >= _SENTENCE else text)
        count = next((n for n, block in enumerate(after) if block.kind not in _INTRODUCED), len(after))
        before = len(self.facts) + len(self.left)
        for block in after[:count]:
            self._other(block, (*self._small, *labels, label))
        if len(self.facts) + len(self.left) == before:
            self._leave(line, label, "a label with nothing under it")
        return count

    def _list(self, block: Block, labels: Labels) -> None:
        heads = [joined(item.children[0].text) if item.children else "" for item in block.children]
        title = labels[-1] if labels else self.headings.title()
        pointers = sum(1 for head in heads if self.index(head))
        if not pointers and are_steps(heads, title, ordered=block.ordered):
            self._keep(written(block), block.line, labels, is_procedure=True)
            return
        for item in block.children:
            self._item(item, labels)

    def _item(self, item: Block, labels: Labels) -> None:
        if not item.children:
            self._leave(item.line, "", "an empty item")
            return
        head, rest = item.children[0], item.children[1:]
        if head.kind != "paragraph" or not rest:
            self.walk(item.children, labels)
        elif not any(block.kind == "list" for block in rest):
            self._keep(written(item), item.line, labels, parts=self._parts(item, labels))
        elif ends_as_label(head.text) or all_bold(head.text):
            self.walk(rest, (*labels, as_label(head.text)))
        else:
            self._branch(item, labels)

    def _branch(self, item: Block, labels: Labels) -> None:
        """A statement with details under it: one memory, unless it is too long to be one."""
        whole, parts = written(item), self._parts(item, labels)
        if len(whole) <= _LONGEST_ITEM:
            self._keep(whole, item.line, labels, parts=parts)
        else:
            self.facts += parts

    def _parts(self, item: Block, labels: Labels) -> tuple[Fact, ...]:
        """The same item line by line."""
        apart = Reading(self.headings, self.index)
        head, rest = item.children[0], item.children[1:]
        apart._say(head.text, head.line, labels)
        apart.walk(rest, (*labels, as_label(head.text)))
        return tuple(apart.facts)

    def _table(self, block: Block, labels: Labels) -> None:
        header, rows = block.rows[0], block.rows[1:]
        if not rows:
            self._leave(block.line, " | ".join(header.cells), "an empty table")
        for row in rows:
            if is_sparse(row):
                self._leave(row.line, " | ".join(row.cells), "a row that was not filled in")
            elif why := self.index(row.cells[0]):
                self._leave(row.line, " | ".join(row.cells), why)
            else:
                self._row(header, row, labels)

    def _row(self, header: Row, row: Row, labels: Labels) -> None:
        dated = [found for cell in row.cells if (found := leading_date(cell))]
        self._keep(row_text(header, row), row.line, labels, at=dated[0] if dated else None)

    def _quote(self, block: Block, labels: Labels) -> None:
        if labels and _QUESTION.search(labels[-1]):
            answer = "\n".join(written(child) for child in block.children)
            self._keep(f"{labels[-1]} {answer}", block.line, labels[:-1])
        else:
            self.walk(block.children, labels)

    def _html(self, block: Block, labels: Labels) -> None:
        text = re.sub(r"(?s)<!--.*?(?:-->|$)|<(script|style)\b.*?(?:</\1>|$)", "", block.text)
        text = re.sub(r"</?[a-zA-Z][^>]*>", " ", text).strip()
        if len(text.split()) >= _SENTENCE:
            self._say(text, block.line, labels)
        else:
            self._leave(block.line, block.text, "a comment" if block.text.lstrip().startswith("<!--") else "markup")

    def _say(self, text: str, line: int, labels: Labels) -> None:
        """A line of running text: a fact, the rest of the one before, or nothing worth a memory."""
        said = joined(text)
        why = self.index(said) or unwanted(text)
        if why is None and all_bold(text) and (ends_as_label(text) or len(said.split()) < _SENTENCE):
            why = "a label with nothing under it"
        if why:
            self._leave(line, said, why)
        elif _GOES_ON.match(said) and self.facts and self.facts[-1].headings == self.headings.names:
            last = self.facts.pop()
            self.facts.append(replace(last, text=f"{last.text}\n{said}", bare=f"{last.bare}\n{said}"))
        else:
            self._keep(said, line, labels)

    def _keep(
        self,
        said: str,
        line: int,
        labels: Labels,
        *,
        is_procedure: bool = False,
        at: datetime | None = None,
        parts: tuple[Fact, ...] = (),
    ) -> None:
        box = _BOX.match(said)
        bare = f"{said[box.end() :]} ({'to do' if box[1] == ' ' else 'done'})" if box else said
        before = self.headings.before(bare, labels)
        apart = "\n" if is_procedure or bare.startswith("```") else " "
        text = f"{before}:{apart}{bare}" if before else bare
        self.headings.use()
        date = at or leading_date(bare) or self.headings.date
        self.facts.append(Fact(text, bare, line, self.headings.names, self.headings.tags, date, is_procedure, parts))

    def _leave(self, line: int, what: str, why: str) -> None:
        self.headings.use()
        self.left.append(LeftOut(line, _excerpt(what), why))

    def _bare(self, headings: Sequence[Heading]) -> None:
        for heading in headings:
            self.left.append(LeftOut(heading.line, _excerpt(heading.text), "a heading with nothing under it"))


def _introduces(text: str, following: str) -> bool:
    """Whether a paragraph announces the block after it."""
    said = joined(text)
    if ends_as_label(text) or (all_bold(text) and not said.endswith((".", "!"))):
        return True
    return following != "quote" and len(said.split()) <= _SHORT_LABEL and said[-1:].isalnum()


def _excerpt(text: str) -> str:
    flat = " ".join(plain(text).split())
    return flat if len(flat) <= _EXCERPT else f"{flat[: _EXCERPT - 1]}…"
