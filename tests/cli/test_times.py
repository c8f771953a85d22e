"""Times as people type them, and ages as people say them."""

import time
from datetime import UTC, datetime, timedelta

import click
import pytest

from recollect.serve.cli.times import age, duration, future_time, parse_duration, parse_time, past_time, short_age

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def berlin(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2026-11-01T10:00:00+00:00", "2026-11-01T10:00:00+00:00"),
        ("2026-11-01T10:00:00Z", "2026-11-01T10:00:00+00:00"),
        ("2026-11-01", "2026-10-31T23:00:00+00:00"),
        ("2026-07-01", "2026-06-30T22:00:00+00:00"),
        ("2026-11-01 10:00", "2026-11-01T09:00:00+00:00"),
        ("now", "2026-11-15T12:00:00+00:00"),
        ("today", "2026-11-14T23:00:00+00:00"),
        ("Yesterday", "2026-11-13T23:00:00+00:00"),
        ("tomorrow", "2026-11-15T23:00:00+00:00"),
        ("2 days ago", "2026-11-13T12:00:00+00:00"),
        ("an hour ago", "2026-11-15T11:00:00+00:00"),
        ("1h", "2026-11-15T11:00:00+00:00"),
        ("3d", "2026-11-12T12:00:00+00:00"),
        ("2 weeks", "2026-11-01T12:00:00+00:00"),
        ("1.5h", "2026-11-15T10:30:00+00:00"),
        ("1d12h", "2026-11-14T00:00:00+00:00"),
        ("in 3 days", "2026-11-18T12:00:00+00:00"),
        ("this week", "2026-11-08T23:00:00+00:00"),
        ("last week", "2026-11-01T23:00:00+00:00"),
        ("Last  month", "2026-09-30T22:00:00+00:00"),
        ("next month", "2026-11-30T23:00:00+00:00"),
        ("this year", "2025-12-31T23:00:00+00:00"),
        ("last friday", "2026-11-12T23:00:00+00:00"),
        ("sunday", "2026-11-07T23:00:00+00:00"),
        ("the last 7 days", "2026-11-08T12:00:00+00:00"),
        ("past week", "2026-11-08T12:00:00+00:00"),
        ("2026", "2025-12-31T23:00:00+00:00"),
        ("2026-07", "2026-06-30T22:00:00+00:00"),
        ("2026/7/1", "2026-06-30T22:00:00+00:00"),
        ("1 July 2026", "2026-06-30T22:00:00+00:00"),
        ("Jul 1st, 2026", "2026-06-30T22:00:00+00:00"),
        ("july 2026", "2026-06-30T22:00:00+00:00"),
        ("1782864000", "2026-07-01T00:00:00+00:00"),
        ("1782864000000", "2026-07-01T00:00:00+00:00"),
    ],
)
def test_a_moment(text: str, iso: str) -> None:
    made = parse_time(text, NOW)
    assert made.tzinfo is not None
    assert made.astimezone(UTC).isoformat() == iso


def test_options_that_look_ahead() -> None:
    assert parse_time("3d", NOW, future=True) == NOW + timedelta(days=3)
    assert future_time("1d") > datetime.now(UTC) > past_time("1d")


@pytest.mark.parametrize(
    "text",
    ["", "soon", "3 parsecs", "2026-13-01", "99999999 years ago", "ago", "d", "maybe 2026", "31 feb 2026", "last 7"],
)
def test_what_is_no_time_is_refused_with_examples(text: str) -> None:
    with pytest.raises(click.BadParameter, match="write it like"):
        past_time(text)


def test_lengths() -> None:
    assert parse_duration("90 minutes") == timedelta(minutes=90)
    assert duration("3600") == timedelta(hours=1)
    assert duration("30d") == timedelta(days=30)
    with pytest.raises(click.BadParameter):
        duration("for ever")


@pytest.mark.parametrize(
    ("seconds", "words", "short"),
    [
        (2, "just now", "2s"),
        (59, "59 seconds ago", "59s"),
        (60, "1 minute ago", "1m"),
        (7200, "2 hours ago", "2h"),
        (86_400 * 3, "3 days ago", "3d"),
        (86_400 * 15, "2 weeks ago", "2w"),
        (86_400 * 65, "2 months ago", "2mo"),
        (86_400 * 800, "2 years ago", "2y"),
    ],
)
def test_ages(seconds: int, words: str, short: str) -> None:
    assert age(NOW - timedelta(seconds=seconds), NOW) == words
    assert short_age(NOW - timedelta(seconds=seconds), NOW) == short


def test_the_future() -> None:
    assert age(NOW + timedelta(days=3), NOW) == "in 3 days"
    assert short_age(NOW + timedelta(days=3), NOW) == "0s"
