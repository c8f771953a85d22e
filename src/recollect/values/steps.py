"""Steps of a procedure written as prose or as a list. None when it is not plain what the steps are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from recollect.errors import InvalidInput
from recollect.values.patterns import compiled
from recollect.values.procedure import Procedure, procedure_of, read

_LONGEST = 20_000
_FEWEST, _LONGEST_NAME = 2, 120
_NUMBERED = r"(?i)\s*(?:step\s+)?(\d{1,2})\s*[.):]\s+(\S.*)"
_BULLET = r"\s*[-*•]\s+(\S.*)"
_INLINE = r"(?:(?<=\s)|^)\(?(\d{1,2})[.)]\s+"
_NEEDS = (
    r"(?i)(?:first,? )?(?:make sure|ensure)\b|you(?:'ll)? need\b(?! to)|(?:this |it )?requires?\b|prerequisites?:"
    r"|before you start\b"
)
_BEWARE = r"(?i)(?:be careful|careful|never|do not|don't|beware|warning:|caution:|avoid)(?!\w)"
_LABEL = r"(?i)(?:warning|caution|careful|prerequisites?|before you start)\s*:\s*"
_GOAL = (
    r"(?i)(?:how to|to) (?!be\b|me\b|us\b|my\b|date\b|start with|begin with|sum up|the\b)([a-z][^:,.\n]{2,100}?)"
    r"\s*(?:[:,]|\s-\s)\s*"
)
# What follows a goal and tells something rather than what to do.
_TELLING = r"(?i)(?:i|we|he|she|it|they|my|our|the|this|that|a|an|there)\b"
_OPENING = r"(?i)(?:steps?:\s*)?(?:you (?:should |must |can |have to |need to )?)?(?:first(?:ly)?,?\s+)?"
_THEN = (
    r"(?i)[ ,;.]{1,2}(?:and )?(?:then|after that|afterwards)\b,? |[,;.] ?(?:and )?(?:next|finally|lastly|second|third)\b,? "
    r"| ?; | ?(?:->|→) ?"
)
_LISTING = r"(?i)(?:how to|to)\b|.*\b(?:steps|checklist|procedure|process|runbook|instructions|guide|workflow|recipe|routine)\b"
_NAMELESS = frozenset(("steps", "procedure", "instructions", "process", "checklist", "guide", "workflow"))
_SENTENCE = r"(?<=[.!])\s+(?=[A-Z`])"


def procedure_in(content: str) -> Procedure | None:
    """The procedure a text describes: what it is for, and at least two steps in a plain order."""
    text = content.strip()
    if len(text) > _LONGEST:
        return None
    written = read(text)
    if written and len(written.steps) >= _FEWEST:
        return replace(written, name=_named(written.name) or written.name)
    return _from_lines(text.split("\n")) if "\n" in text else _from_prose(" ".join(text.split()))


def _from_lines(lines: Sequence[str]) -> Procedure | None:
    """A heading and a list, numbered from one or bulleted; other lines may only be needs or warnings."""
    heading, asides = "", []
    numbered: list[str] = []
    bullets: list[str] = []
    for line in filter(None, map(str.strip, lines)):
        if found := compiled(_NUMBERED).match(line):
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
    return _made(heading, numbered or bullets, asides)


def _from_prose(text: str) -> Procedure | None:
    """One goal and its steps: "To deploy: run make build, then make push"."""
    if not (goal := compiled(_GOAL).match(text)) or compiled(_TELLING).match(text, goal.end()):
        return None
    sentences = compiled(_SENTENCE).split(text[goal.end() :])
    asides = [sentence for sentence in sentences[1:] if _is_aside(sentence)]
    told = " ".join(sentence for sentence in sentences if sentence not in asides)
    numbered = compiled(_INLINE).split(told)
    if len(numbered) > 4 and numbered[1::2] == [str(n) for n in range(1, len(numbered) // 2 + 1)]:
        return _made(goal[1], numbered[2::2], asides)
    return _made(goal[1], compiled(_THEN).split(compiled(_OPENING).sub("", told, count=1)), asides)


def _is_aside(text: str) -> bool:
    return bool(compiled(_NEEDS).match(text) or compiled(_BEWARE).match(text))


def _made(heading: str, listed: Sequence[str], asides: Sequence[str]) -> Procedure | None:
    parts = [part for part in (text.strip(" ,;").removesuffix(".").strip() for text in listed) if part]
    needs = list(takewhile(compiled(_NEEDS).match, parts))
    rest = parts[len(needs) :]
    needs += [aside.removesuffix(".") for aside in asides if compiled(_NEEDS).match(aside)]
    wary = [text.removesuffix(".") for text in (*rest, *asides) if compiled(_BEWARE).match(text)]
    steps = [step for step in rest if not compiled(_BEWARE).match(step)]
    name = _named(heading)
    if len(steps) < _FEWEST or name is None:
        return None
    plain = {"name": name, "steps": steps, "prerequisites": [compiled(_LABEL).sub("", need) for need in needs]}
    try:
        return procedure_of({**plain, "warnings": [compiled(_LABEL).sub("", warning) for warning in wary]})
    except InvalidInput:
        return None


def _named(heading: str) -> str | None:
    """A heading as a name: "## How to deploy:" is "Deploy"; None for one that names nothing."""
    bare = re.sub(r"^(?:how to|to|steps (?:to|for))\s+", "", heading.strip("#*_: "), flags=re.IGNORECASE)
    if not 2 < len(bare) <= _LONGEST_NAME or bare.casefold() in _NAMELESS:
        return None
    return bare[0].upper() + bare[1:]
