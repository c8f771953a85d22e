"""Recognises lines that only point to another file, and finds the files that a text links to."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from recollect.portable.memory_files.accounting import words_of

_POINTER = re.compile(
    r"^(?:\[[^\]]*\]\(<?([^)>\s]+)>?\)|`([^`]+)`|\[\[([^\]|]+)(?:\|[^\]]*)?\]\]|([\w./-]+\.md))(.*)$", re.DOTALL
)
_REST = re.compile(r"^\s*(?:[-–—:(|].*)?$", re.DOTALL)
# A link of so few words names a file; more of them may say something.
_LONGEST_TITLE = 4
_LINK = re.compile(r"\[[^\]]*\]\(<?([^)>\s]+)>?\)|\[\[([^\]|]+)(?:\|[^\]]*)?\]\]")


@dataclass(slots=True)
class KnownFiles:
    """The files that are read together, by their paths in lower case; `read` returns the text of one.

    `titles` are other names of files: how they call themselves.
    """

    read: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    _words: dict[str, frozenset[str]] = field(default_factory=dict)

    def pointer_reason(self, of: str) -> Callable[[str], str | None]:
        """A function that returns why a line of a file is only a pointer, or None.

        A line that says something about the file it points to is a fact, unless that file says it itself.
        """

        def pointer_reason(line: str) -> str | None:
            found = _POINTER.match(line.strip())
            if found is None or not _REST.match(found[5]):
                return None
            target = next(part for part in found.groups()[:4] if part).lower()
            says_more = bool(words_of(found[5]))
            if target.startswith("#"):
                return None if says_more else "a line of a table of contents"
            known = self.find(target, of)
            if known is not None:
                own = words_of(line) - words_of(target)
                is_title = not says_more and len(own) <= _LONGEST_TITLE
                repeats = is_title or own <= self._words_in(known)
                return "an index line: the file it names is read itself, and says the same" if repeats else None
            is_dead = target.partition("#")[0].endswith(".md") and not says_more
            return "a link to a file that does not exist" if is_dead else None

        return pointer_reason

    def targets(self, text: str, of: str) -> Iterator[str]:
        """The files that a text of a file links to, by their paths; not the file itself."""
        for found in _LINK.finditer(text):
            known = self.find((found[1] or found[2]).lower(), of)
            if known is not None and known != of.lower():
                yield known

    def find(self, target: str, of: str) -> str | None:
        """The path of the file that a link in another file means."""
        path = target.partition("#")[0].removeprefix("memory://").strip()
        here = PurePosixPath(of.lower()).parent
        spellings = (path, os.path.normpath(here / path), f"{path}.md", os.path.normpath(here / f"{path}.md"))
        for spelling in spellings:
            if (found := spelling.removeprefix("./")) in self.read:
                return found
        return self.titles.get(" ".join(path.split())) if path else None

    def _words_in(self, name: str) -> frozenset[str]:
        if name not in self._words:
            self._words[name] = frozenset(words_of(self.read[name]())) | words_of(name)
        return self._words[name]


def titles_of(names: Iterable[str]) -> dict[str, str]:
    """The names without folder and ending, as a wiki links to them; names that several files have mean none of them."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(PurePosixPath(name.lower()).stem, []).append(name.lower())
    return {stem: paths[0] for stem, paths in found.items() if len(paths) == 1}
