"""The folder listing is the data flow: who may import whom, checked on the syntax trees."""

import ast
from collections import Counter
from pathlib import Path

import pytest

import recollect

ROOT = Path(recollect.__file__).parent
# In the order of the data flow: a stage may use those before it, never those after it.
STAGES = ("capture", "recall", "tiers", "companion", "upkeep", "portable")
# Reached through ports only: nobody but wiring (and what ships for tests) names a concrete one.
IMPLEMENTATIONS = ("store", "embed", "judge")
GROUND = ("values", "errors", "forking", "log", "advice", "endpoint")
SPINE = ("validation", "filters", "access", "redaction", "deferred", "runtime", "unit_of_work", "listing")
FILES = sorted(path for path in ROOT.rglob("*.py"))


def part_of(path: Path) -> str:
    first = path.relative_to(ROOT).parts[0]
    return first.removesuffix(".py")


def imported(path: Path) -> set[str]:
    """The top-level parts of recollect that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module == "recollect":
            names += [f"recollect.{alias.name}" for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("recollect.")}
    return found


def imported_at_run_time(path: Path) -> set[str]:
    """The same without what only type checkers see."""
    tree = ast.parse(path.read_text("utf-8"))
    tree.body = [
        node for node in tree.body if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test))
    ]
    names = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return {name.split(".")[1] for name in names if name.startswith("recollect.")}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_imports_only_what_comes_before_it(path: Path) -> None:
    part = part_of(path)
    if part in GROUND:
        used, allowed = imported(path), set(GROUND)
    elif part == "ports":
        used, allowed = imported(path), {*GROUND, "ports"}
    elif part in IMPLEMENTATIONS:
        used, allowed = imported(path), {*GROUND, "ports", part}
    elif part in SPINE:
        used, allowed = imported_at_run_time(path), {*GROUND, "ports", *SPINE}
    elif part in STAGES:
        before = STAGES[: STAGES.index(part) + 1]
        used, allowed = imported(path), {*GROUND, "ports", *SPINE, *before}
    else:
        return
    assert used <= allowed, f"{path.relative_to(ROOT)} imports {sorted(used - allowed)}"


def test_only_wiring_names_a_concrete_back_end_model_or_judge() -> None:
    for path in FILES:
        part = part_of(path)
        if part not in ("wiring", "testing"):
            assert imported(path) & set(IMPLEMENTATIONS) <= {part}, path


def test_only_config_reads_the_environment() -> None:
    for path in FILES:
        names = {
            node.attr if isinstance(node, ast.Attribute) else node.id
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Attribute | ast.Name)
        }
        if path.name != "config.py" and part_of(path) != "serve":
            assert not names & {"environ", "getenv", "environb"}, path


def test_every_module_says_what_it_is_for() -> None:
    for path in FILES:
        assert ast.get_docstring(ast.parse(path.read_text("utf-8"))), path


def test_no_class_name_is_defined_twice() -> None:
    names = Counter(
        node.name
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert not {name for name, count in names.items() if count > 1}
