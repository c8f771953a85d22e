"""Archived: the memory files of a packed tree, the same that would be read of the folder."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from recollect.errors import InvalidInput
from recollect.portable.archives import contents_of, folder_name
from recollect.portable.memory_files.tree import Source, chosen, is_looked_at

_IGNORE_FILE = ".secretsignore"


def unpacked(path: Path) -> list[Source]:
    """The memory files of an archive, with their bytes."""
    contents = contents_of(path, lambda name: is_looked_at(name) or _is_ignore_file(name))
    if (ignores := next(filter(_is_ignore_file, contents), None)) is not None:
        # Neither passed over, for it names what nobody shall read, nor followed: patterns of a stranger can take forever.
        problem = "tells what must not be read, and is not followed in an archive"
        raise InvalidInput(f"{path.name}: {ignores!r}", problem, "nothing was changed; unpack it and name the folder")
    return chosen((Source(name, path / name, raw) for name, raw in contents.items()), path, folder_name(path))


def _is_ignore_file(name: str) -> bool:
    return PurePosixPath(name).name == _IGNORE_FILE
