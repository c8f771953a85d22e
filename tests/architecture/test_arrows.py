"""The folder listing is the data flow: who may import whom, held on the syntax trees."""

import ast
from pathlib import Path

import pytest

import recollect

ROOT = Path(recollect.__file__).parent
STAGES = ("capture", "embed", "judge", "persist", "recall", "tiers", "upkeep", "portable")
GROUND = ("values", "errors")
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


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_imports_only_what_lies_before_it(path: Path) -> None:
    part, used = part_of(path), imported(path)
    if part in GROUND:
        allowed = set(GROUND)
    elif part == "ports":
        allowed = {*GROUND, "ports"}
    elif part in STAGES:
        allowed = {*GROUND, "ports", part}
    else:
        return
    assert used <= allowed, f"{path.relative_to(ROOT)} imports {sorted(used - allowed)}"


def test_only_wiring_names_a_concrete_back_end_or_judge_and_only_embedders_an_embedder() -> None:
    concrete = {"persist", "embed", "judge"}
    may = {"wiring": {*concrete}, "embedders": {"embed"}, "testing": {*concrete}}
    for path in FILES:
        part = part_of(path)
        assert imported(path) & concrete <= may.get(part, {part}), path


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


def test_no_file_grew_past_its_idea() -> None:
    long = {
        str(path.relative_to(ROOT)): text.count("\n")
        for path in FILES
        if (text := path.read_text("utf-8")).count("\n") > 300
    }
    assert not long


def test_the_public_surface_is_what_all_says() -> None:
    assert sorted(recollect.__all__) == recollect.__all__
    for name in recollect.__all__:
        assert getattr(recollect, name) is not None
    with pytest.raises(AttributeError):
        recollect.nonsense  # noqa: B018
