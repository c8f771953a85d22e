"""Passages: what of a memory is embedded. Its whole text, and the sentences of something long that a person said.

Measured on conversations: a person's name before the text is worth 40 points of dense recall where questions name people;
sentences of long turns are worth 1 to 5 points; sentences of short turns or of an assistant's answers are worth nothing.
"""

from __future__ import annotations

import re

from recollect.values.memory import Record
from recollect.values.search import PERSON, role_of

_LONG = 300
_SHORT_SENTENCE, _FULL = 25, 100
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
    """Whether a speaker is a person with a name of their own."""
    return speaker is not None and role_of(speaker) == PERSON and speaker.strip().casefold() not in GENERIC_SPEAKERS


def _sentences(text: str) -> list[str]:
    merged: list[str] = []
    for piece in filter(None, map(str.strip, _BREAK.split(text))):
        short = min(len(piece), len(merged[-1])) < _SHORT_SENTENCE if merged else False
        if short and len(merged[-1]) < _FULL:
            merged[-1] = f"{merged[-1]} {piece}"
        else:
            merged.append(piece)
    return merged[:_MOST]
