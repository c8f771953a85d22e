"""The files of a Markdown export: in a folder on disk or in an archive, with the manifest that describes them.

Nothing is read or written outside of the folder: links are not followed, and names are made safe. The manifest is a file like the
others and may have been edited or forged, so the paths in it are checked before use.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from recollect.errors import InvalidInput
from recollect.portable.archives import read_archive
from recollect.portable.item_validation import uuid
from recollect.portable.jsonl import LONGEST_LINE
from recollect.values.memory import Record

_FOLDERS = {
    "project": "projects",
    "agent": "agents",
    "team": "teams",
    "session": "sessions",
    "task": "tasks",
    "user": "users",
}
TOP_FOLDERS = frozenset(("global", *_FOLDERS.values()))
_SAFE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")
_RESERVED_NAMES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)")
_NON_WORD = re.compile(r"[^\w]+")
_LONGEST_SLUG = 48
MANIFEST_NAME = ".recollect.json"
_MANIFEST_VERSION = 1


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One exported file: the id of its memory, the SHA-256 of its bytes, and a hash of each value it was written with."""

    id: str
    sha256: str
    hashes: Mapping[str, str]


@dataclass(slots=True)
class Manifest:
    """Every exported file by its path, and the scope that each folder stands for.

    With it, an import tells an edited file from a new and a deleted one.
    """

    files: dict[str, ManifestEntry] = field(default_factory=dict)
    folders: dict[str, dict[str, str]] = field(default_factory=dict)

    def text(self) -> str:
        """The content of the manifest file: one line per exported file, so that version control shows small differences."""
        files = {
            path: {"id": entry.id, "sha256": entry.sha256, "hashes": dict(sorted(entry.hashes.items()))}
            for path, entry in sorted(self.files.items())
        }
        lines = [f"  {json.dumps(path, ensure_ascii=False)}: {json.dumps(entry)}" for path, entry in files.items()]
        folders = json.dumps(dict(sorted(self.folders.items())), ensure_ascii=False)
        inside = ",\n".join(lines)
        return f'{{"version": {_MANIFEST_VERSION},\n "folders": {folders},\n "files": {{\n{inside}\n}}}}\n'


