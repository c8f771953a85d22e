"""What a Markdown memory file says, taken apart: every fact once and whole, with what makes it stand alone, and nothing else."""

from datetime import UTC, datetime

import pytest

from recollect.capture.screen.policy import DEFAULT_POLICY
from recollect.portable.masking import has_password, masked
from recollect.portable.memory_files.reader import MemoryFile, read_text

FENCE = "```"


def read(text: str, name: str = "MEMORY.md") -> MemoryFile:
    return read_text(name, text)


def texts(text: str, name: str = "MEMORY.md") -> list[str]:
    return [fact.text for fact in read(text, name).facts]


def reasons(text: str, name: str = "MEMORY.md") -> list[str]:
    return [skipped.reason for skipped in read(text, name).skipped]


GOLDEN = {
    "a label and its value stand under their heading": (
        "## Staging server\n- **Port:** 8080\n- Host: stage.example\n",
        ["Staging server: Port: 8080", "Staging server: Host: stage.example"],
    ),
    "labelled lines of one paragraph are facts of their own": (
        "## Who\n**Name:** Ada\n**Role:** tester of\nold printers\n",
        ["Who: Name: Ada", "Who: Role: tester of old printers"],
    ),
    "plain fields line by line": (
        "## Router\nModel: AX-3\nRoom: attic\n",
        ["Router: Model: AX-3", "Router: Room: attic"],
    ),
    "a wrapped paragraph stays whole, a colon in it notwithstanding": (
        "Note: the printer jams\nwhen it is humid: dry the paper first.\n",
        ["Note: the printer jams when it is humid: dry the paper first."],
    ),
    "a wrapped item stays whole": (
        "## Printer\n- jams when the\n  paper is\n  humid\n- is grey\n",
        ["Printer: jams when the paper is humid", "Printer: is grey"],
    ),
    "an item keeps its second paragraph, its quote and its code": (
        f"## Backup\n- runs at night\n\n  and on Sundays\n\n  > never by day\n\n  {FENCE}sh\n  make backup\n  {FENCE}\n",
        [f"Backup: runs at night\nand on Sundays\nnever by day\n{FENCE}sh\nmake backup\n{FENCE}"],
    ),
    "a bold label over a nested list is the context of its items": (
        "## Move\n1. **Database moved**\n   - version 16\n   - in the cellar\n",
        ["Move › 1. Database moved: version 16", "Move › 1. Database moved: in the cellar"],
    ),
    "a statement keeps its details": (
        "## Move\n- moved the database to the cellar\n  - version 16\n  - took an hour\n",
        ["Move: moved the database to the cellar\n- version 16\n- took an hour"],
    ),
    "a single detail follows on the same line": (
        "## Move\n- three agents were added (see the registry)\n  - ada, bo, cy\n",
        ["Move: three agents were added (see the registry): ada, bo, cy"],
    ),
    "a sentence with a colon introduces a list": (
        "## Hooks\nHooks fire at these points:\n- start\n- end\n",
        ["Hooks › Hooks fire at these points: start", "Hooks › Hooks fire at these points: end"],
    ),
    "only the last sentence introduces, what stands before it is a fact": (
        "## Hooks\nHooks were added in May. They fire at:\n- start\n- end\n",
        ["Hooks were added in May.", "Hooks › They fire at: start", "Hooks › They fire at: end"],
    ),
    "lettered lines introduce lists as well": (
        "## Memory calls\na. **`grab()` - plain:**\n   - takes a block\n\nb. **`clean()` - zeroed:**\n   - takes a clean block\n",
        ["Memory calls › a. `grab()` - plain: takes a block", "Memory calls › b. `clean()` - zeroed: takes a clean block"],
    ),
    "a small bold heading holds for the paragraphs under it": (
        "## Shop\n**Deployment**\n\nMondays only.\n\nNever by hand.\n",
        ["Shop › Deployment: Mondays only.", "Shop › Deployment: Never by hand."],
    ),
    "a bold line with a mark before it is a small heading": (
        "## Check\n\n✅ **Phase 1: cleanup (quick)**\n- freed 7 MB\n",
        ["Check › ✅ Phase 1: cleanup (quick): freed 7 MB"],
    ),
    "a question and its quoted answer are one": (
        '## Questions\n**"How fast is it?"**\n> Very fast.\n> Faster than before.\n',
        ['Questions: "How fast is it?" Very fast. Faster than before.'],
    ),
    "a table is read row by row": (
        "## Tiers\n| Tier | Purpose | Kept |\n|---|---|---|\n| Hot | decisions | always |\n| Cold | archive | a year |\n",
        ["Tiers: Tier Hot — Purpose: decisions; Kept: always", "Tiers: Tier Cold — Purpose: archive; Kept: a year"],
    ),
    "a table of names and values reads like one": (
        "## State\n| Metric | Value |\n|---|---|\n| Memories | 83 |\n",
        ["State: Memories: 83"],
    ),
    "code is kept whole with the sentence before it": (
        f"## Agents\nLoad the hooks first:\n\n{FENCE}sh\n# one\nload a\n\nload b\n{FENCE}\n",
        [f"Agents › Load the hooks first:\n{FENCE}sh\n# one\nload a\n\nload b\n{FENCE}"],
    ),
    "code takes only the last sentence before it": (
        f"## Cache\nThe cache is in the cellar. Nobody goes there.\nFlush it so\n\n{FENCE}\nflush\n{FENCE}\n",
        ["The cache is in the cellar. Nobody goes there.", f"Cache: Flush it so\n{FENCE}\nflush\n{FENCE}"],
    ),
    "code after a list is not introduced by the sentence before the list": (
        f"## Hooks\nHooks fire at:\n- start\n\n{FENCE}\nmake\n{FENCE}\n",
        ["Hooks › Hooks fire at: start", f"Hooks:\n{FENCE}\nmake\n{FENCE}"],
    ),
    "two blocks of code may follow one sentence": (
        f"## Start\nEither of these:\n\n{FENCE}\nmake\n{FENCE}\n\n{FENCE}\nninja\n{FENCE}\n",
        [f"Start › Either of these:\n{FENCE}\nmake\n{FENCE}", f"Start › Either of these:\n{FENCE}\nninja\n{FENCE}"],
    ),
    "things that are ranked keep their numbers": (
        "## Priorities\n1. safety\n2. speed\n3. price\n",
        ["Priorities: 1. safety", "Priorities: 2. speed", "Priorities: 3. price"],
    ),
    "and begin where the list begins": ("## Open\n7. paint the door\n8. oil it\n", ["Open: 7. paint the door", "Open: 8. oil it"]),
    "a row that begins with a link keeps what it says": (
        "## Docs\n| File | About |\n|---|---|\n| [plan](docs/plan.md) | the move |\n| `src/a.py` | (old) entry |\n",
        ["Docs: File [plan](docs/plan.md) — About: the move", "Docs: File `src/a.py` — About: (old) entry"],
    ),
    "and so does a line": (
        "## Docs\n- [plan](docs/plan.md) — the move\n- notes.md: kept by Ada\n- [Ports](#ports): which are taken\n",
        ["Docs: [plan](docs/plan.md) — the move", "Docs: notes.md: kept by Ada", "Docs: [Ports](#ports): which are taken"],
    ),
    "code under a heading alone takes the heading": (
        f"## Start\n{FENCE}\nmake run\n{FENCE}\n",
        [f"Start:\n{FENCE}\nmake run\n{FENCE}"],
    ),
    "headings above are context up to the nearest three": (
        "# Shop\n## Server\n### Ports\n- 8080\n",
        ["Shop › Server › Ports: 8080"],
    ),
    "the title of a memory file says nothing about a fact": (
        "# Ada — Persistent Memory\n## Goals\n- ship the shop\n",
        ["Goals: ship the shop"],
    ),
    "a heading that says little is put before a fragment only": (
        "## Lessons Learned\n- always commit before you log\n- tea first\n",
        ["always commit before you log", "Lessons Learned: tea first"],
    ),
    "turns of a conversation are told apart": (
        "## Conversation Summary\n\nuser: move the database\nto the cellar\nassistant: moved\n",
        [
            "Conversation Summary: user: move the database to the cellar",
            "Conversation Summary: assistant: moved",
        ],
    ),
    "boxes say what is done": (
        "## Chores\n- [ ] renew the certificate\n- [x] move the name servers\n",
        ["Chores: renew the certificate (to do)", "Chores: move the name servers (done)"],
    ),
    "emphasis goes, code, links and names with underscores stay": (
        "## Paths\n- *see* `a_b` in [the manual](https://docs.example/x) and __init__.py of my_file_name\n",
        ["Paths: see `a_b` in [the manual](https://docs.example/x) and init.py of my_file_name"],
    ),
    "a line of its own after a list is not part of it": (
        "## Heartbeat\n**Actions:**\n- wrote the page\n\nSTATUS=green\n",
        ["Heartbeat › Actions: wrote the page", "Heartbeat: STATUS=green"],
    ),
    "a fact without a heading takes the name of its file": ("- ada/printer\n", ["watched repos: ada/printer"]),
}  # fmt: skip


