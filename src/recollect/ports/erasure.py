"""Erasure: find everything that contains some words, and take texts out of the journal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from recollect.values.event import Event
from recollect.values.purge import Mentions


class ErasureReader(Protocol):
    """Reads what the indexes do not cover, so it takes as long as the account is large; only a purge needs it."""

    def mentions(self, account: str, words: Sequence[str], memory_ids: Sequence[str] = ()) -> Mentions:
        """Everything of an account that contains one of some words of ASCII letters and digits, in upper or lower case.

        They are given in lower case; an empty one is contained in everything. Always included are gaps and their events, because
        a question says a text in other words, the contexts, which tell who may see what, and the events of some memories.
        """

    def rows_naming(self, account: str, user: str) -> dict[str, int]:
        """How many rows of each kind name a user outside of memories, documents and images: what `erase_name` erases."""


class ErasureWriter(Protocol):
    """Changes of the journal itself; nothing but a purge, or erasing a user, may make them."""

    def rewrite_event(self, account: str, event: Event) -> None:
        """Replace the images and the reason of the event that has this sequence number."""

    def erase_name(self, account: str, user: str) -> None:
        """Erase the name of a user from the actors of events, with the reasons they gave, from access logs and from digests."""
