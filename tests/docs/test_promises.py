"""Every promise of the pages on security and privacy names a test, and that test exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (?P<promise>[^|]+) \| `(?P<file>tests/[\w/.]+)::(?P<test>\w+)` \|$")
PAGES = ("docs/security.md", "docs/privacy.md")


def rows(page: str) -> list[str]:
    lines = (ROOT / page).read_text("utf-8").splitlines()
    return [line for line in lines if line.startswith("| ") and not line.startswith(("| promise", "| ---"))]


@pytest.mark.parametrize("line", [line for page in PAGES for line in rows(page)])
def test_a_promise_names_a_test_that_exists(line: str) -> None:
    named = ROW.match(line)
    assert named is not None, line
    tree = ast.parse((ROOT / named["file"]).read_text("utf-8"))
    assert named["test"] in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_promises(page: str) -> None:
    assert len(rows(page)) > 10
