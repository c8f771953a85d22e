"""Embedders of the bench: the real one behind a cache of vectors, so that a second run costs no embedding.

The cache is one SQLite file outside the repository, keyed by the hash of model and text; several benches may share it.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.config import load
from recollect.embed.fetch import ensure_model
from recollect.embed.local import LocalEmbedder
from recollect.ports import Calibrated, Embedder, Progress, scripts_of

_BLOCK = 256
Vectors = NDArray[np.float32]


def local_embedder() -> LocalEmbedder:
    """The product's default embedder, from where the product keeps it."""
    settings = load().settings
    source = Path(settings.model_folder).expanduser() if settings.model_folder else None
    folder = Path(settings.cache).expanduser() / "models" / "arctic-embed-s-int8"
    return LocalEmbedder(ensure_model(folder, source=source, offline=settings.offline))


def cache_folder(given: str | None) -> Path:
    """Where vectors are kept between runs: the user's cache folder unless named."""
    return Path(given) if given else Path(load().settings.cache).expanduser() / "bench"


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """The calibration that comes with a model: asked, never written into the store."""

    scale: Calibrated

    def similarity(self, cosine: Any) -> Any:
        return self.scale.similarity(cosine)


class CachedEmbedder:
    """An embedder that never embeds the same text twice. Safe to share between threads."""

    def __init__(self, inner: Embedder, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._inner, self._lock = inner, threading.Lock()
        self._held = sqlite3.connect(folder / "vectors.sqlite", 60, isolation_level=None, check_same_thread=False)
        self._held.execute("PRAGMA journal_mode = WAL").fetchone()
        self._held.execute("PRAGMA synchronous = NORMAL")
        self._held.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    @property
    def model(self) -> str:
        return self._inner.model

    @property
    def scripts(self) -> frozenset[str] | None:
        return scripts_of(self._inner)

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    @property
    def calibration(self) -> BuiltIn:
        return BuiltIn(self._inner.calibration)

    @property
    def query_calibration(self) -> BuiltIn:
        return BuiltIn(self._inner.query_calibration)

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        made = np.empty((len(texts), self.dimensions), np.float32)
        for first in range(0, len(texts), _BLOCK):
            block = texts[first : first + _BLOCK]
            made[first : first + len(block)] = self._block(block)
            if progress is not None:
                progress(first + len(block), len(texts))
        return made

    def embed_query(self, text: str) -> Vectors:
        key = self._key("query", text)
        held = self._get(key)
        if held is None:
            held = self._inner.embed_query(text)
            self._put([(key, held)])
        return held

    def close(self) -> None:
        """Let go of the cache."""
        self._held.close()

    def _block(self, texts: Sequence[str]) -> Vectors:
        keys = [self._key("document", text) for text in texts]
        found = {key: self._get(key) for key in keys}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if found[key] is None}
        if missing:
            fresh = dict(zip(missing, self._inner.embed_documents(list(missing.values())), strict=True))
            self._put(list(fresh.items()))
            found |= fresh
        return np.stack([found[key] for key in keys])

    def _key(self, kind: str, text: str) -> bytes:
        return hashlib.sha256(f"{self.model}\0{kind}\0{text}".encode("utf-8", "surrogatepass")).digest()

    def _get(self, key: bytes) -> Vectors | None:
        with self._lock:
            row = self._held.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
        return None if row is None else np.frombuffer(row[0], np.float32)

    def _put(self, made: list[tuple[bytes, Vectors]]) -> None:
        rows = [(key, np.asarray(vector, np.float32).tobytes()) for key, vector in made]
        with self._lock:
            self._held.execute("BEGIN IMMEDIATE")
            self._held.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
            self._held.execute("COMMIT")
