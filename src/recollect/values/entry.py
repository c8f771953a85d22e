"""Entry: one typed value of short-term memory, under a key of a session, until it expires."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.values.words import ShortTermType


@dataclass(frozen=True, slots=True)
class Entry:
    """What was written, for how many seconds, and how often it was read since."""

    session: str
    key: str
    value: Any
    type: ShortTermType
    ttl: float
    created_at: datetime
    updated_at: datetime
    expires_at: datetime
    access_count: int = 0
    accessed_at: datetime | None = None
