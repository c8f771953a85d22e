"""Arguments: what a client sent, held against what a tool takes. Every problem names the argument and the fix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from recollect.errors import InvalidInput
from recollect.serve.mcp.tool import Arguments, Schema, Tool

_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "string": ("text", lambda value: isinstance(value, str)),
    "integer": ("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    "number": ("a number", lambda value: isinstance(value, int | float) and not isinstance(value, bool)),
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "array": ("a list", lambda value: isinstance(value, list)),
    "object": ("an object", lambda value: isinstance(value, dict)),
}
_SHOWN = 60


def checked(tool: Tool, given: Mapping[str, Any] | None) -> Arguments:
    """The arguments a tool takes; null stands for an argument left out, except where any value is taken."""
    known = tool.arguments
    for name in given or {}:
        if name not in known:
            raise InvalidInput(name[:_SHOWN], f"is not an argument of {tool.name}", f"arguments: {', '.join(known)}")
    named = {name: value for name, value in (given or {}).items() if value is not None or "type" not in known[name]}
    for name in tool.required:
        if name not in named:
            raise InvalidInput(name, f"is missing; {tool.name} needs it", f"give {_called(known[name])}")
    return {name: _fitting(name, value, known[name]) for name, value in named.items()}


def _fitting(name: str, value: Any, schema: Schema) -> Any:
    if "type" not in schema:
        return value
    if schema["type"] == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)  # to JSON Schema 5.0 is a whole number too, and some clients write it so
    called, fits = _KINDS[schema["type"]]
    if not fits(value):
        raise InvalidInput(name, f"{_shown(value)} is not {called}", f"give {_called(schema)}")
    if "enum" in schema and value not in schema["enum"]:
        raise InvalidInput(name, f"{_shown(value)} is unknown", f"use one of {', '.join(schema['enum'])}")
    return [_fitting(name, each, schema["items"]) for each in value] if "items" in schema else value


def _called(schema: Schema) -> str:
    if "enum" in schema:
        return f"one of {', '.join(schema['enum'])}"
    if "type" not in schema:
        return "any value"
    inside = schema.get("items", {}).get("type")
    return _KINDS[schema["type"]][0] + (f", each {_KINDS[inside][0]}" if inside else "")


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
