"""Times as people type them (ISO, a bare date, "yesterday", "2 days ago", "3d"), and ages as people read them.

A time without a zone is in the machine's local zone. A bare date means its first moment.
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
_DURATION = re.compile(r"(?P<count>\d+(?:\.\d+)?|an?)\s*(?P<unit>[a-z]+)")
_DAYS = {"today": 0, "yesterday": -1, "tomorrow": 1}
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_EXAMPLES = 'write it like 2026-11-15, 2026-11-15T20:00, "2 days ago" or 3d'


def parse_duration(text: str) -> timedelta:
    """Parse a duration like `90 minutes` or `3d`. Raises ValueError."""
    found = _DURATION.fullmatch(text.strip().lower())
    if found is None:
        raise ValueError(text)
    word = found["unit"]
    unit = _SHORT.get(word) or word.removesuffix("s")
    if unit not in _SECONDS:
        raise ValueError(text)
    count = 1.0 if found["count"].startswith("a") else float(found["count"])
    return timedelta(seconds=count * _SECONDS[unit])


def parse_time(text: str, now: datetime, *, future: bool = False) -> datetime:
    """Parse an aware time; a bare duration is counted back from now, or with `future` forward. Raises ValueError."""
    lowered = text.strip().lower()
    if lowered == "now":
        return now
    if lowered in _DAYS:
        return _midnight(now.astimezone().date() + timedelta(days=_DAYS[lowered]))
    if lowered.endswith(" ago"):
        return now - parse_duration(lowered.removesuffix("ago"))
    if lowered.startswith("in "):
        return now + parse_duration(lowered.removeprefix("in "))
    if _DURATION.fullmatch(lowered):
        return now + parse_duration(lowered) if future else now - parse_duration(lowered)
    parsed = datetime.fromisoformat(text.strip())
    return parsed if parsed.tzinfo is not None else parsed.astimezone()


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
    """How long ago, for a narrow column: `5m`, `3d`, `2mo`."""
    seconds = max((now - then).total_seconds(), 0)
    unit, size = next(((u, s) for u, s in reversed(_SECONDS.items()) if seconds >= s), ("second", 1))
    return f"{int(seconds // size)}{'mo' if unit == 'month' else unit[0]}"


def past_time(text: str) -> datetime:
    """The click type of options about the past: `3d` is three days ago."""
    return _parse_option(text, future=False)


def future_time(text: str) -> datetime:
    """The click type of options about the future: `3d` is in three days."""
    return _parse_option(text, future=True)


def duration(text: str) -> timedelta:
    """The click type of options that take a duration; a bare number is seconds."""
    try:
        return timedelta(seconds=float(text)) if _NUMBER.fullmatch(text.strip()) else parse_duration(text)
    except (ValueError, OverflowError):
        raise click.BadParameter(f"{text!r} is not a duration; write it like 90m, 30d or 3600 (seconds)") from None


def _parse_option(text: str, *, future: bool) -> datetime:
    try:
        return parse_time(text, datetime.now(UTC), future=future)
    except (ValueError, OverflowError, OSError):
        raise click.BadParameter(f"{text!r} is not a time; {_EXAMPLES}") from None
