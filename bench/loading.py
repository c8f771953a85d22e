"""Loading: what it costs to remember many texts, over the cost of embedding them alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

import recollect
from bench.embedding import BuiltIn, local_embedder
from bench.sets import DataMissing, load
from bench.synthetic import drafts
from bench.tables import Figure
from recollect.embed.local import LocalEmbedder
from recollect.ports import Progress

_MANY = 1500


@dataclass
class TimedEmbedder:
    """The real model, with the CPU and wall seconds spent inside it."""

    inner: LocalEmbedder
    cpu: float = 0.0
    wall: float = 0.0

    @property
    def model(self) -> str:
        return self.inner.model

    @property
    def dimensions(self) -> int:
        return self.inner.dimensions

    @property
    def calibration(self) -> BuiltIn:
        return BuiltIn(self.inner.calibration)

    @property
    def query_calibration(self) -> BuiltIn:
        return BuiltIn(self.inner.query_calibration)

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        held: list[NDArray[np.float32]] = []
        cpu, wall = _spent(lambda: held.append(self.inner.embed_documents(texts, progress)))
        self.cpu, self.wall = self.cpu + cpu, self.wall + wall
        return held[0]

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self.inner.embed_query(text)


def loading_figures(data: Path) -> list[Figure]:
    """Bulk load through `remember_many`, verbatim and in full, over the embedding of the texts alone, in CPU time."""
    given, what = _given(data)
    model = TimedEmbedder(local_embedder())
    model.embed_query("warm")
    alone = _spent(lambda: model.inner.embed_documents([draft.content for draft in given]))
    figures = []
    for verbatim in (True, False):
        model.cpu = model.wall = 0.0
        cpu, wall = _load(given, model, verbatim)
        label = f"bulk load / embedding alone, {'verbatim' if verbatim else 'reconciled'}"
        note = f"{what}; wall {wall:.1f} s, texts embedded alone {alone[1]:.1f} s"
        figures.append(Figure(label, cpu / alone[0], 1.25, "lower", "×", note))
        inside = f"names and sentences included, the model took {model.cpu / alone[0]:.2f} × the texts alone"
        figures.append(Figure(f"{label}: over the time inside the model", cpu / model.cpu, unit="×", note=inside))
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


def _load(given: list[recollect.Draft], model: TimedEmbedder, verbatim: bool) -> tuple[float, float]:
    """CPU and wall seconds of loading, the model as warm as it was for the embedding alone."""
    with (
        TemporaryDirectory(prefix="recollect-bench-") as folder,
        recollect.open(Path(folder) / "memory.db", embedder=model) as memory,
    ):
        return _spent(lambda: memory.remember_many(given, verbatim=verbatim))


def _spent(work: Callable[[], object]) -> tuple[float, float]:
    """CPU and wall seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall
