"""The headings above the current line of a file, and what they add to it: context, tags and a date."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from recollect.portable.memory_files.blocks import MarkdownBlock, strip_bold
from recollect.portable.memory_files.dates import at_time, date_in
from recollect.portable.memory_files.line_rules import heading_tag, heading_text, is_generic_heading

_MOST_PARTS, _LONGEST = 3, 160
_FRAGMENT = 4
_WORD = re.compile(r"\w+")
# A word in a link, a path or a tag does not say what a line is about.
_NAMES = re.compile(r"\]\([^)]*\)|\w+://\S+|\S*\w/\S*|#\S+")


@dataclass(slots=True)
class Heading:
    """One heading above the current line; `used` when there was anything under it."""

    text: str
    level: int
    line: int
    used: bool = False


@dataclass(slots=True)
class HeadingStack:
    """The headings above the current line, outermost first."""

    day: datetime | None = None
    above: list[Heading] = field(default_factory=list)

    def enter(self, block: MarkdownBlock) -> list[Heading]:
        """Enter a new heading; returns the headings it ends that had nothing under them."""
        gone = [heading for heading in self.above if heading.level >= block.level]
        self.above = [heading for heading in self.above if heading.level < block.level]
        for heading in self.above:
            heading.used = True
        self.above.append(Heading(" ".join(strip_bold(block.text).split()), block.level, block.line))
        return [heading for heading in gone if not heading.used]

    def leave(self) -> list[Heading]:
        """End the file; returns the headings that had nothing under them."""
        return [heading for heading in self.above if not heading.used]

    def use(self) -> None:
        """Mark the current headings as used."""
        for heading in self.above:
            heading.used = True

    @property
    def names(self) -> tuple[str, ...]:
        """The texts of the headings."""
        return tuple(heading.text for heading in self.above)

    @property
    def tags(self) -> tuple[str, ...]:
        """The headings as tags, without dates and titles like "MEMORY.md"."""
        found = (heading_tag(heading.text) for heading in self.above if self._is_specific(heading))
        return tuple(dict.fromkeys(tag for tag in found if tag))

    @property
    def date(self) -> datetime | None:
        """The date of the nearest heading that has one, else that of the file, with the UTC time in a heading."""
        found = self.day
        for heading in self.above:
            found = date_in(heading.text) or at_time(heading.text, found)
        return found

    def title(self) -> str:
        """The title of the section, to decide whether a list in it is a procedure."""
        return " ".join(heading_text(heading.text) for heading in self.above[-2:])

    def before(self, text: str, labels: Sequence[str]) -> str:
        """The prefix that makes a line understandable on its own: headings and labels that are not in the line itself."""
        specific = [
            name for h in self.above if not is_generic_heading(h.text, h.level) and (name := heading_text(h.text))
        ]
        if not specific and not labels and self.above and len(_WORD.findall(text)) < _FRAGMENT:
            specific = [name for h in self.above[-1:] if (name := heading_text(h.text))]
        first_line = _NAMES.sub(" ", text.partition("\n")[0]).casefold()
        parts = [part for part in specific if not re.search(rf"(?<!\w){re.escape(part.casefold())}(?!\w)", first_line)]
        chosen = [*parts[-_MOST_PARTS:], *labels]
        while len(chosen) > max(len(labels), 1) and len(" › ".join(chosen)) > _LONGEST:
            chosen = chosen[1:]
        return " › ".join(dict.fromkeys(chosen))

    def _is_specific(self, heading: Heading) -> bool:
        return any(c.isalpha() for c in heading_text(heading.text)) and not (
            heading.level == 1 and is_generic_heading(heading.text, 1)
        )
