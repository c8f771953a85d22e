"""Finds the dates that people put into file names, headings and lines."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_ISO = re.compile(r"(?<!\d)(\d{4})[-_/.](\d{1,2})[-_/.](\d{1,2})(?!\d)")
_COMPACT = re.compile(r"(?<!\d)(20\d{2})(\d{2})(\d{2})(?!\d)")
_MONTHS = {name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_MONTH = rf"({'|'.join(_MONTHS)})[a-z]*\.?"
_DAY_FIRST = re.compile(rf"(?i)\b(\d{{1,2}})(?:st|nd|rd|th)?\s+{_MONTH},?\s+(\d{{4}})\b")
_MONTH_FIRST = re.compile(rf"(?i)\b{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b")
_CLOCK = re.compile(r"(?<![\d:])(\d{1,2}):(\d{2})(?::\d{2})?\s*(?:UTC|Z|GMT)\b")
# In the middle of a line: not part of a path, a name or a version.
_ALONE = re.compile(r"(?<![\w./-])(\d{4})([-/])(\d{2})\2(\d{2})(?=T\d|[^\w/-]|$)(?!\.\w)")
_NOT_PROSE = re.compile(r"`[^`]*`|\]\([^)]*\)|\w+://\S+")
_DUE = re.compile(
    r"(?i)\b(?:by|until|till|before|due|deadline|expir\w*|valid|starting|planned|scheduled|next|bis|hasta|antes|avant|jusqu\S*)"
    r"(?:\W+\w+)?\W*$"
)
_LEADING = re.compile(r"^\W{0,3}(?:(?:on|date:?)\s+)?(?=[\w\d])", re.IGNORECASE)
_AROUND = " \t-–—:|·•()[],."


def date_in(text: str) -> datetime | None:
    """The first date in a text, at midnight UTC, or at the time in the text if that is marked as UTC."""
    found = _first_date(text)
    return None if found is None else at_time(text, found[0])


def date_of_name(path: str) -> datetime | None:
    """The date a file is named after: 2026-05-20.md, 2026-05-20-release.md, 20260520.md, 2026/05/20.md."""
    stem = path.removesuffix(".md").removesuffix(".markdown")
    compact = _COMPACT.search(stem.rsplit("/", 1)[-1])
    return date_in(stem.rsplit("/", 1)[-1]) or (compact and _date(*compact.groups())) or date_in(stem) or None


def leading_date(text: str) -> datetime | None:
    """The date that a line begins with, as in a log."""
    start = _LEADING.match(text)
    found = _first_date(text[:60])
    return at_time(text[:60], found[0]) if found and start and found[1] <= start.end() else None


def line_date(text: str, context: datetime | None) -> datetime | None:
    """The date that a line gives to what it says: the one it begins with, else the first in it that is not a deadline.

    `context` is the date of the heading or the file. A line cannot have happened after it, so a later date is a plan.
    """
    if found := leading_date(text):
        return found
    prose = _NOT_PROSE.sub(lambda hidden: " " * len(hidden[0]), text)
    for day, start in _dates_inside(prose):
        if not _DUE.search(prose[:start]) and (context is None or day.date() <= context.date()):
            return at_time(text, day)
    return None


def _dates_inside(text: str) -> list[tuple[datetime, int]]:
    found = [(_date(one[1], one[3], one[4]), one.start()) for one in _ALONE.finditer(text)]
    for pattern, order in ((_DAY_FIRST, (3, 2, 1)), (_MONTH_FIRST, (3, 1, 2))):
        found += [(_date(*(one[place] for place in order)), one.start()) for one in pattern.finditer(text)]
    return sorted(((day, start) for day, start in found if day is not None), key=lambda each: each[1])


def at_time(text: str, day: datetime | None) -> datetime | None:
    """A day at the UTC time in a text, if there is one."""
    clock = _CLOCK.search(text)
    if day is None or clock is None or int(clock[1]) > 23 or int(clock[2]) > 59:
        return day
    return day.replace(hour=int(clock[1]), minute=int(clock[2]))


def without_date(text: str) -> str:
    """A heading without its date."""
    found = _first_date(text)
    return (
        text
        if found is None
        else f"{text[: found[1]].rstrip(_AROUND)} {text[found[2] :].lstrip(_AROUND)}".strip(_AROUND)
    )


def _first_date(text: str) -> tuple[datetime, int, int] | None:
    for pattern, order in ((_ISO, (1, 2, 3)), (_DAY_FIRST, (3, 2, 1)), (_MONTH_FIRST, (3, 1, 2))):
        for found in pattern.finditer(text):
            made = _date(*(found[place] for place in order))
            if made is not None:
                return made, found.start(), found.end()
    return None


def _date(year: str, month: str, day: str) -> datetime | None:
    try:
        return datetime(int(year), _MONTHS.get(month[:3].lower()) or int(month), int(day), tzinfo=UTC)
    except ValueError:
        return None
