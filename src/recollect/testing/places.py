"""Where test servers live: a folder of their own, owned by the user they run as, and the binaries that user can reach."""

from __future__ import annotations

import os
import pwd
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from recollect.errors import SettingsError

_NOBODY = "nobody"


def unprivileged() -> dict[str, Any]:
    """For subprocess: who a server runs as. PostgreSQL refuses root, so root hands over to `nobody`."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam(_NOBODY)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


@contextmanager
def own_folder(prefix: str, within: Path | None = None) -> Iterator[Path]:
    """A new folder that only the server's user (and root) can enter; removed afterwards."""
    parent = within or Path(tempfile.gettempdir())
    if not _reachable(parent):
        parent = Path("/tmp")  # noqa: S108 - mkdtemp makes a new folder of its own there
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    try:
        _hand_over(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write(path: Path, text: str) -> None:
    """A file for the server's user alone."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    _hand_over(path)


def binaries(module: str, package: str, path: str) -> Path:
    """A binary of an installed wheel; if the server's user cannot reach it, of a copy that is made once a version."""
    spec = find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise SettingsError("test servers", f"{package} is not installed", "pip install 'recollect[dev]'")
    root = Path(spec.submodule_search_locations[0])
    found = root / path
    if not found.exists():
        raise SettingsError("test servers", f"{package} has no {path} for this platform", "pip install -U " + package)
    if _reachable(found):
        return found
    part = Path(path).parts[0]
    return _copied(root / part, f"recollect-{package}-{version(package)}-{part}") / Path(path).relative_to(part)


def _copied(tree: Path, name: str) -> Path:
    place = Path("/tmp") / name  # noqa: S108 - it is used only if it is ours and nobody else may write there
    if not place.exists():
        copy = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=place.parent))
        shutil.copytree(tree, copy, symlinks=True, dirs_exist_ok=True)
        copy.chmod(0o755)
        try:
            copy.rename(place)
        except OSError:  # another process was quicker
            shutil.rmtree(copy)
    found = place.lstat()
    if place.is_symlink() or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise SettingsError("test servers", f"{place} belongs to somebody else", "remove it")
    return place


def _reachable(path: Path) -> bool:
    """Whether the server's user can get to a path: every folder above it must let others pass."""
    if os.geteuid() != 0:
        return True
    real = path.resolve()
    return all(place.stat().st_mode & 0o001 for place in (real, *real.parents))


def _hand_over(path: Path) -> None:
    user = unprivileged()
    if user:
        os.chown(path, user["user"], user["group"])
