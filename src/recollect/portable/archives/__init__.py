"""Reads ZIP and tar archives into memory, without unpacking them to disk.

An archive may come from anywhere. It is checked as a whole before any of it is used; a malicious one is refused as a whole. Its
members, also other archives, are only bytes.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from recollect.errors import InvalidInput
from recollect.portable.archives.checks import ArchiveLimits

ArchiveKind = Literal["zip", "tar"]
_SUFFIXES: dict[str, ArchiveKind] = {".zip": "zip", ".tar": "tar", ".tar.gz": "tar", ".tgz": "tar"}
SUFFIXES = ", ".join(_SUFFIXES)


def archive_kind(where: object) -> ArchiveKind | None:
    """The kind of archive that a file name stands for, if any; a folder is never an archive, whatever its name."""
    if not isinstance(where, (str, os.PathLike)):
        return None
    path = Path(where)
    suffix = _suffix(path)
    return None if suffix is None or path.is_dir() else _SUFFIXES[suffix]


def folder_name(path: Path) -> str:
    """The name of the folder that the archive would be unpacked to."""
    return path.name[: -len(_suffix(path) or "") or None]


def read_archive(path: Path, wanted: Callable[[str], bool], limits: ArchiveLimits | None = None) -> dict[str, bytes]:
    """The files of an archive whose names are wanted; all members are checked, wanted or not."""
    if not path.is_file():
        raise InvalidInput("path", f"{path} does not exist", "name an archive or a folder that exists")
    try:
        path.open("rb").close()
    except OSError as error:
        raise InvalidInput("path", f"{path} cannot be read ({error.strerror})", "check its permissions") from error
    from recollect.portable.archives.formats import read_tar, read_zip

    read = read_zip if archive_kind(path) == "zip" else read_tar
    return read(path, wanted, limits or ArchiveLimits())


def _suffix(path: Path) -> str | None:
    name = path.name.lower()
    return next((suffix for suffix in _SUFFIXES if name.endswith(suffix) and name != suffix), None)
