"""Tree: the folder on the disk. Nothing is read or written outside it: links are not followed, names are made safe.

`Sheets` is what the rest of this package needs of it; an archive (`packed.py`) has the same.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from recollect.errors import InvalidInput
from recollect.portable.jsonl import LONGEST
from recollect.portable.markdown.manifest import NAME, Manifest, manifest_of
from recollect.values.memory import Record

_FOLDERS = {"project": "projects", "agent": "agents", "team": "teams", "session": "sessions", "task": "tasks"}
TOPS = frozenset(("global", *_FOLDERS.values()))
_SAFE = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")
_TAKEN = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)")
_NO_WORD = re.compile(r"[^\w]+")
_LONG = 48


class Sheets(Protocol):
    """Markdown files by their paths. `keeps_notes` says whether what is known of them can be noted beside them."""

    @property
    def keeps_notes(self) -> bool: ...
    def manifest(self) -> Manifest | None: ...
    def files(self) -> Iterator[tuple[str, str | None]]: ...
    def read(self, path: str) -> bytes | None: ...
    def write(self, path: str, raw: bytes) -> None: ...


class Tree:
    """One folder of Markdown files."""

    keeps_notes = True

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root)

    def manifest(self) -> Manifest | None:
        """What was written here before, if anything was."""
        raw = self.read(NAME)
        return None if raw is None else manifest_of(raw)

    def files(self) -> Iterator[tuple[str, str | None]]:
        """Every Markdown file by its path, in order, with what speaks against reading it."""
        for folder, inner, names in os.walk(self.root, followlinks=False):
            inner[:] = sorted(name for name in inner if not name.startswith("."))
            here = Path(folder)
            linked = [name for name in inner if (here / name).is_symlink()]
            inner[:] = [name for name in inner if name not in linked]
            for name in linked:
                yield self._path(here / name), "it is a link, and links are not followed"
            for name in sorted(names):
                if name.endswith(".md") and not name.startswith("."):
                    yield self._path(here / name), self._problem(here / name)

    def _path(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def _problem(self, path: Path) -> str | None:
        if path.is_symlink() or not path.is_file():
            return "it is a link, and links are not followed" if path.is_symlink() else "it is no file"
        return size_problem(path.stat().st_size)

    def read(self, path: str) -> bytes | None:
        """The bytes of a file of this folder; None when there is none."""
        try:
            with os.fdopen(os.open(self._inside(path), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
                return file.read(LONGEST * 10)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InvalidInput(path, f"cannot be read ({error.strerror})", "look into the folder") from error

    def write(self, path: str, raw: bytes) -> None:
        """Write a file of this folder, for its owner alone."""
        target = self._inside(path)
        try:
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            beside = target.with_name(f".{target.name}.part")
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
            with os.fdopen(os.open(beside, flags, 0o600), "wb") as file:
                file.write(raw)
            beside.replace(target)
        except OSError as error:
            raise InvalidInput("path", f"{target} cannot be written ({error.strerror})", "choose another") from error

    def remove(self, path: str) -> None:
        """Take a file away, and the folders it leaves empty."""
        target = self._inside(path)
        target.unlink(missing_ok=True)
        for folder in target.parents:
            if folder == self.root or not folder.is_dir() or any(folder.iterdir()):
                break
            folder.rmdir()

    def _inside(self, path: str) -> Path:
        target = self.root
        for part in Path(path).parts[:-1]:
            target /= part
            if target.is_symlink():
                raise InvalidInput("path", f"{target} is a link", "links are not followed; make it a folder")
        return self.root / path


def size_problem(size: int) -> str | None:
    """What speaks against a file of this many bytes."""
    return f"it is larger than {LONGEST:,} bytes" if size > LONGEST else None


def folder_of(record: Record) -> tuple[str, dict[str, str]]:
    """The folder of a memory, and the place it stands for."""
    scope, key, _ = record.place
    if scope == "global":
        return "global", {"scope": "global"}
    return f"{_FOLDERS[scope]}/{_named(key)}", {"scope": scope, scope: key}


def _named(name: str) -> str:
    """A name as a folder: itself when it is harmless everywhere, else its words and a fingerprint of it."""
    if _SAFE.fullmatch(name) and not _TAKEN.fullmatch(name):
        return name
    return f"{_slug(name)}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"


def file_of(record: Record) -> str:
    """The name of a memory's file: how it begins, and the end of its id."""
    return f"{_slug(record.content)}-{record.short_id}.md"


def _slug(text: str) -> str:
    words = _NO_WORD.sub("-", unicodedata.normalize("NFC", text[:200]).lower()).strip("-_")
    if len(words) > _LONG:
        words = words[:_LONG].rsplit("-", 1)[0] if "-" in words[:_LONG] else words[:_LONG]
    # The name of a file is counted in bytes.
    return words.encode()[:150].decode("utf-8", "ignore") or "memory"
