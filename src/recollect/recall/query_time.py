"""The time expressions of a query ("last March", "two weeks ago", "on 7 May 2023") as time windows.

Windows are padded, because people mention something days after it happened. Relative expressions count from the moment of
asking.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import cache
from typing import Any

Window = tuple[datetime, datetime]
_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = {name[:size]: number for number, name in enumerate(_MONTHS, 1) for size in (3, 4, len(name))}
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "couple": 2, "three": 3, "few": 3, "four": 4, "several": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
_DAYS = {"day": 1.0, "week": 7.0, "month": 30.4, "year": 365.25}
_PADDING = {"day": 1, "week": 3, "month": 8, "year": 60}
_AFTER_DAY, _AFTER_MONTH = 5, 14
_YEARS_BACK = 4

_N = r"(\d{1,3}|an?(?! (?:few|couple))|one|two|three|four|five|six|seven|eight|nine|ten|(?:a )?couple(?: of)?|(?:a )?few|several)"
_M = rf"({'|'.join(_MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
_Y = r"((?:19|20)\d\d)"
_PATTERNS = {
    "iso": rf"\b{_Y}-(\d\d)-(\d\d)\b",
    "month_day": rf"\b{_M}\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+{_Y})?",
    "day_month": rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_M}\b(?:,?\s+{_Y})?",
    "month_year": rf"\b{_M}\.?,?\s+{_Y}\b",
    "month": rf"\b(?:in|during|since|of|last|this|early|late|mid)\s+(?:the month of\s+)?{_M}\b",
    "year": rf"\b(?:in|during|of|since)\s+{_Y}\b",
    "ago": rf"\b{_N}\s+(day|week|month|year)s?\s+ago\b",
    "past": rf"\b(?:past|last|previous)\s+{_N}\s+(day|week|month|year)s?\b",
    "last": rf"\b(last|past|previous|this)\s+(week|weekend|month|year|{'|'.join(_WEEKDAYS)})\b",
    "near": r"\b(yesterday|today|this morning)\b",
}
# A pattern can only match a text that has one of its signs. Compiling all ten patterns would take longer than a first recall.
_OF_MONTH = frozenset(_MONTH)
_SIGNS = {
    "iso": frozenset({"-"}), "month_day": _OF_MONTH, "day_month": _OF_MONTH, "month_year": _OF_MONTH, "month": _OF_MONTH,
    "year": frozenset({"19", "20"}), "ago": frozenset({"ago"}), "past": frozenset({"past", "last", "previous"}),
    "last": frozenset({"last", "past", "previous", "this"}), "near": frozenset({"yesterday", "today", "this"}),
}  # fmt: skip
_ANY_SIGN = frozenset().union(*_SIGNS.values())
_SIGN = re.compile(r"[a-z]+|-|19|20")
# The words that time expressions consist of.
_TIME_WORD = re.compile(
    rf"{_M}|{'|'.join(_WEEKDAYS)}|weekend|today|yesterday|morning|ago|last|past|previous|since|early|late|mid"
    r"|(?:day|week|month|year)s?|\d{1,2}(?:st|nd|rd|th)?|(?:19|20)\d\d"
)
Find = Callable[[str], list[Any]]


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_PATTERNS[name])


def time_windows(question: str, now: datetime, *, exact: bool) -> tuple[Window, ...]:
    """The time windows a query names. Without an `exact` moment of asking, a month may be of any of several years."""
    text = question[:2000].lower()
    signs = set(_SIGN.findall(text))
    if signs.isdisjoint(_ANY_SIGN):
        return ()

    def find(name: str) -> list[Any]:
        return [] if signs.isdisjoint(_SIGNS[name]) else _pattern(name).findall(text)

    return (*_dates(find, now, exact=exact), *_relative(find, now))


def is_time_word(word: str) -> bool:
    """Whether a word of a query that names a time may belong to the time it names."""
    return _TIME_WORD.fullmatch(word.lower()) is not None


def _dates(find: Find, now: datetime, *, exact: bool) -> Iterator[Window]:
    days = [(year, month, day) for year, month, day in find("iso")]
    days += [(year, str(_MONTH[month]), day) for month, day, year in find("month_day")]
    days += [(year, str(_MONTH[month]), day) for day, month, year in find("day_month")]
    found = [window for year, month, day in days for window in _day(year, int(month), int(day), now, exact=exact)]
    if found:
        yield from found
        return
    of_year = find("month_year")
    months = [(int(year), _MONTH[month]) for month, year in of_year]
    if not of_year:
        bare = [_MONTH[month] for month in find("month")]
        months = [(year, month) for month in bare for year in _years(month, 1, now, exact=exact)]
    for year, month in months:
        first = datetime(year, month, 1, tzinfo=now.tzinfo)
        yield first, (first + timedelta(days=32)).replace(day=1) + timedelta(days=_AFTER_MONTH)
    if not months:
        for year in find("year"):
            yield datetime(int(year), 1, 1, tzinfo=now.tzinfo), datetime(int(year) + 1, 1, 1, tzinfo=now.tzinfo)


def _day(year: str, month: int, day: int, now: datetime, *, exact: bool) -> Iterator[Window]:
    for number in [int(year)] if year else _years(month, day, now, exact=exact):
        try:
            start = datetime(number, month, day, tzinfo=now.tzinfo)
        except ValueError:
            continue
        yield start - timedelta(days=1), start + timedelta(days=_AFTER_DAY)


def _years(month: int, day: int, now: datetime, *, exact: bool) -> list[int]:
    latest = now.year if (month, day) <= (now.month, now.day) else now.year - 1
    return [latest] if exact else [latest - back for back in range(_YEARS_BACK)]


def _relative(find: Find, now: datetime) -> Iterator[Window]:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    soon = now + timedelta(days=1)
    for amount, unit in find("ago"):
        then = today - timedelta(days=_number(amount) * _DAYS[unit])
        yield then - timedelta(days=_PADDING[unit]), then + timedelta(days=1 + _PADDING[unit])
    for amount, unit in find("past"):
        yield today - timedelta(days=_number(amount) * _DAYS[unit] * 1.05 + 1), soon
    for which, unit in find("last"):
        window = _last(which, unit, today, soon)
        if window is not None:
            yield window
    for word in find("near"):
        yield (today - timedelta(days=1), soon) if word == "yesterday" else (today, soon)


def _last(which: str, unit: str, today: datetime, soon: datetime) -> Window | None:
    if unit in _WEEKDAYS or unit == "weekend":
        if which == "this":
            return None
        wanted = 5 if unit == "weekend" else _WEEKDAYS.index(unit)
        then = today - timedelta(days=(today.weekday() - wanted - 1) % 7 + 1)
        return then, then + timedelta(days=5 if unit == "weekend" else 2)
    if unit == "week":
        back = {"this": 7, "past": 8}.get(which, 14)
        return today - timedelta(days=back), today if back == 14 else soon
    if unit == "month":
        return (
            today.replace(day=1) if which == "this" else today - timedelta(days=32 if which == "past" else 62)
        ), soon
    if which == "past":
        return today - timedelta(days=366), soon
    first = today.replace(month=1, day=1)
    if which == "this":
        return first, soon
    return first.replace(year=first.year - 1), first + timedelta(days=14)


def _number(amount: str) -> int:
    word = amount.removeprefix("a ").removesuffix(" of") if " " in amount else amount
    return int(word) if word.isdigit() else _NUMBERS.get(word, 1)


_ASKS_ABOUT_PAST = re.compile(
    r"\bas of\b|\b(?:was|were|held) (?:\w+ )?(?:true|valid|the case|in force)\b|\bback in\b.{0,40}\b(?:used?|was|were)\b",
    re.IGNORECASE,
)
_MONTH_LENGTH = timedelta(days=27)


def past_moment(text: str, now: datetime) -> datetime | None:
    """The moment a query about the past asks for ("as of …"): the end of the time it names; None for other queries."""
    if not _ASKS_ABOUT_PAST.search(text[:2000]):
        return None
    named = time_windows(text, now, exact=True)
    if not named:
        return None
    # The windows are padded; what was true is asked for the time itself.
    since, until = named[0]
    if until - since < _MONTH_LENGTH:
        end = since + timedelta(days=1, hours=12)
    elif since.day == 1:
        end = (since + timedelta(days=32)).replace(day=1) - timedelta(seconds=1)
    else:
        end = since + (until - since) / 2
    return min(end, now)
