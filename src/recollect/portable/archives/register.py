"""Register: the members of one archive as they are met. A name that plays a trick, or too much of anything, ends the reading."""

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
_PLAIN = "make it anew from a plain folder, and mind who made this one"
_APART = "unpack it and name the folder"
# What the Finder of macOS puts beside every file it packs.
_FINDER = "__MACOSX"


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much an archive may hold: members, bytes of one of them, bytes of all. A tree of 100,000 memories fits."""

    members: int = 150_000
    member: int = 100_000_000
    whole: int = 500_000_000


class Register:
    """What was met so far."""

    def __init__(self, archive: Path, bounds: Bounds) -> None:
        self.bounds = bounds
        self._archive = archive.name
        self._count = self._said = self._read = 0
        self._names: dict[str, str] = {}
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def refusal(self, member: str, problem: str, fix: str) -> InvalidInput:
        """Why an archive is refused because of one member."""
        return InvalidInput(f"{self._archive}: {_shown(member)}", problem, f"nothing was changed; {fix}")

    def damage(self, problem: str) -> InvalidInput:
        """Why an archive that is not whole is refused."""
        return InvalidInput(self._archive, problem, "nothing was changed; copy it again, or make it anew")

    def crowd(self) -> InvalidInput:
        """Why an archive of too many members is refused."""
        problem = f"holds more than {self.bounds.members:,} members"
        return InvalidInput(self._archive, problem, f"nothing was changed; {_APART}")

    def flood(self) -> InvalidInput:
        """Why an archive of too many bytes is refused."""
        problem = f"unpacks to more than {self.bounds.whole:,} bytes"
        return InvalidInput(self._archive, problem, f"nothing was changed; leave out what is no memory, or {_APART}")

    def enter(self, name: str, size: int, *, is_folder: bool) -> str | None:
        """Note a member, by its name and the size its header claims; its path, or None when there is nothing in it to read."""
        self._count += 1
        if self._count > self.bounds.members:
            raise self.crowd()
        self.require_plain(name)
        path = self._path(name)
        self._said += size
        self._require(name, size, self._said)
        if path in ("", "."):
            return None
        self._alone(path, is_folder=is_folder)
        return None if is_folder or path.startswith(f"{_FINDER}/") else path

    def require_plain(self, name: str) -> None:
        """A name must not lead anywhere else, wherever the archive might be unpacked."""
        if (problem := _problem(name)) is not None:
            raise self.refusal(name, problem, _PLAIN)

    def read(self, name: str, file: IO[bytes]) -> bytes:
        """The bytes of a member, counted as they come: what its header says of them may be a lie."""
        parts: list[bytes] = []
        size = 0
        while part := file.read(_STEP):
            size += len(part)
            self._read += len(part)
            self._require(name, size, self._read)
            parts.append(part)
        return b"".join(parts)

    def _require(self, name: str, size: int, whole: int) -> None:
        if size < 0:
            raise self.refusal(name, "has a size below nothing", _PLAIN)
        if size > self.bounds.member:
            problem = f"is larger than {self.bounds.member:,} bytes"
            raise self.refusal(name, problem, f"leave it out of the archive, or {_APART}")
        if whole > self.bounds.whole:
            raise self.flood()

    def _path(self, name: str) -> str:
        path = name.removesuffix("/")
        while path.startswith("./"):
            path = path[2:]
        if path not in ("", ".") and not {"", "."}.isdisjoint(path.split("/")):
            raise self.refusal(name, "is not a plain path", _PLAIN)
        return path

    def _alone(self, path: str, *, is_folder: bool) -> None:
        """No two members of one name: on another disk, upper and lower case or two spellings of ü are the same."""
        key = _same(path)
        if key in self._names:
            other = self._names[key]
            problem = "is there twice" if other == path else f"is the same as {_shown(other)} on many disks"
            raise self.refusal(path, problem, f"rename or remove one of them, or {_APART}")
        parts = key.split("/")
        above = {"/".join(parts[:depth]) for depth in range(1, len(parts))}
        if above & self._files or (not is_folder and key in self._folders):
            raise self.refusal(path, "is a file and a folder at once, or lies in one that is", _PLAIN)
        self._names[key] = path
        self._folders |= above
        (self._folders if is_folder else self._files).add(key)


def _problem(name: str) -> str | None:
    """What speaks against a name, wherever it might be unpacked."""
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
    return "has too long a name" if long else None


def _same(path: str) -> str:
    """What is equal for two names that some disk takes for one."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", path).casefold())


def _shown(name: str) -> str:
    return repr(name[:80])
