"""An entry in a TOML settings file: a table of its own, edited as lines, so that the rest of the file is unchanged.

The edited text is parsed and compared with what it must contain; a file whose layout this editor does not support is an error.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from typing import Any

from recollect.errors import SettingsError

_HEADER = re.compile(r"^[ \t]*\[")


@dataclass(frozen=True, slots=True)
class TomlEntry:
    """The table `group.name` of a file."""

    group: str
    name: str

    def read(self, text: str, where: str) -> dict[str, Any] | None:
        """The entry, or None; a file that is not TOML is an error."""
        group = _parse(text, where).get(self.group, {})
        entry = group.get(self.name) if isinstance(group, dict) else None
        return entry if entry is None or isinstance(entry, dict) else {}

    def add(self, text: str, entry: dict[str, Any], where: str) -> str:
        """The text with the entry replaced, or added at the end."""
        newline = "\r\n" if "\r\n" in text else "\n"
        rows = [f"[{self.group}.{self.name}]", *(f"{key} = {_value(value)}" for key, value in entry.items())]
        table = "".join(f"{row}{newline}" for row in rows)
        lines = text.splitlines(keepends=True)
        span = self._span(lines)
        if self.read(text, where) is not None and span:
            rest = "".join(lines[span.stop :])
            after = "".join(lines[: span.start]) + table + (newline if rest else "") + rest
        else:
            gap = newline if text.strip() else ""
            after = text + ("" if not text or text.endswith("\n") else newline) + gap + table
        return self._verified(text, after, entry, where)

    def remove(self, text: str, where: str) -> str:
        """The text without the entry."""
        if self.read(text, where) is None:
            return text
        lines = text.splitlines(keepends=True)
        span = self._span(lines)
        before, rest = lines[: span.start], lines[span.stop :]
        while before and not before[-1].strip() and not rest:
            before.pop()
        return self._verified(text, "".join(before + rest), None, where)

    def _span(self, lines: list[str]) -> range:
        """The lines of the table and of the tables inside it."""
        header = re.compile(rf"^[ \t]*\[[ \t]*{self.group}[ \t]*\.[ \t]*\"?{self.name}\"?[ \t]*[\].]")
        starts = [number for number, row in enumerate(lines) if header.match(row)]
        if not starts:
            return range(0)
        stop = starts[-1] + 1
        while stop < len(lines) and not _HEADER.match(lines[stop]):
            stop += 1
        return range(starts[0], stop)

    def _verified(self, before: str, after: str, entry: dict[str, Any] | None, where: str) -> str:
        """The edited text, if it parses to the old settings with exactly our entry changed."""
        expected = _parse(before, where)
        group = {key: value for key, value in expected.get(self.group, {}).items() if key != self.name}
        group |= {} if entry is None else {self.name: entry}
        try:
            parsed = tomllib.loads(after)
        except tomllib.TOMLDecodeError:
            parsed = {}
        if parsed.get(self.group, {}) != group or _without(parsed, self.group) != _without(expected, self.group):
            by_hand = "remove it" if entry is None else f"add {json.dumps(entry)} as a table"
            raise SettingsError(
                where, f"[{self.group}.{self.name}] cannot be edited safely there", f"{by_hand} by hand"
            )
        return after


def _without(settings: dict[str, Any], group: str) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if key != group}


def _parse(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(
            where, f"is not valid TOML ({error})", "fix the file, then try again; nothing was changed"
        ) from error


def _value(value: Any) -> str:
    """A string, a list of strings or a table of strings as TOML; a basic TOML string has the syntax of a JSON string."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_value(inner)}" for key, inner in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
