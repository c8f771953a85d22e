"""Message: one message of a session, as a companion observes it or a transcript holds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Role = Literal["user", "assistant", "system", "tool"]
ROLES: Sequence[Role] = ("user", "assistant", "system", "tool")


@dataclass(frozen=True, slots=True)
class Message:
    """What was said: its position counts the messages of its session from 0.

    `tool` names the tool of a call or of its result, `failed` says whether the call failed. `recalled` marks text that came
    from this memory, so that nobody takes it for something new.
    """

    role: Role
    text: str
    position: int
    at: datetime | None = None
    speaker: str | None = None
    tool: str | None = None
    failed: bool | None = None
    recalled: bool = False
