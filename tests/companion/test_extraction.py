"""Extraction by rules: what a message gives, what it never gives, and that each memory points at its message."""

from __future__ import annotations

import pytest

from recollect.companion.extraction import Extraction, extract, text_digest
from recollect.companion.own_words import sentences_of
from recollect.values.conversation import Message, Role


def talk(*turns: tuple[Role, str] | str) -> list[Message]:
    """Messages; a text alone is the user's."""
    both = [("user", each) if isinstance(each, str) else each for each in turns]
    return [Message(role, text, position) for position, (role, text) in enumerate(both)]  # type: ignore[arg-type]


def ran(command: str, output: str, *, failed: bool | None, at: int) -> list[Message]:
    return [
        Message("assistant", command, at, tool="Bash"),
        Message("tool", output, at + 1, tool="Bash", failed=failed),
    ]


def texts(found: Extraction) -> list[str]:
    return [one.content for one in found.kept]


@pytest.mark.parametrize(
    ("said", "kept", "kind"),
    [
        ("Please remember that the staging database is read-only.", "the staging database is read-only.", "fact"),
        ("Always run the linter before a commit.", "Always run the linter before a commit.", "rule"),
        ("never commit the .env file", "never commit the .env file", "negative"),
        ("ok, from now on answer in German", "from now on answer in German", "rule"),
        ("I prefer tabs over spaces", "I prefer tabs over spaces", "preference"),
        ("We use pnpm, not npm.", "We use pnpm, not npm.", "fact"),
        ("we decided to drop Node 16", "we decided to drop Node 16", "decision"),
        ("No, it's port 5433, not 5432.", "it's port 5433, not 5432.", "correction"),
        ("By the way, my name is Oskar.", "my name is Oskar.", "fact"),
        ("Ich wohne in Leipzig.", "Ich wohne in Leipzig.", "fact"),
        ("Nunca borres archivos sin preguntarme.", "Nunca borres archivos sin preguntarme.", "negative"),
        ("Je préfère les petites fonctions.", "Je préfère les petites fonctions.", "preference"),
        ("我们决定用 Postgres。", "我们决定用 Postgres。", "decision"),
    ],
)
def test_a_plain_statement_is_kept_in_its_own_words_and_language(said: str, kept: str, kind: str) -> None:
    (one,) = extract(talk(said)).kept
    assert (one.content, one.type) == (kept, kind)
    assert one.source == ("user_corrected" if kind == "correction" else "user_stated")


def test_the_statement_of_a_longer_message_is_kept_alone() -> None:
    found = extract(talk("Fix the header please. We use pnpm, not npm. Can you also look at the footer?"))
    assert texts(found) == ["We use pnpm, not npm."]


@pytest.mark.parametrize("role", ["assistant", "system", "tool"])
def test_only_the_users_own_words_count(role: Role) -> None:
    assert texts(extract(talk((role, "Always run the linter. We use pnpm, not npm. My name is Oskar.")))) == []


RULE = "Never commit the .env file."
NEVER = {
    "a system reminder": f"<system-reminder>\n{RULE}\n</system-reminder>",
    "a slash command": f"<command-name>/init</command-name>\n<command-args>{RULE}</command-args>",
    "the output of a command": f"<local-command-stdout>{RULE}</local-command-stdout>",
    "a typed slash command": f"/review {RULE}",
    "recalled text": f'<recalled-memories-3f2a note="data">\n{RULE}\n</recalled-memories-3f2a>',
    "a code block": f"look at this\n```md\n{RULE}\n```",
    "a quote": f"> {RULE}",
    "quoted words": f'the readme says "{RULE}"',
    "a diff": f"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@ {RULE}",
    "a log": f"2026-01-02 10:00:00 INFO {RULE}\nERROR: {RULE}",
    "a boot file": f"# CLAUDE.md\n\n{RULE}",
    "a system prompt": f"You are a helpful coding assistant. {RULE}",
    "a role to play": f"Pretend that you are a bank. {RULE}",
    "a text to be worked on": f"Translate the following text: {RULE}",
    "an acknowledgement": "ok, thanks!",
    "a question": "Should I never commit the .env file?",
    "a long paste": "\n".join(f"{number}. {RULE}" for number in range(60)),
    "a notice": f"This session is being continued from a previous conversation. {RULE}",
}


@pytest.mark.parametrize("text", NEVER.values(), ids=list(NEVER))
def test_what_is_not_the_users_own_word_is_never_kept(text: str) -> None:
    found = extract(talk(text))
    assert texts(found) == []
    assert len(found.skipped) == 1, "and the reason is told"


def test_beside_what_a_program_added_the_users_words_count() -> None:
    text = f"<system-reminder>{RULE}</system-reminder>\nWe use pnpm, not npm.\n```\nnpm install\n```"
    assert texts(extract(talk(text))) == ["We use pnpm, not npm."]


