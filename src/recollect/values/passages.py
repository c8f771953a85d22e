"""Passages: the texts of a memory that are embedded. The whole text, and for a long turn of a person also its sentences.

Measured on conversations: the name of the speaker before the text adds 40 points of dense recall where questions name people;
sentences of long turns add 1 to 5 points; sentences of short turns or of an assistant add nothing. Short sentences are joined to
passages of up to 160 characters, which saves a third of the model runs and costs no recall; 180 characters do cost some.
"""

from __future__ import annotations

import re

from recollect.values.memory import Record
from recollect.values.search import PERSON, UNKNOWN, role_of

_LONG = 320
_FULL = 160
_MOST = 12
_BREAK = re.compile(r"(?<=[.!?])\s+|\n+|(?<=[。！？])")
GENERIC_SPEAKERS = frozenset(("user", "human"))


def passages(memory: Record) -> list[str]:
    """The texts to embed, the whole first."""
    name = f"{memory.speaker}: " if is_named(memory.speaker) else ""
    whole = [name + memory.content]
    if len(memory.content) < _LONG or role_of(memory.speaker) != PERSON:
        return whole
    sentences = _sentences(memory.content)
    return whole + [name + sentence for sentence in sentences] if len(sentences) > 1 else whole


def is_named(speaker: str | None) -> bool:
    """Whether a speaker is a person with a name, not just "user"."""
    return speaker is not None and role_of(speaker) == PERSON and speaker.strip().casefold() not in GENERIC_SPEAKERS


def _sentences(text: str) -> list[str]:
    """The sentences in order; short neighbours share a passage."""
    gathered: list[str] = []
    for sentence in filter(None, map(str.strip, _BREAK.split(text))):
        if gathered and len(gathered[-1]) + len(sentence) < _FULL:
            gathered[-1] = f"{gathered[-1]} {sentence}"
        else:
            gathered.append(sentence)
    return gathered[:_MOST]


_STANDING = re.compile(
    r"\b(?:always|never|from now on|going forward|in (?:the )?future)\b.{0,120}\b(?:when(?:ever)? i|if i|for me|my)\b"
    r"|^\s*(?:please\s+)?(?:always|never|from now on|remember (?:to|that)|do not|don't)\b"
    r"|\bwhen(?:ever)? i ask\b",
    re.IGNORECASE,
)
# Whatever the pattern matches contains one of these. None has an i, which a case-insensitive pattern also matches as dotless ı.
_STANDING_CUES = ("always", "never", "from now on", "forward", "future", "when", "remember", "do not", "don't")
_LONGEST_INSTRUCTION = 600
_QUESTION_MARKS = ("?", "？", "؟")


def is_standing_instruction(memory: Record) -> bool:
    """Whether a memory is a standing instruction: how to behave from now on."""
    if memory.type in ("rule", "negative"):
        return True
    if role_of(memory.speaker) not in (PERSON, UNKNOWN) or len(memory.content) >= _LONGEST_INSTRUCTION:
        return False
    start = memory.content[:400]
    folded = start.casefold()
    return any(cue in folded for cue in _STANDING_CUES) and _STANDING.search(start) is not None


def is_question(memory: Record) -> bool:
    """Whether a turn of a person ends with a question: it states less than others."""
    return role_of(memory.speaker) == PERSON and memory.content.rstrip().endswith(_QUESTION_MARKS)
