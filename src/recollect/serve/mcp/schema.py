"""Schema: the few shapes the arguments and answers of our tools are made of, as JSON Schema 2020-12."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.serve.mcp.tool import Schema


def text(about: str = "") -> Schema:
    """Any text."""
    return _of("string", about)


def whole(about: str = "") -> Schema:
    """A whole number."""
    return _of("integer", about)


def number(about: str = "") -> Schema:
    """Any number."""
    return _of("number", about)


def flag(about: str = "") -> Schema:
    """Yes or no."""
    return _of("boolean", about)


def thing(about: str = "") -> Schema:
    """An object of any shape."""
    return _of("object", about)


def word(words: Sequence[str], about: str = "") -> Schema:
    """One of some words."""
    return _of("string", about) | {"enum": list(words)}


def texts(about: str = "") -> Schema:
    """A list of texts."""
    return _of("array", about) | {"items": {"type": "string"}}


def things(**properties: Schema) -> Schema:
    """A list of objects that have at least these properties."""
    return {"type": "array", "items": answer(**properties)}


def anything(about: str = "") -> Schema:
    """Any JSON value."""
    return {"description": about} if about else {}


def answer(*required: str, **properties: Schema) -> Schema:
    """An object with these properties, and perhaps others."""
    schema: dict[str, Any] = {"type": "object"}
    if properties:
        schema["properties"] = properties
    if required:
        schema["required"] = list(required)
    return schema


def _of(kind: str, about: str) -> Schema:
    return {"type": kind, "description": about} if about else {"type": kind}
