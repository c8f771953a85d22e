"""What the pages show is what happens: every python, console and toml block is run, in order, in a fresh folder."""

from pathlib import Path

import pytest
from docs.compare import agrees, bound, same
from docs.examples import Mismatch, Runner, blocks_of, steps_of

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
# An address as pages show it, and the fixture whose server stands behind it.
SERVERS = {"redis://localhost:6379/0": "fresh_redis", "postgresql://localhost/recollect": "fresh_database"}
KNOWN = {"console", "python", "toml", "text", "sql"}


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in PAGES if blocks_of(page)], ids=name_of)
def test_every_block_of_a_page_runs_and_shows_what_happens(
    page: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    text = page.read_text("utf-8")
    addresses = {shown: request.getfixturevalue(name) for shown, name in SERVERS.items() if shown in text}
    Runner(tmp_path / "shop", addresses=addresses).run(page)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_block_says_whether_it_is_run(page: Path) -> None:
    assert {block.language for block in blocks_of(page)} <= KNOWN


def test_ids_times_and_scores_may_differ_and_words_may_not() -> None:
    ids: dict[str, str] = {}
    shown = ["✓ stored  We deploy", "          36a91288 · fact · just now · similarity 0.40  0.92"]
    assert agrees(shown, ["✓ stored  We deploy", "  0badcafe · fact · 3 seconds ago · similarity 0.41 1.00"], ids)
    assert bound("history 36a91288", ids) == "history 0badcafe"
    assert not agrees(shown, ["✓ stored  We ship", "  0badcafe · fact · just now · similarity 0.41 1.00"], ids)
    assert not agrees(["36a91288  fact"], ["deadbeef  fact"], ids), "an id of the page stands for one id of the run"


def test_an_ellipsis_stands_for_anything_in_a_line_and_alone_for_any_lines() -> None:
    assert same("cache  …  default", "cache  /home/me/.cache  default")
    assert agrees(["first", "…", "last"], ["first", "a", "b", "last"], {})
    assert agrees(["first", "…"], ["first"], {})
    assert not agrees(["first", "…", "last"], ["first", "a"], {})


def test_a_page_that_shows_something_else_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\nif x:\n    x + 1  # → 3\n```\n", "utf-8")
    with pytest.raises(Mismatch, match=r"page\.md:4: the page shows 3, it is 2"):
        Runner(tmp_path / "shop").run(page)
    page.write_text("```console\n$ recollect list\nsomething\n```\n", "utf-8")
    with pytest.raises(Mismatch, match="no memory here yet"):
        Runner(tmp_path / "other").run(page)


def test_the_output_of_a_command_is_what_follows_it(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("x\n```console\n$ a\n1\n2\n$ b\n```\n", "utf-8")
    (block,) = blocks_of(page)
    assert [(step.command, step.shown, step.line) for step in steps_of(block)] == [("a", ("1", "2"), 3), ("b", (), 6)]
