"""What supersedes some memories, read from the rows of the query `replacing`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from recollect.persist.postgres.places import place_of_text
from recollect.persist.rows import micros
from recollect.values.supersession import Replacement, covers


def replacements_of(rows: Iterable[Sequence[Any]], now: datetime | None) -> list[Replacement]:
    """Who replaces whom, where the one covers the other."""
    moment = None if now is None else micros(now)
    return [
        Replacement(new, old, status == "active" and _holds(moment, *bounds))
        for new, old, over, under, status, *bounds in rows
        if covers(place_of_text(over), place_of_text(under))
    ]


def _holds(now: int | None, valid_from: int | None, valid_until: int | None, expires_at: int | None) -> bool:
    if now is None:
        return True
    begun = valid_from is None or valid_from <= now
    return begun and all(now < end for end in (valid_until, expires_at) if end is not None)
