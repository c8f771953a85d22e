"""An embedder together with the store its vectors go to: the store knows the model before anything is written or looked at.

The name and the dimensions of a model that can only be learned by calling it are kept in the store as a note. So a store opens, and
knows its vectors, while a model server is down. If the note is missing, verbs that need the model ask it (`Runtime.learn_model`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from recollect.embed.calibration import Calibration
from recollect.errors import EmbedderError, StoreBusy
from recollect.ports import Calibrated, Embedder, Progress, Store, scripts_of
from recollect.values.memory import Record
from recollect.values.passages import passages


class StoreEmbedder:
    """An embedder bound to one store, which also keeps its measured calibrations."""

    def __init__(self, embedder: Embedder, store: Store, *, label: str | None = None, calibrated: bool = False) -> None:
        """`label` names an embedder whose model is known only after a call; `calibrated`: its calibrations are built in."""
        self.inner, self._store, self._label = embedder, store, label
        self._known: tuple[str, int] | None = None
        self._calibrations: dict[str, Calibrated] = {}
        self._built_in = calibrated
        if label is not None:
            self._read_note(label)
        else:
            with suppress(EmbedderError):  # a model server that is down; it is asked again
                self._learn()

    @property
    def model(self) -> str:
        return self.inner.model if self._known is None else self._known[0]

    @property
    def dimensions(self) -> int:
        return (self._known or self._learn())[1]

    @property
    def scripts(self) -> frozenset[str] | None:
        return scripts_of(self.inner)

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
        self._learn()
        return made

    def embed_query(self, text: str) -> NDArray[np.float32]:
        made = self.inner.embed_query(text)
        self._learn()
        return made

    def embed_many(self, memories: Sequence[Record]) -> list[NDArray[np.float32]]:
        """One matrix per memory, with a vector for each of its passages. The store learns the model even if there are none."""
        parts = [passages(memory) for memory in memories]
        flat = self.embed_documents([part for group in parts for part in group])
        ends = np.cumsum([len(group) for group in parts]).tolist()
        return [flat[end - len(group) : end] for end, group in zip(ends, parts, strict=True)]

    def introduce(self, store: Store) -> None:
        """Tell another store (a view of this one) the model of its vectors, if it is known by now."""
        if self._known is not None:
            store.use_model(*self._known)

    def _learn(self) -> tuple[str, int]:
        """Name and dimensions of the model, which the store is told; they cost a call if there was none yet."""
        found = (self.inner.model, self.inner.dimensions)
        if found != self._known:
            self._store.use_model(*found)
            self._known = found
            self._write_note(found)
        return found

    def _read_note(self, label: str) -> None:
        with self._store.view() as reader:
            stored = reader.note(f"model:{label}")
        if stored is not None:
            model, dimensions = json.loads(stored)
            self._known = (model, dimensions)
            self._store.use_model(model, dimensions)

    def _write_note(self, found: tuple[str, int]) -> None:
        if self._label is None or not self._store.writable:
            return
        # Nobody waits for this: while another process writes, the next one asks the model again.
        with suppress(StoreBusy), self._store.transaction("", "model", datetime.now(UTC), wait=False) as tx:
            tx.set_note(f"model:{self._label}", json.dumps(found))

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
            # Nobody waits for this either: a recall may be what asks, and the next process measures again.
            with suppress(StoreBusy), self._store.transaction("", "calibration", datetime.now(UTC), wait=False) as tx:
                tx.set_note(name, json.dumps({"random": made.random, "paraphrase": made.paraphrase}))
        return made
