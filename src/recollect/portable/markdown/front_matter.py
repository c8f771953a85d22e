"""Front matter: the few lines on top of a file that say what the text below is.

A strict part of YAML that needs no parser of it: one `name: value` a line, a value being plain text, a text in double quotes, a
number, or a list in brackets. What cannot be read so is an error that names the line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from recollect.errors import InvalidInput

_FENCE = "---"
_NAME = re.compile(r"[a-z_]+")
# Text that YAML, too, reads as nothing but itself; everything else is quoted.
_PLAIN = re.compile(r"[^\W\d][\w ./@+-]*\w|\d{4}-\d\d-\d\dT[\d:.+]+|[0-9a-f]{8}-[0-9a-f-]{27}")
_WORDS = frozenset(("true", "false", "null", "yes", "no", "on", "off"))


def rendered(fields: Mapping[str, Any], body: str) -> str:
    """A file of these fields and this text."""
    lines = [f"{name}: {_value(value)}" for name, value in fields.items()]
    return "\n".join([_FENCE, *lines, _FENCE, "", body, ""])


def _value(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)


def parsed(text: str) -> tuple[dict[str, Any], str]:
    """The fields of a file and its text; a file without front matter is all text."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != _FENCE:
        return {}, "\n".join(lines).strip()
    try:
        end = next(number for number, line in enumerate(lines[1:], 1) if line.rstrip() == _FENCE)
    except StopIteration:
        raise InvalidInput("line 1", "opens front matter that is never closed", f"end it with {_FENCE}") from None
    fields: dict[str, Any] = {}
    for number, line in enumerate(lines[1:end], 2):
        name, colon, value = line.partition(":")
        if not line.strip():
            continue
        if not colon or not _NAME.fullmatch(name) or name in fields:
            raise InvalidInput(
                f"line {number}", f"{line[:60]!r} is not `name: value`", "write each name once, in a line"
            )
        fields[name] = _read(value.strip(), number)
    return fields, "\n".join(lines[end + 1 :]).strip()


def _read(value: str, number: int) -> Any:
    if not value.startswith(('"', "[")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        pass
    if value.startswith("[") and value.endswith("]") and not set(value[1:-1]) & set('[]{}"'):
        # People write [deploy, ops]; JSON would want quotes.
        return [part.strip().strip("'") for part in value[1:-1].split(",") if part.strip()]
    raise InvalidInput(f"line {number}", f"{value[:60]!r} cannot be read", 'quote text with "…", write lists as [a, b]')
