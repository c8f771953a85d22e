"""Graph: what tags, links, clusters and triggers cost, whether a hub floods the answer, and whether clusters are found.

`python -m bench graph` calls `run`; whether names shared with the best hits make answers better is measured in `expansion.py`.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

import recollect
from bench.metrics import mean, quantile
from bench.speed import timed
from bench.synthetic import PROJECT, Prepared, SyntheticEmbedder, Words, drafts
from bench.tables import Figure
from recollect.upkeep.clustering import NOISE, find_clusters
from recollect.values.cluster import Cluster
from recollect.values.ids import new_id

HUB = "everywhere"
_SMALL_TAGS, _LINKS_A_MEMORY, _IN_A_CLUSTER = 2, 7.5, 50
_LOOKED_AT = 20
_CLUSTER_TARGETS = {10_000: 10.0, 100_000: 90.0}
_STILL = {"still": {"base": "cascade", "depth": 0}}


def run(rows: int = 100_000, sizes: Sequence[int] = (10_000, 100_000), *, questions: int = 100) -> list[Figure]:
    """All figures: a store with ten edges a memory, planted clusters of these sizes, a thousand triggers."""
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        figures = hub_figures(Path(folder) / "hub.db", rows, questions)
        for size in sizes:
            figures += clustering_figures(size)
        figures += refresh_figures(Path(folder) / "clusters.db", min(sizes))
        return figures + trigger_figures(Path(folder) / "triggers.db", min(rows, 10_000), questions)


def hub_figures(path: Path, rows: int, questions: int) -> list[Figure]:
    """What the walk adds to recall, and whether a tag on half of all memories pushes what was asked for aside."""
    embedder = Prepared()
    asked = Words(seed=3).questions(questions)
    embedder.prepare(asked)
    with recollect.open(path, embedder=embedder, touch=False, gaps=False, profiles=_STILL) as memory:
        edges = woven(memory, rows)
        asks: dict[str, Callable[[str], Any]] = {
            "semantic": lambda q: memory.search(q, mode="semantic", limit=10, project=PROJECT),
            **{name: _by_profile(memory, name) for name in ("cascade", "still")},
        }
        spent = _alternately(asks, asked)
        flooded = [_flooded(memory, question) for question in asked[:_LOOKED_AT]]
    size = f"{_k(rows)} memories, {_k(edges)} edges"
    walk = spent["cascade"] - spent["semantic"]
    note = f"p50 {spent['cascade']:.2f} and {spent['semantic']:.2f}; the same without a step {spent['still']:.2f}"
    return [
        Figure(f"cascade over a semantic search, {size}", walk, 10.0, "lower", "ms CPU", note),
        Figure(
            f"a tag on {_k(rows // 2)}: what only it leads to, above what is like the question",
            float(sum(above for above, _ in flooded)),
            0.0,
            "lower",
            note=f"of {len(flooded)} questions; {mean(share for _, share in flooded):.1%} of all that was reached came over it",
        ),
    ]


def woven(memory: recollect.Memory, rows: int) -> int:
    """A store with a hub tag on half of it, small tags, links with a heavy tail, and clusters; returns how many edges."""
    ids: list[str] = []
    for block in drafts(rows, seed=1):
        tagged = [replace(draft, tags=_tags(len(ids) + n, rows)) for n, draft in enumerate(block)]
        ids += [out.memory.id for out in memory.remember_many(tagged, verbatim=True) if out.memory is not None]
    now = datetime.now(UTC)
    with memory._runtime.store.transaction("default", "bench", now) as tx:
        held = np.array(tx.rows_of("default", ids))
        links = list(_links(ids, held))
        # A link is a column of its memory too; a million of them one by one would take an hour and the walk reads this table.
        tx._connection.executemany("INSERT OR IGNORE INTO links VALUES (?, 'relates_to', ?, ?)", links)  # type: ignore[attr-defined]
        for members in np.array_split(held, max(rows // _IN_A_CLUSTER, 1)):
            tx.put_cluster("default", _cluster(members, now), members.tolist())
    return len(links) + rows // 2 + _SMALL_TAGS * rows


def _tags(number: int, rows: int) -> tuple[str, ...]:
    """One tag of five members, one whose members are many or few, and for every second memory the hub."""
    common = int((number * 2654435761 % rows / rows) ** 3 * rows / 20)
    return (f"few {number // 5}", f"some {common}", *([HUB] if number % 2 else []))


def _links(ids: Sequence[str], held: NDArray[np.int64]) -> Iterator[tuple[int, bytes, float]]:
    """Links from everywhere to targets of which a few are very common."""
    random = np.random.default_rng(5)
    count = int(_LINKS_A_MEMORY * len(ids))
    sources = random.integers(0, len(ids), count)
    targets = (random.random(count) ** 3 * len(ids)).astype(np.int64)
    weights = random.uniform(0.2, 1.0, count)
    order = np.lexsort((targets, sources))
    for source, target, weight in zip(sources[order], targets[order], weights[order], strict=True):
        if source != target:
            yield int(held[source]), UUID(ids[target]).bytes, float(weight)


def _cluster(members: NDArray[np.int64], now: datetime) -> Cluster:
    middle = SyntheticEmbedder().embed_query(f"cluster {int(members[0])}")
    return Cluster(new_id(now), f"cluster {int(members[0])}", len(members), middle, 0.9, now)


def _by_profile(memory: recollect.Memory, profile: str) -> Callable[[str], Any]:
    return lambda question: memory.recall(question, limit=10, project=PROJECT, profile=profile)


def _alternately(asks: dict[str, Callable[[str], Any]], asked: Sequence[str]) -> dict[str, float]:
    """The p50 of each way to ask, in CPU milliseconds; question by question, so that a busy minute falls on all."""
    for ask in asks.values():
        ask(asked[0])
    spent: dict[str, list[float]] = {name: [] for name in asks}
    for question in asked:
        for name, ask in asks.items():
            spent[name] += timed([lambda ask=ask, question=question: ask(question)])  # type: ignore[misc]
    return {name: quantile(times, 0.5) for name, times in spent.items()}


def _flooded(memory: recollect.Memory, question: str) -> tuple[bool, float]:
    # All that was reached, not the first ten: links lead further than a hub, and it must be seen that it was there.
    hits = memory.recall(question, limit=1000, project=PROJECT, profile="cascade", explain=True)
    return flood([hit.explain.path if hit.explain else () for hit in hits])


def flood(paths: Sequence[Sequence[str]]) -> tuple[bool, float]:
    """Whether a hit the hub leads to stands above one that is like the question; the share of hits that come over it."""
    over_hub = [place for place, path in enumerate(paths) if any(HUB in step for step in path[1:])]
    seeds = [place for place, path in enumerate(paths) if not path]
    return bool(over_hub and seeds and min(over_hub) < max(seeds)), len(over_hub) / max(len(paths), 1)


def clustering_figures(size: int) -> list[Figure]:
    """How long clusters take to be found, and how well they are those that were planted."""
    from sklearn.metrics import adjusted_rand_score

    vectors, planted = planted_clusters(size)
    cpu, wall = time.process_time(), time.perf_counter()
    labels = find_clusters(vectors)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    note = f"{planted.max() + 1} planted, {labels.max() + 1} found; wall {wall:.1f} s"
    return [
        Figure(f"clusters of {_k(size)} vectors", cpu, _CLUSTER_TARGETS.get(size), "lower", "s CPU", note),
        Figure(f"clusters of {_k(size)} vectors: adjusted Rand", float(adjusted_rand_score(planted, labels)), 0.9),
    ]


def planted_clusters(size: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Vectors in the narrow cone of an embedder: two of a cluster at a cosine of 0.9, others at 0.77; a tenth in none."""
    random = np.random.default_rng(size)
    common, within, count = 0.77, 0.9, max(size // 250, 4)
    share = random.pareto(2.0, count) + 0.5
    labels = random.choice(count, size, p=share / share.sum())
    labels[random.random(size) < 0.1] = NOISE
    cone = _unit(random.normal(size=384)) * common**0.5
    middles = _unit(random.normal(size=(count, 384))) * (within - common) ** 0.5
    own = _unit(random.normal(size=(size, 384)))
    astray = (labels == NOISE)[:, None]
    vectors = cone + np.where(astray, own * (1 - common) ** 0.5, middles[labels] + own * (1 - within) ** 0.5)
    return _unit(vectors).astype(np.float32), labels


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


def refresh_figures(path: Path, rows: int) -> list[Figure]:
    """Clusters of a store with their names, end to end; found again on the same memories they are the same."""
    with recollect.open(path, embedder=SyntheticEmbedder()) as memory:
        for block in drafts(rows, seed=1):
            memory.remember_many(block, verbatim=True)
        start = time.process_time()
        first = memory.clusters(refresh=True)
        spent = time.process_time() - start
        again = memory.clusters(refresh=True)
    changed = {(c.id, c.name, c.size) for c in first} ^ {(c.id, c.name, c.size) for c in again}
    return [
        Figure(f"clusters(refresh=True) at {_k(rows)}", spent, unit="s CPU", note=f"{len(first)} clusters, named"),
        Figure("found again on the same memories: other ids or names", float(len(changed)), 0.0, "lower"),
    ]


def trigger_figures(path: Path, rows: int, questions: int, triggers: int = 1000) -> list[Figure]:
    """What a thousand triggers add to recall; two accounts with the same memories, one of them with triggers."""
    embedder = Prepared()
    asked = Words(seed=3).questions(questions)
    embedder.prepare(asked)
    words = [text.split()[-1].strip(".") for text in Words(seed=8).texts(triggers)]
    with recollect.open(path, embedder=embedder, touch=False, gaps=False) as memory:
        views = {"plain": memory.with_identity(account="plain"), "armed": memory.with_identity(account="armed")}
        for name, view in views.items():
            for block in drafts(rows, seed=1):
                armed = [
                    replace(d, triggers=_triggers(n, words) if name == "armed" else ()) for n, d in enumerate(block)
                ]
                view.remember_many(armed, verbatim=True)
        spent = _alternately({name: _by_profile(view, "hybrid") for name, view in views.items()}, asked)
    added = spent["armed"] - spent["plain"]
    note = f"p50 {spent['armed']:.2f} and {spent['plain']:.2f} at {_k(rows)}"
    return [Figure(f"{triggers:,} triggers over none", added, unit="ms CPU", note=note)]


def _triggers(number: int, words: Sequence[str]) -> tuple[str, ...]:
    """Two words that seldom stand together, mostly as they are; of ten, one as whole words, one a glob, one an expression."""
    if number >= len(words):
        return ()
    one, other = words[number], words[number - 1]
    spelled = {0: f"glob:src/*/{one}_{number}.py", 1: rf"re:{one}\s+{other}", 2: f"word:{one} {other}"}
    return (spelled.get(number % 10, f"{one} {other}"),)


def _k(count: int) -> str:
    return f"{count / 1e6:.3g}M" if count >= 999_500 else f"{count / 1000:.3g}k"
