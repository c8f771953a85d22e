"""An embedder together with the store its vectors go to: the store learns the model before the first vector arrives.

The model is not called before there is something to embed, so a store opens while a model server is down.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from recollect.embed.calibration import Calibration
from recollect.ports import Calibrated, Embedder, Progress, Store
from recollect.values.memory import Record
from recollect.values.passages import passages


class StoreEmbedder:
    """An embedder bound to one store, which also keeps its measured calibrations."""

    def __init__(self, embedder: Embedder, store: Store, *, known: bool, calibrated: bool = False) -> None:
        """`known`: model name and dimensions are known without a call of the model; `calibrated`: so are the calibrations."""
        self.inner, self._store, self._registered = embedder, store, False
        self._calibrations: dict[str, Calibrated] = {}
        self._built_in = calibrated
        if known:
            self._register()

    @property
    def model(self) -> str:
        return self.inner.model

    @property
    def dimensions(self) -> int:
        return self.inner.dimensions

    @property
    def calibration(self) -> Calibrated:
        """For two stored texts; measured once, then read from the store."""
        return self._calibrated("texts", lambda: self.inner.calibration)

    @property
    def query_calibration(self) -> Calibrated:
        """For a query and a stored text."""
        return self._calibrated("queries", lambda: self.inner.query_calibration)

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        made = self.inner.embed_documents(texts, progress)
        self._register()
        return made

    def embed_query(self, text: str) -> NDArray[np.float32]:
        made = self.inner.embed_query(text)
        self._register()
        return made

    def embed_many(self, memories: Sequence[Record]) -> list[NDArray[np.float32]]:
        """One matrix per memory, with a vector for each of its passages. The store learns the model even if there are none."""
        parts = [passages(memory) for memory in memories]
        flat = self.embed_documents([part for group in parts for part in group])
        ends = np.cumsum([len(group) for group in parts]).tolist()
        return [flat[end - len(group) : end] for end, group in zip(ends, parts, strict=True)]

    def introduce(self, store: Store) -> None:
        """Tell another store (a view of this one) the model of its vectors, if it is known by now."""
        if self._registered:
            store.use_model(self.inner.model, self.inner.dimensions)

    def _register(self) -> None:
        if not self._registered:
            self._store.use_model(self.inner.model, self.inner.dimensions)
            self._registered = True

    def _calibrated(self, what: str, measure: Callable[[], Calibrated]) -> Calibrated:
        if self._built_in:
            return measure()
        if what not in self._calibrations:
            self._calibrations[what] = self._stored(f"calibration:{what}:{self.model}", measure)
        return self._calibrations[what]

    def _stored(self, name: str, measure: Callable[[], Calibrated]) -> Calibrated:
        with self._store.view() as reader:
            stored = reader.note(name)
        if stored is not None:
            return Calibration(**json.loads(stored))
        made = measure()
        if isinstance(made, Calibration) and self._store.writable:
            with self._store.transaction("", "calibration", datetime.now(UTC)) as tx:
                tx.set_note(name, json.dumps({"random": made.random, "paraphrase": made.paraphrase}))
        return made
