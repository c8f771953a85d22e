"""Twins: the sets stored and asked on SQLite and on PostgreSQL in one run; the same questions must get the same answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.metrics import mean
from bench.retrieval import SETS, Row, corpora, judged
from bench.sets import DataMissing
from bench.tables import Figure

# Points of recall@10 the one may differ from the other.
_POINTS = 1.0


def twins(data: Path, embedder: Any, url: str, sets: Sequence[str] = SETS) -> tuple[list[Figure], list[str]]:
    """How far recall@10 lies apart on each set, and which sets were left out."""
    figures, left_out = [], []
    for name in sets:
        try:
            pairs = _asked(data, embedder, url, name)
        except DataMissing as missing:
            left_out.append(f"{name}: {missing}")
            continue
        file, server = (mean(row["r10"] for row in side) for side in zip(*pairs, strict=True))
        equal = mean(float(one == other) for one, other in pairs)
        note = f"{server:.4f} and {file:.4f}, {len(pairs)} questions, {equal:.1%} of them judged alike in every measure"
        label = f"recall@10 on PostgreSQL away from SQLite, {name}"
        figures.append(Figure(label, abs(server - file) * 100, _POINTS, "lower", "points", note))
    return figures, left_out


def _asked(data: Path, embedder: Any, url: str, name: str) -> list[tuple[Row, Row]]:
    pairs: list[tuple[Row, Row]] = []
    for place, corpus in enumerate(corpora(data, name)):
        there: dict[str, Any] = {"db": url, "account": f"{name}-{place}", "refresh_clusters": 0}
        pairs += zip(
            judged(corpus, embedder, ("hybrid",), {}), judged(corpus, embedder, ("hybrid",), there), strict=True
        )
    return pairs
