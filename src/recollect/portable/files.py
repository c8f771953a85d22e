"""Files: where an export goes and an import comes from. What is written is for its owner alone, and appears when it is whole.

A name that ends in .gz is written compressed; what is compressed is seen when it is read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from recollect.errors import InvalidInput
from recollect.portable import jsonl
from recollect.portable.archives import kind_of

Where = str | os.PathLike[str] | BinaryIO
FORMATS = ("jsonl", "markdown", "csv")
_GZIP = b"\x1f\x8b"


def format_of(where: Where) -> str:
    """What the name of a file or folder says it holds."""
    if not isinstance(where, (str, os.PathLike)):
        return "jsonl"
    path = Path(where)
    if path.is_dir() or kind_of(path) is not None:
        return "markdown"
    return "csv" if path.name.lower().endswith((".csv", ".csv.gz")) else "jsonl"


@contextmanager
def written(to: Where) -> Iterator[Callable[[bytes], object]]:
    """A way to write to a stream, or to a file that takes the place of an older one at the end."""
    if not isinstance(to, (str, os.PathLike)):
        yield to.write
        return
    path = Path(to)
    if path.exists() and not path.is_file():
        # A pipe or a terminal by its name: nothing can be put in its place.
        with _opened(path, "wb") as file, _compressed(file, path) as out:
            yield out.write
        return
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with _opened(beside, "wb") as file:
            with _compressed(file, path) as out:
                yield out.write
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def read(source: Where) -> Iterator[tuple[BinaryIO, str]]:
    """An open file and its fingerprint, by which a cut one is noticed before anything is taken; a stream has none yet."""
    if not isinstance(source, (str, os.PathLike)):
        yield source, ""
        return
    with _opened(Path(source), "rb") as raw, _plain(raw) as file:
        of = ""
        if file.seekable():
            of = jsonl.fingerprint(file)
            file.seek(0)
        yield file, of


@contextmanager
def _compressed(file: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    """The file, or a way to write to it compressed: without name and time, so that the same items give the same bytes."""
    if path.suffix.lower() != ".gz":
        yield file
        return
    import gzip

    with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as out:
        yield cast("BinaryIO", out)


@contextmanager
def _plain(file: BinaryIO) -> Iterator[BinaryIO]:
    """The file, or what it holds compressed. No more than a line of that is in memory at once."""
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
        raise InvalidInput("file", f"was cut or damaged ({error})", "copy or export it again") from None


def _opened(path: Path, mode: str) -> BinaryIO:
    flags = os.O_RDONLY if mode == "rb" else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    try:
        return cast("BinaryIO", os.fdopen(os.open(path, flags, 0o600), mode))
    except OSError as error:
        verb = "read" if mode == "rb" else "written"
        raise InvalidInput("path", f"{path} cannot be {verb} ({error.strerror})", "choose another place") from error
