"""Access: one reading or writing of a context, as its log keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Access:
    """When, by which agent, what was done, and to which memory if to one."""

    at: datetime
    agent: str | None
    action: str
    memory_id: str | None = None
