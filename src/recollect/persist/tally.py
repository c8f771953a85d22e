"""Tally: how many memories of what kinds one identity reaches; numbers tell of others too, so they stop at the same walls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any


def counts(ask: Callable[[str], Sequence[Any]]) -> dict[str, Any]:
    """Everything; `ask` answers the queries that count, in each of which stands what is reached."""
    # What each row stands as, its stored status, type, scope, project, and how many there are of it.
    kinds = ask("count_kinds")
    active = [row for row in kinds if row[1] == "active"]
    projects = _summed((row for row in active if row[4] is not None), 4)
    return {
        "statuses": _summed(kinds, 0),
        "types": _summed(active, 2),
        "scopes": _summed(active, 3),
        "projects": dict(sorted(projects.items(), key=lambda pair: (-pair[1], pair[0]))),
        "tags": dict(ask("count_most_tags")),
        "models": dict(ask("count_models")),
        "events": ask("count_events")[0][0],
        "unembedded": ask("count_unembedded")[0][0],
    }


def _summed(rows: Iterable[Sequence[Any]], column: int) -> dict[str, int]:
    totals: Counter[str] = Counter()
    for row in rows:
        totals[row[column]] += row[5]
    return dict(totals)