@pytest.mark.parametrize("case", GOLDEN)
def test_each_fact_once_and_whole(case: str) -> None:
    text, expected = GOLDEN[case]
    assert texts(text, "watched-repos.md" if "name of its file" in case else "MEMORY.md") == expected


STEPS = {
    "told by the label": "**Action:** When a new model is asked for:\n1. look it up\n2. ask\n3. add it\n",
    "told by the heading": "## How to roll back\n1. the old tag\n2. the smoke test\n",
    "told by how they hang together": "## Night\n1. the lamp goes on\n2. then the alarm is set\n",
    "told by commands and imperatives": "## Shop\n1. Open the console\n2. `make ship`\n3. Check the page\n",
}
LISTS = {
    "goals": "## Active Goals\n1. Build the audience\n2. Grow it\n",
    "a queue": "## Topics Queue (next)\n1. Run of the mill\n2. Open data\n",
    "options": "**Proposed (3 options):**\n1. Change the default\n2. Keep it\n",
    "items with names of their own": "## Practices\n1. **Tag well:** use tags\n2. **End cleanly:** call end\n",
    "needs": "**WHAT ADA NEEDS:**\n1. Run faster\n2. Use less\n",
}


@pytest.mark.parametrize("case", STEPS)
def test_numbered_steps_are_one_procedure(case: str) -> None:
    (fact,) = read(STEPS[case]).facts
    assert fact.is_procedure
    assert "\n1. " in fact.text
    assert "\n2. " in fact.text


