"""FixedClock: a clock that stands still until a test moves it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class FixedClock:
    """Call it for the time; `advance` and `set` move it."""

    def __init__(self, now: datetime = datetime(2026, 1, 1, 12, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, by: timedelta | float) -> datetime:
        """Move on by a while, in seconds or as a timedelta; returns the new time."""
        self.now += by if isinstance(by, timedelta) else timedelta(seconds=by)
        return self.now

    def set(self, now: datetime) -> None:
        """Jump to a moment."""
        self.now = now.astimezone(UTC)
