"""Times of options, and ages as people read them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import click

from recollect.serve.times import EXAMPLES, SECONDS, parse_duration, parse_time

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def age(then: datetime, now: datetime) -> str:
    """How long ago, in words."""
    seconds = (now - then).total_seconds()
    if abs(seconds) < 10:
        return "just now"
    unit, size = next((u, s) for u, s in reversed(SECONDS.items()) if abs(seconds) >= s)
    count = int(abs(seconds) // size)
    words = f"{count} {unit}{'s' if count > 1 else ''}"
    return f"{words} ago" if seconds > 0 else f"in {words}"


def short_age(then: datetime, now: datetime) -> str:
    """How long ago, for a narrow column: `5m`, `3d`, `2mo`."""
    seconds = max((now - then).total_seconds(), 0)
    unit, size = next(((u, s) for u, s in reversed(SECONDS.items()) if seconds >= s), ("second", 1))
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
        raise click.BadParameter(f"{text!r} is not a time; {EXAMPLES}") from None
