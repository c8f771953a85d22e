"""Prints a constraints file that pins every direct dependency to the lowest version that `pyproject.toml` allows.

`make lowest` installs these versions into an environment of their own and runs a part of the tests there, so that a lower bound
is a version that was tried. Indirect dependencies are not pinned.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?:\[[^]]*\])?\s*(?:>=|==)\s*(?P<version>[^\s,;]+)")


def requirements(pyproject: Path) -> Iterator[str]:
    """Every direct dependency, those of the extras included, except the project itself."""
    project = tomllib.loads(pyproject.read_text("utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    for group in groups:
        yield from (line for line in group if not line.startswith(f"{project['name']}["))


def constraints(lines: Iterable[str]) -> list[str]:
    """The lines of the constraints file; a dependency without a lower bound is an error."""
    pinned = set()
    for line in lines:
        found = _REQUIREMENT.match(line)
        if found is None:
            raise SystemExit(f"pyproject.toml: {line!r} has no lower bound; write name>=version")
        pinned.add(f"{found['name']}=={found['version']}")
    return sorted(pinned, key=str.lower)


def main() -> int:
    """Print the constraints file."""
    sys.stdout.write("".join(f"{line}\n" for line in constraints(requirements(ROOT / "pyproject.toml"))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
