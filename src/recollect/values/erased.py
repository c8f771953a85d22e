"""Erased: what erasing a user removed, and the proof that nothing is left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from recollect.values.plain import plain


@dataclass(frozen=True, slots=True)
class Erased:
    """What belonged to a user and was erased, or would be (`dry_run`), by kind; and what a search afterwards still found.

    `event` are changes in the journal that named the user; `actor`, `access`, `purged` and `counter` are rows that did so: events
    that the user caused, lines of access logs, hashes of purged texts, counts. `mentioned` are memories and documents of others
    whose text contains the name; they are not the user's and stay. `pending` and `out_of_reach` are as in `Erasure`.
    """

    user: str
    counts: Mapping[str, int] = field(default_factory=dict)
    left: Mapping[str, int] = field(default_factory=dict)
    mentioned: int = 0
    pending: tuple[str, ...] = ()
    out_of_reach: tuple[str, ...] = ()
    dry_run: bool = False

    @property
    def complete(self) -> bool:
        """Whether nothing of the user is left in the store and nothing is left to do."""
        return not (self.dry_run or self.left or self.pending)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain JSON values."""
        return {**plain(self), "complete": self.complete}
