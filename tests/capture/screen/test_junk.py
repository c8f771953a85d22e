"""Nothings are refused, short facts are kept, and what we recalled does not come back as new."""

from __future__ import annotations

import pytest

from recollect.capture.screen import FENCE_CLOSE, FENCE_OPEN, is_echo, junk_reason

RECALLED = "The billing service listens on port 9001 and talks to Postgres over the private network in Frankfurt."


@pytest.mark.parametrize(
    "text",
    [
        "ok thanks!",
        "Sounds good",
        "got it",
        "Got it, thank you so much!",
        "👍",
        "🎉🎉",
        "...",
        "hi there",
        "Good morning!",
        "Danke, alles klar",
        "merci beaucoup",
        "Muchas gracias!",
        "好的, 谢谢",
        "ありがとうございます",
        "спасибо",
        "Yes please",
        "lgtm",
        "Sure, see ya. Bye!",
        "great, thanks a lot",
        "HEARTBEAT_OK",
        "NO_REPLY",
        "[heartbeat poll]",
        "# MEMORY.md",
        "# SOUL.md - Who You Are\n\nBe kind.",
        "# AGENTS.md\n\nRead SOUL.md first.",
        "You are a helpful assistant.",
        "You are Claude Code, Anthropic's official CLI for Claude.",
        "<system-reminder>Do it</system-reminder>",
        "2024-05-01T10:00:00Z INFO started\n2024-05-01T10:00:01Z DEBUG loaded",
        "(no output)",
        "",
        "   ",
        f'{FENCE_OPEN} count="2">',
        f"text {FENCE_CLOSE}",
    ],
)
def test_text_not_worth_a_memory_is_named_junk(text: str) -> None:
    assert junk_reason(text)


@pytest.mark.parametrize(
    "text",
    [
        "Uses Postgres",
        "Tabs, not spaces",
        "ok is the status code we return",
        "Vegan",
        "Likes tea",
        "Port 9001",
        "pnpm",
        "No meetings on Friday",
        "Thanks to Bob we use Redis",
        "Yes: deploys on Friday are fine",
        "Hi-res icons are required",
        "You are my favourite person",
        "You are an expert on sailing, I hear",
        "CLAUDE.md says to use tabs",
        "2024-05-01 was the launch",
        "Heartbeat interval is 30 s",
        "Good morning is our Slack channel",
        "Sorry Cypress, we use Playwright",
    ],
)
def test_short_facts_are_kept(text: str) -> None:
    assert junk_reason(text) is None


def test_the_same_text_is_an_echo_whatever_its_case_and_punctuation() -> None:
    assert is_echo("uses postgres", ["Uses Postgres!", "x"])


def test_nearly_the_same_long_text_is_an_echo() -> None:
    assert is_echo(f"{RECALLED} Indeed.", [RECALLED, "other"])
    assert is_echo(f"Note: {RECALLED}", iter(["other", RECALLED]))


def test_new_or_short_text_is_not_an_echo() -> None:
    assert not is_echo("The billing service listens on port 9002", [RECALLED])
    assert not is_echo(
        RECALLED.replace("9001", "9002").replace("Frankfurt", "Paris").replace("Postgres", "MySQL"), [RECALLED]
    )
    assert not is_echo("Uses Postgres", [])
    assert not is_echo("👍", ["🎉"])
