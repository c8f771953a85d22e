"""Input: values as they are typed, texts from stdin and files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from recollect.errors import InvalidInput

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
