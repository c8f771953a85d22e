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


class ErasureWriter(Protocol):
    """Changes of the journal itself; nothing but a purge may make them."""

    def rewrite_event(self, account: str, event: Event) -> None:
        """Replace the images and the reason of the event that has this sequence number."""
