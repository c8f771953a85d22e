"""Change: what installing or uninstalling does to a settings file: planned first, shown, then made in one rename.

Before the first install the file is copied beside itself. Uninstalling puts that copy back, byte for byte, when nothing
but our entry was changed since; otherwise it takes out our entry and leaves the rest as it is now.
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

from recollect.adapters.clients.client import Client
from recollect.errors import SettingsError

_COPY = ".before-recollect"
_CONTEXT = 2


@dataclass(frozen=True, slots=True)
class Change:
    """A settings file before and after; None is no file. `copy` is what is kept beside it, None for nothing."""

    path: Path
    before: bytes | None
    after: bytes | None
    copy: bytes | None

    @property
    def needed(self) -> bool:
        """Whether there is anything to do."""
        return self.before != self.after

    @property
    def diff(self) -> list[str]:
        """The change as a unified diff."""
        old, new = (_text(held or b"", self.path).splitlines() for held in (self.before, self.after))
        was, will_be = ("(no file)" if held is None else str(self.path) for held in (self.before, self.after))
        return list(difflib.unified_diff(old, new, was, will_be, lineterm="", n=_CONTEXT))

    def make(self) -> None:
        """Do it: the copy first, then the file, each whole or not at all."""
        _refuse_if_changed(self.path, self.before)
        copy = _copy_of(self.path)
        if self.copy is not None:
            _write(copy, self.copy, _mode(self.path))
        if self.after is None:
            self.path.unlink()
            with contextlib.suppress(OSError):  # a folder that holds something else stays
                self.path.parent.rmdir()
        else:
            _write(self.path, self.after, _mode(self.path))
        if self.copy is None:
            copy.unlink(missing_ok=True)


def installing(client: Client, path: Path, entry: dict[str, Any]) -> Change:
    """The change that puts our entry into a settings file."""
    path = path.resolve()
    before, kept = _read(path), _read(_copy_of(path))
    known = None if before is None else client.spelling.read(_text(before, path), str(path))
    if known == entry:
        return Change(path, before, before, kept)
    if known is None or kept is None:
        base = before
    elif _put(client, path, kept, known) == before:
        base = kept
    else:
        base = _taken(client, path, before or b"")
    return Change(path, before, _put(client, path, base, entry), base)


def uninstalling(client: Client, path: Path) -> Change:
    """The change that takes our entry out again."""
    path = path.resolve()
    before, kept = _read(path), _read(_copy_of(path))
    known = None if before is None else client.spelling.read(_text(before, path), str(path))
    if before is None or known is None:
        return Change(path, before, before, kept)
    if _put(client, path, kept, known) == before:
        return Change(path, before, kept, None)
    return Change(path, before, _taken(client, path, before), None)


def _put(client: Client, path: Path, held: bytes | None, entry: dict[str, Any]) -> bytes:
    return _mark(held) + client.spelling.put(_text(held or b"", path), entry, str(path)).encode()


def _taken(client: Client, path: Path, held: bytes) -> bytes:
    return _mark(held) + client.spelling.take(_text(held, path), str(path)).encode()


def _mark(held: bytes | None) -> bytes:
    """The mark some editors put at the beginning of a file; it stays where it is."""
    return codecs.BOM_UTF8 if held is not None and held.startswith(codecs.BOM_UTF8) else b""


def _text(held: bytes, path: Path) -> str:
    try:
        return held.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        raise SettingsError(str(path), f"is not UTF-8 ({error})", "mend it, then try again") from error


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsError(str(path), f"cannot be read ({error})", "check its permissions") from error


def _refuse_if_changed(path: Path, expected: bytes | None) -> None:
    if _read(path) != expected:
        raise SettingsError(str(path), "was changed by another program meanwhile", "try again")


def _mode(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None


def _write(path: Path, held: bytes, mode: int | None) -> None:
    """Write aside and rename: nobody ever reads half a file, and a full disk leaves the old one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(held)
                stream.flush()
                os.fsync(stream.fileno())
            if mode is not None:
                Path(aside).chmod(mode)
            Path(aside).replace(path)
        finally:
            Path(aside).unlink(missing_ok=True)
    except OSError as error:
        raise SettingsError(
            str(path), f"cannot be written ({error})", "check its folder; nothing was changed"
        ) from error


def _copy_of(path: Path) -> Path:
    return path.with_name(path.name + _COPY)
