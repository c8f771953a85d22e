"""Archives: a tree of files in one file (ZIP, tar), read into memory without ever being unpacked to the disk.

An archive may come from anywhere. It is read whole and checked before anything is done with it; one that plays a trick is
refused as a whole. What lies in it (also another archive) is bytes and nothing more.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from recollect.errors import InvalidInput
from recollect.portable.archives.register import Bounds

Kind = Literal["zip", "tar"]
_SUFFIXES: dict[str, Kind] = {".zip": "zip", ".tar": "tar", ".tar.gz": "tar", ".tgz": "tar"}
NAMES = ", ".join(_SUFFIXES)


def kind_of(where: object) -> Kind | None:
    """Which kind of archive a name stands for, if any; a folder is a folder, whatever it is called."""
    if not isinstance(where, (str, os.PathLike)):
        return None
    path = Path(where)
    suffix = _suffix(path)
    return None if suffix is None or path.is_dir() else _SUFFIXES[suffix]


def folder_name(path: Path) -> str:
    """What the folder would be called if the archive were unpacked beside itself."""
    return path.name[: -len(_suffix(path) or "") or None]


def contents_of(path: Path, wanted: Callable[[str], bool], bounds: Bounds | None = None) -> dict[str, bytes]:
    """The files of an archive whose names are wanted; all of it is checked, whether wanted or not."""
    if not path.is_file():
        raise InvalidInput("path", f"{path} is not there", "name an archive or a folder that exists")
    try:
        path.open("rb").close()
    except OSError as error:
        raise InvalidInput("path", f"{path} cannot be read ({error.strerror})", "check its permissions") from error
    if kind_of(path) == "zip":
        from recollect.portable.archives.zipped import read
    else:
        from recollect.portable.archives.tarred import read
    return read(path, wanted, bounds or Bounds())


def _suffix(path: Path) -> str | None:
    name = path.name.lower()
    return next((suffix for suffix in _SUFFIXES if name.endswith(suffix) and name != suffix), None)
