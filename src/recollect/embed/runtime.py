"""The runtime of the local model: its tokenizer and its session, built from verified files. `local` embeds with it.

Built at once by `build`; or in two steps by `prepared`, whose second needs neither imports nor, most of the time, the
interpreter, so that a thread can take it while something else is done (see `ahead`).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

from recollect.embed.pins import ModelFiles
from recollect.errors import EmbedderError, EmbedderUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

_MAX_TOKENS = 512


class Session(Protocol):
    """What we use of onnxruntime's session; it ships no types."""

    def run(self, outputs: None, inputs: dict[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]:
        """The outputs for some inputs."""
        ...


@dataclass(frozen=True, slots=True)
class Runtime:
    """What turns a text into tokens and tokens into a vector."""

    tokenizer: Tokenizer
    session: Session


def build(files: ModelFiles) -> Runtime:
    """Load everything, here and now."""
    return prepared(files)()


def prepared(files: ModelFiles) -> Callable[[], Runtime]:
    """Look at the files and import what reads them; calling what is returned does the rest."""
    for path in (files.onnx, files.tokenizer):
        if not path.is_file():
            raise EmbedderUnavailable(f"the model file {path} is gone; start again with a connection to fetch it")
    try:
        # Here and not above: both together cost 0.1 s, which a command that embeds nothing should not pay.
        onnxruntime = importlib.import_module("onnxruntime")
        from tokenizers import Tokenizer
    except ImportError as error:
        raise EmbedderUnavailable(f"{error.name} is not installed; `pip install onnxruntime tokenizers`") from error
    return lambda: Runtime(_tokenizer(Tokenizer, files.tokenizer), _session(onnxruntime, files.onnx))


def _tokenizer(kind: type[Tokenizer], path: Path) -> Tokenizer:
    tokenizer = kind.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(_MAX_TOKENS)
    return tokenizer


def _session(onnxruntime: ModuleType, onnx: Path) -> Session:
    errors_only = 3
    onnxruntime.set_default_logger_severity(errors_only)
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = errors_only
    # Threads inside one short text spend more on meeting than they gain (143 against 165 turns a CPU-second); ours run
    # whole texts. Without the arena every long text faults its memory in anew (3.7 against 9 texts of 512 tokens a
    # CPU-second); memory patterns only add to the peak (187 MB against 158).
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False
    states = onnxruntime.capi.onnxruntime_pybind11_state
    try:
        session: Session = onnxruntime.InferenceSession(str(onnx), options, providers=["CPUExecutionProvider"])
    except (states.InvalidProtobuf, states.InvalidGraph, states.NotImplemented, states.Fail) as error:
        raise EmbedderError(
            f"onnxruntime {onnxruntime.__version__} cannot load {onnx}: {error}; delete that file to fetch it again"
        ) from error
    return session
