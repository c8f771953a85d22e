"""Times as people type them: ISO, a bare date, "yesterday", "2 days ago", "3d"; and ages as people say them.

Without a zone, a time is in the zone of the machine. A bare date is its first moment.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta

import click

_SECONDS = {
    "second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800, "month": 2_592_000, "year": 31_536_000,
}  # fmt: skip
_SHORT = {"s": "second", "sec": "second", "m": "minute", "min": "minute", "h": "hour", "hr": "hour", "d": "day", "w": "week",
          "mo": "month", "y": "year", "yr": "year"}  # fmt: skip
_SPAN = re.compile(r"(?P<count>\d+(?:\.\d+)?|an?)\s*(?P<unit>[a-z]+)")
_DAYS = {"today": 0, "yesterday": -1, "tomorrow": 1}
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_EXAMPLES = 'write it like 2026-11-15, 2026-11-15T20:00, "2 days ago" or 3d'


def span(text: str) -> timedelta:
    """A length of time, like `90 minutes` or `3d`; ValueError when it is none."""
    found = _SPAN.fullmatch(text.strip().lower())
    if found is None:
        raise ValueError(text)
    word = found["unit"]
    unit = _SHORT.get(word) or word.removesuffix("s")
    if unit not in _SECONDS:
        raise ValueError(text)
    count = 1.0 if found["count"].startswith("a") else float(found["count"])
    return timedelta(seconds=count * _SECONDS[unit])


def moment(text: str, now: datetime, *, ahead: bool = False) -> datetime:
    """An aware time; a bare length lies in the past, or with `ahead` in the future. ValueError when it is no time."""
    said = text.strip().lower()
    if said == "now":
        return now
    if said in _DAYS:
        return _midnight(now.astimezone().date() + timedelta(days=_DAYS[said]))
    if said.endswith(" ago"):
        return now - span(said.removesuffix("ago"))
    if said.startswith("in "):
        return now + span(said.removeprefix("in "))
    if _SPAN.fullmatch(said):
        return now + span(said) if ahead else now - span(said)
    made = datetime.fromisoformat(text.strip())
    return made if made.tzinfo is not None else made.astimezone()


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min).astimezone()


def age(then: datetime, now: datetime) -> str:
    """How long ago, in words."""
    seconds = (now - then).total_seconds()
    if abs(seconds) < 10:
        return "just now"
    unit, size = next((u, s) for u, s in reversed(_SECONDS.items()) if abs(seconds) >= s)
    count = int(abs(seconds) // size)
    words = f"{count} {unit}{'s' if count > 1 else ''}"
    return f"{words} ago" if seconds > 0 else f"in {words}"


def short_age(then: datetime, now: datetime) -> str:
    """How long ago, for a narrow column."""
    seconds = max((now - then).total_seconds(), 0)
    unit, size = next(((u, s) for u, s in reversed(_SECONDS.items()) if seconds >= s), ("second", 1))
    return f"{int(seconds // size)}{'mo' if unit == 'month' else unit[0]}"


def past(text: str) -> datetime:
    """The type of options that look back: `3d` is three days ago."""
    return _moment(text, ahead=False)


def ahead(text: str) -> datetime:
    """The type of options that look ahead: `3d` is in three days."""
    return _moment(text, ahead=True)


def lifetime(text: str) -> timedelta:
    """The type of options that take a length of time; a bare number is seconds."""
    try:
        return timedelta(seconds=float(text)) if _NUMBER.fullmatch(text.strip()) else span(text)
    except (ValueError, OverflowError):
        raise click.BadParameter(
            f"{text!r} is not a length of time; write it like 90m, 30d or 3600 (seconds)"
        ) from None


def _moment(text: str, *, ahead: bool) -> datetime:
    try:
        return moment(text, datetime.now(UTC), ahead=ahead)
    except (ValueError, OverflowError, OSError):
        raise click.BadParameter(f"{text!r} is not a time; {_EXAMPLES}") from None
