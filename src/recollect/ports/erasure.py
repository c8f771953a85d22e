"""Erasure: find everything that contains a word, and take texts out of the journal."""

from __future__ import annotations

from typing import Protocol

from recollect.values.event import Event
from recollect.values.purge import Mentions


class ErasureReader(Protocol):
    """Reads what the indexes do not cover, so it takes as long as the account is large; only a purge needs it."""

    def mentions(self, account: str, word: str) -> Mentions:
        """Everything of an account that contains a word of lower-case ASCII letters and digits, in upper or lower case.

        An empty word is contained in everything. Gaps and their events are always included: a question says a text in other words.
        """


class ErasureWriter(Protocol):
    """Changes of the journal itself; nothing but a purge may make them."""

    def rewrite_event(self, account: str, event: Event) -> None:
        """Replace the images and the reason of the event that has this sequence number."""
