"""The default embedder: snowflake-arctic-embed-s, int8, on onnxruntime. Comes after `fetch`, which verified its files.

Each text is run alone, several at once on threads of our own, never as a padded batch. The model quantises its
activations by the range of the whole batch, so in a batch a text's vector depends on its neighbours: cosine 0.997 with
the vector of the same text alone, 0.994 at worst. Alone, a text gives the same bits every time. Measured against sorted
batches of 8, a CPU-second: 165 and 190 LoCoMo turns, 17 and 7 passages of 300 tokens; a peak of 156 and 353 MB.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.embed.calibration import Calibration
from recollect.embed.pins import MODEL, ModelFiles
from recollect.embed.runtime import Runtime
from recollect.embed.runtime import build as built

QUERY_PREFIX = "Represent this sentence for searching relevant passages: "

# Measured by `calibration.measure` and `measure_queries`. Seen elsewhere, for scale: unrelated pairs 0.67 (facts of
# MemoryAgentBench), 0.72 (STS), 0.75 (SNLI), 0.81 (LoCoMo chat turns); paraphrases 0.97 (STS >= 4.8), 0.98 (SICK);
# LoCoMo questions 0.61 with their evidence, 0.52 with other turns.
CALIBRATION = Calibration(random=0.709, paraphrase=0.956)
QUERY_CALIBRATION = Calibration(random=0.474, paraphrase=0.724)

_DIMENSIONS = 384
# The tokenizer reads a text to its end before it cuts (1 s a megabyte); 512 tokens are 2,000 to 4,000 characters.
_MAX_CHARACTERS = 16_384
_MOST_THREADS = 4
_BLOCK = 32


class LocalEmbedder:
    """Embeds on this machine. Nothing is loaded before the first text; safe to share between threads."""

    def __init__(
        self, files: ModelFiles, threads: int | None = None, build: Callable[[ModelFiles], Runtime] = built
    ) -> None:
        self._files, self._build = files, build
        self._threads = max(1, threads or min(_MOST_THREADS, os.cpu_count() or 1))
        self._lock = threading.Lock()
        self._runtime: Runtime | None = None

    @property
    def model(self) -> str:
        return f"snowflake-arctic-embed-s-int8@{MODEL.sha256[:8]}"

    @property
    def dimensions(self) -> int:
        return _DIMENSIONS

    @property
    def calibration(self) -> Calibration:
        """For the cosine of two stored texts."""
        return CALIBRATION

    @property
    def query_calibration(self) -> Calibration:
        """For the cosine of a query and a stored text."""
        return QUERY_CALIBRATION

    def embed_documents(
        self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> NDArray[np.float32]:
        """One row a text, unit length; `progress` is called with (done, all) every few texts."""
        vectors = np.empty((len(texts), _DIMENSIONS), dtype=np.float32)
        if len(texts) == 0:
            return vectors
        from concurrent.futures import ThreadPoolExecutor  # with logging and more behind it; a question needs none

        runtime = self._load()
        with ThreadPoolExecutor(self._threads, thread_name_prefix="recollect-embed") as pool:
            for start in range(0, len(texts), _BLOCK):
                block = texts[start : start + _BLOCK]
                vectors[start : start + len(block)] = list(pool.map(lambda text: _vector(runtime, text), block))
                if progress is not None:
                    progress(start + len(block), len(texts))
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """One vector, of the question form the model was trained to match with passages."""
        return _vector(self._load(), QUERY_PREFIX + text)

    def _load(self) -> Runtime:
        if self._runtime is None:
            with self._lock:
                if self._runtime is None:
                    self._runtime = self._build(self._files)
        return self._runtime


def _vector(runtime: Runtime, text: str) -> NDArray[np.float32]:
    # A lone surrogate (half an emoji cut off by a tool) is no text to the tokenizer; it becomes "?".
    clean = text[:_MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
    ids = np.array([runtime.tokenizer.encode(clean).ids], dtype=np.int64)
    inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    first_token: NDArray[np.float32] = runtime.session.run(None, inputs)[0][0, 0]
    unit: NDArray[np.float32] = first_token / np.linalg.norm(first_token)
    return unit
