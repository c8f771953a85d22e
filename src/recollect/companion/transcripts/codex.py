"""Reads sessions of Codex: rollout files, JSON Lines of `session_meta`, `response_item` and other records."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from recollect.companion.transcripts.said import Numbering, Said, command_of, is_shell, name_of, text_of, time_of
from recollect.values.conversation import ROLES, Role

_RECORDS = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_EXIT_CODE = re.compile(r"(?i)\bexit(?:ed with)? code:? (\d+)")


def is_codex(first: Mapping[str, Any]) -> bool:
    """Whether the first value of a JSON Lines file is a record of a rollout; older files have the bare items."""
    old = "instructions" in first and "id" in first and "timestamp" in first
    return old or (str(first.get("type")) in _RECORDS and isinstance(first.get("payload"), dict))


def read_codex(records: Iterable[Any]) -> Iterator[Said]:
    """The messages of the session, in the order of the file."""
    numbering, tools = Numbering(), dict[str, str]()
    session: str | None = None
    for record in records:
        if not isinstance(record, dict):
            continue
        kind = str(record.get("type"))
        payload = record.get("payload") if kind in _RECORDS else record
        if not isinstance(payload, dict):
            continue
        if kind == "session_meta" or ("instructions" in record and "id" in record):
            session = name_of(payload.get("id")) or session
        elif kind not in _RECORDS or kind == "response_item":
            yield from _item(payload, session, record.get("timestamp"), numbering, tools)


def _item(
    item: Mapping[str, Any], session: str | None, stamp: Any, numbering: Numbering, tools: dict[str, str]
) -> Iterator[Said]:
    kind, at = item.get("type"), time_of(stamp)
    if kind == "message":
        text, role = text_of(item.get("content")), item.get("role")
        if text.strip():
            known: Role = next((each for each in ROLES if each == role), "system")
            yield numbering.said(session, known, text, at=at)
    elif kind in ("function_call", "local_shell_call", "custom_tool_call"):
        name = str(item.get("name") or "shell")
        tools[str(item.get("call_id"))] = name
        command = command_of(_arguments(item)) if is_shell(name) else None
        yield numbering.said(session, "assistant", command or "", at=at, tool=name)
    elif kind in ("function_call_output", "local_shell_call_output", "custom_tool_call_output"):
        text, failed = _output(item.get("output"))
        tool = tools.pop(str(item.get("call_id")), None)
        yield numbering.said(session, "tool", text, at=at, tool=tool, failed=failed)


def _arguments(item: Mapping[str, Any]) -> Any:
    given = item.get("arguments") or item.get("action") or item.get("input")
    return _json(given) if isinstance(given, str) else given


def _output(given: Any) -> tuple[str, bool | None]:
    """The text of a result, and whether the call failed: by its exit code, in the metadata or in the text."""
    inner = _json(given) if isinstance(given, str) else given
    if isinstance(inner, dict):
        text = text_of(inner.get("output") or inner.get("content"))
        metadata = inner.get("metadata")
        code = metadata.get("exit_code") if isinstance(metadata, dict) else None
        if isinstance(code, int):
            return text, code != 0
        if isinstance(inner.get("success"), bool):
            return text, not inner["success"]
    else:
        text = text_of(inner)
    found = _EXIT_CODE.search(text[:500])
    return text, None if found is None else found[1] != "0"


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
