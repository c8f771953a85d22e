"""Front matter: the fields between two `---` lines at the top of a file, as Claude Code and others write them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_FIELD = re.compile(r"^(\s*)([\w-]+):\s*(.*)$")
_ITEM = re.compile(r"^\s*-\s+(.*)$")


@dataclass(frozen=True, slots=True)
class Front:
    """The fields, and what follows them with the line it starts on."""

    fields: dict[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    body: str = ""
    first_line: int = 1

    @property
    def is_memory(self) -> bool:
        """Whether the whole file is one memory, as Claude Code keeps them: a name, a description and a type."""
        return "name" in self.fields and ("description" in self.fields or "type" in self.fields)


def split(text: str) -> Front:
    """Take the front matter off a file; a file that has none is all body."""
    lines = text.split("\n")
    end = next((n for n, line in enumerate(lines[1:60], 1) if line.strip() in ("---", "...")), 0)
    if lines[0].strip() != "---" or not end or not all(_looks_right(line) for line in lines[1:end]):
        return Front(body=text)
    fields, tags = _read(lines[1:end])
    return Front(fields, tags, "\n".join(lines[end + 1 :]), end + 2)


def _looks_right(line: str) -> bool:
    bare = line.strip()
    return not bare or bare.startswith("#") or bool(_FIELD.match(line) or _ITEM.match(line) or line[0] in " \t")


def _read(lines: list[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Fields by their own name, however deep; `tags` in either of the two spellings."""
    fields: dict[str, str] = {}
    tags: list[str] = []
    name = ""
    for line in lines:
        if found := _FIELD.match(line):
            name, value = found[2].lower(), found[3].strip().strip("\"'")
            if name in ("tags", "labels", "keywords"):
                tags += re.findall(r"[^\[\],\"'#]+", value)
            elif value and value not in (">", "|", ">-", "|-"):
                fields.setdefault(name, value)
        elif (item := _ITEM.match(line)) and name in ("tags", "labels", "keywords"):
            tags.append(item[1].strip("\"' "))
        elif line.strip() and name and not line.strip().startswith("#"):
            fields[name] = f"{fields.get(name, '')} {line.strip()}".strip()
    return fields, tuple(tag for tag in (raw.strip() for raw in tags) if tag)
