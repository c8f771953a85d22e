"""An entry in a JSON settings file, edited as text, so that every other byte of the file is unchanged."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from recollect.errors import SettingsError

_WHITESPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_DEFAULT_INDENT = "  "


@dataclass(frozen=True, slots=True)
class _Member:
    """One member of an object: the offset of its key, and the offsets of its value."""

    key: str
    start: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class JsonEntry:
    """The member `name` of the top-level object `group`."""

    group: str
    name: str

    def read(self, text: str, where: str) -> dict[str, Any] | None:
        """The entry, or None; a file that is not a JSON object is an error."""
        group = _parse(text, where).get(self.group, {})
        if not isinstance(group, dict):
            raise SettingsError(where, f"{self.group!r} is not an object", "fix the file, then try again")
        entry = group.get(self.name)
        return entry if entry is None or isinstance(entry, dict) else {}

    def add(self, text: str, entry: dict[str, Any], where: str) -> str:
        """The text with the entry added or replaced."""
        self.read(text, where)
        if not text.strip():
            return json.dumps({self.group: {self.name: entry}}, indent=2, ensure_ascii=False) + "\n"
        top = _members(text, _skip_whitespace(text, 0))
        group = next((member for member in top if member.key == self.group), None)
        if group is None:
            return _insert(text, _skip_whitespace(text, 0), top, self.group, {self.name: entry})
        members = _members(text, group.value)
        current = next((member for member in members if member.key == self.name), None)
        if current is None:
            return _insert(text, group.value, members, self.name, entry)
        return text[: current.value] + _dump(entry, _margin(text, current.start), text) + text[current.end :]

    def remove(self, text: str, where: str) -> str:
        """The text without the entry."""
        if self.read(text, where) is None:
            return text
        top = _members(text, _skip_whitespace(text, 0))
        group = next(member for member in top if member.key == self.group)
        members = _members(text, group.value)
        index = next(index for index, member in enumerate(members) if member.key == self.name)
        if len(members) == 1:
            return text[: group.value] + "{}" + text[group.end :]
        if index + 1 < len(members):
            return text[: members[index].start] + text[members[index + 1].start :]
        return text[: members[index - 1].end] + text[members[index].end :]


def _parse(text: str, where: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    fix = "fix the file, then try again; nothing was changed"
    try:
        found = json.loads(text)
    except ValueError as error:
        raise SettingsError(where, f"is not valid JSON ({error})", fix) from error
    if not isinstance(found, dict):
        raise SettingsError(where, "is not a JSON object", fix)
    return found


def _members(text: str, start: int) -> list[_Member]:
    """The members of the object that begins at `start`, in a text that is valid JSON."""
    found: list[_Member] = []
    at = _skip_whitespace(text, start + 1)
    while text[at] != "}":
        key, after = _DECODER.raw_decode(text, at)
        value = _skip_whitespace(text, _skip_whitespace(text, after) + 1)
        _, end = _DECODER.raw_decode(text, value)
        found.append(_Member(key, at, value, end))
        at = _skip_whitespace(text, end)
        at = _skip_whitespace(text, at + 1) if text[at] == "," else at
    return found


def _insert(text: str, start: int, members: list[_Member], key: str, value: dict[str, Any]) -> str:
    """The text with one more member at the end of the object that begins at `start`."""
    newline = _newline(text)
    if members:
        last, margin = members[-1].end, _margin(text, members[0].start)
        gap = f",{newline}{margin}" if "\n" in text[start : members[0].start] else ", "
        return f"{text[:last]}{gap}{json.dumps(key)}: {_dump(value, margin, text)}{text[last:]}"
    outer = _margin(text, start)
    margin = outer + _indent(text)
    end = _skip_whitespace(text, start + 1) + 1
    inserted = f"{{{newline}{margin}{json.dumps(key)}: {_dump(value, margin, text)}{newline}{outer}}}"
    return text[:start] + inserted + text[end:]


def _dump(value: dict[str, Any], margin: str, text: str) -> str:
    """The value as JSON, with the indentation and line endings of the file."""
    return json.dumps(value, indent=_indent(text), ensure_ascii=False).replace("\n", _newline(text) + margin)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _margin(text: str, at: int) -> str:
    """The whitespace at the beginning of the line that contains `at`."""
    begin = text.rfind("\n", 0, at) + 1
    found = re.match(r"[ \t]*", text[begin:at])
    return found[0] if found else ""


def _indent(text: str) -> str:
    """One level of indentation in this file."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else _DEFAULT_INDENT


def _skip_whitespace(text: str, at: int) -> int:
    found = _WHITESPACE.match(text, at)
    return found.end() if found else at
