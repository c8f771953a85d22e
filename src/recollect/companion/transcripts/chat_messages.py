"""Reads lists of chat messages (`role`, `content`), as OpenAI-style APIs use them and as SWE-agent keeps them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
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
from recollect.values.conversation import Role

_ROLES: dict[str, Role] = {
    "user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "model": "assistant", "gpt": "assistant",
    "system": "system", "developer": "system", "tool": "tool", "function": "tool",
}  # fmt: skip
_LISTS = ("messages", "conversation", "conversations", "history", "chat", "turns", "items")


def is_chat_message(value: Any) -> bool:
    """Whether a value is a message with a role and a content, or an item beside such messages."""
    if not isinstance(value, dict):
        return False
    role = value.get("role") or value.get("from")
    has_text = any(name in value for name in ("content", "value", "parts", "text", "tool_calls"))
    return isinstance(role, str) and role.lower() in _ROLES and has_text


def messages_in(value: Any) -> list[Any] | None:
    """The list of messages in an object that has one: `{"messages": [...]}`."""
    if isinstance(value, dict):
        for name in _LISTS:
            found = value.get(name)
            if isinstance(found, list) and found and is_chat_message(found[0]):
                return found
    return None


def read_chat_messages(values: Iterable[Any]) -> Iterator[Said]:
    """The messages of one session; an element that holds a list of messages is a session of its own."""
    numbering, tools = Numbering(), dict[str, str]()
    for value in values:
        inner = messages_in(value)
        if inner is not None:
            own = name_of(value.get("id") or value.get("session_id") or value.get("conversation_id"))
            for message in inner:
                yield from _messages(message, own, numbering, tools)
        elif isinstance(value, dict):
            session = name_of(value.get("session_id") or value.get("session") or value.get("thread_id"))
            yield from _messages(value, session, numbering, tools)


def _messages(message: Any, session: str | None, numbering: Numbering, tools: dict[str, str]) -> Iterator[Said]:
    if not is_chat_message(message):
        return
    role = _ROLES[str(message.get("role") or message.get("from")).lower()]
    content = next((message[name] for name in ("content", "value", "parts", "text") if message.get(name)), "")
    at = time_of(message.get("timestamp") or message.get("created_at") or message.get("time"))
    text = text_of(content)
    if role == "tool":
        name = tools.pop(str(message.get("tool_call_id")), None) or message.get("name")
        yield numbering.said(session, "tool", text, at=at, tool=name, failed=_failed(message))
        return
    if text.strip():
        yield numbering.said(session, role, text, at=at)
    for call in _calls(message, content):
        name, command = _call(call)
        tools[str(call.get("id"))] = name
        yield numbering.said(session, "assistant", command or "", at=at, tool=name)
    for result in parts_of(content, "tool_result"):
        name = tools.pop(str(result.get("tool_use_id")), None)
        failed = result.get("is_error")
        output = text_of(result.get("content"))
        yield numbering.said(session, "tool", output, at=at, tool=name, failed=failed)


def _calls(message: Mapping[str, Any], content: Any) -> Iterator[dict[str, Any]]:
    given = message.get("tool_calls")
    yield from (call for call in given or () if isinstance(call, dict)) if isinstance(given, list) else ()
    yield from parts_of(content, "tool_use")


def _call(call: Mapping[str, Any]) -> tuple[str, str | None]:
    inner = call.get("function")
    function: Mapping[str, Any] = inner if isinstance(inner, dict) else call
    name = str(function.get("name"))
    given = function.get("arguments") or function.get("input")
    if isinstance(given, str):
        with suppress(ValueError):
            given = json.loads(given)
    return name, command_of(given) if is_shell(name) else None


def _failed(message: Mapping[str, Any]) -> bool | None:
    if isinstance(message.get("is_error"), bool):
        return bool(message["is_error"])
    return {"error": True, "success": False}.get(str(message.get("status")))


def is_trajectory(value: Any) -> bool:
    """Whether an object is a trajectory of SWE-agent."""
    return (
        isinstance(value, dict) and isinstance(value.get("trajectory"), list) and isinstance(value.get("history"), list)
    )


def read_trajectory(value: Mapping[str, Any]) -> Iterator[Said]:
    """The task of a trajectory, then its actions and what they gave. In its history, observations have the role of the user."""
    numbering = Numbering()
    own = [turn for turn in value["history"] if isinstance(turn, dict) and not turn.get("is_demo")]
    for turn in own:
        role = _ROLES.get(str(turn.get("role")))
        if role == "assistant":
            break
        if role is not None:
            # The task is a template that the program fills in.
            yield numbering.said(None, "system", text_of(turn.get("content")))
    for step in value["trajectory"]:
        if not isinstance(step, dict):
            continue
        if step.get("thought"):
            yield numbering.said(None, "assistant", str(step["thought"]))
        action, observation = str(step.get("action") or "").strip(), str(step.get("observation") or "")
        if action:
            yield numbering.said(None, "assistant", action, tool="bash")
            yield numbering.said(None, "tool", observation, tool="bash")
