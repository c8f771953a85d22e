"""What the project promises to contributors: lower bounds that can be tested, local hooks, and the commands the pages name."""

import re
import tomllib
from pathlib import Path

import pytest

from tools.lowest_versions import constraints, requirements

ROOT = Path(__file__).resolve().parents[2]


def test_every_direct_dependency_is_pinned_to_its_lower_bound() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pinned = constraints(requirements(ROOT / "pyproject.toml"))
    assert len(pinned) >= len(project["dependencies"])
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in pinned)


def test_a_bound_is_read_with_and_without_extras() -> None:
    assert constraints(["redis[hiredis]>=5.2", "click>=8.1,<9"]) == ["click==8.1", "redis==5.2"]


def test_a_dependency_without_a_lower_bound_is_an_error() -> None:
    with pytest.raises(SystemExit, match="has no lower bound"):
        constraints(["numpy"])


def test_hooks_need_no_network() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    assert set(re.findall(r"- repo: (\S+)", hooks)) == {"local"}
