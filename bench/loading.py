"""Loading: what it costs to remember many texts, over the cost of embedding them alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import recollect
from bench.embedding import local_embedder
from bench.sets import DataMissing, load
from bench.synthetic import drafts
from bench.tables import Figure

_MANY = 1500


def loading_figures(data: Path) -> list[Figure]:
    """Bulk load through `remember_many`, verbatim and in full, in CPU time over the embedding alone."""
    given, what = _given(data)
    model = local_embedder()
    model.embed_query("warm")
    alone = _spent(lambda: model.embed_documents([draft.content for draft in given]))
    figures = []
    for verbatim in (True, False):
        spent = _load(given, verbatim)
        note = f"{what}; wall {spent[1]:.1f} s, embedding alone {alone[1]:.1f} s"
        label = f"bulk load / embedding alone, {'verbatim' if verbatim else 'reconciled'}"
        figures.append(Figure(label, spent[0] / alone[0], 1.25, "lower", "×", note))
    return figures


def _given(data: Path) -> tuple[list[recollect.Draft], str]:
    try:
        turns = load(data, "locomo").turns[:_MANY]
    except DataMissing:
        return next(drafts(_MANY, 21)), f"{_MANY} synthetic texts"
    kept = [
        recollect.Draft(
            t.text, project=t.set, session=t.session, position=t.position, speaker=t.speaker, occurred_at=t.at
        )
        for t in turns
    ]
    return kept, f"{len(turns)} LoCoMo turns"


def _load(given: list[recollect.Draft], verbatim: bool) -> tuple[float, float]:
    """CPU and wall seconds of loading, the model warm as it was for the embedding alone."""
    with (
        TemporaryDirectory(prefix="recollect-bench-") as folder,
        recollect.open(Path(folder) / "memory.db", embedder="local") as memory,
    ):
        memory.remember("The first memory loads the model.", project="warm")
        return _spent(lambda: memory.remember_many(given, verbatim=verbatim))


def _spent(work: Callable[[], object]) -> tuple[float, float]:
    """CPU and wall seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall
