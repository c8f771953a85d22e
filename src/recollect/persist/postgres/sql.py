"""The SQL of this package, parsed once: named queries, migrations, and the pieces a new database is made of."""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def queries(file: str = "queries.sql") -> dict[str, str]:
    """Query text by name. `{other}` in a query stands for the text of the query named so, which comes before it."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text_of(file).splitlines():
        name, colon, _ = line.removeprefix("-- ").partition(":")
        if line.startswith("-- ") and colon and name.isidentifier():
            lines = found.setdefault(name, [])
        elif not line.startswith("--"):
            lines.append(line)
    made: dict[str, str] = {}
    for name, part in found.items():
        text = "\n".join(part).strip()
        for known, whole in made.items():
            text = text.replace(f"{{{known}}}", whole)
        made[name] = text
    return made


def text_of(name: str) -> str:
    """A SQL file of this package."""
    return resources.files(__package__).joinpath(name).read_text("utf-8")


@cache
def migrations() -> tuple[tuple[int, str], ...]:
    """The numbered upgrades, in order."""
    folder = resources.files(__package__).joinpath("migrations")
    files = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return tuple((int(name[:4]), folder.joinpath(name).read_text("utf-8")) for name in files)