def parse_manifest(raw: bytes) -> Manifest:
    """Read a manifest file."""
    try:
        value = json.loads(raw.decode("utf-8"))
        if value["version"] != _MANIFEST_VERSION:
            raise InvalidInput(MANIFEST_NAME, f"is of version {value['version']}", "upgrade recollect, or export again")
        files = {safe_path(path): _parse_entry(entry) for path, entry in value["files"].items()}
        folders = {
            safe_path(path): {str(k): str(v) for k, v in place.items()} for path, place in value["folders"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(
            MANIFEST_NAME, "cannot be read", "delete it to import every file as it is, or export again"
        ) from None
    return Manifest(files, folders)


def _parse_entry(value: Any) -> ManifestEntry:
    hashes = {str(name): str(each) for name, each in value["hashes"].items()}
    return ManifestEntry(uuid("id", value["id"]), str(value["sha256"]), hashes)


def safe_path(path: str) -> str:
    """A path that stays inside the folder it is relative to."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\\" in path or "\x00" in path or ":" in parts[0]:
        raise InvalidInput(
            MANIFEST_NAME, f"{path[:80]!r} leads out of the folder", "delete the manifest and check the folder"
        )
    return path


class PageFiles(Protocol):
    """Markdown files by their paths. `keeps_manifest` says whether an import may update the manifest partial them."""

    @property
    def keeps_manifest(self) -> bool: ...
    def manifest(self) -> Manifest | None: ...
    def files(self) -> Iterator[tuple[str, str | None]]: ...
    def read(self, path: str) -> bytes | None: ...
    def write(self, path: str, raw: bytes) -> None: ...


class MarkdownFolder:
    """Markdown files in a folder on disk."""

    keeps_manifest = True

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root)

    def manifest(self) -> Manifest | None:
        """The manifest of the last export, if there is one."""
        raw = self.read(MANIFEST_NAME)
        return None if raw is None else parse_manifest(raw)

    def files(self) -> Iterator[tuple[str, str | None]]:
        """Every Markdown file by its path, in order, with the reason why it must not be read, if any."""
        for folder, inner, names in os.walk(self.root, followlinks=False):
            inner[:] = sorted(name for name in inner if not name.startswith("."))
            here = Path(folder)
            linked = [name for name in inner if (here / name).is_symlink()]
            inner[:] = [name for name in inner if name not in linked]
            for name in linked:
                yield self._path(here / name), "it is a symbolic link, and links are not followed"
            for name in sorted(names):
                if name.endswith(".md") and not name.startswith("."):
                    yield self._path(here / name), self._problem(here / name)

    def _path(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def _problem(self, path: Path) -> str | None:
        if path.is_symlink() or not path.is_file():
            return "it is a symbolic link, and links are not followed" if path.is_symlink() else "it is not a file"
        return size_problem(path.stat().st_size)

    def read(self, path: str) -> bytes | None:
        """The bytes of a file in this folder; None when there is none."""
        try:
            with os.fdopen(os.open(self._inside(path), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
                return file.read(LONGEST_LINE * 10)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InvalidInput(path, f"cannot be read ({error.strerror})", "check its permissions") from error

    def write(self, path: str, raw: bytes) -> None:
        """Write a file in this folder, readable by its owner only."""
        target = self._inside(path)
        try:
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            partial = target.with_name(f".{target.name}.part")
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
            with os.fdopen(os.open(partial, flags, 0o600), "wb") as file:
                file.write(raw)
            partial.replace(target)
        except OSError as error:
            raise InvalidInput(
                "path", f"{target} cannot be written ({error.strerror})", "choose another path"
            ) from error

    def remove(self, path: str) -> None:
        """Delete a file, and the folders it leaves empty."""
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
                raise InvalidInput("path", f"{target} is a symbolic link", "links are not followed; make it a folder")
        return self.root / path


class MarkdownArchive:
    """Markdown files in memory, read from an archive or to be written to one. An archive is never updated in place."""

    keeps_manifest = False

    def __init__(self, contents: Mapping[str, bytes] | None = None) -> None:
        self.contents = dict(contents or {})

    def manifest(self) -> Manifest | None:
        """The manifest in the archive, if there is one."""
        raw = self.read(MANIFEST_NAME)
        return None if raw is None else parse_manifest(raw)

    def files(self) -> Iterator[tuple[str, str | None]]:
        """Every Markdown file by its path, in the order of a folder, with the reason why it must not be read, if any."""
        for path in sorted(self.contents, key=_walk_order):
            if path.endswith(".md") and not any(part.startswith(".") for part in path.split("/")):
                yield path, size_problem(len(self.contents[path]))

    def read(self, path: str) -> bytes | None:
        """The bytes of a file; None when there is none."""
        return self.contents.get(path)

    def write(self, path: str, raw: bytes) -> None:
        """Add a file to a new archive."""
        self.contents[path] = raw


def open_archive(path: Path) -> MarkdownArchive:
    """The Markdown files of an archive."""
    found = read_archive(path, lambda name: name.endswith(".md") or PurePosixPath(name).name == MANIFEST_NAME)
    tops = {name.partition("/")[0] for name in found}
    if len(tops) == 1 and not tops & TOP_FOLDERS and not tops & found.keys():
        # The archive contains the folder itself, not only its contents.
        found = {name.partition("/")[2]: raw for name, raw in found.items()}
    return MarkdownArchive(found)


def _walk_order(path: str) -> list[tuple[bool, str]]:
    """The order in which `os.walk` returns files: first those of a folder, then those of the folders in it."""
    *folders, name = path.split("/")
    return [*((True, folder) for folder in folders), (False, name)]


def size_problem(size: int) -> str | None:
    """Why a file of this size is not read."""
    return f"it is larger than {LONGEST_LINE:,} bytes" if size > LONGEST_LINE else None


def folder_of(record: Record) -> tuple[str, dict[str, str]]:
    """The folder of a memory, and the scope it stands for."""
    scope, key, _ = record.place
    if scope == "global":
        return "global", {"scope": "global"}
    return f"{_FOLDERS[scope]}/{_folder_name(key)}", {"scope": scope, scope: key}


def _folder_name(name: str) -> str:
    """The folder for a name: the name itself if every file system accepts it, else its words and a hash of it."""
    if _SAFE_NAME.fullmatch(name) and not _RESERVED_NAMES.fullmatch(name):
        return name
    return f"{_slug(name)}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"


def file_of(record: Record) -> str:
    """The name of a memory's file: its first words and its short id."""
    return f"{_slug(record.content)}-{record.short_id}.md"


def _slug(text: str) -> str:
    words = _NON_WORD.sub("-", unicodedata.normalize("NFC", text[:200]).lower()).strip("-_")
    if len(words) > _LONGEST_SLUG:
        words = words[:_LONGEST_SLUG].rsplit("-", 1)[0] if "-" in words[:_LONGEST_SLUG] else words[:_LONGEST_SLUG]
    # File systems limit names in bytes.
    return words.encode()[:150].decode("utf-8", "ignore") or "memory"
