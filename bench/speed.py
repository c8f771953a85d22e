"""Speed: what recall, remember and loading cost on real conversation turns, beside a plain yardstick that does the same work.

`contest` runs both in turn. What it leaves, a store of that size, is then used for what has no counterpart: agreement with an exact
scan, working memory, the command line, MCP, and recall with the real model.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import recollect
from bench import contest, probes
from bench.doors import door_figures
from bench.embedding import CachedEmbedder, local_embedder
from bench.loading import loading_figures
from bench.metrics import mean, quantile
from bench.tables import Figure
from bench.tiers import tier_figures
from bench.turns import EXTRA, NOW, PROJECT, PreparedEmbedder, made_turns, prepared, questions, real_turns
from bench.waiting import waiting_figures
from recollect.ports import Embedder

_FEW = 100
_ASKED = 100
Vectors = Any


def sizes(rows: int | None, *, large: bool) -> tuple[int, ...]:
    """The numbers of memories to measure at."""
    if rows:
        return (rows,)
    return (100_000, 1_000_000) if large else (100_000,)


def run(data: Path, cache: Path, sizes: Sequence[int]) -> list[Figure]:
    """All figures."""
    model = CachedEmbedder(local_embedder(), cache)
    figures: list[Figure] = []
    for rows in sizes:
        with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
            figures += at_size(data, cache, Path(folder), rows, model)
            path = Path(folder) / "ours.db"
            if rows == sizes[0]:
                asked = questions(data, _ASKED)
                figures += [*probes.command_line(path), *_end_to_end(path, asked), probes.resident(path)]
                figures += door_figures(path, asked[:20], _k(rows))
    return figures + loading_figures(data)


def at_size(data: Path, cache: Path, folder: Path, rows: int, model: Embedder) -> list[Figure]:
    """What needs no model in the store's own process; the store stays in the folder."""
    vectors = prepared(cache, data, model, rows)
    path, asked = folder / "ours.db", questions(data, _ASKED)
    figures = contest.figures(contest.run(vectors, data, rows, folder, model.model), rows)
    figures.append(_disk_figure(path, rows))
    embedder = PreparedEmbedder(vectors, model.model)
    with recollect.open(path, embedder=embedder, refresh_clusters=0, clock=lambda: NOW) as memory:
        figures.append(_dense_figure(memory, asked, embedder, rows))
        figures += _small_figures(memory.with_identity(account="small"), data, asked, embedder, rows)
        figures += tier_figures(memory, asked, rows, _k(rows))
        figures += waiting_figures(memory, path, asked, _k(rows))
    return figures


def timed(calls: Sequence[Callable[[], object]], clock: Callable[[], float] = time.process_time) -> list[float]:
    """Milliseconds of each call."""
    found = []
    for call in calls:
        start = clock()
        call()
        found.append((clock() - start) * 1e3)
    return found


def _small_figures(
    small: recollect.Memory, data: Path, asked: Sequence[str], embedder: PreparedEmbedder, rows: int
) -> list[Figure]:
    """An account of a few memories in the same file: it must not feel the others."""
    small.remember_many([turn.draft for turn in made_turns(real_turns(data), EXTRA, seed=3)][:_FEW], verbatim=True)
    small.recall(asked[0], project=PROJECT)
    times = timed([lambda q=q: small.recall(q, limit=10, project=PROJECT) for q in asked])
    label = f"account of {_FEW} in {_k(rows)}"
    return [
        Figure(f"{label}: recall p50", quantile(times, 0.5), 2.0, "lower", "ms CPU"),
        Figure(f"{label}: the same ten as brute force", _agreement(small, "small", asked, embedder), 1.0),
    ]


def _dense_figure(memory: recollect.Memory, asked: Sequence[str], embedder: PreparedEmbedder, rows: int) -> Figure:
    found = _agreement(memory, "default", asked, embedder)
    return Figure(f"meaning alone at {_k(rows)}: recall@10 of the exact scan", found, 0.98)


def _agreement(memory: recollect.Memory, account: str, asked: Sequence[str], embedder: PreparedEmbedder) -> float:
    """How much of the exact ten nearest a semantic search returns, by the vectors that are in the store."""
    with memory._runtime.store.view() as reader:
        held = reader.embedded(account)
        ids = [record.id for record in reader.fetch(account, held.rows.tolist())]
        nearest = _Nearest([reader.vectors(account, ids[first : first + 500]) for first in range(0, len(ids), 500)])
    shares = []
    for question in asked:
        exact = nearest.ten(embedder.embed_query(question))
        got = {hit.memory.id for hit in memory.search(question, mode="semantic", limit=10, project=PROJECT)}
        shares.append(len(got & set(exact)) / len(exact))
    return mean(shares)


class _Nearest:
    """The exact scan, by the same rule of nearness: the mean of the whole text's cosine and the best passage's."""

    def __init__(self, blocks: Sequence[dict[str, Vectors]]) -> None:
        self._ids = [memory_id for block in blocks for memory_id in block]
        held = [vectors for block in blocks for vectors in block.values()]
        self._firsts = np.concatenate(([0], np.cumsum([len(vectors) for vectors in held])[:-1]))
        self._vectors = np.concatenate(held)

    def ten(self, query: Vectors) -> list[str]:
        cosine = self._vectors @ query
        near = (cosine[self._firsts] + np.maximum.reduceat(cosine, self._firsts)) / 2
        return [self._ids[place] for place in np.argsort(-near, kind="stable")[:10]]


def _disk_figure(path: Path, rows: int) -> Figure:
    files = {file.name: file.stat().st_size for file in path.parent.rglob("*") if file.name != "plain.db"}
    files = {name: size for name, size in files.items() if name.startswith(path.name) or name.endswith(".index")}
    note = ", ".join(f"{Path(name).suffix} {size / rows:,.0f}" for name, size in sorted(files.items()))
    return Figure(f"bytes on disk a memory at {_k(rows)}", sum(files.values()) / rows, 6144.0, "lower", "bytes", note)


def _end_to_end(path: Path, asked: Sequence[str]) -> list[Figure]:
    """Recall with the real model: how much the rest adds to embedding the question."""
    model = local_embedder()
    with recollect.open(path, refresh_clusters=0) as memory:
        memory.recall(asked[0], project=PROJECT)
        alone, whole = [], []
        for question in asked:  # alternately, so that other work on the machine falls on both
            alone += timed([lambda q=question: model.embed_query(q)], time.perf_counter)
            whole += timed([lambda q=question: memory.recall(q, limit=10, project=PROJECT)], time.perf_counter)
    ratio = quantile(whole, 0.5) / quantile(alone, 0.5)
    note = f"wall p50 {quantile(whole, 0.5):.1f} ms, embedding {quantile(alone, 0.5):.1f} ms"
    return [Figure("recall end to end / embedding the query", ratio, 2.0, "lower", "×", note)]


def _k(rows: int) -> str:
    return f"{rows // 1000}k" if rows < 1_000_000 else f"{rows // 1_000_000}M"
