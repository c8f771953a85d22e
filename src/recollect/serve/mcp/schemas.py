"""Schemas of tool results (JSON Schema 2020-12)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.serve.mcp.arguments import Schema


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
