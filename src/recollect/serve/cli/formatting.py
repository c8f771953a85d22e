"""Small pieces of text that all commands fraction: a memory on one line, its scope, bars, excerpts, counts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from recollect.serve.cli.renderer import Line, Renderer, Span
from recollect.serve.cli.times import age
from recollect.values.scope import RESERVED

if TYPE_CHECKING:
    from recollect.values.memory import Record
    from recollect.values.procedure import Procedure

_BLOCKS = 10
_EXCERPT = 70
# The most of a text in one row of a list; on a terminal the width is the limit.
ROW = 200
# Printed before a negative memory: it says what not to do.
WARNING_MARK = "! "


def excerpt(text: str, length: int = _EXCERPT) -> str:
    """The beginning of a text, on one line."""
    line = one_line(text)
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def one_line(text: str) -> str:
    """A whole text on one line."""
    return " ".join(text.split())


def content_lines(out: Renderer, record: Record) -> list[Line]:
    """The text of a memory with its line breaks; on a terminal a very long one is truncated, with a note."""
    text, room = record.content.replace("\r\n", "\n").expandtabs(4), out.room
    fits = room is None or len(text) <= room
    if fits and (procedure := record.procedure) is not None:
        return _procedure_lines(procedure)
    lines: list[Line] = [(line,) for line in text[:room].split("\n")]
    if record.type == "negative":
        lines = [
            (Span("  " if place else WARNING_MARK, "warn"), Span(str(line), "warn"))
            for place, (line,) in enumerate(lines)
        ]
    rest = Span(f"… `recollect get {record.short_id}` shows all {len(text):,} characters", "dim")
    return lines if fits else [*lines, (rest,)]


def _procedure_lines(procedure: Procedure) -> list[Line]:
    """The text of a procedure, with its parts styled."""
    when: list[Line] = [(Span("When: ", "dim"), procedure.trigger)] if procedure.trigger else []
    before: list[Line] = [(Span("Before:", "dim"),)] if procedure.prerequisites else []
    parts = [("- ", text) for text in procedure.prerequisites]
    parts += [(f"{place}. ", text) for place, text in enumerate(procedure.steps, 1)]
    steps = [line for mark, text in parts for line in _indented(Span(mark, "dim"), text)]
    warnings: list[Line] = [
        (Span(line, "warn"),) for text in procedure.warnings for line in f"Warning: {text}".split("\n")
    ]
    return [(Span(procedure.name, "strong"),), *when, *before, *steps, *warnings]


def _indented(mark: Span, text: str) -> list[Line]:
    first, *more = text.split("\n")
    return [(mark, first), *((" " * len(mark.text), line) for line in more)]


def short_id(record: Record) -> Span:
    """The short id, which people type."""
    return Span(record.short_id, "id")


def scope_label(record: Record) -> str:
    """The scope of a memory, with its name."""
    if (record.team or "").startswith(RESERVED):
        return "context"
    named = {name: getattr(record, name) for name in ("project", "agent", "team", "user", "task")}
    if record.scope == "session":
        return f"session {record.session}"
    return f"{record.scope} {named[record.scope]}" if named.get(record.scope) else record.scope


def short_scope_label(record: Record) -> str:
    """The same for a narrow column: a project is shown by its name alone, since most memories belong to one."""
    return record.project or "" if record.scope == "project" else scope_label(record)


def summary_line(record: Record, now: datetime) -> Line:
    """Id, type, scope, age and tags: the line under a memory."""
    parts = [record.type, short_scope_label(record), age(record.occurred_at or record.created_at, now)]
    parts += [f"said by {record.speaker}"] if record.speaker else []
    parts += [f"season {record.season}"] if record.season else []
    parts += [" ".join(f"#{tag}" for tag in record.tags)] if record.tags else []
    marks = [Span(f" · {word}", "warn") for word in (record.status,) if word != "active"]
    marks += [Span(f" · {label}", "warn") for label in record.labels]
    return (short_id(record), Span(" · " + " · ".join(parts), "dim"), *marks)


def session_label(record: Record) -> str:
    """The session a memory comes from, with its message numbers."""
    provenance = record.provenance
    position = f"message {provenance.position}" if provenance.position is not None else ""
    if provenance.message_range:
        position = f"messages {provenance.message_range[0]}–{provenance.message_range[1]}"
    return " ".join(filter(None, (provenance.session, position)))


def bar(fraction: float) -> tuple[Span, Span]:
    """A number from 0 to 1 as a bar."""
    full = round(min(max(fraction, 0.0), 1.0) * _BLOCKS)
    return Span("█" * full, "bar"), Span("░" * (_BLOCKS - full), "dim")


def aligned(rows: Sequence[tuple[str, Line]]) -> list[Line]:
    """Names and values in two columns."""
    width = max((len(name) for name, _ in rows), default=0)
    return [(Span(f"{name.ljust(width)}  ", "dim"), *value) for name, value in rows]


def count_of(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun, in the plural if needed."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def count_memories(number: int) -> str:
    """A number of memories."""
    return count_of(number, "memory", "memories")
