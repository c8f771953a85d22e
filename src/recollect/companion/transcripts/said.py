"""Said: one message of a transcript and the session it belongs to, as every reader of this folder yields it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from recollect.values.conversation import Message, Role

_MILLISECONDS = 1e11
# A result of a tool that is longer is cut: nothing after its beginning is ever looked at.
MAX_RESULT = 20_000
SHELL_TOOLS = frozenset(
    {"bash", "shell", "local_shell", "exec_command", "terminal", "run_terminal_cmd", "run_shell_command"}
)


@dataclass(frozen=True, slots=True)
class Said:
    """A message and the name of its session; None where the transcript does not name it."""

    session: str | None
    message: Message


@dataclass(slots=True)
class Numbering:
    """Counts the messages of each session while they are read."""

    _next: Counter[str | None] = field(default_factory=Counter)

    def said(
        self,
        session: str | None,
        role: Role,
        text: str,
        *,
        at: datetime | None = None,
        tool: str | None = None,
        failed: bool | None = None,
    ) -> Said:
        """The next message of a session."""
        position = self._next[session]
        self._next[session] += 1
        kept = text if role != "tool" else text[:MAX_RESULT]
        return Said(session, Message(role, kept, position, at=at, tool=tool, failed=failed))


def name_of(value: Any) -> str | None:
    """The name of a session as a transcript gives it, if it is one."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) and value != "" else None


def time_of(value: Any) -> datetime | None:
    """A time as transcripts write it: ISO 8601, or seconds or milliseconds since 1970; without a zone it is UTC."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        seconds = value / 1000 if value > _MILLISECONDS else value
        try:
            return datetime.fromtimestamp(seconds, UTC)
        except (OverflowError, OSError, ValueError):
            return None
    try:
        found = datetime.fromisoformat(str(value).strip())
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def text_of(content: Any) -> str:
    """The text of a content that is a string, or a list of parts of which some have text."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return text_of(content.get("text") or content.get("parts") or content.get("content") or "")
    if not isinstance(content, list):
        return ""
    texts = [part if isinstance(part, str) else _part_text(part) for part in content]
    return "\n".join(text for text in texts if text)


def _part_text(part: Any) -> str:
    if not isinstance(part, dict):
        return ""
    text = part.get("text")
    if isinstance(text, dict):  # the assistants API writes {"text": {"value": …}}
        text = text.get("value")
    return text if isinstance(text, str) else ""


def parts_of(content: Any, *kinds: str) -> Iterator[dict[str, Any]]:
    """The parts of a content that are of some kinds."""
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") in kinds:
            yield part


def command_of(given: Any) -> str | None:
    """The command line in the arguments of a shell tool."""
    command = given.get("command") or given.get("cmd") or given.get("script") if isinstance(given, dict) else given
    if isinstance(command, str):
        return command
    if isinstance(command, Sequence) and command and all(isinstance(word, str) for word in command):
        words = list(command)
        wrapped = len(words) >= 3 and words[0].rsplit("/", 1)[-1] in ("bash", "sh", "zsh") and words[1].startswith("-")
        return words[2] if wrapped else " ".join(words)
    return None


def is_shell(tool: str | None) -> bool:
    """Whether a tool runs commands."""
    return (tool or "").rsplit(".", 1)[-1].lower() in SHELL_TOOLS
