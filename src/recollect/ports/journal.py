"""The journal: what changed, in order. History, undo, `as_of` and catch-up are all read from it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Protocol

from recollect.values.event import Event, Operation


class JournalReader(Protocol):
    """Events and operations of an account."""

    def events(
        self,
        account: str,
        *,
        memory_id: str | None = None,
        operation: str | None = None,
        after: int = 0,
        before: int | None = None,
        since: datetime | None = None,
        limit: int | None = None,
        newest_first: bool = False,
        embeds: bool = False,
    ) -> list[Event]:
        """Events by memory or operation, with sequence numbers between `after` and `before`, both excluded."""

    def last_event(self, account: str) -> int:
        """The sequence number of the newest event; 0 without any."""

    def operations_like(self, account: str, part: str, limit: int) -> list[str]:
        """The ids of operations that begin or end with some hexadecimal digits."""

    def latest_operations(
        self, account: str, limit: int, before: int | None = None, *, actor: str | None = None
    ) -> list[list[Event]]:
        """The newest operations that can be undone, each with all its events in order.

        Left out are undos, what was undone already, and what consists only of purges, embeddings and gap notes.
        With `before`, only operations whose last event has a lower sequence number; with `actor`, only what this actor did
        itself, not imports and background work under its name.
        """

    def undone(self, account: str, operations: Iterable[str]) -> frozenset[str]:
        """Those of some operations that a later one has undone."""


class JournalWriter(Protocol):
    """The operation a transaction writes its events under."""

    @property
    def operation(self) -> Operation: ...
    def set_undoes(self, operation: str) -> None:
        """Mark everything this transaction writes as the undo of an operation."""
