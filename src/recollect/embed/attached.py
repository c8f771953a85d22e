"""Attached: an embedder as one store knows it. The store hears its model before its first vector, and keeps its calibration.

Nothing is asked of the model before there is something to embed, so a store opens while a model server is down.
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


class Attached:
    """An embedder and the store its vectors go to."""

    def __init__(self, embedder: Embedder, store: Store, *, known: bool, calibrated: bool = False) -> None:
        """`known`: model and dimensions can be told without asking anybody; `calibrated`: so can the calibrations."""
        self.inner, self._store, self._known = embedder, store, False
        self._kept: dict[str, Calibrated] = {}
        self._built_in = calibrated
        if known:
            self._introduce()

    @property
    def model(self) -> str:
        return self.inner.model

    @property
    def dimensions(self) -> int:
        return self.inner.dimensions

    @property
    def calibration(self) -> Calibrated:
        """For two stored texts: measured once, then read from the store."""
        return self._calibrated("texts", lambda: self.inner.calibration)

    @property
    def query_calibration(self) -> Calibrated:
        """For a query and a stored text."""
        return self._calibrated("queries", lambda: self.inner.query_calibration)

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        made = self.inner.embed_documents(texts, progress)
        self._introduce()
        return made

    def embed_query(self, text: str) -> NDArray[np.float32]:
        made = self.inner.embed_query(text)
        self._introduce()
        return made

    def embed_many(self, memories: Sequence[Record]) -> list[NDArray[np.float32]]:
        """One matrix a memory: a vector for each of its passages. Of no memories, the store still learns the model."""
        parts = [passages(memory) for memory in memories]
        flat = self.embed_documents([part for group in parts for part in group])
        ends = np.cumsum([len(group) for group in parts]).tolist()
        return [flat[end - len(group) : end] for end, group in zip(ends, parts, strict=True)]

    def introduce(self, store: Store) -> None:
        """Tell another store (a view of this one) which model its vectors are of, if that is known by now."""
        if self._known:
            store.use_model(self.inner.model, self.inner.dimensions)

    def _introduce(self) -> None:
        if not self._known:
            self._store.use_model(self.inner.model, self.inner.dimensions)
            self._known = True

    def _calibrated(self, what: str, measured: Callable[[], Calibrated]) -> Calibrated:
        if self._built_in:
            return measured()
        if what not in self._kept:
            self._kept[what] = self._stored(f"calibration:{what}:{self.model}", measured)
        return self._kept[what]

    def _stored(self, name: str, measured: Callable[[], Calibrated]) -> Calibrated:
        with self._store.reading() as reader:
            held = reader.note(name)
        if held is not None:
            return Calibration(**json.loads(held))
        made = measured()
        if isinstance(made, Calibration) and self._store.writable:
            with self._store.transaction("", "calibration", datetime.now(UTC)) as tx:
                tx.set_note(name, json.dumps({"random": made.random, "paraphrase": made.paraphrase}))
        return made
