"""How to install an extra of this package, as it is installed here: from a checkout, or from a package index."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path


def install_command(extra: str) -> str:
    """The command that adds an extra to the environment that is running."""
    root = Path(__file__).resolve().parents[2]
    checkout = (root / "pyproject.toml").is_file() and Path(__file__).resolve().parent.parent.name == "src"
    what = f"-e '{root}[{extra}]'" if checkout else f"'recollect[{extra}]'"
    if find_spec("pip") is None:  # environments made by uv have none
        return f"uv pip install --python {sys.executable} {what}"
    return f"{sys.executable} -m pip install {what}"
