"""Loading: what it costs to remember many texts, over the cost of embedding them alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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

_MANY, _SLICE = 1500, 192


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
    """Bulk load through `remember_many`, verbatim and in full, over the embedding of the same texts alone.

    Texts are loaded in slices, each embedded alone right before and right after, and the median slice counts: a shared machine
    changes its speed by half from one minute to the next.
    """
    turns, what = _given(data)
    plain = [replace(draft, speaker=None, session=None, position=None) for draft in turns]
    model = TimedEmbedder(local_embedder())
    model.embed_query("warm")
    figures = []
    for kind, given in (("statements", plain), ("turns of a conversation", turns)):
        for verbatim in (True, False):
            alone, loaded, inside = _slices(given, model, verbatim)
            label = f"bulk load of {kind} / embedding alone, {'verbatim' if verbatim else 'reconciled'}"
            share = np.median(inside / alone[:, 0])
            note = (
                f"{what} in {len(alone)} slices, median; wall {np.median(loaded[:, 1] / alone[:, 1]):.2f} ×;"
                f" names and sentences included, the model took {share:.2f} × the texts alone"
            )
            figures.append(Figure(label, float(np.median(loaded[:, 0] / alone[:, 0])), 1.25, "lower", "×", note))
    return figures


def _slices(
    given: list[recollect.Draft], model: TimedEmbedder, verbatim: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """CPU and wall seconds of each slice embedded alone (the mean of two times) and loaded, and the CPU seconds inside the model
    while loading."""
    alone, loaded, inside = [], [], []
    with (
        TemporaryDirectory(prefix="recollect-bench-") as folder,
        recollect.open(Path(folder) / "memory.db", embedder=model) as memory,
    ):
        for first in range(0, len(given), _SLICE):
            part = given[first : first + _SLICE]
            texts = [draft.content for draft in part]
            before = _spent(lambda texts=texts: model.inner.embed_documents(texts))  # type: ignore[misc]
            model.cpu = 0.0
            loaded.append(_spent(lambda part=part: memory.remember_many(part, verbatim=verbatim)))  # type: ignore[misc]
            inside.append(model.cpu)
            after = _spent(lambda texts=texts: model.inner.embed_documents(texts))  # type: ignore[misc]
            alone.append(np.mean([before, after], axis=0))
    return np.array(alone), np.array(loaded), np.array(inside)


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


def _spent(work: Callable[[], object]) -> tuple[float, float]:
    """CPU and wall seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall
