"""Opens the file an export is written to or an import is read from.

A new file is readable by its owner only and takes its name when it is complete. A name that ends in .gz is written compressed;
when reading, compression is detected from the content.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeGuard, cast

from recollect.errors import InvalidInput
from recollect.portable import jsonl
from recollect.portable.archives import archive_kind
from recollect.validation import clean_path

Location = str | os.PathLike[str] | BinaryIO
FORMATS = ("jsonl", "markdown", "csv")
_GZIP = b"\x1f\x8b"


def _is_stream(where: Location) -> TypeGuard[BinaryIO]:
    """Whether it is open already, to be read or to be written."""
    return hasattr(where, "readline") or hasattr(where, "write")


def format_of(where: Location) -> str:
    """The format, judged by the name of a file or folder."""
    if _is_stream(where):
        return "jsonl"
    path = clean_path("path", where)
    if path.is_dir() or archive_kind(path) is not None:
        return "markdown"
    return "csv" if path.name.lower().endswith((".csv", ".csv.gz")) else "jsonl"


@contextmanager
def open_for_writing(to: Location) -> Iterator[Callable[[bytes], object]]:
    """A function that writes to a stream, or to a new file that replaces the old one at the end."""
    if _is_stream(to):
        yield to.write
        return
    path = clean_path("path", to)
    if path.exists() and not path.is_file():
        # A pipe or a terminal cannot be replaced by a new file.
        with _open(path, "wb") as file, _gzip_writer(file, path) as out:
            yield out.write
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with _open(partial, "wb") as file:
            with _gzip_writer(file, path) as out:
                yield out.write
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def open_for_reading(source: Location) -> Iterator[tuple[BinaryIO, str]]:
    """An open file and its fingerprint, which proves that it is complete before anything is imported.

    A stream is checked too if it can be read twice; it has no fingerprint.
    """
    if _is_stream(source):
        if source.seekable():
            start = source.tell()
            jsonl.require_unchanged(source)
            source.seek(start)
        yield source, ""
        return
    with _open(clean_path("path", source), "rb") as raw, _gzip_reader(raw) as file:
        fingerprint = ""
        if file.seekable():
            fingerprint = jsonl.fingerprint(file)
            file.seek(0)
        yield file, fingerprint


@contextmanager
def _gzip_writer(file: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    """The file, or a gzip writer to it; without name and time in its header, so that the same items give the same bytes."""
    if path.suffix.lower() != ".gz":
        yield file
        return
    import gzip

    with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as out:
        yield cast("BinaryIO", out)


@contextmanager
def _gzip_reader(file: BinaryIO) -> Iterator[BinaryIO]:
    """The file, or a gzip reader of it, which keeps only a small part in memory."""
    if not file.seekable():
        yield file
        return
    packed = file.read(len(_GZIP)) == _GZIP
    file.seek(0)
    if not packed:
        yield file
        return
    import gzip
    import zlib

    try:
        with gzip.GzipFile(fileobj=file) as plain:
            yield cast("BinaryIO", plain)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InvalidInput("file", f"is truncated or damaged ({error})", "copy or export it again") from None


def _open(path: Path, mode: str) -> BinaryIO:
    flags = os.O_RDONLY if mode == "rb" else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    try:
        return cast("BinaryIO", os.fdopen(os.open(path, flags, 0o600), mode))
    except OSError as error:
        verb = "read" if mode == "rb" else "written"
        raise InvalidInput("path", f"{path} cannot be {verb} ({error.strerror})", "choose another path") from error
