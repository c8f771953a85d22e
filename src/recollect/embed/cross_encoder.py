"""The local reranker: a cross-encoder of `models`, which reads the question and one text together and gives them a score."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence

from recollect.embed.fetch import ModelFiles
from recollect.embed.models import HubModel
from recollect.embed.onnx_model import ModelRuntime, build_runtime, threads_or_default
from recollect.errors import RerankerError
from recollect.forking import follow_forks


class LocalReranker:
    """Scores on this machine, between 0 and 1. Nothing is loaded before the first question; safe to share between threads.

    It looks at the clock before each text, so it stops by itself when its time is up.
    """

    def __init__(
        self,
        files: ModelFiles,
        entry: HubModel,
        *,
        threads: int | None = None,
        seconds: float = 5.0,
        build: Callable[[ModelFiles], ModelRuntime] = build_runtime,
    ) -> None:
        self._files, self._entry, self._build = files, entry, build
        self._threads, self._seconds = threads_or_default(threads), seconds
        self._lock = threading.Lock()
        self._runtime: ModelRuntime | None = None
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

    def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score per text."""
        from concurrent.futures import ThreadPoolExecutor

        until, runtime = time.monotonic() + self._seconds, self._load()

        def score(text: str) -> float:
            if time.monotonic() > until:
                raise RerankerError(
                    f"{self._entry.name} did not read {len(texts)} texts within {self._seconds:g} s;"
                    " lower rerank_candidates or raise rerank_seconds"
                )
            return _score(runtime, query, text, self._entry)

        with ThreadPoolExecutor(self._threads, thread_name_prefix="recollect-rerank") as pool:
            return list(pool.map(score, texts))

    def _load(self) -> ModelRuntime:
        if self._runtime is None:
            with self._lock:
                if self._runtime is None:
                    self._runtime = self._build(self._files)
        return self._runtime


def _score(runtime: ModelRuntime, query: str, text: str, entry: HubModel) -> float:
    output = runtime.run(query, text)
    if output.size != 1:
        raise RerankerError(f"{entry.name} returned {output.size} numbers for a pair of texts, not one")
    # The logistic function, without an overflow for very low values.
    return 0.5 * (1 + math.tanh(float(output.reshape(())) / 2))
