"""Tar archives, plain or gzip-compressed: read from front to end, every byte counted as it is unpacked."""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from recollect.errors import InvalidInput
from recollect.portable.archives.register import Bounds, Register

_GZIP = b"\x1f\x8b"
_BLOCK, _STEP = 512, 1_000_000
_BROKEN = (
    tarfile.TarError, zlib.error, EOFError, OSError, ValueError, IndexError, KeyError, OverflowError, RecursionError,
)  # fmt: skip


class _Counted(io.BufferedIOBase):
    """A stream that ends in a refusal when it gives more than an archive may hold."""

    def __init__(self, file: IO[bytes], register: Register) -> None:
        self._file, self._register, self._given = file, register, 0

    def read(self, size: int | None = -1, /) -> bytes:
        """The next bytes."""
        raw = self._file.read(_STEP if size is None or size < 0 else size)
        self._given += len(raw)
        if self._given > self._register.bounds.whole:
            raise self._register.flood()
        return raw


def read(path: Path, wanted: Callable[[str], bool], bounds: Bounds) -> dict[str, bytes]:
    """The wanted files of a tar archive, by their paths, after all of its members were checked."""
    register = Register(path, bounds)
    try:
        with _plain(path) as file, _opened(_Counted(file, register)) as archive:
            found: dict[str, bytes] = {}
            for member in archive:
                name = _entered(member, register)
                if name is not None and wanted(name):
                    content = archive.extractfile(member)
                    assert content is not None
                    found[name] = register.read(name, content)
            _require_end(archive, register)
            return found
    except InvalidInput:
        raise
    except _BROKEN as error:
        raise register.damage(f"is no tar archive, or a damaged one ({error})") from None


@contextmanager
def _plain(path: Path) -> Iterator[IO[bytes]]:
    with path.open("rb") as file:
        packed = file.read(len(_GZIP)) == _GZIP
        file.seek(0)
        if not packed:
            yield file
            return
        with gzip.GzipFile(fileobj=file) as plain:
            yield cast("IO[bytes]", plain)


def _opened(stream: _Counted) -> tarfile.TarFile:
    return tarfile.open(fileobj=stream, mode="r|", encoding="utf-8")


def _entered(member: tarfile.TarInfo, register: Register) -> str | None:
    if not (member.isdir() or member.isreg()) or member.issparse():
        problem = "is a link" if member.issym() or member.islnk() else "is neither a file nor a folder"
        raise register.refusal(member.name, problem, "make the archive anew with plain files alone")
    return register.enter(member.name, member.size, is_folder=member.isdir())


def _require_end(archive: tarfile.TarFile, register: Register) -> None:
    """The library takes any header it cannot read for the end; the true end is two blocks of zeros and nothing after."""
    rest = 0
    assert archive.fileobj is not None
    while raw := archive.fileobj.read(_STEP):
        if raw.strip(b"\x00"):
            raise register.damage("is damaged: what follows its last member cannot be read")
        rest += len(raw)
    if rest < _BLOCK:
        raise register.damage("was cut: its end is missing")
