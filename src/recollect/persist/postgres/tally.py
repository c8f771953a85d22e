"""Tally: how many memories of what kinds one identity reaches; numbers tell of others too, so they stop at the same walls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from recollect.persist.postgres.filter import reach
from recollect.persist.postgres.sql import queries
from recollect.values.scope import Identity

Rows = list[tuple[Any, ...]]
_EVERYONE = "true"


class Tally:
    """The counts of one account, as one identity may know them; without an identity, of all of it."""

    def __init__(self, ask: Callable[[str, dict[str, Any]], Rows], model: str, identity: Identity | None) -> None:
        self._ask = ask
        self._values: dict[str, Any] = {"model": model}
        self._reached = _EVERYONE if identity is None else reach(identity, self._values)

    def counts(self, replaced: Sequence[str]) -> dict[str, Any]:
        """Everything; `replaced` are the memories that something in force supersedes."""
        self._values["replaced"] = list(replaced)
        rows = self._rows("count_kinds")
        active = [row for row in rows if row[1] == "active"]
        return {
            "statuses": _summed(rows, 0),
            "types": _summed(active, 2),
            "scopes": _summed(active, 3),
            "projects": dict(_most(_summed([row for row in active if row[4] is not None], 4))),
            "tags": dict(self._rows("count_most_tags")),
            "models": dict(self._rows("count_models")),
            "events": self._rows("count_events")[0][0],
            "unembedded": self._rows("count_unembedded")[0][0],
        }

    def _rows(self, name: str) -> Rows:
        return self._ask(queries()[name].replace("{reached}", self._reached), self._values)


def _summed(rows: Rows, column: int) -> dict[str, int]:
    totals: Counter[str] = Counter()
    for row in rows:
        totals[row[column]] += row[5]
    return dict(totals)


def _most(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
