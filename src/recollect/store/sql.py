"""The SQL files of a back end's package: named queries, numbered upgrades, and whole scripts."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path


def named_queries(package: str, file: str = "queries.sql") -> dict[str, str]:
    """Query text by name. `{other}` in a query stands for the text of the query named so, which comes before it."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in script(package, file).splitlines():
        name, colon, _ = line.removeprefix("-- ").partition(":")
        if line.startswith("-- ") and colon and name.isidentifier():
            lines = found.setdefault(name, [])
        elif not line.startswith("--"):
            lines.append(line)
    made: dict[str, str] = {}
    for name, part in found.items():
        text = "\n".join(part).strip()
        for known, whole in made.items() if "{" in text else ():
            text = text.replace(f"{{{known}}}", whole)
        made[name] = text
    return made


def numbered_upgrades(package: str) -> tuple[tuple[int, str], ...]:
    """The files of its folder `migrations`, in order."""
    files = sorted((_folder(package) / "migrations").glob("*.sql"))
    return tuple((int(file.name[:4]), file.read_text("utf-8")) for file in files)


def script(package: str, name: str) -> str:
    """The text of one file."""
    return (_folder(package) / name).read_text("utf-8")


def _folder(package: str) -> Path:
    # Not `importlib.resources`, which brings zipfile and tempfile along: every opening of a store asks.
    return Path(import_module(package).__path__[0])
