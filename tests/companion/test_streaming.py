"""Transcripts of tens of megabytes are read in little memory."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Memory
from recollect.companion.transcripts.reading import open_transcript

MEGABYTES = 30
MOST_MEMORY = 12 << 20
RESULT = "the log of a tool\n" * 1200
STATED = "We use pnpm, not npm."


def entries(session: str) -> Iterator[dict[str, object]]:
    """A question, what a tool gave, and an answer, over and over."""
    for number in range(MEGABYTES * (1 << 20) // len(RESULT)):
        said = STATED if number == 700 else f"fix test number {number}"
        for role, content in (
            ("user", said),
            ("user", [{"type": "tool_result", "tool_use_id": "t", "content": RESULT}]),
            ("assistant", "Done."),
        ):
            yield {"type": role, "sessionId": session, "uuid": "u", "message": {"role": role, "content": content}}


def claude_code(path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(entry) + "\n" for entry in entries("s1"))


def claude_export(path: Path) -> None:
    """One array on one line: thousands of conversations."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(MEGABYTES * (1 << 20) // len(RESULT)):
            talk = {
                "uuid": f"c{number}",
                "chat_messages": [
                    {"sender": "human", "text": STATED if number == 700 else f"fix test number {number}"},
                    {"sender": "assistant", "text": RESULT},
                ],
            }
            file.write(("[" if number == 0 else ", ") + json.dumps(talk))
        file.write("]")


def specstory(path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number, entry in enumerate(entries("s1")):
            message = entry["message"]
            assert isinstance(message, dict)
            text = message["content"] if isinstance(message["content"], str) else f"```\n{RESULT}```"
            who = "User" if entry["type"] == "user" and number % 3 == 0 else "Agent"
            file.write(f"_**{who}**_\n\n{text}\n\n---\n\n")


@pytest.mark.parametrize("write", [claude_code, claude_export, specstory])
def test_a_long_transcript_is_read_in_little_memory(write, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "long"
    write(path)
    assert path.stat().st_size > (MEGABYTES - 1) << 20
    tracemalloc.start()
    try:
        with open_transcript(path) as said:
            count = sum(1 for _ in said)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count > 2000
    assert peak < MOST_MEMORY, f"{peak >> 20} MB"


def test_a_long_session_is_extracted_in_little_memory(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    claude_code(path)
    memory.extract(path, dry_run=True)  # what is loaded once, such as the patterns of a language, does not count
    tracemalloc.start()
    try:
        report = memory.extract(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [item.text for session in report.sessions for item in session.items] == [STATED]
    assert peak < 2 * MOST_MEMORY, f"{peak >> 20} MB"
