"""Given: values as they are typed. What reads as JSON is that; anything else is the text itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import click

from recollect.errors import InvalidInput
from recollect.serve.cli.drafts import read_text

as_text = click.option("--text", "as_text", is_flag=True, help="Keep VALUE as typed, also if it reads as JSON.")


def value_of(words: tuple[str, ...], *, as_text: bool = False) -> Any:
    """A value: - reads it from stdin, several words are one text."""
    typed = read_text() if words == ("-",) else " ".join(words)
    if as_text:
        return typed
    try:
        return json.loads(typed)
    except ValueError:
        return typed


def object_of(field: str, typed: str) -> dict[str, Any]:
    """A JSON object; - reads it from stdin."""
    try:
        made = json.loads(read_text() if typed == "-" else typed)
    except ValueError as error:
        raise InvalidInput(field, f"is not JSON ({error})", """write it like '{"key": "value"}'""") from None
    if not isinstance(made, dict):
        raise InvalidInput(field, "is not an object", """write it like '{"key": "value"}'""")
    return made


def options(*made: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Several options that some commands share, in the order they are shown."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(made):
            command = option(command)
        return command

    return add
