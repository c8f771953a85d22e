"""Procedure: how something is done, as steps. It is stored as readable text, and read back from it.

Before: intake; `steps` reads one out of prose. After: it is a memory of type `procedure` like any
other, found and shown by its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from recollect.errors import InvalidInput

LONGEST_NAME = 200
LONGEST_PART = 1000
MOST_PARTS = 100
_MORE = "   "
_LISTS = {"steps": "step", "prerequisites": "prerequisite", "warnings": "warning"}
_NUMBERED = re.compile(r"\d+\. ")


@dataclass(frozen=True, slots=True)
class Procedure:
    """A name, when it applies, what must be so before, the steps in order, and what to beware of."""

    name: str
    steps: tuple[str, ...]
    trigger: str | None = None
    prerequisites: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


_FIELDS = tuple(field.name for field in fields(Procedure))


def procedure_of(given: Mapping[str, Any] | Procedure) -> Procedure:
    """A checked procedure from a mapping or a value; unknown names are refused with the list."""
    plain = to_plain(given) if isinstance(given, Procedure) else given
    if not isinstance(plain, Mapping):
        raise _refused(f"{type(given).__name__} is not a procedure", 'give {"name": …, "steps": […]}')
    for key in plain:
        if key not in _FIELDS:
            raise _refused(f"{key!r} is not a part of a procedure", f"parts: {', '.join(_FIELDS)}")
    lists = {part: tuple(_several(part, plain.get(part))) for part in _LISTS}
    if not lists["steps"]:
        raise _refused("it has no steps", "give at least one")
    name = _line("name", plain.get("name"))
    if name is None:
        raise _refused("it has no name", "say in a few words what it does")
    return Procedure(name, trigger=_line("trigger", plain.get("trigger")), **lists)


def to_plain(procedure: Procedure) -> dict[str, Any]:
    """The procedure as JSON has it."""
    lists = {part: list(getattr(procedure, part)) for part in _LISTS}
    return {"name": procedure.name, "trigger": procedure.trigger, **lists}


def rendered(procedure: Procedure) -> str:
    """The text a procedure is stored and shown as; `read` is its inverse for what `procedure_of` checked."""
    lines = [procedure.name]
    if procedure.trigger:
        lines.append(f"When: {procedure.trigger}")
    if procedure.prerequisites:
        lines.append("Before:")
    lines += [f"- {_indented(text)}" for text in procedure.prerequisites]
    lines += [f"{place}. {_indented(text)}" for place, text in enumerate(procedure.steps, 1)]
    lines += [f"Warning: {_indented(text)}" for text in procedure.warnings]
    return "\n".join(lines)


def read(text: str) -> Procedure | None:
    """The procedure a text was rendered from; None for any other text."""
    name, *parts = _blocks(text.strip())
    found: dict[str, list[str]] = {part: [] for part in ("When: ", "- ", "Warning: ", "steps")}
    for part in parts:
        mark = next((mark for mark in found if part.startswith(mark)), None)
        if mark is not None:
            found[mark].append(part.removeprefix(mark))
        elif number := _NUMBERED.match(part):
            found["steps"].append(part[number.end() :])
    lists = {"steps": found["steps"], "prerequisites": found["- "], "warnings": found["Warning: "]}
    try:
        procedure = procedure_of({"name": name, "trigger": next(iter(found["When: "]), None), **lists})
    except InvalidInput:
        return None
    return procedure if rendered(procedure) == text.strip() else None


def _blocks(text: str) -> list[str]:
    """The lines of a text, each with the indented ones that continue it."""
    blocks: list[str] = []
    for line in text.split("\n"):
        if blocks and line.startswith(_MORE):
            blocks[-1] += "\n" + line.removeprefix(_MORE)
        else:
            blocks.append(line)
    return blocks


def _indented(text: str) -> str:
    return text.replace("\n", "\n" + _MORE)


def _several(part: str, given: Any) -> Iterator[str]:
    if given is None:
        return
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Sequence):
        raise _refused(f"{part} is {type(given).__name__}", "give a list of strings")
    if len(given) > MOST_PARTS:
        raise _refused(f"it has {len(given):,} {part}", f"at most {MOST_PARTS}; make several procedures of it")
    for place, text in enumerate(given, 1):
        lines = (line.rstrip() for line in _text(f"{_LISTS[part]} {place}", text, LONGEST_PART).splitlines())
        kept = "\n".join(line for line in lines if line).strip()
        if not kept:
            raise _refused(f"{_LISTS[part]} {place} is empty", "leave it out")
        yield kept


def _line(part: str, given: Any) -> str | None:
    """One line of text, white space aside; None for nothing."""
    return None if given is None else " ".join(_text(part, given, LONGEST_NAME).split()) or None


def _text(part: str, given: Any, longest: int) -> str:
    if not isinstance(given, str):
        raise _refused(f"{part} is {type(given).__name__}", "give text")
    if len(given) > longest:
        raise _refused(f"{part} has {len(given):,} characters", f"at most {longest:,}")
    return given


def _refused(problem: str, fix: str) -> InvalidInput:
    return InvalidInput("procedure", problem, fix)
