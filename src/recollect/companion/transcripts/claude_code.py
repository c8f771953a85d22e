"""Reads sessions of Claude Code: JSON Lines of typed entries, one file per session or several sessions in one file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from recollect.companion.transcripts.said import (
    Numbering,
    Said,
    command_of,
    is_shell,
    name_of,
    parts_of,
    text_of,
    time_of,
)

_ENTRIES = frozenset({"user", "assistant", "system", "summary", "file-history-snapshot", "queue-operation", "progress"})


def is_claude_code(first: Mapping[str, Any]) -> bool:
    """Whether the first value of a JSON Lines file is an entry of such a session."""
    known = "sessionId" in first or "parentUuid" in first or "leafUuid" in first
    return str(first.get("type")) in _ENTRIES and (known or "messageId" in first)


def read_claude_code(entries: Iterable[Any]) -> Iterator[Said]:
    """The messages of all sessions, in the order of the file."""
    numbering, tools = Numbering(), dict[str, str]()
    for entry in entries:
        if not isinstance(entry, dict) or str(entry.get("type")) not in ("user", "assistant"):
            continue
        message = entry.get("message")
        if isinstance(message, dict):
            yield from _messages(entry, message.get("content"), numbering, tools)


def _messages(entry: Mapping[str, Any], content: Any, numbering: Numbering, tools: dict[str, str]) -> Iterator[Said]:
    session, at = _session(entry), time_of(entry.get("timestamp"))
    for call in parts_of(content, "tool_use"):
        name = str(call.get("name"))
        tools[str(call.get("id"))] = name
        command = command_of(call.get("input")) if is_shell(name) else None
        yield numbering.said(session, "assistant", command or "", at=at, tool=name)
    for result in parts_of(content, "tool_result"):
        yield _result(result, session, at, numbering, tools)
    text = text_of(content)
    if text.strip():
        yield numbering.said(session, _role(entry), text, at=at)


def _result(
    result: Mapping[str, Any], session: str | None, at: datetime | None, numbering: Numbering, tools: dict[str, str]
) -> Said:
    tool = tools.pop(str(result.get("tool_use_id")), None)
    failed = bool(result.get("is_error", False))
    return numbering.said(session, "tool", text_of(result.get("content")), at=at, tool=tool, failed=failed)


def _session(entry: Mapping[str, Any]) -> str | None:
    """The session; the talk of a sub-agent is one of its own."""
    named = name_of(entry.get("sessionId"))
    return f"{named}/sub-agent" if named and entry.get("isSidechain") else named


def _role(entry: Mapping[str, Any]) -> Any:
    """Who wrote it. What the program, a hook or the main agent writes in the user's place is not the user's word."""
    made = any(entry.get(flag) for flag in ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isSidechain"))
    return "system" if entry["type"] == "user" and made else entry["type"]
