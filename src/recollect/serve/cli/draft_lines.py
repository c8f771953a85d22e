"""Files of drafts, one per line as JSON; a line may also be a memory as `export` writes it, which is then imported."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recollect.errors import InvalidInput

if TYPE_CHECKING:
    from datetime import datetime

_DRAFT_FIELD = re.compile(r"drafts\[(\d+)\]\.(.*)")
_LINE = re.compile(r"line (\d+)")
# The one check that needs the store: its error is raised late and does not name a draft.
_CHECKED_IN_STORE = "supersedes"
# What only a stored memory has. A line with one of these is a memory, to be kept as it is; without, it is a draft.
STORED_FIELDS = frozenset((
    "id", "created_at", "updated_at", "accessed_at", "hit_at", "score", "strength", "access_count", "status", "labels",
    "links", "breadcrumbs", "vectors", "cluster",
))  # fmt: skip
# What `--json` prints beside the fields of a memory: an export does not have it, because it is derived when read.
DERIVED_FIELDS = frozenset(("short_id", "account", "superseded_by"))
# What only a draft has.
_DRAFT_ONLY = ("ttl", "revive", "procedure", "derived_from")
_HEADER, _MEMORY = "recollect", "memory"


@dataclass(frozen=True, slots=True)
class DraftLines:
    """The drafts and the stored memories of a file, with the line number of each; of a whole `export`, its bytes."""

    drafts: list[dict[str, Any]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    memories: list[dict[str, Any]] = field(default_factory=list)
    memory_lines: list[int] = field(default_factory=list)
    export: bytes | None = None

    def with_line(self, error: InvalidInput) -> InvalidInput:
        """The same error of a draft, naming the line of the file."""
        found = _DRAFT_FIELD.fullmatch(error.field)
        if found is None and error.field == _CHECKED_IN_STORE:
            return error
        place, name = (int(found[1]), found[2]) if found else (0, error.field)
        return InvalidInput(f"line {self.lines[place]}: {name}", error.problem, error.fix)

    def as_export(self, now: datetime, project: str | None) -> io.BytesIO:
        """The stored memories as an export, for `import_data`; what a line leaves out is as if it were stored now."""
        header = {_HEADER: {"account": "default", "version": 1, "counts": {_MEMORY: len(self.memories)}}}
        rows = [header, *({_MEMORY: _completed(one, now, project)} for one in self.memories)]
        rows.append({"end": {"counts": {_MEMORY: len(self.memories)}}})
        return io.BytesIO("".join(f"{json.dumps(row)}\n" for row in rows).encode())

    def at_home(self, where: str) -> str:
        """A place of `as_export` as a place of the file: its first line is the header."""
        return _LINE.sub(lambda found: f"line {self.memory_lines[int(found[1]) - 2]}", where)


def read_draft_lines(name: str, defaults: Mapping[str, Any], first: int = 1) -> DraftLines:
    """All lines of a file from the `first`, read before any is stored; a line overrides the `defaults`."""
    found, given = DraftLines(), _bytes(name)
    for number, raw in enumerate(given.split(b"\n"), 1):
        if not raw.strip():
            continue
        value = _parsed(number, raw)
        if value.keys() == {_HEADER}:
            return DraftLines(export=given)
        if number >= first:
            _add(found, number, value, defaults)
    if not found.lines and not found.memory_lines:
        raise InvalidInput("jsonl", f"{name} contains no drafts", 'write one per line, like {"content": "…"}')
    return found


def _add(found: DraftLines, number: int, value: dict[str, Any], defaults: Mapping[str, Any]) -> None:
    """Add a line to the drafts, or to the stored memories."""
    given = value[_MEMORY] if value.keys() == {_MEMORY} else value
    if not isinstance(given, dict):
        raise InvalidInput(f"line {number}", "is not a memory", "nothing was stored")
    own = {key: inner for key, inner in given.items() if key not in DERIVED_FIELDS}
    if given is value and not own.keys() & STORED_FIELDS:
        found.drafts.append({**defaults, **own})
        found.lines.append(number)
        return
    memory = {**defaults, **own}
    for name in _DRAFT_ONLY:
        if name in memory:
            stored = ", ".join(sorted(own.keys() & STORED_FIELDS)) or _MEMORY
            problem = f"belongs to a draft, but {stored} to a stored memory"
            raise InvalidInput(f"line {number}: {name}", problem, "give only one of the two; nothing was stored")
    found.memories.append(memory)
    found.memory_lines.append(number)


def _completed(given: Mapping[str, Any], now: datetime, project: str | None) -> dict[str, Any]:
    """The fields of a stored memory, with those that every memory has."""
    from recollect.values.ids import new_id

    own = {name: value for name, value in given.items() if value is not None}
    if own.get("status") == "superseded":
        del own["status"]  # follows from the memory that supersedes it
    if "scope" not in own:
        own["project"] = own.get("project") or project
        own["scope"] = "project" if own["project"] else "global"
    created = own.get("created_at", now.isoformat())
    updated = own.get("updated_at", created)
    return {"id": new_id(now), "created_at": created, "updated_at": updated, "accessed_at": updated, **own}


def _bytes(name: str) -> bytes:
    """The whole file; - is stdin."""
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise click.FileError(name, error.strerror) from error


def _parsed(number: int, raw: bytes) -> dict[str, Any]:
    where, fix = f"line {number}", 'write one draft per line, like {"content": "…", "tags": ["deploy"]}'
    try:
        value = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidInput(where, "is not UTF-8", "convert the file first; nothing was stored") from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(where, f"is not JSON ({error})", f"{fix}; nothing was stored") from None
    if isinstance(value, str):
        return {"content": value}
    if not isinstance(value, dict):
        raise InvalidInput(where, f"is a {type(value).__name__}, not a draft", f"{fix}; nothing was stored")
    return value
