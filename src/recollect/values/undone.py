"""Undone: what an `undo` took back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.values.enums import ChangeOrigin
from recollect.values.plain import plain


@dataclass(frozen=True, slots=True)
class Undone:
    """The operation that was undone: who made it, when, which changes it consisted of, and the memories it had changed."""

    operation: str
    actor: str
    origin: ChangeOrigin
    at: datetime
    changes: Mapping[str, int]
    memories: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain JSON values."""
        return dict(plain(self))

    def __str__(self) -> str:
        changes = ", ".join(f"{count} × {kind}" if count > 1 else kind for kind, count in self.changes.items())
        return f"undone: {changes} by {self.actor}, {self.at:%Y-%m-%d %H:%M}"
