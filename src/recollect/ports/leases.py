"""Leases: of many processes, one does a piece of background work; if it dies, another takes it over after a while."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol


class Leases(Protocol):
    """Leases on named work, of one account or (without one) of the whole store."""

    def take(self, work: str, holder: str, seconds: float, account: str | None = None) -> bool:
        """Whether the work is the holder's now, for so long; taking a lease one holds extends it."""

    def release(self, work: str, holder: str, account: str | None = None) -> bool:
        """Give the lease back; False when somebody else has it already."""

    def held(self, work: str, holder: str, seconds: float, account: str | None = None) -> AbstractContextManager[bool]:
        """Take a lease for the length of a block; the block gets whether it was granted."""
