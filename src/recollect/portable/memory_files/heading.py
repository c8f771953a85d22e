"""Headings: where in a file a reader is, what that adds to a line read there, and the date it gives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from recollect.portable.memory_files.blocks import Block, plain
from recollect.portable.memory_files.dates import at_time, date_in
from recollect.portable.memory_files.signs import plain_heading, says_little, tag_of

_MOST_PARTS, _LONGEST = 3, 160
_FRAGMENT = 4
_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class Heading:
    """One heading above the line being read; `used` when anything stood under it."""

    text: str
    level: int
    line: int
    used: bool = False


@dataclass(slots=True)
class Headings:
    """The headings above the line being read, outermost first."""

    day: datetime | None = None
    above: list[Heading] = field(default_factory=list)

    def enter(self, block: Block) -> list[Heading]:
        """Come to a heading; returns those left behind with nothing under them."""
        gone = [heading for heading in self.above if heading.level >= block.level]
        self.above = [heading for heading in self.above if heading.level < block.level]
        for heading in self.above:
            heading.used = True
        self.above.append(Heading(" ".join(plain(block.text).split()), block.level, block.line))
        return [heading for heading in gone if not heading.used]

    def leave(self) -> list[Heading]:
        """Come to the end of the file; returns those with nothing under them."""
        return [heading for heading in self.above if not heading.used]

    def use(self) -> None:
        """Something stands here."""
        for heading in self.above:
            heading.used = True

    @property
    def names(self) -> tuple[str, ...]:
        """The headings as they are written."""
        return tuple(heading.text for heading in self.above)

    @property
    def tags(self) -> tuple[str, ...]:
        """The headings as tags; dates and titles like "MEMORY.md" make none."""
        found = (tag_of(heading.text) for heading in self.above if self._tells(heading))
        return tuple(dict.fromkeys(tag for tag in found if tag))

    @property
    def date(self) -> datetime | None:
        """The date of the nearest heading that has one, else that of the file; a UTC time in a heading belongs to it."""
        found = self.day
        for heading in self.above:
            found = date_in(heading.text) or at_time(heading.text, found)
        return found

    def title(self) -> str:
        """What the section is called, for telling whether a list in it is a procedure."""
        return " ".join(plain_heading(heading.text) for heading in self.above[-2:])

    def before(self, text: str, labels: Sequence[str]) -> str:
        """What to put before a line so that it stands alone: the headings and labels that say more than the line itself."""
        specific = [name for h in self.above if not says_little(h.text, h.level) and (name := plain_heading(h.text))]
        if not specific and not labels and self.above and len(_WORD.findall(text)) < _FRAGMENT:
            specific = [name for h in self.above[-1:] if (name := plain_heading(h.text))]
        told = text.partition("\n")[0].casefold()
        parts = [part for part in specific if not re.search(rf"(?<!\w){re.escape(part.casefold())}(?!\w)", told)]
        chosen = [*parts[-_MOST_PARTS:], *labels]
        while len(chosen) > max(len(labels), 1) and len(" › ".join(chosen)) > _LONGEST:
            chosen = chosen[1:]
        return " › ".join(dict.fromkeys(chosen))

    def _tells(self, heading: Heading) -> bool:
        return any(c.isalpha() for c in plain_heading(heading.text)) and not (
            heading.level == 1 and says_little(heading.text, 1)
        )
