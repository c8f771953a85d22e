"""Tiers: what a value of working memory and the block for a prompt cost, beside a store of some size."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import recollect
from bench.metrics import quantile
from bench.tables import Figure
from bench.turns import PROJECT

# Those of the design; what embedding the topic takes comes on top, and is prepared here.
GET, SET, CONTEXT = 60.0, 400.0, 25.0
_VALUES, _TOPICS = 500, 100
_AT_SIZE = 100_000


def tier_figures(memory: recollect.Memory, topics: Sequence[str], rows: int, label: str) -> list[Figure]:
    """Working memory, and context assembly at one size of the store."""
    working = memory.with_identity(agent="bench").working
    value = {"step": 3, "files": ["src/a.py", "src/b.py"], "note": "a value as an agent keeps it"}
    sets = _microseconds([lambda key=f"key {number}": working.store(key, value) for number in range(_VALUES)])
    gets = _microseconds([lambda key=f"key {number}": working.retrieve(key) for number in range(_VALUES)])
    blocks = _microseconds([lambda q=topic: memory.context(q, project=PROJECT) for topic in topics[:_TOPICS]])
    return [
        Figure(f"working memory get p50 at {label}", quantile(gets, 0.5), GET, "lower", "µs CPU"),
        Figure(f"working memory set p50 at {label}", quantile(sets, 0.5), SET, "lower", "µs CPU"),
        Figure(
            f"context assembly p50 at {label}",
            quantile(blocks, 0.5) / 1e3,
            CONTEXT if rows == _AT_SIZE else None,
            "lower",
            "ms CPU",
            "without embedding the topic",
        ),
    ]


def _microseconds(calls: Sequence[Callable[[], object]]) -> list[float]:
    found = []
    for call in calls:
        start = time.process_time()
        call()
        found.append((time.process_time() - start) * 1e6)
    return found
