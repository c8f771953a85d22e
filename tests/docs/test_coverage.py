"""The pages cover the product: every verb, command, setting, error, field and term has its place, and links resolve."""

import re
from dataclasses import fields
from itertools import chain
from pathlib import Path

import pytest
from docs import generate

import recollect
from recollect import errors
from recollect.capture.screen.policy import DEFAULT_POLICY
from recollect.config import Settings
from recollect.engine import Memory
from recollect.recall.cascade import Cascade
from recollect.serve.cli.command_table import SECTIONS
from recollect.values import enums as words
from recollect.values.link import EDGE_WEIGHTS
from recollect.values.recalled import RERANKER
from recollect.values.trigger import KINDS
from recollect.wiring import profiles_of

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
BESIDE = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
PAGES = [*sorted(DOCS.rglob("*.md")), *(ROOT / name for name in BESIDE)]
GUIDES = "\n".join(page.read_text("utf-8") for page in sorted((DOCS / "howto").glob("*.md")))
VERBS = [name for name in dir(Memory) if not name.startswith("_")]
COMMANDS = [name for section in SECTIONS.values() for name in section]
ERRORS = [e.__name__ for e in vars(errors).values() if isinstance(e, type) and issubclass(e, Exception)]
_LINK = re.compile(r"\]\(([^)\s]+)\)")
# Made by `python -m bench report`, which needs the evaluation sets.
_MADE_ELSEWHERE = {DOCS / "benchmarks.md"}
_LONGEST = 130
_PROOF = re.compile(r"`(contract/)?([\w/]+\.py)::(test_\w+)`")
_CONTRACT = ROOT / "src" / "recollect" / "testing" / "contract"


def reference(name: str) -> str:
    return (DOCS / "reference" / name).read_text("utf-8")


def headings(text: str) -> set[str]:
    plain = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", plain, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_reference_pages_are_fresh() -> None:
    assert generate.main(["--check"]) == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for link in _LINK.findall(page.read_text("utf-8")):
        if link.startswith(("http://", "https://")):
            continue
        name, _, mark = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists() or target in _MADE_ELSEWHERE, f"{page.name}: {link}"
        if mark:
            assert mark in headings(target.read_text("utf-8")), f"{page.name}: {link}"


@pytest.mark.parametrize("page", sorted((DOCS / "howto").glob("*.md")), ids=lambda page: page.name)
def test_a_guide_is_short_and_listed(page: Path) -> None:
    assert page.read_text("utf-8").count("\n") <= _LONGEST
    assert f"howto/{page.name}" in (DOCS / "index.md").read_text("utf-8")


@pytest.mark.parametrize("page", sorted((DOCS / "decisions").glob("*.md")), ids=lambda page: page.name)
def test_a_decision_has_its_parts_and_fits_on_a_page(page: Path) -> None:
    text = page.read_text("utf-8")
    number = page.name[:4]
    assert text.startswith(f"# {number} ")
    assert [h for h in re.findall(r"^## (\w+)$", text, re.MULTILINE) if h != "Measured"] == [
        "Context",
        "Decision",
        "Consequences",
    ]
    assert text.count("\n") <= 70
    assert f"decisions/{page.name}" in (DOCS / "index.md").read_text("utf-8")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_in_the_reference_and_in_a_guide(verb: str) -> None:
    assert f"\n### {verb}\n" in reference("api.md")
    assert re.search(rf"\.{verb}\(|`{verb}`|recollect (?:--\S+ \S+ )?{verb}\b", GUIDES), verb


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_reference_and_in_a_guide(command: str) -> None:
    assert f"\n### {command}\n" in reference("cli.md")
    assert re.search(rf"recollect (?:--\S+(?: \"[^\"]*\"| [^-]\S*)? )*{command}\b", GUIDES), command


def test_every_setting_is_in_the_reference() -> None:
    for field in fields(Settings):
        assert f"| `{field.name}` |" in reference("settings.md")


def test_every_error_is_in_the_reference() -> None:
    assert set(ERRORS) <= set(recollect.__all__)
    for name in ERRORS:
        assert f"| `{name}` |" in reference("errors.md")


