"""An entry in a JSON settings file, edited as text, so that every other byte of the file is unchanged."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from recollect.errors import SettingsError

_WHITESPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
# Strings (which stay), comments, and commas before a closing bracket.
_COMMENT = r"//[^\r\n]*+|(?>/\*.*?\*/)"
_NOT_STRICT = re.compile(rf'"(?:[^"\\]|\\.)*"|{_COMMENT}|,(?=(?:\s|{_COMMENT})*+[}}\]])', re.DOTALL)
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
    """The member `name` of the top-level object `group`. With `comments`, the file may have comments and trailing commas."""

    group: str
    name: str
    comments: bool = False

    def read(self, text: str, where: str) -> dict[str, Any] | None:
        """The entry, or None; a file that is not a JSON object is an error."""
        group = _parse(self._strict(text), where).get(self.group, {})
        if not isinstance(group, dict):
            raise SettingsError(where, f"{self.group!r} is not an object", "fix the file, then try again")
        entry = group.get(self.name)
        return entry if entry is None or isinstance(entry, dict) else {}

    def add(self, text: str, entry: dict[str, Any], where: str) -> str:
        """The text with the entry added or replaced."""
        self.read(text, where)
        strict = self._strict(text)
        if not strict.strip() and not text.strip():
            return json.dumps({self.group: {self.name: entry}}, indent=2, ensure_ascii=False) + "\n"
        if not strict.strip():  # nothing but comments
            return f"{text.rstrip()}{_newline(text)}{json.dumps({self.group: {self.name: entry}}, indent=2)}\n"
        start = _skip_whitespace(strict, 0)
        group = next((member for member in _members(strict, start) if member.key == self.group), None)
        if group is None:
            return _insert(text, strict, start, self.group, {self.name: entry})
        current = next((member for member in _members(strict, group.value) if member.key == self.name), None)
        if current is None:
            return _insert(text, strict, group.value, self.name, entry)
        return text[: current.value] + _dump(entry, _margin(text, current.start), text) + text[current.end :]

    def remove(self, text: str, where: str) -> str:
        """The text without the entry."""
        if self.read(text, where) is None:
            return text
        strict = self._strict(text)
        group = next(member for member in _members(strict, _skip_whitespace(strict, 0)) if member.key == self.group)
        members = _members(strict, group.value)
        index = next(index for index, member in enumerate(members) if member.key == self.name)
        ours = members[index]
        if index + 1 < len(members):
            after = strict.index(",", ours.end) + 1
            return text[: ours.start] + text[_skip_whitespace(text, after) :]
        stop, comma = _trailing_comma(text, strict, ours.end)
        start = _line_before(text, ours.start)
        if members[:-1] and not comma:  # the comma that came before ours has nothing to separate any more
            separator = strict.index(",", members[index - 1].end)
            return text[:separator] + text[separator + 1 : start] + text[stop:]
        if not members[:-1] and not (text[group.value + 1 : start] + text[stop : group.end - 1]).strip():
            return text[: group.value] + "{}" + text[group.end :]
        return text[:start] + text[stop:]

    def _strict(self, text: str) -> str:
        """The text as strict JSON of the same length: what JSON does not know is blank."""
        return _NOT_STRICT.sub(_blank, text) if self.comments else text


def _blank(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else re.sub(r"[^\r\n]", " ", found[0])


def _trailing_comma(text: str, strict: str, end: int) -> tuple[int, bool]:
    """Where a value ends together with the trailing comma after it, and whether there is one: only in the text it is seen."""
    at = next((at for at in range(end, len(text)) if strict[at] == "}" or (text[at] == "," and strict[at] == " ")), end)
    return (at + 1, True) if text[at] == "," and not text[end:at].strip() else (end, False)


def _line_before(text: str, at: int) -> int:
    """Where the white space before a member begins, with the line break."""
    start = len(text[:at].rstrip(" \t"))
    if text[:start].endswith("\n"):
        return start - (2 if text[:start].endswith("\r\n") else 1)
    return start


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


def _insert(text: str, strict: str, start: int, key: str, value: dict[str, Any]) -> str:
    """The text with one more member at the end of the object that begins at `start`; comments stay where they are."""
    newline, members = _newline(text), _members(strict, start)
    if members:
        margin = _margin(text, members[0].start)
        last, trailing = _trailing_comma(text, strict, members[-1].end)
        lines = "\n" in text[start : members[0].start]
        entry = f"{newline}{margin}" if lines else " "
        entry += f"{json.dumps(key)}: {_dump(value, margin, text)}{',' * trailing}"
        # What stands behind the last value on its line is a comment on that value.
        ends = text.find("\n", last)
        line = len(text[:ends].rstrip("\r")) if lines and ends >= 0 and not strict[last:ends].strip() else last
        return f"{text[:last]}{',' * (not trailing)}{text[last:line]}{entry}{text[line:]}"
    outer = _margin(text, start)
    margin = outer + _indent(text)
    close = strict.index("}", start + 1)
    comments = text[start + 1 : close].rstrip() if text[start + 1 : close].strip() else ""
    inserted = f"{{{comments}{newline}{margin}{json.dumps(key)}: {_dump(value, margin, text)}{newline}{outer}}}"
    return text[:start] + inserted + text[close + 1 :]


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
