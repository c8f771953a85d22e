"""Manner: how something was said, as far as it bears on recall. A standing instruction; a turn that only asks."""

from __future__ import annotations

import re

from recollect.values.memory import Record
from recollect.values.search import PERSON, UNKNOWN, role_of

_STANDING = re.compile(
    r"\b(?:always|never|from now on|going forward|in (?:the )?future)\b.{0,120}\b(?:when(?:ever)? i|if i|for me|my)\b"
    r"|^\s*(?:please\s+)?(?:always|never|from now on|remember (?:to|that)|do not|don't)\b"
    r"|\bwhen(?:ever)? i ask\b",
    re.IGNORECASE,
)
# One of these stands in whatever the pattern matches. None has an i: without case, a pattern's i is also a dotless one.
_STANDING_CUES = ("always", "never", "from now on", "forward", "future", "when", "remember", "do not", "don't")
_LONGEST_INSTRUCTION = 600
_QUESTION_MARKS = ("?", "？", "؟")


def is_standing(memory: Record) -> bool:
    """Whether this tells the agent how to behave from now on."""
    if memory.type in ("rule", "negative"):
        return True
    if role_of(memory.speaker) not in (PERSON, UNKNOWN) or len(memory.content) >= _LONGEST_INSTRUCTION:
        return False
    start = memory.content[:400]
    folded = start.casefold()
    return any(cue in folded for cue in _STANDING_CUES) and _STANDING.search(start) is not None


def only_asks(memory: Record) -> bool:
    """Whether a person's turn ends in a question: it states less than others."""
    return role_of(memory.speaker) == PERSON and memory.content.rstrip().endswith(_QUESTION_MARKS)
