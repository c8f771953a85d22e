"""A local model on onnxruntime: loaded from verified files, run on one text or a pair of texts.

`build_runtime` loads it in one go. `prepare_runtime` does the imports and returns the rest of the work, which mostly runs
without the interpreter lock, so that a thread can do it meanwhile (see `background`).
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from recollect.embed.fetch import ModelFiles
from recollect.errors import EmbedderError, EmbedderUnavailable

if TYPE_CHECKING:
    from tokenizers import Tokenizer


_MAX_TOKENS = 512
# The tokenizer reads a whole text before it truncates (1 s per megabyte); 512 tokens are 2,000 to 4,000 characters.
_MAX_CHARACTERS = 16_384
_MOST_THREADS = 4
# What exporters call the states of the tokens; other outputs are pooled already.
_STATES = ("last_hidden_state", "token_embeddings")


class OnnxSession(Protocol):
    """The part of onnxruntime's InferenceSession used here; onnxruntime ships no types."""

    def run(self, outputs: list[str], inputs: dict[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]:
        """The outputs for some inputs."""
        ...

    def get_inputs(self) -> list[Any]: ...
    def get_outputs(self) -> list[Any]: ...


@dataclass(frozen=True, slots=True)
class ModelRuntime:
    """A loaded model: the tokenizer, the onnxruntime session, the inputs it takes and the output that is used."""

    tokenizer: Tokenizer
    session: OnnxSession
    inputs: tuple[str, ...]
    output: str

    def run(self, text: str, other: str | None = None) -> NDArray[np.float32]:
        """The output for one text, or for two texts that are read together."""
        encoded = self.tokenizer.encode(_clean(text), None if other is None else _clean(other))
        known = {
            "input_ids": encoded.ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.type_ids,
        }
        given = {name: np.array([known[name]], dtype=np.int64) for name in self.inputs}
        output: NDArray[np.float32] = self.session.run([self.output], given)[0][0]
        return output


def threads_or_default(threads: int | None) -> int:
    """The number of threads of a local model."""
    return max(1, threads or min(_MOST_THREADS, os.cpu_count() or 1))


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
    return lambda: _runtime(_tokenizer(Tokenizer, files.tokenizer), _session(onnxruntime, files.onnx), files.onnx)


def _disable_telemetry() -> None:
    """Before onnxruntime is imported: its import alone writes a device id, queues data about the process and contacts its vendor.

    `disable_telemetry_events` comes too late for that. The library reads the variable in native code, so `putenv` is enough.
    """
    os.putenv("ORT_DISABLE_TELEMETRY", "1")


def _runtime(tokenizer: Tokenizer, session: OnnxSession, onnx: Path) -> ModelRuntime:
    inputs = tuple(each.name for each in session.get_inputs())
    outputs = [each.name for each in session.get_outputs()]
    if unknown := set(inputs) - {"input_ids", "attention_mask", "token_type_ids"}:
        raise EmbedderError(f"{onnx} wants {', '.join(sorted(unknown))}, which is not known here; choose another model")
    return ModelRuntime(tokenizer, session, inputs, next((name for name in outputs if name in _STATES), outputs[0]))


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


def _clean(text: str) -> str:
    """What is read of a text. The tokenizer rejects a lone surrogate (half an emoji, cut off by a tool); it becomes "?"."""
    return text[:_MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
