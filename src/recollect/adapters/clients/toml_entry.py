"""An entry in a TOML settings file: a table of its own, put at the end and taken out as lines; nothing else is touched.

What the edit made is read again and compared: a file that is laid out in a way this does not understand is refused.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from typing import Any

from recollect.errors import SettingsError

Entry = dict[str, Any]
_HEADER = re.compile(r"^[ \t]*\[")


@dataclass(frozen=True, slots=True)
class TomlEntry:
    """The table `group.name` of a file."""

    group: str
    name: str

    def read(self, text: str, where: str) -> Entry | None:
        """The entry, if it is there; a file that is not TOML is refused."""
        found = _parsed(text, where).get(self.group, {})
        entry = found.get(self.name) if isinstance(found, dict) else None
        return entry if entry is None or isinstance(entry, dict) else {}

    def put(self, text: str, entry: Entry, where: str) -> str:
        """The text with the entry in it, where it was before or else at the end."""
        line = "\r\n" if "\r\n" in text else "\n"
        table = [f"[{self.group}.{self.name}]", *(f"{key} = {_value(value)}" for key, value in entry.items())]
        made = "".join(f"{row}{line}" for row in table)
        lines = text.splitlines(keepends=True)
        spot = self._lines(lines)
        if self.read(text, where) is not None and spot:
            rest = "".join(lines[spot.stop :])
            after = "".join(lines[: spot.start]) + made + (line if rest else "") + rest
        else:
            gap = line if text.strip() else ""
            after = text + ("" if not text or text.endswith("\n") else line) + gap + made
        return self._proved(text, after, entry, where)

    def take(self, text: str, where: str) -> str:
        """The text without the entry."""
        if self.read(text, where) is None:
            return text
        lines = text.splitlines(keepends=True)
        spot = self._lines(lines)
        before, rest = lines[: spot.start], lines[spot.stop :]
        while before and not before[-1].strip() and not rest:
            before.pop()
        return self._proved(text, "".join(before + rest), None, where)

    def _lines(self, lines: list[str]) -> range:
        """The lines of the table and of tables inside it."""
        own = re.compile(rf"^[ \t]*\[[ \t]*{self.group}[ \t]*\.[ \t]*\"?{self.name}\"?[ \t]*[\].]")
        starts = [number for number, row in enumerate(lines) if own.match(row)]
        if not starts:
            return range(0)
        stop = starts[-1] + 1
        while stop < len(lines) and not _HEADER.match(lines[stop]):
            stop += 1
        return range(starts[0], stop)

    def _proved(self, before: str, after: str, entry: Entry | None, where: str) -> str:
        wanted = _parsed(before, where)
        group = {key: value for key, value in wanted.get(self.group, {}).items() if key != self.name}
        group |= {} if entry is None else {self.name: entry}
        try:
            made = tomllib.loads(after)
        except tomllib.TOMLDecodeError:
            made = {}
        if made.get(self.group, {}) != group or _others(made, self.group) != _others(wanted, self.group):
            by_hand = "take it out" if entry is None else f"add {json.dumps(entry)} as a table"
            raise SettingsError(
                where, f"[{self.group}.{self.name}] cannot be edited safely there", f"{by_hand} by hand"
            )
        return after


def _others(found: dict[str, Any], group: str) -> dict[str, Any]:
    return {key: value for key, value in found.items() if key != group}


def _parsed(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(
            where, f"is not valid TOML ({error})", "mend it, then try again; nothing was changed"
        ) from error


def _value(value: Any) -> str:
    """Text, a list of texts or a table of texts as TOML; a basic string of TOML reads like one of JSON."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_value(inner)}" for key, inner in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
