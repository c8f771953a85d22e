"""Speed: what recall, remember and loading cost, without the model and in proportion to it, at several sizes.

CPU time (`process_time`) where the work is ours alone: it holds on a busy machine. Ratios come from one run. No clusters are
found meanwhile: for stores of these sizes another process does that, and `graph` measures it.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import recollect
from bench import probes
from bench.doors import door_figures
from bench.embedding import local_embedder
from bench.loading import loading_figures
from bench.metrics import mean, quantile
from bench.synthetic import PROJECT, SMALL_PROJECT, Prepared, Words, drafts
from bench.tables import Figure
from bench.tiers import tier_figures

_RECALL_TARGETS = {10_000: 3.0, 100_000: 8.0, 1_000_000: 45.0}
_WRITES = 150
Vectors = Any


def sizes(rows: int | None, *, large: bool) -> tuple[int, ...]:
    """The numbers of memories to measure at."""
    if rows:
        return (rows,)
    return (10_000, 100_000, 1_000_000) if large else (10_000, 100_000)


def run(data: Path, sizes: Sequence[int], *, parts: bool = True, questions: int = 200) -> list[Figure]:
    """All figures; without `parts`, only what the stores themselves cost (for a quick look)."""
    model = local_embedder().model if parts else "bench"
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        for rows in sizes:
            path = Path(folder) / f"{rows}" / "memory.db"
            path.parent.mkdir()
            figures += _at_size(path, rows, model, questions)
            if parts and rows == 10_000:
                figures += probes.command_line(path)
            if parts and rows == 100_000:
                figures += [*_end_to_end(path), probes.resident(path)]
                figures += door_figures(path, Words(seed=5).questions(20), _k(rows))
            if rows >= 1_000_000:
                for file in path.parent.rglob("*"):
                    file.unlink(missing_ok=True) if file.is_file() else None
    return figures + (loading_figures(data) if parts else [])


def _at_size(path: Path, rows: int, model: str, questions: int) -> list[Figure]:
    embedder = Prepared(model)
    asked = Words(seed=3).questions(questions)
    embedder.prepare(asked)
    few = max(rows // 1000, 20)
    with recollect.open(path, embedder=embedder, refresh_clusters=0) as memory:
        ids, loaded = _loaded(memory, rows - few, 1, embedder)
        small = memory.with_identity(account="small")
        own, _ = _loaded(small, few, 2, embedder)
        for one in (memory, small):
            one.recall(asked[0], project=PROJECT)
        figures = _recall_figures(memory, asked, rows)
        figures += _small_figures(small, own, asked, embedder, rows)
        figures += tier_figures(memory, asked, rows, _k(rows))
        if rows <= 100_000:
            figures.append(_dense_figure(memory, ids, asked, embedder, rows))
        figures += _remember_figures(memory, rows, path.parent, embedder)
    figures.append(Figure(f"loading without embedding at {_k(rows)}", loaded / rows * 1e6, unit="µs CPU a memory"))
    return [*figures, _disk_figure(path, rows)]


def _loaded(memory: recollect.Memory, count: int, seed: int, embedder: Prepared) -> tuple[list[str], float]:
    """Store many memories; returns the ids of those in the project that is asked, and the CPU time it took."""
    ids, spent = [], 0.0
    for block in drafts(count, seed):
        embedder.prepare_drafts(block)
        start = time.process_time()
        outcomes = memory.remember_many(block, verbatim=True)
        spent += time.process_time() - start
        ids += [out.memory.id for out in outcomes if out.memory is not None and out.memory.project == PROJECT]
    return ids, spent


def timed(calls: Sequence[Callable[[], object]], clock: Callable[[], float] = time.process_time) -> list[float]:
    """Milliseconds of each call."""
    found = []
    for call in calls:
        start = clock()
        call()
        found.append((clock() - start) * 1e3)
    return found


def _recall_figures(memory: recollect.Memory, asked: Sequence[str], rows: int) -> list[Figure]:
    times = timed([lambda q=q: memory.recall(q, limit=10, project=PROJECT) for q in asked])
    narrow = timed([lambda q=q: memory.recall(q, limit=10, project=SMALL_PROJECT) for q in asked[: len(asked) // 2]])
    return [
        Figure(f"recall p50 at {_k(rows)}", quantile(times, 0.5), _RECALL_TARGETS.get(rows), "lower", "ms CPU"),
        Figure(f"recall p95 at {_k(rows)}", quantile(times, 0.95), unit="ms CPU"),
        Figure(f"recall p50 at {_k(rows)}, one project in ten", quantile(narrow, 0.5), unit="ms CPU"),
    ]


def _small_figures(
    small: recollect.Memory, ids: Sequence[str], asked: Sequence[str], embedder: Any, rows: int
) -> list[Figure]:
    times = timed([lambda q=q: small.recall(q, limit=10, project=PROJECT) for q in asked])
    exact = _agreement(small, "small", ids, asked[:50], embedder)
    label = f"account of {max(rows // 1000, 20)} in {_k(rows)}"
    return [
        Figure(f"{label}: recall p50", quantile(times, 0.5), 2.0, "lower", "ms CPU"),
        Figure(f"{label}: the same ten as brute force", exact, 1.0),
    ]


def _dense_figure(
    memory: recollect.Memory, ids: Sequence[str], asked: Sequence[str], embedder: Any, rows: int
) -> Figure:
    found = _agreement(memory, "default", ids, asked[:100], embedder)
    return Figure(f"dense leg at {_k(rows)}: recall@10 of the exact scan", found, 0.99, note="synthetic vectors")


def _agreement(
    memory: recollect.Memory, account: str, ids: Sequence[str], asked: Sequence[str], embedder: Any
) -> float:
    """How much of the exact ten nearest a semantic search returns, by the vectors that are in the store."""
    owners, vectors = _vectors(memory, account, ids)
    shares = []
    for question in asked:
        order = np.argsort(-(vectors @ embedder.embed_query(question)), kind="stable")
        exact = list(dict.fromkeys(owners[place] for place in order[:40]))[:10]
        got = {hit.memory.id for hit in memory.search(question, mode="semantic", limit=10, project=PROJECT)}
        shares.append(len(got & set(exact)) / len(exact))
    return mean(shares)


def _vectors(memory: recollect.Memory, account: str, ids: Sequence[str]) -> tuple[list[str], Vectors]:
    owners: list[str] = []
    parts = []
    with memory._runtime.store.view() as reader:
        for first in range(0, len(ids), 500):
            for owner, held in reader.vectors(account, ids[first : first + 500]).items():
                owners += [owner] * len(held)
                parts.append(np.asarray(held, np.float32))
    return owners, np.concatenate(parts)


def _remember_figures(memory: recollect.Memory, rows: int, folder: Path, embedder: Prepared) -> list[Figure]:
    """One durable memory at a time, beside what the disk takes for one synced page."""
    texts = Words(seed=5).texts(_WRITES)
    embedder.prepare_texts(texts)
    cpu, wall = [], []
    for number, text in enumerate(texts):
        at, spent = time.perf_counter(), time.process_time()
        memory.remember(text, project=PROJECT, session="now", position=number)
        wall.append((time.perf_counter() - at) * 1e3)
        cpu.append((time.process_time() - spent) * 1e3)
    page = quantile(timed([lambda: _synced(folder)] * 50, time.perf_counter), 0.5)
    note = f"wall p50 {quantile(wall, 0.5):.2f} ms; one synced 4 KiB write here {page:.2f} ms"
    return [Figure(f"durable remember p50 at {_k(rows)}", quantile(cpu, 0.5), 4.0, "lower", "ms CPU", note)]


def _synced(folder: Path) -> None:
    handle = os.open(folder / "sync-probe", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    try:
        os.write(handle, b"\0" * 4096)
        os.fsync(handle)
    finally:
        os.close(handle)


def _disk_figure(path: Path, rows: int) -> Figure:
    (path.parent / "sync-probe").unlink(missing_ok=True)
    files = {file.name: file.stat().st_size for file in path.parent.rglob("*") if file.is_file()}
    total = sum(files.values()) / (rows + _WRITES)
    note = ", ".join(f"{Path(name).suffix or name} {size / rows:,.0f}" for name, size in sorted(files.items()))
    return Figure(f"bytes on disk a memory at {_k(rows)}", total, 4096.0, "lower", "bytes", note)


def _end_to_end(path: Path) -> list[Figure]:
    """Recall with the real model: how much the rest adds to embedding the question."""
    asked = Words(seed=9).questions(60)
    model = local_embedder()
    with recollect.open(path, refresh_clusters=0) as memory:
        memory.recall(asked[0], project=PROJECT)
        alone, whole = [], []
        for question in asked:  # alternately, so that other work on the machine falls on both
            alone += timed([lambda q=question: model.embed_query(q)], time.perf_counter)
            whole += timed([lambda q=question: memory.recall(q, limit=10, project=PROJECT)], time.perf_counter)
    ratio = quantile(whole, 0.5) / quantile(alone, 0.5)
    note = f"wall p50 {quantile(whole, 0.5):.1f} ms, embedding {quantile(alone, 0.5):.1f} ms"
    return [Figure("recall end to end at 100k / embedding the query", ratio, 2.0, "lower", "×", note)]


def _k(rows: int) -> str:
    return f"{rows // 1000}k" if rows < 1_000_000 else f"{rows // 1_000_000}M"