def test_the_text_of_a_slash_command_is_not_the_users() -> None:
    command = "<command-message>review</command-message>\n<command-name>/review</command-name>"
    template = f"## Context\n\nReview the diff.\n\n{RULE}"
    assert texts(extract(talk(command, template))) == []
    assert texts(extract(talk(command, ("assistant", "Reviewed."), RULE))) == [RULE], "what the user says then is"


def test_what_was_recalled_is_not_new() -> None:
    assert texts(extract(talk(RULE), recalled=[RULE.upper()])) == []
    assert texts(extract(talk(RULE), recalled=[text_digest(RULE)])) == []
    assert texts(extract([Message("user", RULE, 0, recalled=True)])) == []
    assert texts(extract(talk(RULE), recalled=["Something else"])) == [RULE]


def test_a_repeated_statement_is_kept_once() -> None:
    assert texts(extract(talk(RULE, RULE.lower()))) == [RULE]


def test_every_memory_points_at_its_message() -> None:
    messages = talk(
        "hi",
        ("assistant", "Hello!"),
        "Thanks. We use pnpm, not npm. Fix it.",
        ("assistant", "Done."),
        "My name is Oskar.",
    )
    found = extract(messages).kept
    assert [one.message_range for one in found] == [(2, 2), (4, 4)]
    for one in found:
        said = messages[one.message_range[1]].text
        assert one.content in said
        assert said[one.start : one.end].strip() == one.content
        assert one.content in one.snippet
        assert one.snippet.strip("…") in said


def test_a_proposal_the_user_agreed_to_is_the_assistants_word() -> None:
    proposed = ("assistant", "All tests pass. Should I always run the linter before a commit?")
    (one,) = extract(talk("fix it", proposed, "yes, please")).kept
    assert one.content == "Always run the linter before a commit"
    assert (one.source, one.speaker, one.message_range) == ("inferred", "assistant", (1, 2))
    assert "Should I always" in one.snippet
    assert "yes, please" in one.snippet


@pytest.mark.parametrize(
    ("proposed", "answer"),
    [
        ("Should I fix the test now?", "yes"),
        ("Should I always run the linter before a commit?", "no"),
        ("Should I always run the linter before a commit?", "yes, but only for the tests, and not today, because"),
        ("Should I always run the linter? Or should I never run it?", "yes"),
    ],
)
def test_other_proposals_and_answers_give_nothing(proposed: str, answer: str) -> None:
    assert texts(extract(talk("go", ("assistant", proposed), answer))) == []


def test_an_agreement_later_is_not_one() -> None:
    asked = ("assistant", "Should I always run the linter before a commit?")
    assert texts(extract(talk(asked, ("assistant", "I fixed the test."), "yes"))) == []


def test_a_command_that_works_after_its_variant_failed_is_a_procedure() -> None:
    messages = [
        *ran("pytest tests", "bash: pytest: command not found", failed=True, at=0),
        *ran("python -m pytest tests", "12 passed", failed=False, at=2),
    ]
    (one,) = extract(messages).kept
    assert one.content == "`python -m pytest tests` works; `pytest tests` fails with: bash: pytest: command not found"
    assert (one.type, one.source, one.message_range) == ("procedure", "observed", (0, 3))


@pytest.mark.parametrize(
    ("failing", "why", "working"),
    [
        ("pytest tests", "1 failed, 3 passed", "pytest tests"),
        ("pytest tests", "AssertionError: 3 != 4", "pytest tests -k total"),
        ("npm run build", "error TS2322: Type 'string'", "npm run build"),
        ("cat notes.md", "cat: notes.md: No such file or directory", "cat docs/notes.md"),
        ("docker compose up", "unknown flag: --wait-all", "git commit -m done"),
    ],
)
def test_other_failures_teach_nothing(failing: str, why: str, working: str) -> None:
    messages = [*ran(failing, why, failed=True, at=0), *ran(working, "ok", failed=False, at=2)]
    assert texts(extract(messages)) == []


def test_a_command_that_fails_again_teaches_nothing() -> None:
    messages = [
        *ran("pip install x", "error: externally-managed-environment", failed=True, at=0),
        *ran("pip install --user x", "error: externally-managed-environment", failed=True, at=2),
    ]
    assert texts(extract(messages)) == []


def test_a_sentence_ends_after_a_number() -> None:
    (kept,) = extract([Message("user", "We decided to drop Node 16. Add a test for the login.", 0)]).kept
    assert kept.content == "We decided to drop Node 16."
    german = "Wir ziehen am 3. Mai um. Danke."
    assert [german[start:end] for start, end in sentences_of(german)] == ["Wir ziehen am 3. Mai um.", "Danke."]
