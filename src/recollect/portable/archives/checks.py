"""Checks the members of an archive one by one: names that lead elsewhere, collisions, and how much there is to unpack."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from recollect.errors import InvalidInput

_STEP = 1_000_000
_DRIVE = re.compile(r"[A-Za-z]:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LONGEST_PART, _LONGEST_NAME = 255, 1000
_REMAKE = "create it again from a plain folder, and be careful: this one may be malicious"
_UNPACK = "unpack it and name the folder"
# The Finder of macOS adds a file in this folder for every file it archives.
_MACOS_FOLDER = "__MACOSX"


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """How much an archive may contain; a folder of 100,000 memories fits."""

    members: int = 150_000
    member_bytes: int = 100_000_000
    total_bytes: int = 500_000_000


class MemberChecks:
    """The members of one archive that were checked so far."""

    def __init__(self, archive: Path, limits: ArchiveLimits) -> None:
        self.limits = limits
        self._archive = archive.name
        self._count = self._declared = self._read = 0
        self._names: dict[str, str] = {}
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def refused(self, member: str, problem: str, fix: str) -> InvalidInput:
        """The error for an archive that is refused because of one member."""
        return InvalidInput(f"{self._archive}: {_quoted(member)}", problem, f"nothing was changed; {fix}")

    def damaged(self, problem: str) -> InvalidInput:
        """The error for a damaged archive."""
        return InvalidInput(self._archive, problem, "nothing was changed; copy it again, or create it again")

    def too_many_members(self) -> InvalidInput:
        """The error for an archive with too many members."""
        problem = f"contains more than {self.limits.members:,} members"
        return InvalidInput(self._archive, problem, f"nothing was changed; {_UNPACK}")

    def too_many_bytes(self) -> InvalidInput:
        """The error for an archive with too many bytes."""
        problem = f"unpacks to more than {self.limits.total_bytes:,} bytes"
        return InvalidInput(self._archive, problem, f"nothing was changed; leave out what is not memory, or {_UNPACK}")

    def check(self, name: str, size: int, *, is_folder: bool) -> str | None:
        """Check a member by its name and the size in its header; its path, or None when there is nothing to read."""
        self._count += 1
        if self._count > self.limits.members:
            raise self.too_many_members()
        self.require_plain(name)
        path = self._path(name)
        self._declared += size
        self._require_size(name, size, self._declared)
        if path in ("", "."):
            return None
        self._require_unique(path, is_folder=is_folder)
        return None if is_folder or path.startswith(f"{_MACOS_FOLDER}/") else path

    def require_plain(self, name: str) -> None:
        """Refuse a name that would lead elsewhere on any system on which the archive may be unpacked."""
        if (problem := _name_problem(name)) is not None:
            raise self.refused(name, problem, _REMAKE)

    def read(self, name: str, file: IO[bytes]) -> bytes:
        """The bytes of a member, counted while they are read, because the size in its header may be false."""
        parts: list[bytes] = []
        size = 0
        while part := file.read(_STEP):
            size += len(part)
            self._read += len(part)
            self._require_size(name, size, self._read)
            parts.append(part)
        return b"".join(parts)

    def _require_size(self, name: str, size: int, total: int) -> None:
        if size < 0:
            raise self.refused(name, "has a negative size", _REMAKE)
        if size > self.limits.member_bytes:
            problem = f"is larger than {self.limits.member_bytes:,} bytes"
            raise self.refused(name, problem, f"leave it out of the archive, or {_UNPACK}")
        if total > self.limits.total_bytes:
            raise self.too_many_bytes()

    def _path(self, name: str) -> str:
        path = name.removesuffix("/")
        while path.startswith("./"):
            path = path[2:]
        if path not in ("", ".") and not {"", "."}.isdisjoint(path.split("/")):
            raise self.refused(name, "is not a plain path", _REMAKE)
        return path

    def _require_unique(self, path: str, *, is_folder: bool) -> None:
        """Refuse two members of one name; on some file systems, upper and lower case or two encodings of ü are the same."""
        key = _collision_key(path)
        if key in self._names:
            other = self._names[key]
            problem = "occurs twice" if other == path else f"is the same as {_quoted(other)} on many file systems"
            raise self.refused(path, problem, f"rename or remove one of them, or {_UNPACK}")
        parts = key.split("/")
        above = {"/".join(parts[:depth]) for depth in range(1, len(parts))}
        if above & self._files or (not is_folder and key in self._folders):
            raise self.refused(path, "is a file and a folder at once, or is inside of one that is", _REMAKE)
        self._names[key] = path
        self._folders |= above
        (self._folders if is_folder else self._files).add(key)


def _name_problem(name: str) -> str | None:
    """What is wrong with a name, on any system on which it may be unpacked."""
    if _CONTROL.search(name):
        return "has a NUL or another control character in its name"
    if "\\" in name:
        return "has a backslash in its name"
    if name.startswith("/") or _DRIVE.match(name):
        return "has an absolute path"
    if ".." in name.split("/"):
        return "leads out of the archive"
    try:
        raw = name.encode()
    except UnicodeEncodeError:
        return "has a name that is not UTF-8"
    long = len(raw) > _LONGEST_NAME or any(len(part) > _LONGEST_PART for part in raw.split(b"/"))
    return "has a name that is too long" if long else None


def _collision_key(path: str) -> str:
    """A key that is equal for two names that some file system takes for one."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", path).casefold())


def _quoted(name: str) -> str:
    return repr(name[:80])
