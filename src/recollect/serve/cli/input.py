"""Input: values as they are typed, texts from stdin and files, and files of drafts (JSON lines)."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from recollect.errors import InvalidInput

_DRAFT_FIELD = re.compile(r"drafts\[(\d+)\]\.(.*)")
# The one check that needs the store: its error is raised late and does not name a draft.
_CHECKED_IN_STORE = "supersedes"
# The engine reads at most 100,000 characters of `working_on`, and a character has at most four bytes.
_MAX_BYTES = 400_000
_OBJECT_EXAMPLE = """write it like '{"key": "value"}'"""


def read_text() -> str:
    """All of stdin, as one text."""
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput("stdin", f"is not UTF-8 (byte {error.start})", "convert it first") from None


def join_text(words: tuple[str, ...]) -> str:
    """The words of an argument as one text; a single - reads it from stdin."""
    return read_text() if words == ("-",) else " ".join(words)


def read_option(typed: str | None) -> str | None:
    """The text of an option: as typed, from stdin (-), or the beginning of a file (@FILE) with any bytes."""
    if typed == "-":
        return read_text()
    if typed is None or not typed.startswith("@"):
        return typed
    try:
        with Path(typed[1:]).open("rb") as file:
            return file.read(_MAX_BYTES).decode("utf-8", "replace")
    except OSError as error:
        raise click.FileError(typed[1:], error.strerror) from error


def parse_value(words: tuple[str, ...], *, as_text: bool = False) -> Any:
    """A value: JSON if it parses as JSON, else text; a single - reads it from stdin."""
    typed = join_text(words)
    if as_text:
        return typed
    try:
        return json.loads(typed)
    except ValueError:
        return typed


def parse_object(field: str, typed: str) -> dict[str, Any]:
    """A JSON object; - reads it from stdin."""
    try:
        parsed = json.loads(read_text() if typed == "-" else typed)
    except ValueError as error:
        raise InvalidInput(field, f"is not JSON ({error})", _OBJECT_EXAMPLE) from None
    if not isinstance(parsed, dict):
        raise InvalidInput(field, "is not an object", _OBJECT_EXAMPLE)
    return parsed


@dataclass(frozen=True, slots=True)
class Drafts:
    """The drafts of a file, with the line number of each."""

    drafts: list[dict[str, Any]]
    lines: list[int]

    def with_line(self, error: InvalidInput) -> InvalidInput:
        """The same error, naming the line of the file."""
        found = _DRAFT_FIELD.fullmatch(error.field)
        if found is None and error.field == _CHECKED_IN_STORE:
            return error
        place, field = (int(found[1]), found[2]) if found else (0, error.field)
        return InvalidInput(f"line {self.lines[place]}: {field}", error.problem, error.fix)


def read_drafts(name: str, defaults: Mapping[str, Any]) -> Drafts:
    """All drafts of a JSON-lines file, read before any is stored; a line overrides the `defaults`."""
    drafts, lines = [], []
    for number, raw in enumerate(_raw_lines(name), 1):
        if raw.strip():
            drafts.append({**defaults, **_draft(number, raw)})
            lines.append(number)
    if not drafts:
        raise InvalidInput("jsonl", f"{name} contains no drafts", 'write one per line, like {"content": "…"}')
    return Drafts(drafts, lines)


def _raw_lines(name: str) -> Iterator[bytes]:
    if name == "-":
        yield from sys.stdin.buffer
        return
    try:
        with Path(name).open("rb") as file:
            yield from file
    except OSError as error:
        raise click.FileError(name, error.strerror) from error


def _draft(number: int, raw: bytes) -> dict[str, Any]:
    where, fix = f"line {number}", 'write one draft per line, like {"content": "…", "tags": ["deploy"]}'
    try:
        value = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidInput(where, "is not UTF-8", "convert the file first; nothing was stored") from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(where, f"is not JSON ({error})", f"{fix}; nothing was stored") from None
    if isinstance(value, str):
        return {"content": value}
    if not isinstance(value, dict):
        raise InvalidInput(where, f"is a {type(value).__name__}, not a draft", f"{fix}; nothing was stored")
    return value
