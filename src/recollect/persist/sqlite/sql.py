"""The named queries of queries.sql, parsed once."""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def queries() -> dict[str, str]:
    """Query text by name."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text_of("queries.sql").splitlines():
        name, colon, _ = line.removeprefix("-- ").partition(":")
        if line.startswith("-- ") and colon and name.isidentifier():
            lines = found.setdefault(name, [])
        elif not line.startswith("--"):
            lines.append(line)
    return {name: "\n".join(part).strip() for name, part in found.items()}


def text_of(name: str) -> str:
    """A SQL file of this package."""
    return resources.files(__package__).joinpath(name).read_text("utf-8")


@cache
def migrations() -> tuple[tuple[int, str], ...]:
    """The numbered upgrades, in order."""
    folder = resources.files(__package__).joinpath("migrations")
    files = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return tuple((int(name[:4]), folder.joinpath(name).read_text("utf-8")) for name in files)
