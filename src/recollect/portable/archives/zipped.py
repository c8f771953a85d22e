"""ZIP archives: the files of one, and one of files. Only what everybody's tools write is read: stored or deflated, no password.

Other ways to compress unpack as much as they like in one step, so that nothing could be counted in time.
"""

from __future__ import annotations

import io
import stat
import struct
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from recollect.errors import InvalidInput
from recollect.portable.archives.register import Bounds, Register

_ENCRYPTED = 0x1 | 0x40 | 0x2000
_ENTRY = b"PK\x01\x02"
_LONGEST_LIST = 64_000_000
_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_BROKEN = (BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, IndexError, NotImplementedError)


class _Guarded(io.BufferedReader):
    """The file of an archive. Its list of members is read in one piece and made into objects at once: counted before that."""

    def __init__(self, path: Path, register: Register) -> None:
        super().__init__(io.FileIO(path))
        self._register = register

    def read(self, size: int | None = -1, /) -> bytes:
        """Some bytes, unless they are a list of too many members."""
        if size is not None and size > _LONGEST_LIST:
            raise self._register.crowd()
        raw = super().read(size)
        if raw.count(_ENTRY) > self._register.bounds.members:
            raise self._register.crowd()
        return raw


def read(path: Path, wanted: Callable[[str], bool], bounds: Bounds) -> dict[str, bytes]:
    """The wanted files of a ZIP archive, by their paths, after all of its members were checked."""
    register = Register(path, bounds)
    try:
        with _Guarded(path, register) as file, ZipFile(file) as archive:
            entered = [(_entered(info, register), info) for info in archive.infolist()]
            found: dict[str, bytes] = {}
            for name, info in entered:
                if name is not None and wanted(name):
                    with archive.open(info) as member:
                        found[name] = register.read(name, member)
            return found
    except InvalidInput:
        raise
    except _BROKEN as error:
        raise register.damage(f"is no ZIP archive, or a damaged one ({error})") from None


def _entered(info: ZipInfo, register: Register) -> str | None:
    name = info.filename
    if info.orig_filename != name:
        # What the library makes of a name that holds a NUL or a backslash is harmless; that it was there is not.
        register.require_plain(info.orig_filename)
    if info.flag_bits & _ENCRYPTED:
        raise register.refusal(name, "is encrypted", "make the archive anew without a password")
    if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise register.refusal(name, "is compressed in an unusual way", "make the archive anew as an ordinary ZIP")
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise register.refusal(name, "is a link or a device", "make the archive anew with plain files alone")
    return register.enter(name, info.file_size, is_folder=info.is_dir())


def written(files: Mapping[str, bytes]) -> bytes:
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
