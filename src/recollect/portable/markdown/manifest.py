"""Manifest: what a folder held when it was written, so that an edit, a new file and a deleted one can be told apart.

It lies in the folder, and may have been edited or made up like anything else there: names in it are checked before use.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from recollect.errors import InvalidInput
from recollect.portable.checks import uuid

NAME = ".recollect.json"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: whose memory it shows, the fingerprint of its bytes, and those of the values it was written with."""

    id: str
    sha256: str
    marks: Mapping[str, str]


@dataclass(slots=True)
class Manifest:
    """Every file that was written, by its path, and whose folder each folder is."""

    files: dict[str, Entry] = field(default_factory=dict)
    folders: dict[str, dict[str, str]] = field(default_factory=dict)

    def path_of(self, memory: str) -> str | None:
        """The file of a memory."""
        return next((path for path, entry in self.files.items() if entry.id == memory), None)

    def text(self) -> str:
        """The manifest as a file: one line a file, so that it differs only where they do."""
        files = {
            path: {"id": entry.id, "sha256": entry.sha256, "marks": dict(sorted(entry.marks.items()))}
            for path, entry in sorted(self.files.items())
        }
        lines = [f"  {json.dumps(path, ensure_ascii=False)}: {json.dumps(entry)}" for path, entry in files.items()]
        folders = json.dumps(dict(sorted(self.folders.items())), ensure_ascii=False)
        inside = ",\n".join(lines)
        return f'{{"version": {_VERSION},\n "folders": {folders},\n "files": {{\n{inside}\n}}}}\n'


def manifest_of(raw: bytes) -> Manifest:
    """The manifest a file holds."""
    try:
        value = json.loads(raw.decode("utf-8"))
        if value["version"] != _VERSION:
            raise InvalidInput(NAME, f"is of version {value['version']}", "upgrade recollect, or export anew")
        files = {safe(path): _entry(entry) for path, entry in value["files"].items()}
        folders = {safe(path): {str(k): str(v) for k, v in place.items()} for path, place in value["folders"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(NAME, "cannot be read", "delete it to import every file as it is, or export anew") from None
    return Manifest(files, folders)


def _entry(said: Any) -> Entry:
    return Entry(uuid("id", said["id"]), str(said["sha256"]), {str(k): str(v) for k, v in said["marks"].items()})


def safe(path: str) -> str:
    """A path that stays inside the folder it is relative to."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\\" in path or "\x00" in path or ":" in parts[0]:
        raise InvalidInput(
            NAME, f"{path[:80]!r} leads out of the folder", "delete the manifest and look into the folder"
        )
    return path
