"""JSON schemas of answers: the few keywords that all providers know, and a check that an answer holds to them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.errors import JudgeError

Schema = Mapping[str, Any]
STRING: Schema = {"type": "string"}
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,), "integer": (int,), "number": (int, float),
}  # fmt: skip


def one_of(values: Sequence[str]) -> Schema:
    """One of some words."""
    return {"type": "string", "enum": list(values)}


def list_of(items: Schema) -> Schema:
    """A list."""
    return {"type": "array", "items": items}


def object_of(**fields: Schema) -> Schema:
    """An object with exactly these fields; the strict mode of OpenAI wants all of them required and no others."""
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def problem_of(value: Any, schema: Schema, where: str = "the answer") -> str | None:
    """What is wrong with a value, or None."""
    wanted = schema["type"]
    is_type = isinstance(value, _TYPES[wanted]) and not (isinstance(value, bool) and wanted in ("integer", "number"))
    if not is_type:
        return f"{where} is no {wanted}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{where} is none of {', '.join(schema['enum'])}"
    if wanted == "number" and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return f"{where} is not between {schema['minimum']} and {schema['maximum']}"
    if wanted == "array":
        parts = ((f"{where}[{place}]", each, schema["items"]) for place, each in enumerate(value))
    elif wanted == "object":
        missing = [name for name in schema["required"] if name not in value]
        if missing:
            return f"{where} has no {missing[0]!r}"
        parts = ((f"{where}.{name}", value[name], inner) for name, inner in schema["properties"].items())
    else:
        return None
    return next((found for name, each, inner in parts if (found := problem_of(each, inner, name))), None)


def parse_object(text: str) -> dict[str, Any]:
    """The JSON object in a text. Models put it into a code block, or think aloud before it; the last object counts then."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = _last_object(text)
    if not isinstance(found, dict):
        raise JudgeError("the answer is no JSON object")
    return found


def _last_object(text: str) -> Any:
    decoder, found, start = json.JSONDecoder(), None, text.find("{")
    while start >= 0:
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        start = text.find("{", end)
    return found