def test_every_profile_kind_and_word_is_in_the_reference() -> None:
    for name in profiles_of({}):
        assert f"\n## {name}\n" in reference("profiles.md")
    for kind in DEFAULT_POLICY:
        assert f"| `{kind}` |" in reference("screen.md")
    lists = (words.MEMORY_TYPES, words.SCOPES, words.STATUSES, words.PROVENANCE_KINDS, words.DELIVERIES)
    for word in chain(*lists, words.LINK_RELATIONS, words.RESOLUTIONS, KINDS):
        assert f"| `{word}` |" in reference("vocabulary.md")


def test_the_public_names_are_in_the_reference() -> None:
    held = reference("api.md") + reference("errors.md")
    for name in recollect.__all__:
        assert re.search(rf"\b{name}\b", held), name


def test_every_term_the_concepts_stress_is_in_the_glossary() -> None:
    glossary = (DOCS / "glossary.md").read_text("utf-8")
    terms = set(re.findall(r"^\*\*(.+?)\*\*", glossary, re.MULTILINE))
    stressed = set(re.findall(r"(?<!\*)\*([a-z][a-z_ ]+)\*(?!\*)", (DOCS / "concepts.md").read_text("utf-8")))
    assert stressed
    assert stressed <= terms, stressed - terms
    for word in (*words.STATUSES, *words.SCOPES):
        assert word in glossary


def test_the_glossary_is_in_order_and_says_little() -> None:
    lines = (DOCS / "glossary.md").read_text("utf-8").splitlines()
    entries = [line for line in lines if line.startswith("**")]
    names = [entry.split("**")[1] for entry in entries]
    assert names == sorted(names, key=str.lower)
    assert all(len(entry) <= 320 for entry in entries)


def test_every_test_the_design_names_is_there() -> None:
    proofs = _PROOF.findall(reference("graph-design.md"))
    assert len(proofs) == reference("graph-design.md").count("::test_")
    for contract, name, function in proofs:
        text = ((_CONTRACT if contract else ROOT / "tests") / name).read_text("utf-8")
        assert re.search(rf"^ *def {function}\(", text, re.MULTILINE), f"{name}::{function}"


def test_the_design_tells_every_edge_with_its_weight_and_every_constant_of_the_walk() -> None:
    page = reference("graph-design.md")
    for edge, weight in EDGE_WEIGHTS.items():
        assert re.search(rf"\| `{edge}`, {weight:g}\b", page), edge
    for constant in ("floor", "seeds", "depth", "decay"):
        assert f"| `{constant}` {getattr(Cascade(), constant):g}" in page, constant


def test_every_file_the_architecture_names_exists() -> None:
    package = ROOT / "src" / "recollect"
    folders = {path.name for path in package.iterdir()}
    for name in re.findall(r"(?<![\w/*])[\w/]+/[\w/]*\.(?:py|sql)\b", (DOCS / "architecture.md").read_text("utf-8")):
        base = package if name.partition("/")[0] in folders else ROOT
        assert (base / name).exists(), name


def test_a_newcomer_finds_the_two_commands_of_a_checkout_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert text.index("make demo") < text.index("make test") < text.index("## A session") < text.index("## Install")


def test_the_targets_that_pages_name_are_in_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", DOCS / "releasing.md"):
        named = re.findall(r"^make ([a-z]+) ", page.read_text("utf-8"), re.MULTILINE)
        assert set(named) <= targets, page


def test_no_page_speaks_of_one_machine() -> None:
    for page in PAGES:
        text = page.read_text("utf-8")
        # Absolute paths of whoever wrote the page: a home folder, or this checkout.
        assert not re.search(r"/(?:home|Users)/\w+/", text), page
        assert str(Path(__file__).resolve().parents[2]) not in text, page


def test_every_part_of_a_score_is_in_the_glossary() -> None:
    glossary = (DOCS / "glossary.md").read_text("utf-8").partition("## Parts of a score")[2]
    defined = set(re.findall(r"^\| `(.+?)` \|", glossary, re.MULTILINE))
    source = "".join(path.read_text("utf-8") for path in (ROOT / "src" / "recollect" / "recall").glob("*.py"))
    named = set(re.findall(r'"([a-z0-9 ]+)"\]? ?[:=] ?ScorePart\(', source)) | {RERANKER}
    assert len(named) > 20
    assert defined == named
