"""The SQL files of a back end's package: named queries, numbered upgrades, and whole scripts."""

from __future__ import annotations

from importlib import resources


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
    folder = resources.files(package).joinpath("migrations")
    files = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return tuple((int(name[:4]), folder.joinpath(name).read_text("utf-8")) for name in files)


def script(package: str, name: str) -> str:
    """The text of one file."""
    return resources.files(package).joinpath(name).read_text("utf-8")
