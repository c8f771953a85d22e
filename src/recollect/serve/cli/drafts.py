"""Drafts from files and stdin. Every line is read before the first is stored, and a bad one is named by its number."""

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

_PLACE = re.compile(r"drafts\[(\d+)\]\.(.*)")
# The one check that needs the store, so its error comes late and does not know its place.
_LATE = "supersedes"
# The engine looks at the first 100,000 characters of a context, and a character has at most four bytes.
_LONGEST_CONTEXT = 400_000


@dataclass(frozen=True, slots=True)
class Drafts:
    """The drafts of a file and the line each stands on."""

    drafts: list[dict[str, Any]]
    lines: list[int]

    def located(self, error: InvalidInput) -> InvalidInput:
        """The same error, naming the line of the file."""
        found = _PLACE.fullmatch(error.field)
        if found is None and error.field == _LATE:
            return error
        place, field = (int(found[1]), found[2]) if found else (0, error.field)
        return InvalidInput(f"line {self.lines[place]}: {field}", error.problem, error.fix)


def read_drafts(name: str, common: Mapping[str, Any]) -> Drafts:
    """The drafts of a JSON-lines file; `common` fields hold where a line does not say otherwise."""
    drafts, lines = [], []
    for number, raw in enumerate(_raw_lines(name), 1):
        if raw.strip():
            drafts.append({**common, **_draft(number, raw)})
            lines.append(number)
    if not drafts:
        raise InvalidInput("jsonl", f"{name} holds no drafts", 'write one a line, like {"content": "…"}')
    return Drafts(drafts, lines)


def read_text() -> str:
    """All of stdin, as one text."""
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput("stdin", f"is not UTF-8 (byte {error.start})", "convert it first") from None


def given_text(said: str | None) -> str | None:
    """A text as an option gives it: itself, stdin (-), or the beginning of a file (@FILE), whatever bytes it holds."""
    if said == "-":
        return read_text()
    if said is None or not said.startswith("@"):
        return said
    try:
        with Path(said[1:]).open("rb") as file:
            return file.read(_LONGEST_CONTEXT).decode("utf-8", "replace")
    except OSError as error:
        raise click.FileError(said[1:], error.strerror) from error


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
    where, fix = f"line {number}", 'write one draft a line, like {"content": "…", "tags": ["deploy"]}'
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
