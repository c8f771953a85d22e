"""The local model: snowflake-arctic-embed-s on onnxruntime, loaded from verified files.

`build_runtime` loads it in one go. `prepare_runtime` does the imports and returns the rest of the work, which mostly runs
without the interpreter lock, so that a thread can do it meanwhile (see `background`).
"""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from recollect.embed.calibration import Calibration
from recollect.embed.fetch import MODEL, ModelFiles
from recollect.errors import EmbedderError, EmbedderUnavailable
from recollect.forking import follow_forks

if TYPE_CHECKING:
    from tokenizers import Tokenizer


_MAX_TOKENS = 512


class OnnxSession(Protocol):
    """The part of onnxruntime's InferenceSession used here; onnxruntime ships no types."""

    def run(self, outputs: None, inputs: dict[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]:
        """The outputs for some inputs."""
        ...


@dataclass(frozen=True, slots=True)
class ModelRuntime:
    """A loaded model: the tokenizer and the onnxruntime session."""

    tokenizer: Tokenizer
    session: OnnxSession


def build_runtime(files: ModelFiles) -> ModelRuntime:
    """Load the model in this thread."""
    return prepare_runtime(files)()


def prepare_runtime(files: ModelFiles) -> Callable[[], ModelRuntime]:
    """Check the files and import the libraries; calling the returned function loads the model."""
    for path in (files.onnx, files.tokenizer):
        if not path.is_file():
            raise EmbedderUnavailable(
                f"the model file {path} is missing; start again with a network connection to download it"
            )
    _disable_telemetry()
    try:
        # Imported here: both take 0.1 s to import, and a command that embeds nothing does not need them.
        onnxruntime = importlib.import_module("onnxruntime")
        from tokenizers import Tokenizer
    except ImportError as error:
        raise EmbedderUnavailable(f"{error.name} is not installed; `pip install onnxruntime tokenizers`") from error
    return lambda: ModelRuntime(_tokenizer(Tokenizer, files.tokenizer), _session(onnxruntime, files.onnx))


def _disable_telemetry() -> None:
    """Before onnxruntime is imported: its import alone writes a device id, queues data about the process and contacts its vendor.

    `disable_telemetry_events` comes too late for that. The library reads the variable in native code, so `putenv` is enough.
    """
    os.putenv("ORT_DISABLE_TELEMETRY", "1")


def _tokenizer(kind: type[Tokenizer], path: Path) -> Tokenizer:
    tokenizer = kind.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(_MAX_TOKENS)
    return tokenizer


def _session(onnxruntime: ModuleType, onnx: Path) -> OnnxSession:
    errors_only = 3
    onnxruntime.set_default_logger_severity(errors_only)
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = errors_only
    # One thread per text: threads inside a short text spend more on synchronisation than they gain (143 against 165 turns
    # per CPU-second). The memory arena stays on: without it every long text faults its memory in again (3.7 against 9 texts
    # of 512 tokens per CPU-second). Memory patterns only raise the peak (187 MB against 158).
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False
    states = onnxruntime.capi.onnxruntime_pybind11_state
    try:
        session: OnnxSession = onnxruntime.InferenceSession(str(onnx), options, providers=["CPUExecutionProvider"])
    except (states.InvalidProtobuf, states.InvalidGraph, states.NotImplemented, states.Fail) as error:
        raise EmbedderError(
            f"onnxruntime {onnxruntime.__version__} cannot load {onnx}: {error}; delete that file to download it again"
        ) from error
    return session


QUERY_PREFIX = "Represent this sentence for searching relevant passages: "

# Measured with `calibration.measure` and `measure_queries`. On other data, for comparison: unrelated pairs 0.67 (facts of
# MemoryAgentBench), 0.72 (STS), 0.75 (SNLI), 0.81 (LoCoMo chat turns); paraphrases 0.97 (STS >= 4.8), 0.98 (SICK);
# LoCoMo questions 0.61 with their evidence, 0.52 with other turns.
CALIBRATION = Calibration(random=0.709, paraphrase=0.956)
QUERY_CALIBRATION = Calibration(random=0.474, paraphrase=0.724)

_DIMENSIONS = 384
# The tokenizer reads a whole text before it truncates (1 s per megabyte); 512 tokens are 2,000 to 4,000 characters.
_MAX_CHARACTERS = 16_384
_MOST_THREADS = 4
_BLOCK = 32


class LocalEmbedder:
    """Embeds on this machine. Nothing is loaded before the first text; safe to share between threads."""

    def __init__(
        self,
        files: ModelFiles,
        threads: int | None = None,
        build: Callable[[ModelFiles], ModelRuntime] = build_runtime,
    ) -> None:
        self._files, self._build = files, build
        self._threads = max(1, threads or min(_MOST_THREADS, os.cpu_count() or 1))
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
        """One row of unit length per text; `progress` is called with (done, all) every few texts."""
        vectors = np.empty((len(texts), _DIMENSIONS), dtype=np.float32)
        if len(texts) == 0:
            return vectors
        from concurrent.futures import ThreadPoolExecutor  # slow to import, and a query needs none

        runtime = self._load()
        with ThreadPoolExecutor(self._threads, thread_name_prefix="recollect-embed") as pool:
            for start in range(0, len(texts), _BLOCK):
                block = texts[start : start + _BLOCK]
                vectors[start : start + len(block)] = list(pool.map(lambda text: _vector(runtime, text), block))
                if progress is not None:
                    progress(start + len(block), len(texts))
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """One vector, with the prefix the model was trained to use for queries."""
        return _vector(self._load(), QUERY_PREFIX + text)

    def _load(self) -> ModelRuntime:
        if self._runtime is None:
            with self._lock:
                if self._runtime is None:
                    self._runtime = self._build(self._files)
        return self._runtime


def _vector(runtime: ModelRuntime, text: str) -> NDArray[np.float32]:
    # The tokenizer rejects a lone surrogate (half an emoji, cut off by a tool); it becomes "?".
    clean = text[:_MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
    ids = np.array([runtime.tokenizer.encode(clean).ids], dtype=np.int64)
    inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    first_token: NDArray[np.float32] = runtime.session.run(None, inputs)[0][0, 0]
    unit: NDArray[np.float32] = first_token / np.linalg.norm(first_token)
    return unit