@pytest.mark.parametrize("case", LISTS)
def test_numbered_things_are_facts_of_their_own(case: str) -> None:
    facts = read(LISTS[case]).facts
    assert len(facts) == 2
    assert not any(fact.is_procedure for fact in facts)


HEADING, COLUMNS = "a heading that no memory repeats", "names of columns that no memory repeats"
BOILERPLATE = {
    "## Blocked\n<!-- who was blocked -->\n": ["a comment"],
    "## Articles\n| Date | Title |\n|---|---|\n": [HEADING, "an empty table"],
    "## Week\n| Day | Plan |\n|---|---|\n| Monday | |\n| | |\n": [
        HEADING,
        COLUMNS,
        *["a row that was not filled in"] * 2,
    ],
    "- **Name:**\n- **Time zone:** TBD\n- Pronouns: _(optional)_\n": ["a field that was not filled in"] * 3,
    "---\n\n***\n": ["a separator"] * 2,
    "*Last consolidated: 2026-05-21*\n": ["a note on the file itself"],
    "_Auto-updated by the memory system v2_\n": ["a note on the file itself"],
    "## Contents\n- [Ports](#ports)\n- [Hosts](#hosts)\n": [HEADING, *["a line of a table of contents"] * 2],
    "## Notes\n- None yet.\n": [HEADING, "says that there is nothing"],
    "## A\n## B\n": ["a heading with nothing under it"] * 2,
    "**Findings:**\n": ["a field that was not filled in"],
    "**Open ends**\n": ["a label with nothing under it"],
    "- ~~use the old printer~~\n": ["struck out"],
    "@docs/style.md\n": ["an import of another file"],
    "- [Gone](gone.md)\n": ["a link to a file that does not exist"],
    "<script>alert(1)</script>\n": ["markup"],
    "": [],
}


