"""Nothing of a Markdown tree is lost in silence: every word is in a memory or in the report, and a second import adds nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recollect
from recollect.portable.memory_files.reader import MemoryFile, SourceFile, read_files, read_text
from recollect.values.memory import Record, side_texts

FENCE = "```"
# Each shape takes words that occur nowhere else in the tree, so a word that is missing is a word that was lost.
SHAPES: dict[str, str] = {
    "paragraph": "{} {} {} {}.",
    "wrapped": "{} {}\n{} {}.",
    "heading": "## {} {}",
    "two headings": "# {} {}\n\n## {}",
    "underlined": "{} {}\n=====\n\n- {}",
    "bullets": "- {} {} {}\n- {}\n  - {}\n  - {}",
    "numbered": "## {} priorities\n1. {} {}\n2. {}\n3. {} {}",
    "numbered from ten": "10. {} {}\n11. {}",
    "steps": "## How to {}\n1. run {}\n2. then push {}",
    "boxes": "- [ ] {} {}\n- [x] {}",
    "label": "- **{}:** {} {}",
    "bold heading": "**{} {}**\n\n{} {} {}.",
    "labelled list": "{} {}:\n- {}\n- {}",
    "two sentences before a list": "{} {} {} {}. These {}:\n- {}\n- {}",
    "table": "| {} | {} |\n|---|---|\n| {} | {} |\n| {} | |",
    "table of links": "| File | Purpose |\n|---|---|\n| [{}](docs/{}.md) | {} {} |\n| `src/{}.py` | {} |\n| {}.md | ({} {}) |",
    "generic table": "| Name | Value |\n|---|---|\n| {} | {} |",
    "link line": "- [{}](https://{}.example/{}) {}",
    "file line": "- {}.md — {} {}\n- `{}.py`: {}\n- [[{}]] - {}",
    "bare pointers": "- [{}]({}.md)\n- [{}](#{})\n- [[{}]]",
    "code": f"{{}} {{}} {{}} {{}}. Then run {{}} so\n\n{FENCE}sh\n{{}} --{{}}\n{FENCE}",
    "code after a list": f"{{}}:\n- {{}}\n\n{FENCE}\n{{}}\n{FENCE}\n\n{FENCE}\n{{}}\n{FENCE}",
    "quote": "> {} {}\n> {}",
    "comment": "<!-- {} {} -->",
    "markup": "<details><summary>{}</summary>\n{} {} {}\n</details>",
    "markup inside": "{} <b>{}</b> &amp; {} {}",
    "struck out": "- ~~{} {}~~",
    "template": "- {}: TBD\n- {}: [{}]\n- {}: ({} {})",
    "reference": "{} [{}][{}] {}\n\n[{}]: https://{}.example",
    "unused reference": "[{}]: https://{}.example '{}'",
    "image": "![{}]({}.png)",
    "observation": "- [decision] {} {} #{} ({})\n- [{}] {}\n- relates_to [[{}]]",
    "date of the file": "_Last updated: 2026-05-21_\n\n{}",
    "emphasis": "*{}* _{}_ __{}__ `{}`",
    "why": "{} {} {}.\n\n**Why:** {} {}",
    "definition": "{}\n: {} {}",
    "footnote": "{}[^1]\n\n[^1]: {} {}",
    "rule": "---",
    "html entity": "&lt;{}&gt; {}",
    "deep": "- {}\n  1. {}\n     - {}\n       > {}\n",
}  # fmt: skip
FRONT = (
    "",
    "---\ntitle: {} {}\ntags:\n- {}\n- '{} {}'\nstatus: {}\n---\n",
    '---\nname: {}\ndescription: "{}: {}"\nmetadata:\n  type: feedback\n  owners: [{}, "{}"]\n---\n',
    "---\ntags: [{}, {}]\nnested:\n  - one: {}\n    two: {}\n---\n",
    "---\n{}: [unclosed {}\n---\n",
)
WORD = re.compile(r"[^\W_]+")


class Words:
    """Words that are used once."""

    def __init__(self) -> None:
        self._count = 0

    def fill(self, shape: str) -> str:
        return re.sub(r"\{\}", lambda _: self._next(), shape)

    def _next(self) -> str:
        self._count += 1
        return "q" + "".join("bcdfghjklm"[int(digit)] + "aeiou"[self._count % 5] for digit in f"{self._count:03}")


def told(file: MemoryFile) -> set[str]:
    """The words of the memories that a file becomes, and of what is reported."""
    facts = [" ".join((fact.text, *fact.tags)) for fact in file.facts]
    text = " ".join((*facts, *(one.text for one in file.skipped), str(dict(file.metadata) if file.facts else "")))
    return set(WORD.findall(text.casefold()))


def lost(text: str, file: MemoryFile) -> set[str]:
    return {word for word in WORD.findall(text.casefold()) if word.startswith("q")} - told(file)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("front", FRONT)
def test_no_word_of_a_shape_is_lost(shape: str, front: str) -> None:
    words = Words()
    text = words.fill(f"{front}{SHAPES[shape]}\n")
    assert lost(text, read_text("MEMORY.md", text)) == set()


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.sampled_from(FRONT), st.lists(st.sampled_from(sorted(SHAPES)), max_size=9), st.sampled_from(("\n\n", "\n")))
def test_nor_of_a_file_of_any_shapes(front: str, shapes: list[str], between: str) -> None:
    words = Words()
    text = words.fill(front + between.join(SHAPES[shape] for shape in shapes) + "\n")
    assert lost(text, read_text("memory/2026-05-20.md", text)) == set()


# What says something must be a memory, not only a line of the report.
STATED = {
    "table of links", "link line", "file line", "numbered", "code", "code after a list", "two sentences before a list", "label",
    "labelled list", "bullets", "steps", "quote", "why", "deep", "emphasis", "markup inside", "observation", "bold heading",
}  # fmt: skip


@pytest.mark.parametrize("shape", sorted(STATED))
def test_what_is_said_becomes_memories(shape: str) -> None:
    text = Words().fill(f"{SHAPES[shape]}\n")
    file = read_text("MEMORY.md", text)
    assert [one for one in file.skipped if one.reason != "names of columns that no memory repeats"] == []
    assert lost(text, file) == set()


def tree_of(folder: Path) -> str:
    """A tree of files that point to each other; returns all of its text."""
    words = Words()
    texts = {
        "MEMORY.md": "# {} memory\n\n"
        + "\n\n".join(SHAPES[shape] for shape in SHAPES if shape != "underlined")
        + "\n\n- [Log](memory/2026-05-20.md)\n- [Tea](memory/tea.md) — {} {}\n",
        "memory/2026-05-20.md": "# 2026-05-20\n\n## {} — 07:30 UTC\n- {} {}\n\n" + SHAPES["table of links"] + "\n",
        "memory/tea.md": FRONT[2] + "{} {} tea.\n\n**Why:** {}\n",
        "memory/notes/brew.md": FRONT[1] + SHAPES["observation"] + "\n- part_of [[tea]]\n",
    }
    whole = ""
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(words.fill(text), "utf-8")
        whole += words.fill("") + (folder / name).read_text("utf-8")
    return whole


def words_of_records(records: Iterator[Record]) -> set[str]:
    texts = (text for record in records for text in (record.content, *(text for _, text in side_texts(record))))
    return {word for text in texts for word in WORD.findall(text.casefold())}


def test_every_word_of_a_tree_is_in_the_store_or_in_the_report(memory: recollect.Memory, tmp_path: Path) -> None:
    text = tree_of(tmp_path / "tree")
    report = memory.import_from("memory-files", tmp_path / "tree")
    quoted = " ".join(
        one.text for batch in report.batches for one in batch.items if one.outcome in ("left_out", "refused")
    )
    known = words_of_records(memory.iter_all()) | set(WORD.findall(quoted.casefold()))
    assert {word for word in WORD.findall(text.casefold()) if word.startswith("q")} - known == set()
    assert report.links > 0


def test_importing_a_tree_twice_adds_nothing(
    memory: recollect.Memory, tmp_path: Path, exported: Callable[..., bytes]
) -> None:
    tree_of(tmp_path / "tree")
    first = memory.import_from("memory-files", tmp_path / "tree")
    before = exported(memory, history=True)
    again = memory.import_from("memory-files", tmp_path / "tree")
    assert exported(memory, history=True) == before
    assert again.counts["known"] == first.counts["kept"] + first.counts["merged"]
    assert again.counts["left_out"] == first.counts["left_out"]
    assert again.links == 0


def test_files_of_one_folder_are_told_apart_by_what_they_say(tmp_path: Path) -> None:
    """An index line is left out only if the file it names says the same itself."""
    (tmp_path / "tea.md").write_text("- prefers green tea\n", "utf-8")
    (tmp_path / "MEMORY.md").write_text("- [Tea](tea.md) — prefers green tea\n- [Tea](tea.md) — never black\n", "utf-8")
    index, _ = read_files([SourceFile(name, tmp_path / name) for name in ("MEMORY.md", "tea.md")])
    assert [fact.bare for fact in index.facts] == ["[Tea](tea.md) — never black"]
    assert [one.text for one in index.skipped] == ["[Tea](tea.md) — prefers green tea"]
