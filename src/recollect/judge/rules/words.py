"""What a word is at any position: article, negation, change cue, number, name, or content with its key.

It classifies the pieces of `tokens`; `analysis` reads them in their order.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from recollect.judge.rules import lexicon
from recollect.judge.rules.tokens import is_cjk, is_number
from recollect.judge.rules.word_keys import PAST_FORMS, key

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
# A word listed by several parts has the first of them.
_PART_OF = {word: part for part, words in reversed(_PARTS.items()) for word in words}
_LINKS = {"into": "in", "onto": "on", "upon": "on", "inside": "in", "&": "and", "user": "i", "me": "i", "us": "we"}


class Word(NamedTuple):
    """What a piece is at any position; cached, because most words occur again and again."""

    part: str
    lowered: str
    key: str
    capital: bool
    odd: bool  # "camelCase", "path/to", "K8s": a name even at the start of a sentence
    past: bool


@lru_cache(maxsize=16384)
def word_of(piece: str) -> Word:
    """What a piece is, regardless of its context."""
    lowered = piece.lower()
    past = lowered in PAST_FORMS or (lowered.endswith("ed") and len(lowered) > 4)
    capital = piece[0].isupper()
    plain = piece[1:].islower() or len(piece) == 1 if capital else piece.islower() and _ODD.search(piece) is None
    odd, part = not plain and lowered != ",", _part(lowered)
    if part == "content" and not (capital or odd or past) and _has_only_a_key(lowered):
        part = "plain"
    return Word(part, lowered, key_of(lowered), capital, odd, past)


def is_always_content(lowered: str) -> bool:
    """Whether a lower-case word is content at any position."""
    return lowered.isalpha() and lowered not in ASIDES and lowered not in _PART_OF


def _has_only_a_key(lowered: str) -> bool:
    """Whether only the key of a content word matters, in any context; true of most words."""
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
