"""Reads ZIP and tar archives, and writes ZIP archives.

Of ZIP, only what common tools write is read: stored or deflated members, no password. Other compression methods may unpack any
amount in one step, so that it could not be limited in time. Tar archives, plain or gzip-compressed, are read as a stream.
"""

from __future__ import annotations

import gzip
import io
import stat
import struct
import tarfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from recollect.errors import InvalidInput
from recollect.portable.archives.checks import ArchiveLimits, MemberChecks

_ENCRYPTED = 0x1 | 0x40 | 0x2000
_DIRECTORY_ENTRY = b"PK\x01\x02"
_LONGEST_DIRECTORY = 64_000_000
_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_ZIP_ERRORS = (BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, IndexError, NotImplementedError)


class _GuardedFile(io.BufferedReader):
    """The file of a ZIP archive. `zipfile` makes an object per member at once, so they are counted first."""

    def __init__(self, path: Path, checks: MemberChecks) -> None:
        super().__init__(io.FileIO(path))
        self._checks = checks

    def read(self, size: int | None = -1, /) -> bytes:
        """Some bytes, unless they are a directory of too many members."""
        if size is not None and size > _LONGEST_DIRECTORY:
            raise self._checks.too_many_members()
        raw = super().read(size)
        if raw.count(_DIRECTORY_ENTRY) > self._checks.limits.members:
            raise self._checks.too_many_members()
        return raw


def read_zip(path: Path, wanted: Callable[[str], bool], limits: ArchiveLimits) -> dict[str, bytes]:
    """The wanted files of a ZIP archive by their paths, after all members were checked."""
    checks = MemberChecks(path, limits)
    try:
        with _GuardedFile(path, checks) as file, ZipFile(file) as archive:
            entered = [(_check_zip_member(info, checks), info) for info in archive.infolist()]
            found: dict[str, bytes] = {}
            for name, info in entered:
                if name is not None and wanted(name):
                    with archive.open(info) as member:
                        found[name] = checks.read(name, member)
            return found
    except InvalidInput:
        raise
    except _ZIP_ERRORS as error:
        raise checks.damaged(f"is not a ZIP archive, or damaged ({error})") from None


def _check_zip_member(info: ZipInfo, checks: MemberChecks) -> str | None:
    name = info.filename
    if info.orig_filename != name:
        # `zipfile` makes a name with a NUL or a backslash harmless; but an archive that contains one is malicious.
        checks.require_plain(info.orig_filename)
    if info.flag_bits & _ENCRYPTED:
        raise checks.refused(name, "is encrypted", "create the archive again without a password")
    if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise checks.refused(
            name, "is compressed with an unusual method", "create the archive again as an ordinary ZIP"
        )
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise checks.refused(name, "is a link or a device", "create the archive again with plain files only")
    return checks.check(name, info.file_size, is_folder=info.is_dir())


def write_zip(files: Mapping[str, bytes]) -> bytes:
    """A ZIP archive of some files; the same files give the same bytes."""
    out = io.BytesIO()
    with ZipFile(out, "w") as archive:
        for name, raw in sorted(files.items()):
            info = ZipInfo(name, _EPOCH)
            info.create_system = _UNIX
            info.external_attr = (stat.S_IFREG | 0o600) << 16
            info.compress_type = ZIP_DEFLATED
            archive.writestr(info, raw)
    return out.getvalue()


_GZIP = b"\x1f\x8b"
_TAR_BLOCK, _STEP = 512, 1_000_000
_TAR_ERRORS = (
    tarfile.TarError, zlib.error, EOFError, OSError, ValueError, IndexError, KeyError, OverflowError, RecursionError,
)  # fmt: skip


class _CountingReader(io.BufferedIOBase):
    """A stream that raises an error after more bytes than an archive may contain."""

    def __init__(self, file: IO[bytes], checks: MemberChecks) -> None:
        self._file, self._checks, self._count = file, checks, 0

    def read(self, size: int | None = -1, /) -> bytes:
        """The next bytes."""
        raw = self._file.read(_STEP if size is None or size < 0 else size)
        self._count += len(raw)
        if self._count > self._checks.limits.total_bytes:
            raise self._checks.too_many_bytes()
        return raw


def read_tar(path: Path, wanted: Callable[[str], bool], limits: ArchiveLimits) -> dict[str, bytes]:
    """The wanted files of a tar archive by their paths, after all members were checked."""
    checks = MemberChecks(path, limits)
    try:
        with _decompressed(path) as file, _open_tar(_CountingReader(file, checks)) as archive:
            found: dict[str, bytes] = {}
            for member in archive:
                name = _check_tar_member(member, checks)
                if name is not None and wanted(name):
                    content = archive.extractfile(member)
                    assert content is not None
                    found[name] = checks.read(name, content)
            _require_tar_end(archive, checks)
            return found
    except InvalidInput:
        raise
    except _TAR_ERRORS as error:
        raise checks.damaged(f"is not a tar archive, or damaged ({error})") from None


@contextmanager
def _decompressed(path: Path) -> Iterator[IO[bytes]]:
    with path.open("rb") as file:
        packed = file.read(len(_GZIP)) == _GZIP
        file.seek(0)
        if not packed:
            yield file
            return
        with gzip.GzipFile(fileobj=file) as plain:
            yield cast("IO[bytes]", plain)


def _open_tar(stream: _CountingReader) -> tarfile.TarFile:
    return tarfile.open(fileobj=stream, mode="r|", encoding="utf-8")


def _check_tar_member(member: tarfile.TarInfo, checks: MemberChecks) -> str | None:
    if not (member.isdir() or member.isreg()) or member.issparse():
        problem = "is a link" if member.issym() or member.islnk() else "is neither a file nor a folder"
        raise checks.refused(member.name, problem, "create the archive again with plain files only")
    return checks.check(member.name, member.size, is_folder=member.isdir())


def _require_tar_end(archive: tarfile.TarFile, checks: MemberChecks) -> None:
    """Check that the archive ends with blocks of zeros: `tarfile` takes any header it cannot read for the end."""
    rest = 0
    assert archive.fileobj is not None
    while raw := archive.fileobj.read(_STEP):
        if raw.strip(b"\x00"):
            raise checks.damaged("is damaged: the data after its last member cannot be read")
        rest += len(raw)
    if rest < _TAR_BLOCK:
        raise checks.damaged("is truncated: its end is missing")