@pytest.mark.parametrize("text", BOILERPLATE)
def test_boilerplate_is_left_out_and_told(text: str) -> None:
    assert texts(text) == []
    assert reasons(text) == BOILERPLATE[text]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("memory/2026-05-20.md", "- a thing happened\n", datetime(2026, 5, 20, tzinfo=UTC)),
        ("memory/2026-05-20-release.md", "- a thing happened\n", datetime(2026, 5, 20, tzinfo=UTC)),
        ("memory/20260520.md", "- a thing happened\n", datetime(2026, 5, 20, tzinfo=UTC)),
        ("memory/2026/05/20.md", "- a thing happened\n", datetime(2026, 5, 20, tzinfo=UTC)),
        ("memory/2026-05-20.md", "## Brief — 07:30 UTC\n- a thing happened\n", datetime(2026, 5, 20, 7, 30, tzinfo=UTC)),
        ("MEMORY.md", "### 2026-02-09 - Models\n- a thing happened\n", datetime(2026, 2, 9, tzinfo=UTC)),
        ("MEMORY.md", "### v2 (9 February 2026)\n- a thing happened\n", datetime(2026, 2, 9, tzinfo=UTC)),
        ("memory/2026-05-20.md", "- 2026-05-18: a thing happened\n", datetime(2026, 5, 18, tzinfo=UTC)),
        ("MEMORY.md", "| Date | What |\n|---|---|\n| 2026-02-02 | a post |\n", datetime(2026, 2, 2, tzinfo=UTC)),
        ("MEMORY.md", "---\ndate: 2026-02-02\n---\n- a thing happened\n", datetime(2026, 2, 2, tzinfo=UTC)),
        ("MEMORY.md", "- costs 2026-99-99 or so\n", None),
        # A date within the line wins over that of the file, unless it is a deadline, later than the file, or part of a name.
        ("memory/2026-05-20.md", "- moved the shop on 2026-05-18\n", datetime(2026, 5, 18, tzinfo=UTC)),
        ("memory/2026-05-20.md", "- [2026-05-18] a thing happened\n", datetime(2026, 5, 18, tzinfo=UTC)),
        ("memory/2026-05-20.md", "1. **2026-05-18** — a thing happened\n", datetime(2026, 5, 18, tzinfo=UTC)),
        ("memory/2026-05-20.md", "- a thing happened (18 May 2026)\n", datetime(2026, 5, 18, tzinfo=UTC)),
        ("memory/2026-05-20.md", "- happened 2026-05-18 at 07:30 UTC\n", datetime(2026, 5, 18, 7, 30, tzinfo=UTC)),
        ("memory/2026-05-20.md", "- renew it by 2026-05-18\n", datetime(2026, 5, 20, tzinfo=UTC)),
        ("memory/2026-05-20.md", "- due: 2026-05-18, but paid\n", datetime(2026, 5, 20, tzinfo=UTC)),
        ("memory/2026-05-20.md", "- the party is on 2026-06-01\n", datetime(2026, 5, 20, tzinfo=UTC)),
        ("memory/2026-05-20.md", "- see notes/2026-05-18.md and v2026-05-18\n", datetime(2026, 5, 20, tzinfo=UTC)),
        ("memory/2026-05-20.md", "- run `tag 2026-05-18`\n", datetime(2026, 5, 20, tzinfo=UTC)),
        ("MEMORY.md", "## Log\n| What | When |\n|---|---|\n| a post | 2026-02-02 |\n", datetime(2026, 2, 2, tzinfo=UTC)),
    ],
)  # fmt: skip
def test_the_nearest_date_is_when_it_happened(name: str, text: str, expected: datetime | None) -> None:
    (fact,) = read(text, name).facts
    assert fact.occurred_at == expected


def test_headings_become_tags_without_emoji_dates_and_titles() -> None:
    (fact,) = read("# MEMORY.md\n## 🚀 Quick Start\n### 2026-02-09 - Modelos dinámicos\n- something\n").facts
    assert fact.tags == ("quick-start", "modelos-dinámicos")


def test_a_file_of_claude_code_is_one_memory_with_its_reason() -> None:
    text = (
        "---\nname: prefers-tabs\ndescription: Tabs, not spaces\nmetadata:\n  type: feedback\ntags: [style, python]\n---\n"
        "Use tabs in Python.\n\n**Why:** the linter wants it.\n\n**How to apply:** in every file.\n"
    )
    (fact,) = read(text, "memory/feedback_tabs.md").facts
    assert fact.text.endswith("Use tabs in Python.\nWhy: the linter wants it.\nHow to apply: in every file.")
    assert fact.tags == ("prefers-tabs", "style", "python", "feedback")
    assert fact.line == 8


YAML_TAGS = {
    "a list with dashes": "tags:\n  - shop\n  - 'two words'\n",
    "not indented": "tags:\n- shop\n- two words\n",
    "in brackets": 'tags: [shop, "two words"]\n',
    "over two lines": "tags: [shop,\n  'two words']\n",
    "with commas": "tags: shop, two words\n",
    "nested": "meta:\n  inner:\n    labels:\n      - shop\n      - two words  # and more\n",
}


@pytest.mark.parametrize("case", YAML_TAGS)
def test_tags_of_the_front_matter_are_read_as_yaml(case: str) -> None:
    (fact,) = read(f"---\n{YAML_TAGS[case]}---\n- the door is green\n").facts
    assert fact.tags == ("shop", "two-words")


