"""Search: the candidate columns a profile scores, and the lookups that go with them. All apply the viewer's filter first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from recollect.ports.models import Vectors
from recollect.values.memory import Record
from recollect.values.scope import Identity, Visit
from recollect.values.search import Candidates, DeliveryQuery, Embedded, Near, Search


class SearchReader(Protocol):
    """Rows a viewer may be shown, found by meaning, words, time, tags and triggers."""

    def candidates(self, search: Search) -> Candidates: ...
    def near(self, search: Search, vectors: Sequence[Vectors]) -> list[Near]:
        """The nearest rows of each of several vectors, `search.depth` each, under one viewer and filter."""

    def rows_with_terms(self, search: Search, phrases: Sequence[Sequence[str]], most: int) -> list[list[int]]:
        """For each phrase, the visible rows that hold all its terms; none when they are more than `most`."""

    def neighbours(
        self, search: Search, vectors: Sequence[Vectors], phrases: Sequence[Sequence[str]], most: int
    ) -> tuple[list[Near], list[list[int]]]:
        """`near`, and `rows_with_terms` among the active rows: what a new text is compared with, in one round trip."""

    def filter_visible(self, search: Search, rows: Sequence[int]) -> list[int]:
        """Those of some rows that a search may return, in the same order."""

    def fetch_visible(self, search: Search, rows: Sequence[int]) -> dict[int, Record]:
        """The memories of those of some rows that a search may return, by row."""

    def list_by_delivery(self, search: Search, queries: Sequence[DeliveryQuery]) -> list[list[int]]:
        """The rows of each of several lists, under one viewer and filter, whatever the search is about."""

    def fetch_by_delivery(self, search: Search, lists: Sequence[DeliveryQuery]) -> list[dict[int, Record]]:
        """The memories of the same lists, by row, in their order."""

    def triggers(self, account: str) -> list[tuple[int, str]]:
        """Every trigger pattern with the row of its memory; the same list object while nothing changed."""

    def tag_names(self, account: str) -> list[str]:
        """Every tag of an account; the same list object while nothing changed."""

    def tag_counts(self, identity: Identity, now: datetime, visit: Visit | None = None) -> dict[str, int]:
        """The tags of what an identity reaches and may recall, with how many memories carry each.

        With `visit`, memories of other sessions and tasks do not count.
        """

    def embedded(self, account: str) -> Embedded:
        """Every active memory with a vector: the input of clustering."""

    def how_many_embedded(self, account: str) -> int: ...
