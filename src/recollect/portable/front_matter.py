"""Reads and writes front matter: the fields between two `---` lines at the top of a Markdown file.

What may be written is the part of YAML that `yaml_subset` reads. In our own files, anything else is an error. Files of other
tools are read leniently: a block that does not look like front matter is text, and one that cannot be read is returned as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.errors import InvalidInput
from recollect.portable.yaml_subset import YamlError, parse_yaml

_FENCE = "---"
_FIELD_NAME = re.compile(r"[a-z_]+")
# Text that YAML reads as a string too; everything else is quoted.
_PLAIN = re.compile(r"[^\W\d][\w ./@+-]*\w|\d{4}-\d\d-\d\dT[\d:.+]+|[0-9a-f]{8}-[0-9a-f-]{27}")
_YAML_WORDS = frozenset(("true", "false", "null", "yes", "no", "on", "off"))
_LENIENT_LINE = re.compile(r"""^\s*(?:-(?:\s|$)|[\w"'-][^:]{0,80}:(?:\s|$)|[\]}])""")
_LENIENT_LINES = 60
TAG_FIELDS = ("tags", "labels", "keywords")
_LIST_SEPARATORS = re.compile(r"[,\s]+(?=#)|\s*,\s*")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The fields of a file, its text, and the number of the line on which the text starts.

    `unread` is the front matter itself if it cannot be read, and `problem` says why.
    """

    fields: dict[str, Any] = field(default_factory=dict)
    body: str = ""
    first_line: int = 1
    unread: str = ""
    problem: str = ""

    def text(self, name: str) -> str:
        """A field as text, also one inside of another field; empty if there is none."""
        found = _find(self.fields, name)
        return "" if found is None or isinstance(found, (dict, list)) else str(found).strip()

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags, written as a list or as text with commas."""
        found = [_find(self.fields, name) for name in TAG_FIELDS]
        return tuple(dict.fromkeys(tag for value in found for tag in _as_tags(value)))


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
    inside, body = lines[1:end], "\n".join(lines[end + 1 :])
    if not lenient:
        return FrontMatter(_read_strict(inside), body, end + 2)
    try:
        return FrontMatter(parse_yaml(inside), body, end + 2)
    except YamlError as error:
        return FrontMatter({}, body, end + 2, "\n".join(inside), f"line {error.line + 1} {error.problem}")


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
    try:
        fields = parse_yaml(lines, typed=False)
    except YamlError as error:
        raise InvalidInput(
            f"line {error.line + 1}",
            f"{lines[error.line - 1][:60].strip()!r} cannot be read: it {error.problem}",
            'write `name: value` once per name, quote text with "…", write lists as [a, b] or with dashes',
        ) from None
    for name, value in fields.items():
        if not _FIELD_NAME.fullmatch(name):
            raise InvalidInput(name[:60], "is not the name of a field", "names are lower-case letters and underscores")
        if isinstance(value, dict):
            # What is inside an object is data; the fields themselves are told apart by their names.
            fields[name] = parse_yaml(lines)[name]
    return fields


def _is_yaml_like(line: str) -> bool:
    bare = line.strip()
    return not bare or bare.startswith("#") or line[0] in " \t" or _LENIENT_LINE.match(line) is not None


def _find(fields: Mapping[str, Any], name: str) -> Any:
    """A field by its name in any case, the outermost first."""
    inner = []
    for key, value in fields.items():
        if key.lower() == name and value is not None:
            return value
        inner += [value] if isinstance(value, dict) else []
    return next((found for each in inner if (found := _find(each, name)) is not None), None)


def _as_tags(value: Any) -> Iterator[str]:
    """Tags in the forms that people use: a list, also nested, or text with commas."""
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _as_tags(each) if not isinstance(each, str) else (each.strip().lstrip("#"),)
    elif isinstance(value, str):
        yield from (tag for part in _LIST_SEPARATORS.split(value) if (tag := part.strip("\"' #")))
    elif value is not None and not isinstance(value, dict):
        yield str(value)
