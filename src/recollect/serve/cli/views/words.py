"""The small phrases all views share: a memory on one line, where it belongs, a bar, a text cut to the room there is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from recollect.serve.cli.page import Line, Page, Piece
from recollect.serve.cli.times import age
from recollect.values.memory import Record
from recollect.values.procedure import Procedure
from recollect.values.scope import RESERVED

_BLOCKS = 10
_EXCERPT = 70
# What stands before a memory that says what not to do.
WARNING = "! "


def excerpt(text: str, length: int = _EXCERPT) -> str:
    """The beginning of a text, on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= length else flat[: length - 1].rstrip() + "…"


def flat(text: str) -> str:
    """A whole text on one line."""
    return " ".join(text.split())


def content_lines(page: Page, record: Record) -> list[Line]:
    """The text of a memory, its own lines kept; on a terminal a very long one is cut, and says so."""
    text, room = record.content.replace("\r\n", "\n").expandtabs(4), page.room
    fits = room is None or len(text) <= room
    if fits and (procedure := record.procedure) is not None:
        return _procedure_lines(procedure)
    lines: list[Line] = [(line,) for line in text[:room].split("\n")]
    if record.type == "negative":
        lines = [
            (Piece("  " if place else WARNING, "warn"), Piece(str(line), "warn")) for place, (line,) in enumerate(lines)
        ]
    rest = Piece(f"… `recollect get {record.short_id}` shows all {len(text):,} characters", "dim")
    return lines if fits else [*lines, (rest,)]


def _procedure_lines(procedure: Procedure) -> list[Line]:
    """The text a procedure is stored as, with its parts told apart."""
    when: list[Line] = [(Piece("When: ", "dim"), procedure.trigger)] if procedure.trigger else []
    before: list[Line] = [(Piece("Before:", "dim"),)] if procedure.prerequisites else []
    parts = [("- ", text) for text in procedure.prerequisites]
    parts += [(f"{place}. ", text) for place, text in enumerate(procedure.steps, 1)]
    steps = [line for mark, text in parts for line in _hanging(Piece(mark, "dim"), text)]
    warnings: list[Line] = [
        (Piece(line, "warn"),) for text in procedure.warnings for line in f"Warning: {text}".split("\n")
    ]
    return [(Piece(procedure.name, "strong"),), *when, *before, *steps, *warnings]


def _hanging(mark: Piece, text: str) -> list[Line]:
    first, *more = text.split("\n")
    return [(mark, first), *((" " * len(mark.text), line) for line in more)]


def short_id(record: Record) -> Piece:
    """The id people type."""
    return Piece(record.short_id, "id")


def belongs(record: Record) -> str:
    """Where a memory lives, in a word or two."""
    if (record.team or "").startswith(RESERVED):
        return "context"
    named = {"project": record.project, "agent": record.agent, "team": record.team, "task": record.task}
    if record.scope == "session":
        return f"session {record.session}"
    return f"{record.scope} {named[record.scope]}" if named.get(record.scope) else record.scope


def where(record: Record) -> str:
    """The same for a narrow place: a project goes by its name alone, it is what most memories belong to."""
    return record.project or "" if record.scope == "project" else belongs(record)


def about(record: Record, now: datetime) -> Line:
    """Id, type, place, age, tags: the line under a memory."""
    parts = [record.type, where(record), age(record.occurred_at or record.created_at, now)]
    parts += [f"said by {record.speaker}"] if record.speaker else []
    parts += [f"season {record.season}"] if record.season else []
    parts += [" ".join(f"#{tag}" for tag in record.tags)] if record.tags else []
    marks = [Piece(f" · {word}", "warn") for word in (record.status,) if word != "active"]
    marks += [Piece(f" · {label}", "warn") for label in record.labels]
    return (short_id(record), Piece(" · " + " · ".join(parts), "dim"), *marks)


def spoken_at(record: Record) -> str:
    """The session a memory was said in, and the messages of it."""
    said = record.provenance
    place = f"message {said.position}" if said.position is not None else ""
    if said.message_range:
        place = f"messages {said.message_range[0]}–{said.message_range[1]}"
    return " ".join(filter(None, (said.session, place)))


def bar(share: float) -> tuple[Piece, Piece]:
    """A share of one as a bar."""
    full = round(min(max(share, 0.0), 1.0) * _BLOCKS)
    return Piece("█" * full, "bar"), Piece("░" * (_BLOCKS - full), "dim")


def aligned(rows: Sequence[tuple[str, Line]]) -> list[Line]:
    """Names and values, the values under each other."""
    width = max((len(name) for name, _ in rows), default=0)
    return [(Piece(f"{name.ljust(width)}  ", "dim"), *value) for name, value in rows]


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number and its noun."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def memories(number: int) -> str:
    """How many memories."""
    return counted(number, "memory", "memories")
