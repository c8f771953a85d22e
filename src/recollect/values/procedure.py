"""Procedure: how something is done, as steps. It is stored as readable text and parsed back from it; prose is parsed too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import takewhile
from typing import Any

from recollect.errors import InvalidInput
from recollect.values.patterns import compiled

LONGEST_NAME = 200
LONGEST_PART = 1000
MOST_PARTS = 100
_MORE = "   "
_LISTS = {"steps": "step", "prerequisites": "prerequisite", "warnings": "warning"}
_NUMBERED = re.compile(r"\d+\. ")


@dataclass(frozen=True, slots=True)
class Procedure:
    """A name, when it applies (trigger), prerequisites, the steps in order, and warnings."""

    name: str
    steps: tuple[str, ...]
    trigger: str | None = None
    prerequisites: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


_FIELDS = tuple(field.name for field in fields(Procedure))


def procedure_of(given: Mapping[str, Any] | Procedure) -> Procedure:
    """A checked procedure from a mapping or a value; unknown fields are refused."""
    plain = to_plain(given) if isinstance(given, Procedure) else given
    if not isinstance(plain, Mapping):
        raise _refused(f"{type(given).__name__} is not a procedure", 'give {"name": …, "steps": […]}')
    for key in plain:
        if key not in _FIELDS:
            raise _refused(f"{key!r} is not a part of a procedure", f"parts: {', '.join(_FIELDS)}")
    lists = {part: tuple(_list_of(part, plain.get(part))) for part in _LISTS}
    if not lists["steps"]:
        raise _refused("it has no steps", "give at least one")
    name = _one_line("name", plain.get("name"))
    if name is None:
        raise _refused("it has no name", "say in a few words what it does")
    return Procedure(name, trigger=_one_line("trigger", plain.get("trigger")), **lists)


def to_plain(procedure: Procedure) -> dict[str, Any]:
    """The procedure as plain JSON."""
    lists = {part: list(getattr(procedure, part)) for part in _LISTS}
    return {"name": procedure.name, "trigger": procedure.trigger, **lists}


def render(procedure: Procedure) -> str:
    """The text a procedure is stored and shown as; `parse_procedure` is the inverse."""
    lines = [procedure.name]
    if procedure.trigger:
        lines.append(f"When: {procedure.trigger}")
    if procedure.prerequisites:
        lines.append("Before:")
    lines += [f"- {_indented(text)}" for text in procedure.prerequisites]
    lines += [f"{place}. {_indented(text)}" for place, text in enumerate(procedure.steps, 1)]
    lines += [f"Warning: {_indented(text)}" for text in procedure.warnings]
    return "\n".join(lines)


def parse_procedure(text: str) -> Procedure | None:
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
    return procedure if render(procedure) == text.strip() else None


def _blocks(text: str) -> list[str]:
    """The lines of a text, each with its indented continuation lines."""
    blocks: list[str] = []
    for line in text.split("\n"):
        if blocks and line.startswith(_MORE):
            blocks[-1] += "\n" + line.removeprefix(_MORE)
        else:
            blocks.append(line)
    return blocks


def _indented(text: str) -> str:
    return text.replace("\n", "\n" + _MORE)


def _list_of(part: str, given: Any) -> Iterator[str]:
    if given is None:
        return
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Sequence):
        raise _refused(f"{part} is {type(given).__name__}", "give a list of strings")
    if len(given) > MOST_PARTS:
        raise _refused(f"it has {len(given):,} {part}", f"at most {MOST_PARTS}; split it into several procedures")
    for place, text in enumerate(given, 1):
        lines = (line.rstrip() for line in _text(f"{_LISTS[part]} {place}", text, LONGEST_PART).splitlines())
        kept = "\n".join(line for line in lines if line).strip()
        if not kept:
            raise _refused(f"{_LISTS[part]} {place} is empty", "leave it out")
        yield kept


def _one_line(part: str, given: Any) -> str | None:
    """Text on one line with normalised white space; None when empty."""
    return None if given is None else " ".join(_text(part, given, LONGEST_NAME).split()) or None


def _text(part: str, given: Any, longest: int) -> str:
    if not isinstance(given, str):
        raise _refused(f"{part} is {type(given).__name__}", "give text")
    if len(given) > longest:
        raise _refused(f"{part} has {len(given):,} characters", f"at most {longest:,}")
    return given


def _refused(problem: str, fix: str) -> InvalidInput:
    return InvalidInput("procedure", problem, fix)


_LONGEST = 20_000
_FEWEST, _LONGEST_NAME = 2, 120
_NUMBERED_LINE = r"(?i)\s*(?:step\s+)?(\d{1,2})\s*[.):]\s+(\S.*)"
_BULLET = r"\s*[-*•]\s+(\S.*)"
_INLINE = r"(?:(?<=\s)|^)\(?(\d{1,2})[.)]\s+"
_NEEDS = (
    r"(?i)(?:first,? )?(?:make sure|ensure)\b|you(?:'ll)? need\b(?! to)|(?:this |it )?requires?\b|prerequisites?:"
    r"|before you start\b"
)
_WARNING = r"(?i)(?:be careful|careful|never|do not|don't|beware|warning:|caution:|avoid)(?!\w)"
_LABEL = r"(?i)(?:warning|caution|careful|prerequisites?|before you start)\s*:\s*"
_GOAL = (
    r"(?i)(?:how to|to) (?!be\b|me\b|us\b|my\b|date\b|start with|begin with|sum up|the\b)([a-z][^:,.\n]{2,100}?)"
    r"\s*(?:[:,]|\s-\s)\s*"
)
# Words after a goal that begin a statement, not an instruction.
_STATEMENT = r"(?i)(?:i|we|he|she|it|they|my|our|the|this|that|a|an|there)\b"
_OPENING = r"(?i)(?:steps?:\s*)?(?:you (?:should |must |can |have to |need to )?)?(?:first(?:ly)?,?\s+)?"
_THEN = (
    r"(?i)[ ,;.]{1,2}(?:and )?(?:then|after that|afterwards)\b,? |[,;.] ?(?:and )?(?:next|finally|lastly|second|third)\b,? "
    r"| ?; | ?(?:->|→) ?"
)
_LISTING = r"(?i)(?:how to|to)\b|.*\b(?:steps|checklist|procedure|process|runbook|instructions|guide|workflow|recipe|routine)\b"
_NAMELESS = frozenset(("steps", "procedure", "instructions", "process", "checklist", "guide", "workflow"))
_SENTENCE = r"(?<=[.!])\s+(?=[A-Z`])"


def extract_procedure(content: str) -> Procedure | None:
    """The procedure a text describes: a goal and at least two steps in order; None for other texts."""
    text = content.strip()
    if len(text) > _LONGEST:
        return None
    written = parse_procedure(text)
    if written and len(written.steps) >= _FEWEST:
        return replace(written, name=_name_from(written.name) or written.name)
    return _from_lines(text.split("\n")) if "\n" in text else _from_prose(" ".join(text.split()))


def _from_lines(lines: Sequence[str]) -> Procedure | None:
    """A heading and a numbered or bulleted list; other lines may only be prerequisites or warnings."""
    heading, asides = "", []
    numbered: list[str] = []
    bullets: list[str] = []
    for line in filter(None, map(str.strip, lines)):
        if found := compiled(_NUMBERED_LINE).match(line):
            numbered.append(found[2])
            if int(found[1]) != len(numbered):
                return None
        elif found := compiled(_BULLET).match(line):
            bullets.append(found[1])
        elif _is_aside(line):
            asides.append(line)
        elif heading or numbered or bullets:
            return None
        else:
            heading = line
    if (numbered and bullets) or (bullets and not compiled(_LISTING).match(heading.lstrip("#* "))):
        return None
    return _build(heading, numbered or bullets, asides)


def _from_prose(text: str) -> Procedure | None:
    """One goal and its steps: "To deploy: run make build, then make push"."""
    if not (goal := compiled(_GOAL).match(text)) or compiled(_STATEMENT).match(text, goal.end()):
        return None
    sentences = compiled(_SENTENCE).split(text[goal.end() :])
    asides = [sentence for sentence in sentences[1:] if _is_aside(sentence)]
    steps = " ".join(sentence for sentence in sentences if sentence not in asides)
    numbered = compiled(_INLINE).split(steps)
    if len(numbered) > 4 and numbered[1::2] == [str(n) for n in range(1, len(numbered) // 2 + 1)]:
        return _build(goal[1], numbered[2::2], asides)
    return _build(goal[1], compiled(_THEN).split(compiled(_OPENING).sub("", steps, count=1)), asides)


def _is_aside(text: str) -> bool:
    return bool(compiled(_NEEDS).match(text) or compiled(_WARNING).match(text))


def _build(heading: str, listed: Sequence[str], asides: Sequence[str]) -> Procedure | None:
    parts = [part for part in (text.strip(" ,;").removesuffix(".").strip() for text in listed) if part]
    needs = list(takewhile(compiled(_NEEDS).match, parts))
    rest = parts[len(needs) :]
    needs += [aside.removesuffix(".") for aside in asides if compiled(_NEEDS).match(aside)]
    wary = [text.removesuffix(".") for text in (*rest, *asides) if compiled(_WARNING).match(text)]
    steps = [step for step in rest if not compiled(_WARNING).match(step)]
    name = _name_from(heading)
    if len(steps) < _FEWEST or name is None:
        return None
    plain = {"name": name, "steps": steps, "prerequisites": [compiled(_LABEL).sub("", need) for need in needs]}
    try:
        return procedure_of({**plain, "warnings": [compiled(_LABEL).sub("", warning) for warning in wary]})
    except InvalidInput:
        return None


def _name_from(heading: str) -> str | None:
    """A heading as a name: "## How to deploy:" is "Deploy"; None for a generic one."""
    bare = re.sub(r"^(?:how to|to|steps (?:to|for))\s+", "", heading.strip("#*_: "), flags=re.IGNORECASE)
    if not 2 < len(bare) <= _LONGEST_NAME or bare.casefold() in _NAMELESS:
        return None
    return bare[0].upper() + bare[1:]
