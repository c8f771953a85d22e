"""Schemas of tool arguments and results (JSON Schema 2020-12), and the validation of the arguments of a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from recollect.errors import InvalidInput
from recollect.serve.mcp.tool import Arguments, Schema, Tool

_TYPES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "string": ("text", lambda value: isinstance(value, str)),
    "integer": ("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    "number": ("a number", lambda value: isinstance(value, int | float) and not isinstance(value, bool)),
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "array": ("a list", lambda value: isinstance(value, list)),
    "object": ("an object", lambda value: isinstance(value, dict)),
}
_MAX_QUOTED = 60


def string(description: str = "") -> Schema:
    """Any text."""
    return _typed("string", description)


def integer(description: str = "") -> Schema:
    """A whole number."""
    return _typed("integer", description)


def number(description: str = "") -> Schema:
    """Any number."""
    return _typed("number", description)


def boolean(description: str = "") -> Schema:
    """True or false."""
    return _typed("boolean", description)


def object_(description: str = "") -> Schema:
    """An object with any properties."""
    return _typed("object", description)


def enum(values: Sequence[str], description: str = "") -> Schema:
    """One of some strings."""
    return _typed("string", description) | {"enum": list(values)}


def strings(description: str = "") -> Schema:
    """A list of strings."""
    return _typed("array", description) | {"items": {"type": "string"}}


def objects(**properties: Schema) -> Schema:
    """A list of objects that have at least these properties."""
    return {"type": "array", "items": output(**properties)}


def any_value(description: str = "") -> Schema:
    """Any JSON value."""
    return {"description": description} if description else {}


def output(*required: str, **properties: Schema) -> Schema:
    """An object with these properties; others are allowed."""
    schema: dict[str, Any] = {"type": "object"}
    if properties:
        schema["properties"] = properties
    if required:
        schema["required"] = list(required)
    return schema


def _typed(type_: str, description: str) -> Schema:
    return {"type": type_, "description": description} if description else {"type": type_}


def validate_arguments(tool: Tool, given: Mapping[str, Any] | None) -> Arguments:
    """The arguments of a call. Null means absent, except for an argument that accepts any value."""
    known = tool.arguments
    for name in given or {}:
        if name not in known:
            raise InvalidInput(
                name[:_MAX_QUOTED], f"is not an argument of {tool.name}", f"arguments: {', '.join(known)}"
            )
    present = {name: value for name, value in (given or {}).items() if value is not None or "type" not in known[name]}
    for name in tool.required:
        if name not in present:
            raise InvalidInput(name, f"is missing; {tool.name} needs it", f"give {_expected(known[name])}")
    return {name: _validate(name, value, known[name]) for name, value in present.items()}


def validate_action(action: str, given: Arguments, required: Sequence[str], optional: Sequence[str]) -> None:
    """Check the arguments of a tool whose `action` decides which of them it takes."""
    takes = ", ".join((*required, *optional)) or "no arguments"
    for name in required:
        if name not in given:
            raise InvalidInput(name, f"is missing; {action} needs it", f"{action} takes {takes}")
    for name in given:
        if name not in (*required, *optional):
            raise InvalidInput(name, f"is not an argument of {action}", f"{action} takes {takes}")


def split_commas(text: str) -> list[str]:
    """The parts of a comma-separated text."""
    return [part for each in text.split(",") if (part := each.strip())]


def _validate(name: str, value: Any, schema: Schema) -> Any:
    if "type" not in schema:
        return value
    if schema["type"] == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)  # 5.0 is an integer in JSON Schema, and some clients send it
    expected, fits = _TYPES[schema["type"]]
    if not fits(value):
        raise InvalidInput(name, f"{_quoted(value)} is not {expected}", f"give {_expected(schema)}")
    if "enum" in schema and value not in schema["enum"]:
        raise InvalidInput(name, f"{_quoted(value)} is unknown", f"use one of {', '.join(schema['enum'])}")
    return [_validate(name, item, schema["items"]) for item in value] if "items" in schema else value


def _expected(schema: Schema) -> str:
    if "enum" in schema:
        return f"one of {', '.join(schema['enum'])}"
    if "type" not in schema:
        return "any value"
    item_type = schema.get("items", {}).get("type")
    return _TYPES[schema["type"]][0] + (f", each {_TYPES[item_type][0]}" if item_type else "")


def _quoted(value: Any) -> str:
    quoted = repr(value)
    return quoted if len(quoted) <= _MAX_QUOTED else f"{quoted[:_MAX_QUOTED]}…"
