"""Reads and writes front matter: the fields between two `---` lines at the top of a Markdown file.

Our own files use a strict subset of YAML that needs no YAML parser: one `name: value` per line, where a value is plain text, text
in double quotes, a number, a list in brackets, or an object in braces. Files of other tools are read leniently: nested fields,
lists on lines of their own and wrapped values are accepted, and a block that does not look like front matter is part of the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.errors import InvalidInput

_FENCE = "---"
_FIELD_NAME = re.compile(r"[a-z_]+")
# Text that YAML reads as a string too; everything else is quoted.
_PLAIN = re.compile(r"[^\W\d][\w ./@+-]*\w|\d{4}-\d\d-\d\dT[\d:.+]+|[0-9a-f]{8}-[0-9a-f-]{27}")
_YAML_WORDS = frozenset(("true", "false", "null", "yes", "no", "on", "off"))
_LENIENT_FIELD = re.compile(r"^(\s*)([\w-]+):\s*(.*)$")
_LENIENT_ITEM = re.compile(r"^\s*-\s+(.*)$")
_LENIENT_LINES = 60
_TAG_FIELDS = ("tags", "labels", "keywords")
_BLOCK_MARKERS = (">", "|", ">-", "|-")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The fields of a file, its text, and the number of the line on which the text starts.

    Read leniently, `fields` are all text and the tags are in `tags`.
    """

    fields: dict[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    body: str = ""
    first_line: int = 1


def render(fields: Mapping[str, Any], body: str) -> str:
    """A file with these fields and this text."""
    lines = [f"{name}: {_render_value(value)}" for name, value in fields.items()]
    return "\n".join([_FENCE, *lines, _FENCE, "", body, ""])


def parse(text: str, *, lenient: bool = False) -> FrontMatter:
    """The front matter and the text of a file; a file without front matter is all text."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    end = _closing_line(lines, lenient=lenient)
    if end is None:
        return FrontMatter(body="\n".join(lines))
    inside = lines[1:end]
    fields, tags = _read_lenient(inside) if lenient else (_read_strict(inside), ())
    return FrontMatter(fields, tags, "\n".join(lines[end + 1 :]), end + 2)


def _closing_line(lines: Sequence[str], *, lenient: bool) -> int | None:
    """The index of the line that ends the front matter; None when there is none."""
    if (lines[0].strip() if lenient else lines[0].rstrip()) != _FENCE:
        return None
    if lenient:
        near = enumerate(lines[1:_LENIENT_LINES], 1)
        end = next((number for number, line in near if line.strip() in (_FENCE, "...")), None)
        return end if end is not None and all(map(_is_yaml_like, lines[1:end])) else None
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == _FENCE), None)
    if end is None:
        raise InvalidInput("line 1", "opens front matter that is never closed", f"end it with {_FENCE}")
    return end


def _render_value(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _YAML_WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)


def _read_strict(lines: Sequence[str]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for number, line in enumerate(lines, 2):
        name, colon, value = line.partition(":")
        if not line.strip():
            continue
        if not colon or not _FIELD_NAME.fullmatch(name) or name in fields:
            raise InvalidInput(
                f"line {number}", f"{line[:60]!r} is not `name: value`", "write each name once, on one line"
            )
        fields[name] = _strict_value(value.strip(), number)
    return fields


def _strict_value(value: str, number: int) -> Any:
    if not value.startswith(('"', "[", "{")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        pass
    if value.startswith("[") and value.endswith("]") and not set(value[1:-1]) & set('[]{}"'):
        # People write [deploy, ops]; JSON would want quotes.
        return [part.strip().strip("'") for part in value[1:-1].split(",") if part.strip()]
    raise InvalidInput(f"line {number}", f"{value[:60]!r} cannot be read", 'quote text with "…", write lists as [a, b]')


def _is_yaml_like(line: str) -> bool:
    bare = line.strip()
    known = _LENIENT_FIELD.match(line) or _LENIENT_ITEM.match(line)
    return not bare or bare.startswith("#") or bool(known or line[0] in " \t")


def _read_lenient(lines: Sequence[str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Fields by their own name, however deeply nested, and tags in either of the two usual forms."""
    fields: dict[str, Any] = {}
    tags: list[str] = []
    name = ""
    for line in lines:
        if found := _LENIENT_FIELD.match(line):
            name, value = found[2].lower(), found[3].strip().strip("\"'")
            if name in _TAG_FIELDS:
                tags += re.findall(r"[^\[\],\"'#]+", value)
            elif value and value not in _BLOCK_MARKERS:
                fields.setdefault(name, value)
        elif (item := _LENIENT_ITEM.match(line)) and name in _TAG_FIELDS:
            tags.append(item[1].strip("\"' "))
        elif line.strip() and name and not line.strip().startswith("#"):
            fields[name] = f"{fields.get(name, '')} {line.strip()}".strip()
    return fields, tuple(tag for tag in (raw.strip() for raw in tags) if tag)
