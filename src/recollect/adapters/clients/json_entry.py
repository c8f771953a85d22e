"""An entry in a JSON settings file, put in and taken out as text, so that every other byte stays as its owner left it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from recollect.errors import SettingsError

Entry = dict[str, Any]
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_INDENT = "  "


@dataclass(frozen=True, slots=True)
class _Member:
    """One member of an object: where its key begins, and where its value begins and ends."""

    key: str
    start: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class JsonEntry:
    """The member `name` of the object `group` at the top of a file."""

    group: str
    name: str

    def read(self, text: str, where: str) -> Entry | None:
        """The entry, if it is there; a file that is not a JSON object is refused."""
        found = _parsed(text, where).get(self.group, {})
        if not isinstance(found, dict):
            raise SettingsError(where, f"{self.group!r} is not an object", "mend the file, then try again")
        entry = found.get(self.name)
        return entry if entry is None or isinstance(entry, dict) else {}

    def put(self, text: str, entry: Entry, where: str) -> str:
        """The text with the entry in it."""
        self.read(text, where)
        if not text.strip():
            return json.dumps({self.group: {self.name: entry}}, indent=2, ensure_ascii=False) + "\n"
        top = _members(text, _skip(text, 0))
        group = next((member for member in top if member.key == self.group), None)
        if group is None:
            return _inserted(text, _skip(text, 0), top, self.group, {self.name: entry})
        inside = _members(text, group.value)
        known = next((member for member in inside if member.key == self.name), None)
        if known is None:
            return _inserted(text, group.value, inside, self.name, entry)
        return text[: known.value] + _written(entry, _margin(text, known.start), text) + text[known.end :]

    def take(self, text: str, where: str) -> str:
        """The text without the entry."""
        if self.read(text, where) is None:
            return text
        top = _members(text, _skip(text, 0))
        group = next(member for member in top if member.key == self.group)
        inside = _members(text, group.value)
        place = next(place for place, member in enumerate(inside) if member.key == self.name)
        if len(inside) == 1:
            return text[: group.value] + "{}" + text[group.end :]
        if place + 1 < len(inside):
            return text[: inside[place].start] + text[inside[place + 1].start :]
        return text[: inside[place - 1].end] + text[inside[place].end :]


def _parsed(text: str, where: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        found = json.loads(text)
    except ValueError as error:
        raise SettingsError(
            where, f"is not valid JSON ({error})", "mend it, then try again; nothing was changed"
        ) from error
    if not isinstance(found, dict):
        raise SettingsError(where, "is not a JSON object", "mend it, then try again; nothing was changed")
    return found


def _members(text: str, start: int) -> list[_Member]:
    """The members of the object that begins at `start`; the text is known to be valid."""
    found: list[_Member] = []
    at = _skip(text, start + 1)
    while text[at] != "}":
        key, after = _DECODER.raw_decode(text, at)
        value = _skip(text, _skip(text, after) + 1)
        _, end = _DECODER.raw_decode(text, value)
        found.append(_Member(key, at, value, end))
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at
    return found


def _inserted(text: str, start: int, members: list[_Member], key: str, value: Entry) -> str:
    """The text with one more member at the end of the object that begins at `start`."""
    line = "\r\n" if "\r\n" in text else "\n"
    if members:
        last, margin = members[-1].end, _margin(text, members[0].start)
        gap = f",{line}{margin}" if "\n" in text[start : members[0].start] else ", "
        return f"{text[:last]}{gap}{json.dumps(key)}: {_written(value, margin, text)}{text[last:]}"
    outer = _margin(text, start)
    margin = outer + _step(text)
    end = _skip(text, start + 1) + 1
    written = f"{{{line}{margin}{json.dumps(key)}: {_written(value, margin, text)}{line}{outer}}}"
    return text[:start] + written + text[end:]


def _written(value: Entry, margin: str, text: str) -> str:
    line = "\r\n" if "\r\n" in text else "\n"
    return json.dumps(value, indent=_step(text), ensure_ascii=False).replace("\n", line + margin)


def _margin(text: str, at: int) -> str:
    """The white space at the beginning of the line that `at` is in."""
    begin = text.rfind("\n", 0, at) + 1
    found = re.match(r"[ \t]*", text[begin:at])
    return found[0] if found else ""


def _step(text: str) -> str:
    """By how much the file indents."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else _INDENT


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
