"""The change that install or uninstall makes to a settings file: planned, shown as a diff, then applied atomically.

Before the first install the file is backed up beside itself. Uninstall restores that backup byte for byte when nothing but our
entry was changed since; otherwise it removes our entry and leaves the rest of the file as it is now.
"""

from __future__ import annotations

import codecs
import contextlib
import difflib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.adapters.clients.client import McpClient
from recollect.errors import SettingsError

_BACKUP_SUFFIX = ".before-recollect"
_DIFF_CONTEXT = 2


@dataclass(frozen=True, slots=True)
class SettingsChange:
    """A settings file before and after, and the backup to keep beside it. None means no file.

    `own_folders` is how many folders above it belong to the client, and go with the file when they are empty.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    backup: bytes | None
    own_folders: int = 0

    @property
    def needed(self) -> bool:
        """Whether the file changes at all."""
        return self.before != self.after

    @property
    def diff(self) -> list[str]:
        """The change as a unified diff."""
        old, new = (_decode(data or b"", self.path).splitlines() for data in (self.before, self.after))
        old_name, new_name = ("(no file)" if data is None else str(self.path) for data in (self.before, self.after))
        return list(difflib.unified_diff(old, new, old_name, new_name, lineterm="", n=_DIFF_CONTEXT))

    def apply(self) -> None:
        """Write the backup, then the file, each atomically."""
        _require_unchanged(self.path, self.before)
        backup = _backup_path(self.path)
        if self.backup is not None:
            _write(backup, self.backup, _mode(self.path))
        if self.after is None:
            self.path.unlink()
            with contextlib.suppress(OSError):  # a directory with other files in it stays
                for folder in self.path.parents[: self.own_folders]:
                    folder.rmdir()
        else:
            _write(self.path, self.after, _mode(self.path))
        if self.backup is None:
            backup.unlink(missing_ok=True)


def plan_install(client: McpClient, path: Path, entry: dict[str, Any]) -> SettingsChange:
    """The change that adds our entry to a settings file, or replaces it."""
    path = path.resolve()
    before, backup = _read(path), _read(_backup_path(path))
    current = None if before is None else client.format.read(_decode(before, path), str(path))
    if current == entry:
        return SettingsChange(path, before, before, backup)
    if current is None or backup is None:
        base = before
    elif _add(client, path, backup, current) == before:
        base = backup
    else:
        base = _remove(client, path, before or b"")
    return SettingsChange(path, before, _add(client, path, base, entry), base)


def plan_uninstall(client: McpClient, path: Path) -> SettingsChange:
    """The change that removes our entry."""
    path = path.resolve()
    before, backup = _read(path), _read(_backup_path(path))
    current = None if before is None else client.format.read(_decode(before, path), str(path))
    if before is None or current is None:
        return SettingsChange(path, before, before, backup)
    if _add(client, path, backup, current) == before:
        return SettingsChange(path, before, backup, None, client.own_folders(path))
    return SettingsChange(path, before, _remove(client, path, before), None)


def _add(client: McpClient, path: Path, data: bytes | None, entry: dict[str, Any]) -> bytes:
    return _bom(data) + client.format.add(_decode(data or b"", path), entry, str(path)).encode()


def _remove(client: McpClient, path: Path, data: bytes) -> bytes:
    return _bom(data) + client.format.remove(_decode(data, path), str(path)).encode()


def _bom(data: bytes | None) -> bytes:
    """The byte order mark, if the file starts with one: it is kept."""
    return codecs.BOM_UTF8 if data is not None and data.startswith(codecs.BOM_UTF8) else b""


def _decode(data: bytes, path: Path) -> str:
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        raise SettingsError(str(path), f"is not UTF-8 ({error})", "fix the file, then try again") from error


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsError(str(path), f"cannot be read ({error})", "check its permissions") from error


def _require_unchanged(path: Path, expected: bytes | None) -> None:
    if _read(path) != expected:
        raise SettingsError(str(path), "was changed by another program in the meantime", "try again")


def _mode(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None


def _write(path: Path, data: bytes, mode: int | None) -> None:
    """Write a temporary file and rename it: no reader sees half a file, and a full disk leaves the old one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            if mode is not None:
                Path(temporary).chmod(mode)
            Path(temporary).replace(path)
        finally:
            Path(temporary).unlink(missing_ok=True)
    except OSError as error:
        raise SettingsError(
            str(path), f"cannot be written ({error})", "check its directory; nothing was changed"
        ) from error


def _backup_path(path: Path) -> Path:
    return path.with_name(path.name + _BACKUP_SUFFIX)
