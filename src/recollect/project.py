"""The project of a folder: an explicit name, else `.recollect.toml` in it or above, else the git remote, else the folder name.

The path itself is never the name: worktrees and clones of one repository share the identity of its remote, so moving a checkout
loses nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from recollect.errors import SettingsError

_FILE = ".recollect.toml"


@dataclass(frozen=True, slots=True)
class Project:
    """A project's name and how it was found."""

    name: str
    source: str


def resolve_project(explicit: str | None, folder: Path) -> Project:
    """The project of a folder."""
    if explicit:
        return Project(explicit, "given")
    here = folder.resolve()
    return _from_file(here) or _from_git(here) or Project(here.name or "root", "folder name")


def _from_file(here: Path) -> Project | None:
    for folder in (here, *here.parents):
        path = folder / _FILE
        if path.is_file():
            return _read(path)
    return None


def _read(path: Path) -> Project | None:
    import tomllib

    try:
        name = tomllib.loads(path.read_text("utf-8")).get("project")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(str(path), f"cannot be read ({error})", 'write one line: project = "name"') from error
    if name is None:
        return None
    if not isinstance(name, str) or not name.strip():
        raise SettingsError(str(path), "project must be a name", 'write one line: project = "name"')
    return Project(name.strip(), str(path))


def _from_git(here: Path) -> Project | None:
    for folder in (here, *here.parents):
        common = _common_dir(folder / ".git")
        if common is not None:
            remote = _remote(common / "config")
            if remote:
                return Project(remote, "git remote")
            # A worktree's common dir is the main checkout's .git; a bare repository is its own folder.
            named = common.parent if common.name == ".git" else common
            return Project(named.name.removesuffix(".git"), "git repository")
    return None


def _common_dir(mark: Path) -> Path | None:
    if mark.is_dir():
        return mark if (mark / "HEAD").exists() else None
    try:
        pointed = mark.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    if not pointed.startswith("gitdir:"):
        return None
    git = (mark.parent / pointed.removeprefix("gitdir:").strip()).resolve()
    try:
        return (git / (git / "commondir").read_text("utf-8").strip()).resolve()
    except OSError:
        return git if git.is_dir() else None


def _remote(config: Path) -> str | None:
    import configparser

    parser = configparser.ConfigParser(strict=False, interpolation=None, allow_no_value=True)
    try:
        parser.read_string("\n".join(line.strip() for line in config.read_text("utf-8").splitlines()))
    except (OSError, UnicodeDecodeError, configparser.Error):
        return None
    urls = {name: parser[name].get("url") for name in parser.sections() if name.startswith("remote ")}
    url = urls.get('remote "origin"') or next((u for u in urls.values() if u), None)
    return identity_of(url) if url else None


def identity_of(url: str) -> str:
    """The identity of a remote URL: host, owner and name, without scheme, user, port and `.git`."""
    if re.match(r"[A-Za-z]:[\\/]", url) or url.startswith(("/", ".", "file:")):
        return url.rstrip("/\\").replace("\\", "/").rpartition("/")[2].removesuffix(".git")
    bare = re.sub(r"^[a-z+]+://", "", url.strip(), flags=re.IGNORECASE)
    bare = re.sub(r"^[^@/]+@", "", bare)
    bare = re.sub(r"^([^/:]+):(?:\d+/)?", r"\1/", bare)
    host, _, path = bare.partition("/")
    return f"{host.lower()}/{path.strip('/').removesuffix('.git')}"
