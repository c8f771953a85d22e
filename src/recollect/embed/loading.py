"""Loading: an embedder that is being made ready by a thread of its own, so that a server answers at once.

Until it is ready a question is answered by words alone, which says so; a text that is to be kept waits for its vector, as
it is read many times and written once. Comes between `local` and whoever cannot wait for it.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Sequence
from threading import Event, Lock, Thread

import numpy as np
from numpy.typing import NDArray

from recollect.errors import EmbedderError, EmbedderUnavailable
from recollect.ports import Calibrated, Embedder, Progress

# A model at hand takes half a second; one that is fetched first takes longer than a caller should wait.
_PATIENCE = 20.0


class LoadingEmbedder:
    """An embedder of which everything but its vectors is known already; `prepare` brings what it needs."""

    def __init__(self, inner: Embedder, prepare: Callable[[], object], patience: float = _PATIENCE) -> None:
        self._inner, self._prepare, self._patience = inner, prepare, patience
        self._over, self._problem = Event(), ""
        self._building, self._ending = Lock(), False
        atexit.register(self._end)
        # A fetch may take minutes, and must not keep a process that is done from ending.
        Thread(target=self._load, name="recollect-load", daemon=True).start()

    @property
    def model(self) -> str:
        return self._inner.model

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    @property
    def calibration(self) -> Calibrated:
        return self._inner.calibration

    @property
    def query_calibration(self) -> Calibrated:
        return self._inner.query_calibration

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        """One row a text; waits for the model, for a while."""
        if len(texts):
            self._over.wait(self._patience)
            self._ready()
        return self._inner.embed_documents(texts, progress)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """One vector; does not wait."""
        self._ready()
        return self._inner.embed_query(text)

    def _ready(self) -> None:
        if not self._over.is_set():
            raise EmbedderUnavailable("the embedding model is still loading; ask again in a moment")
        if self._problem:
            raise EmbedderUnavailable(self._problem)

    def _load(self) -> None:
        try:
            self._prepare()
            with self._building:
                if not self._ending:
                    self._inner.embed_query("ready")
        except EmbedderError as error:
            self._problem = str(error)
        finally:
            self._over.set()
            atexit.unregister(self._end)

    def _end(self) -> None:
        """The runtime of the model aborts a process that ends while it is being built: that is waited for."""
        self._ending = True
        self._building.acquire(timeout=self._patience)
