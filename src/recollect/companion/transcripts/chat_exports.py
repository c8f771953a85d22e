"""Reads the exports of ChatGPT and of Claude: `conversations.json`, one array of conversations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from recollect.companion.transcripts.said import Numbering, Said, name_of, text_of, time_of
from recollect.values.conversation import Role

_AUTHORS: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_SENDERS: dict[str, Role] = {"human": "user", "assistant": "assistant"}


def is_chatgpt_export(first: Any) -> bool:
    """Whether the first conversation is one of ChatGPT: a tree of nodes."""
    return isinstance(first, dict) and isinstance(first.get("mapping"), dict)


def is_claude_export(first: Any) -> bool:
    """Whether the first conversation is one of Claude."""
    return isinstance(first, dict) and isinstance(first.get("chat_messages"), list)


def read_chatgpt(conversations: Iterable[Any]) -> Iterator[Said]:
    """The messages of every conversation, on the branch that was shown last."""
    numbering = Numbering()
    for talk in conversations:
        if not is_chatgpt_export(talk):
            continue
        session = _name(talk, "conversation_id", "id")
        for message in _branch(talk):
            role = _AUTHORS.get(str(_inner(message, "author").get("role")))
            hidden = _inner(message, "metadata").get("is_visually_hidden_from_conversation")
            text = text_of(message.get("content"))
            if role is not None and text.strip():
                own = "system" if hidden and role == "user" else role
                yield numbering.said(session, own, text, at=time_of(message.get("create_time")))


def _branch(talk: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The messages from the root to the current node, or to the newest leaf where none is current."""
    nodes = talk["mapping"]
    at = name_of(talk.get("current_node"))
    if at not in nodes:
        leaves = [key for key, node in nodes.items() if isinstance(node, dict) and not node.get("children")]
        at = max(leaves, key=lambda key: _time(nodes[key]), default=None)
    found: list[Mapping[str, Any]] = []
    seen = set()
    while at in nodes and at not in seen:
        seen.add(at)
        node = nodes[at]
        if not isinstance(node, dict):
            break
        if isinstance(node.get("message"), dict):
            found.append(node["message"])
        at = name_of(node.get("parent"))
    return found[::-1]


def _time(node: Mapping[str, Any]) -> float:
    made = _inner(node, "message").get("create_time")
    return float(made) if isinstance(made, int | float) else 0.0


def read_claude(conversations: Iterable[Any]) -> Iterator[Said]:
    """The messages of every conversation."""
    numbering = Numbering()
    for talk in conversations:
        if not is_claude_export(talk):
            continue
        session = _name(talk, "uuid", "id")
        for message in talk["chat_messages"]:
            role = _SENDERS.get(str(message.get("sender"))) if isinstance(message, dict) else None
            if role is not None:
                text = text_of(message.get("content")) or str(message.get("text") or "")
                if text.strip():
                    yield numbering.said(session, role, text, at=time_of(message.get("created_at")))


def _inner(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _name(talk: Mapping[str, Any], *names: str) -> str | None:
    return next((found for name in names if (found := name_of(talk.get(name)))), None)
