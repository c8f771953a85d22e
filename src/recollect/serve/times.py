"""Times and durations as people and models write them: ISO, a bare date, "yesterday", "last week", "2 days ago", "3d".

A time without a zone is in the machine's local zone. A date, a day, a week, a month or a year means its first moment. A weekday
is the last one before today; "the last 7 days" and "the past week" are counted back from now.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta

SECONDS = {
    "second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800, "month": 2_592_000, "year": 31_536_000,
}  # fmt: skip
EXAMPLES = 'write it like 2026-11-15, 2026-11-15T20:00, "2 days ago" or 3d'
_SHORT = {"s": "second", "sec": "second", "m": "minute", "min": "minute", "h": "hour", "hr": "hour", "d": "day", "w": "week",
          "mo": "month", "y": "year", "yr": "year"}  # fmt: skip
_PART = re.compile(r"(\d+(?:\.\d+)?|an?)\s*([a-z]+)\s*")
_DURATION = re.compile(rf"(?:{_PART.pattern})+")
_DAYS = {"today": 0, "yesterday": -1, "tomorrow": 1}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_PERIOD = re.compile(r"(last|this|next) (week|month|year)")
_WEEKDAY = re.compile(rf"(?:last )?({'|'.join(_WEEKDAYS)})")
_COUNTED_BACK = re.compile(r"(?:the )?(?:(?:past|last|previous) (?=\d)|past (?=[a-z]))(.+)")
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
           "december")  # fmt: skip
_MONTH = "|".join(f"{month[:3]}(?:{month[3:]})?" for month in _MONTHS)
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_WRITTEN_DAY = re.compile(rf"(?:{_DAY}\.? )?({_MONTH})\.?(?: {_DAY})?,? (\d{{4}})")
_YEAR_FIRST = re.compile(r"(\d{4})(?:[-/.](\d{1,2}))?(?:[-/.](\d{1,2}))?")
# Seconds or milliseconds since 1970; eight digits are a date.
_UNIX = re.compile(r"(\d{9,10})(\d{3})?(?:\.\d+)?")
_WHICH = {"last": -1, "this": 0, "next": 1}


def parse_duration(text: str) -> timedelta:
    """Parse a duration like `90 minutes`, `3d` or `1d12h`. Raises ValueError."""
    lowered = text.strip().lower()
    if not _DURATION.fullmatch(lowered):
        raise ValueError(text)
    return timedelta(seconds=sum(_seconds(*part) for part in _PART.findall(lowered)))


def _seconds(count: str, word: str) -> float:
    unit = _SHORT.get(word) or word.removesuffix("s")
    if unit not in SECONDS:
        raise ValueError(word)
    return (1.0 if count.startswith("a") else float(count)) * SECONDS[unit]


def parse_time(text: str, now: datetime, *, future: bool = False) -> datetime:
    """Parse an aware time; a bare duration is counted back from now, or with `future` forward. Raises ValueError."""
    lowered = " ".join(text.lower().split())
    if lowered == "now":
        return now
    if lowered in _DAYS:
        return _midnight(now.astimezone().date() + timedelta(days=_DAYS[lowered]))
    if found := _PERIOD.fullmatch(lowered):
        return _midnight(_first_day(found[2], _WHICH[found[1]], now.astimezone().date()))
    if found := _WEEKDAY.fullmatch(lowered):
        yesterday = now.astimezone().date() - timedelta(days=1)
        return _midnight(yesterday - timedelta(days=(yesterday.weekday() - _WEEKDAYS.index(found[1])) % 7))
    if lowered.endswith(" ago"):
        return now - parse_duration(lowered.removesuffix("ago"))
    if lowered.startswith("in "):
        return now + parse_duration(lowered.removeprefix("in "))
    if _DURATION.fullmatch(lowered):
        return now + parse_duration(lowered) if future else now - parse_duration(lowered)
    if found := _COUNTED_BACK.fullmatch(lowered):
        counted = found[1] if found[1][0].isdigit() else f"1 {found[1]}"
        return now - parse_duration(counted)
    if (day := _written_day(lowered)) is not None:
        return _midnight(day)
    if found := _UNIX.fullmatch(lowered):
        return datetime.fromtimestamp(int(found[1]), UTC)
    parsed = datetime.fromisoformat(text.strip())
    return parsed if parsed.tzinfo is not None else parsed.astimezone()


def _written_day(lowered: str) -> date | None:
    """The day that a date with a month in letters, a year, a month of a year or a date with slashes means."""
    if found := _WRITTEN_DAY.fullmatch(lowered):
        return date(int(found[4]), _month(found[2]), int(found[1] or found[3] or 1))
    if found := _YEAR_FIRST.fullmatch(lowered):
        return date(int(found[1]), int(found[2] or 1), int(found[3] or 1))
    return None


def _month(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, 1) if month.startswith(name))


def _first_day(period: str, which: int, today: date) -> date:
    """The first day of this, the last or the next week, month or year."""
    match period:
        case "week":
            return today - timedelta(days=today.weekday()) + timedelta(weeks=which)
        case "month":
            months = today.year * 12 + today.month - 1 + which
            return date(months // 12, months % 12 + 1, 1)
    return date(today.year + which, 1, 1)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min).astimezone()
