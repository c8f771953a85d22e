"""Metrics: pure functions from a ranked list and its gold to a number."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

import numpy as np


def recall_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """The share of the gold that is among the first k."""
    return len(set(ranked[:k]) & set(gold)) / len(gold)


def ndcg_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Discounted gain of the first k over that of the best possible order."""
    gain = sum(1 / math.log2(place + 2) for place, item in enumerate(ranked[:k]) if item in gold)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(k, len(gold))))
    return gain / ideal


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str]) -> float:
    """One over the place of the first gold; 0 when there is none."""
    return next((1 / place for place, item in enumerate(ranked, 1) if item in gold), 0.0)


def distinct(items: Iterable[str | None]) -> list[str]:
    """Each item once, where it first stood."""
    return list(dict.fromkeys(item for item in items if item is not None))


def mean(values: Iterable[float]) -> float:
    """The mean; NaN of nothing."""
    held = list(values)
    return sum(held) / len(held) if held else math.nan


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which this share of the values lies."""
    return float(np.quantile(np.asarray(values, np.float64), share)) if len(values) else math.nan
