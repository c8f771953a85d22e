"""The same settings for every door, on either back end: told by the environment, as a door that is a process needs it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from told.settings import settle


def _of_the_mcp_tests(name: str) -> object:
    """A fixture of the MCP tests: an environment with the SDK of before takes time to make, so all share one."""
    spec = importlib.util.spec_from_file_location("mcp_conftest", Path(__file__).parents[1] / "mcp" / "conftest.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


older_python = _of_the_mcp_tests("older_python")


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Who asks, from which project, with which model; and a folder that says nothing else."""
    settle(monkeypatch, tmp_path)
