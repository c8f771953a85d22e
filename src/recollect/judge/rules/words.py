"""What a word is wherever it stands: article, negation, cue, number, name, or content under its key.

Before it: `tokens`, which cuts the text. After it: `analysis`, which reads the words in their order.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from recollect.judge.rules import lexicon
from recollect.judge.rules.stems import PAST_FORMS
from recollect.judge.rules.synonyms import key
from recollect.judge.rules.tokens import is_cjk, is_number

ASIDES = lexicon.LABELS | {"longer", "do", "does"}
_STOPS = frozenset(".!?;")
_ODD = re.compile(r"[\d_/.@]")
_PARTS = {
    "indefinite": lexicon.DETERMINERS & lexicon.INDEFINITE,
    "definite": lexicon.DETERMINERS - lexicon.INDEFINITE,
    "negation": lexicon.NEGATIONS,
    "cue": lexicon.CHANGES,
    "was": lexicon.PAST_COPULAS,
    "be": lexicon.COPULAS | {"=", ":", "->"},
    "possessive": lexicon.POSSESSIVES,
    "stop": _STOPS,
}
# The first part that lists a word is the one it has.
_PART_OF = {word: part for part, words in reversed(_PARTS.items()) for word in words}
_LINKS = {"into": "in", "onto": "on", "upon": "on", "inside": "in", "&": "and", "user": "i", "me": "i", "us": "we"}


class Word(NamedTuple):
    """What a piece is wherever it stands; cached, because most words of a memory were met before."""

    part: str
    lowered: str
    key: str
    capital: bool
    odd: bool  # "camelCase", "path/to", "K8s": a name even at the start of a sentence
    past: bool


@lru_cache(maxsize=16384)
def word_of(piece: str) -> Word:
    """What `piece` is, whatever stands around it."""
    lowered = piece.lower()
    past = lowered in PAST_FORMS or (lowered.endswith("ed") and len(lowered) > 4)
    capital = piece[0].isupper()
    plain = piece[1:].islower() or len(piece) == 1 if capital else piece.islower() and _ODD.search(piece) is None
    odd, part = not plain and lowered != ",", _part(lowered)
    if part == "content" and not (capital or odd or past) and _has_only_a_key(lowered):
        part = "plain"
    return Word(part, lowered, key_of(lowered), capital, odd, past)


def is_always_content(lowered: str) -> bool:
    """Whether a lower-case word is content wherever it stands."""
    return lowered.isalpha() and lowered not in ASIDES and lowered not in _PART_OF


def _has_only_a_key(lowered: str) -> bool:
    """Whether nothing but its key matters of content, whatever stands around it; as of most words."""
    return not lowered.endswith("ing") and lowered != "," and lowered not in ASIDES and lowered not in lexicon.ADDITIONS


def _part(lowered: str) -> str:
    if is_number(lowered):
        return "number"
    if is_cjk(lowered):
        return "cjk"
    return _PART_OF.get(lowered) or ("quoted" if "'" in lowered else "content")


@lru_cache(maxsize=16384)
def key_of(lowered: str) -> str:
    """The key of a lower-case word; "user" is the one who says "I" elsewhere."""
    return _LINKS[lowered] if lowered in _LINKS else key(lowered)
