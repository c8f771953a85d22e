"""The settings of the story: the same for every door, told by the environment because some doors are processes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_SETTINGS = {"PROJECT": "shop", "AGENT": "ada", "EMBEDDER": "local", "EMBEDDER_THREADS": "1"}


def settle(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Who asks, from which project, with which model, and nothing else that whoever runs this may have set."""
    for name in [name for name in os.environ if name.startswith("RECOLLECT_")]:
        patch.delenv(name)
    for name, value in _SETTINGS.items():
        patch.setenv(f"RECOLLECT_{name}", value)
    patch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    patch.chdir(folder)
