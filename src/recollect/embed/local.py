"""The local embedder: a model of `models` on this machine, loaded when the first text comes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.embed.calibration import Calibration, measure, measure_queries
from recollect.embed.fetch import ModelFiles
from recollect.embed.models import ARCTIC_EMBED_S, EmbeddingModel, Pooling
from recollect.embed.onnx_model import ModelRuntime, build_runtime, threads_or_default
from recollect.errors import EmbedderError
from recollect.forking import follow_forks

_BLOCK = 32


class LocalEmbedder:
    """Embeds on this machine. Nothing is loaded before the first text; safe to share between threads."""

    def __init__(
        self,
        files: ModelFiles,
        threads: int | None = None,
        build: Callable[[ModelFiles], ModelRuntime] = build_runtime,
        *,
        entry: EmbeddingModel = ARCTIC_EMBED_S,
    ) -> None:
        self._files, self._build, self._entry = files, build, entry
        self._threads = threads_or_default(threads)
        self._lock = threading.Lock()
        self._runtime: ModelRuntime | None = None
        self._calibration, self._query_calibration = entry.calibration, entry.query_calibration
        follow_forks(self)

    def before_fork(self) -> None:
        """Nothing to let go of: a loaded model has no threads."""

    def after_fork(self, *, child: bool) -> None:
        """Another thread may have been loading the model; it does not exist in the child."""
        if child:
            self._lock = threading.Lock()

    @property
    def model(self) -> str:
        return self._entry.id

    @property
    def dimensions(self) -> int:
        return self._entry.dimensions

    @property
    def scripts(self) -> frozenset[str] | None:
        return self._entry.scripts

    @property
    def calibration(self) -> Calibration:
        """For the cosine of two stored texts; built in, or measured at the first use."""
        if self._calibration is None:
            self._calibration = measure(self.embed_documents)
        return self._calibration

    @property
    def query_calibration(self) -> Calibration:
        """For the cosine of a query and a stored text."""
        if self._query_calibration is None:
            prefix = self._entry.query_prefix
            self._query_calibration = measure_queries(
                self.embed_documents, lambda texts: self._embed([prefix + text for text in texts], None)
            )
        return self._query_calibration

    def embed_documents(
        self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> NDArray[np.float32]:
        """One row of unit length per text; `progress` is called with (done, all) every few texts."""
        return self._embed([self._entry.document_prefix + text for text in texts], progress)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """One vector, with the prefix the model was trained to use for queries."""
        return _vector(self._load(), self._entry.query_prefix + text, self._entry)

    def _embed(self, texts: Sequence[str], progress: Callable[[int, int], None] | None) -> NDArray[np.float32]:
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        if len(texts) == 0:
            return vectors
        from concurrent.futures import ThreadPoolExecutor  # slow to import, and a query needs none

        runtime, entry = self._load(), self._entry
        with ThreadPoolExecutor(self._threads, thread_name_prefix="recollect-embed") as pool:
            for start in range(0, len(texts), _BLOCK):
                block = texts[start : start + _BLOCK]
                made = list(pool.map(lambda text: _vector(runtime, text, entry), block))
                vectors[start : start + len(block)] = made
                if progress is not None:
                    progress(start + len(block), len(texts))
        return vectors

    def _load(self) -> ModelRuntime:
        if self._runtime is None:
            with self._lock:
                if self._runtime is None:
                    self._runtime = self._build(self._files)
        return self._runtime


def _vector(runtime: ModelRuntime, text: str, entry: EmbeddingModel) -> NDArray[np.float32]:
    pooled = _pooled(runtime.run(text), entry.pooling)
    if pooled.shape != (entry.dimensions,):
        raise EmbedderError(f"{entry.name} returned vectors of shape {pooled.shape}, not of {entry.dimensions} numbers")
    unit: NDArray[np.float32] = pooled / np.linalg.norm(pooled)
    return unit


def _pooled(states: NDArray[np.float32], pooling: Pooling) -> NDArray[np.float32]:
    """One vector of the states of the tokens: the first one, or their mean. Some models pool by themselves."""
    if states.ndim == 1:
        return states
    pooled: NDArray[np.float32] = states[0] if pooling == "cls" else states.mean(axis=0)
    return pooled
