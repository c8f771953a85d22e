"""Loading a local model in a thread, so that a server or a command can start working at once.

Until the embedding model is ready, a query is answered by words alone, with a note that says so. A text to store waits for its
vector, because it is written once and read many times. Until a reranker is ready, hits stay in the order of their scores.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event, Lock, Thread

import numpy as np
from numpy.typing import NDArray

from recollect.embed.fetch import ModelFiles
from recollect.embed.onnx_model import ModelRuntime, build_runtime, prepare_runtime
from recollect.errors import EmbedderUnavailable, RecollectError
from recollect.forking import follow_forks
from recollect.ports import Calibrated, Embedder, Progress, Reranker, scripts_of

# Loading takes half a second; a download takes longer than a caller should wait.
_TIMEOUT = 20.0


class _Load:
    """Downloads and loads a model once, in a thread."""

    def __init__(self, what: str, prepare: Callable[[], object], load: Callable[[], object]) -> None:
        self._what, self._prepare, self._load = what, prepare, load
        self._done, self._problem = Event(), ""
        self._building, self._exiting = Lock(), False
        follow_forks(self)
        self._start()

    def before_fork(self) -> None:
        """Nothing to let go of."""

    def after_fork(self, *, child: bool) -> None:
        """The thread that loads the model does not exist in the child, which loads it itself."""
        if child and not self._done.is_set():
            self._done, self._building = Event(), Lock()
            self._start()

    def wait(self, timeout: float) -> None:
        """Wait until the model is loaded, or cannot be."""
        self._done.wait(timeout)

    def require_ready(self) -> None:
        """Raise EmbedderUnavailable unless the model is loaded."""
        if not self._done.is_set():
            raise EmbedderUnavailable(f"{self._what} is still loading; ask again in a moment")
        if self._problem:
            raise EmbedderUnavailable(self._problem)

    def _start(self) -> None:
        atexit.register(self._wait_at_exit)
        # A daemon: a download may take minutes and must not keep a finished process from exiting.
        Thread(target=self._run, name="recollect-load", daemon=True).start()

    def _run(self) -> None:
        try:
            self._prepare()
            with self._building:
                if not self._exiting:
                    self._load()
        except RecollectError as error:
            self._problem = str(error)
        finally:
            self._done.set()
            atexit.unregister(self._wait_at_exit)

    def _wait_at_exit(self) -> None:
        """Wait at exit: onnxruntime aborts a process that exits while a session is being built."""
        self._exiting = True
        self._building.acquire(timeout=_TIMEOUT)


class BackgroundEmbedder:
    """An embedder whose model loads in a thread; `prepare` downloads what it needs. Its name and calibrations are known."""

    def __init__(self, inner: Embedder, prepare: Callable[[], object], timeout: float = _TIMEOUT) -> None:
        self._inner, self._timeout = inner, timeout
        self._loading = _Load("the embedding model", prepare, lambda: inner.embed_query("ready"))

    @property
    def model(self) -> str:
        return self._inner.model

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    @property
    def scripts(self) -> frozenset[str] | None:
        return scripts_of(self._inner)

    @property
    def calibration(self) -> Calibrated:
        return self._inner.calibration

    @property
    def query_calibration(self) -> Calibrated:
        return self._inner.query_calibration

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        """One row per text; waits for the model up to the timeout."""
        if len(texts):
            self._loading.wait(self._timeout)
            self._loading.require_ready()
        return self._inner.embed_documents(texts, progress)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """One vector; fails at once while the model is loading."""
        self._loading.require_ready()
        return self._inner.embed_query(text)


class BackgroundReranker:
    """A reranker whose model loads in a thread; `prepare` downloads what it needs."""

    def __init__(self, inner: Reranker, model: str, prepare: Callable[[], object]) -> None:
        self._inner, self.model = inner, model
        self._loading = _Load("the reranker", prepare, lambda: inner("ready", ["ready"]))

    def __call__(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """One score per text; fails at once while the model is loading."""
        self._loading.require_ready()
        return self._inner(query, texts)


class RuntimePreload:
    """A runtime that is being built in a thread; called like `build_runtime`, it waits for the result."""

    def __init__(self, files: ModelFiles) -> None:
        self._finish = prepare_runtime(files)
        self._runtime: ModelRuntime | None = None
        # Not a daemon: onnxruntime aborts a process that exits while a session is being built.
        self._thread = Thread(target=self._build, name="recollect-preload")
        self._thread.start()

    def __call__(self, files: ModelFiles) -> ModelRuntime:
        """The runtime, as soon as it is built."""
        self._thread.join()
        return self._runtime or build_runtime(files)

    def _build(self) -> None:
        with suppress(Exception):  # `build_runtime` raises it again
            self._runtime = self._finish()
