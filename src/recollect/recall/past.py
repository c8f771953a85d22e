"""Past: whether a question asks what was true at an earlier time, and when. "What was true in March", "as of 7 May 2026"."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from recollect.recall.moments import windows

_ASKS = re.compile(
    r"\bas of\b|\b(?:was|were|held) (?:\w+ )?(?:true|valid|the case|in force)\b|\bback in\b.{0,40}\b(?:used?|was|were)\b",
    re.IGNORECASE,
)
_A_MONTH = timedelta(days=27)


def moment_asked(text: str, now: datetime) -> datetime | None:
    """The end of the time a question of the past names; None for every other question."""
    if not _ASKS.search(text[:2000]):
        return None
    named = windows(text, now, exact=True)
    if not named:
        return None
    # Windows are padded for when people tell of things; what was true is asked of the time itself.
    since, until = named[0]
    if until - since < _A_MONTH:
        end = since + timedelta(days=1, hours=12)
    elif since.day == 1:
        end = (since + timedelta(days=32)).replace(day=1) - timedelta(seconds=1)
    else:
        end = since + (until - since) / 2
    return min(end, now)
