"""Checks that nothing of a file is lost in silence: what no fact and no skipped block repeats is listed line by line."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from recollect.portable.memory_files.facts import Fact, SkippedBlock
from recollect.values.normalise import normalise
from recollect.values.plain import strings_in

_WORD = re.compile(r"[^\W_]+")
_BOX = re.compile(r"^(\s*(?:[-*+]|\d+[.)])\s+)\[[ xX]\]")
_COLUMNS = re.compile(r"^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-*:?\s*)*$")
_HEADING = re.compile(r"^ {0,3}#{1,6}\s")
_UNDERLINE = re.compile(r"^ {0,3}(?:=+|-+)\s*$")
_TARGET = re.compile(r"^\s*\[[^\]]+\]:")


def words_of(text: str) -> set[str]:
    """The words and numbers of a text, whatever stands between them."""
    return set(_WORD.findall(normalise(text).casefold()))


def unaccounted(
    body: str, first_line: int, facts: Sequence[Fact], skipped: Sequence[SkippedBlock], beside: Any
) -> list[SkippedBlock]:
    """The lines with words that are in no fact, in no skipped block and not in `beside`, each with what it seems to be."""
    known = words_of(" ".join(strings_in(beside))).union(
        *(_words_of_fact(fact) for fact in facts), *(words_of(one.text) for one in skipped)
    )
    lines = body.split("\n")
    return [
        SkippedBlock(first_line + place, line.strip(), _reason(line, lines[place + 1 : place + 2]))
        for place, line in enumerate(lines)
        if not (words_of(_BOX.sub(r"\1", line)) <= known or words_of(html.unescape(_BOX.sub(r"\1", line))) <= known)
    ]


def _words_of_fact(fact: Fact) -> set[str]:
    return words_of(" ".join((fact.text, *fact.tags, *(part.text for part in fact.parts)))) | _dates(
        (fact.occurred_at,)
    )


def _dates(days: Iterable[datetime | None]) -> set[str]:
    """The words of a date in the usual spellings."""
    found = (f"{day:%Y %m %d %B %b %H %M} {day.month} {day.day} {day.day}th {day:%Y%m%d}" for day in days if day)
    return words_of(" ".join(found))


def _reason(line: str, following: Sequence[str]) -> str:
    after = following[0] if following else ""
    if _HEADING.match(line) or (after and _UNDERLINE.match(after) and "|" not in line):
        return "a heading that no memory repeats"
    if "|" in line and _COLUMNS.match(after):
        return "names of columns that no memory repeats"
    if _TARGET.match(line):
        return "the target of a link"
    return "markup" if line.lstrip().startswith("<") else "words that no memory repeats"