def test_the_front_matter_becomes_metadata() -> None:
    file = read(
        '---\ntitle: "Shop: notes"\npriority: 3\nowners: [Ada, Bo]\ntags: [x]\n'
        "text: >\n  folded\n  here\n---\n- the door is green\n"
    )
    assert file.metadata == {"title": "Shop: notes", "priority": 3, "owners": ["Ada", "Bo"], "text": "folded here"}


@pytest.mark.parametrize(
    ("front", "reason"),
    [
        ("a: [1", "front matter that cannot be read: line 2 has a bracket that is not closed"),
        ("a: 1\na: 2", "front matter that cannot be read: line 3 repeats 'a'"),
        ('"$or": x', "front matter that cannot be metadata: it '$or' begins with $, as conditions of filters do"),
    ],
)
def test_front_matter_that_cannot_be_used_is_told(front: str, reason: str) -> None:
    file = read(f"---\n{front}\n---\n- the door is green\n")
    assert [fact.bare for fact in file.facts] == ["the door is green"]
    assert [one.reason for one in file.skipped] == [reason]


def test_observations_have_the_type_and_the_tags_they_name() -> None:
    facts = read(
        "## Shop\n- [decision] open on Mondays #hours #shop/front (since May)\n- [tip] knock twice\n- [x] painted\n"
    ).facts
    assert [(fact.text, fact.type, fact.tags) for fact in facts] == [
        ("Shop: open on Mondays (since May)", "decision", ("shop", "decision", "hours", "shop/front")),
        ("Shop: knock twice", None, ("shop", "tip")),
        ("Shop: painted (done)", None, ("shop",)),
    ]


def test_a_file_with_only_a_description_says_that() -> None:
    (fact,) = read("---\nname: tea\ndescription: Prefers tea\n---\n", "memory/tea.md").facts
    assert fact.text == "Prefers tea"


def test_a_grown_file_of_claude_code_is_read_line_by_line() -> None:
    head = "---\nname: shop\ndescription: The shop\ntype: project\n---\n"
    assert texts(f"{head}## Ports\n- 80\n- 81\n", "memory/shop.md") == ["shop › Ports: 80", "shop › Ports: 81"]


def test_lines_are_numbered_as_in_the_file() -> None:
    facts = read("---\ntitle: x\n---\n# A\n\n- one\n\n| K | V |\n|---|---|\n| k | v |\n").facts
    assert [fact.line for fact in facts] == [6, 10]


def test_no_word_of_a_fact_is_lost() -> None:
    text = "\n".join(case[0] for case in GOLDEN.values())
    told = " ".join(texts(text))
    for word in (
        "stage.example",
        "attic",
        "humid",
        "cellar",
        "registry",
        "zeroed",
        "Mondays",
        "archive",
        "certificate",
    ):
        assert word in told


@pytest.mark.parametrize(
    "text", ["\x00\x01", "[" * 5000, "> " * 500 + "x", "- " * 300 + "x", "|" * 2000, "`" * 4001, "#" * 9, "\ue000**a**\ue001"]
)  # fmt: skip
def test_strange_files_do_no_harm(text: str) -> None:
    read(text)


@pytest.mark.parametrize(
    "text",
    ["Password: `brainy`", "User: ada / Password: lovelace", "contraseña: hola", "**pwd** = 'abc'".replace("*", ""),
     "a\nPasswort: geheim\nb"],
)  # fmt: skip
def test_a_password_in_a_field_is_seen_however_plain(text: str) -> None:
    assert has_password(text)
    quoted = masked(text, DEFAULT_POLICY)
    assert "[redacted: password" in quoted
    assert not any(word in quoted for word in ("brainy", "lovelace", "hola", "abc", "geheim"))


def test_what_is_allowed_is_quoted_as_it_is() -> None:
    text = "Password: `brainy`, card 4111 1111 1111 1111"
    assert masked(text, {"secret": "allow", "payment_card": "allow"}) == text
    assert masked(text, {"secret": "allow"}) == "Password: `brainy`, card [redacted: payment_card]"


@pytest.mark.parametrize(
    "text",
    ["Password: required", "The password is kept in the vault", "Password: `$DB_PASSWORD`", "Password: <yours>",
     "Password reset: by mail", "Password: see the vault page", "Passwords: rotate them"],
)  # fmt: skip
def test_talk_about_passwords_is_none(text: str) -> None:
    assert not has_password(text)
