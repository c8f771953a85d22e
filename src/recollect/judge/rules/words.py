"""What a word is at any position: article, negation, change cue, number, name, or content with its key.

It classifies the pieces of `tokens`; `analysis` reads them in their order.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from recollect.judge.rules.lexicon import Lexicon
from recollect.judge.rules.tokens import is_cjk, is_number

_STOPS = frozenset(".!?;")
_ODD = re.compile(r"[\d_/.@]")
_LINKS = {"into": "in", "onto": "on", "upon": "on", "inside": "in", "&": "and", "user": "i", "me": "i", "us": "we"}


class Word(NamedTuple):
    """What a piece is at any position; cached, because most words occur again and again."""

    part: str
    lowered: str
    key: str
    capital: bool
    odd: bool  # "camelCase", "path/to", "K8s": a name even at the start of a sentence
    past: bool


@cache
def _parts(lexicon: Lexicon) -> dict[str, str]:
    """Word -> its part; a word listed by several parts has the first of them."""
    lists = {
        "indefinite": lexicon.listed("words", "indefinite"),
        "definite": lexicon.listed("words", "definite"),
        "negation": lexicon.listed("words", "negations"),
        "cue": lexicon.listed("change", "now"),
        "was": lexicon.listed("words", "past_copulas"),
        "be": lexicon.listed("words", "copulas") | {"=", ":", "->"},
        "possessive": lexicon.listed("words", "possessives"),
        "stop": _STOPS,
    }
    return {word: part for part, words in reversed(lists.items()) for word in words}


@lru_cache(maxsize=16384)
def word_of(piece: str, lexicon: Lexicon) -> Word:
    """What a piece is, regardless of its context."""
    lowered = piece.lower()
    past = lowered in lexicon.past_forms or (bool(lexicon.past_forms) and lowered.endswith("ed") and len(lowered) > 4)
    capital = piece[0].isupper()
    plain = piece[1:].islower() or len(piece) == 1 if capital else piece.islower() and _ODD.search(piece) is None
    return Word(_part(lowered, lexicon), lowered, key_of(lowered, lexicon), capital, not plain and lowered != ",", past)


def _part(lowered: str, lexicon: Lexicon) -> str:
    if is_number(lowered):
        return "number"
    if is_cjk(lowered):
        return "cjk"
    return _parts(lexicon).get(lowered) or ("quoted" if "'" in lowered else "content")


@lru_cache(maxsize=16384)
def key_of(lowered: str, lexicon: Lexicon) -> str:
    """The key of a lower-case word; "user" is the one who says "I" elsewhere."""
    return _LINKS[lowered] if lowered in _LINKS and lexicon.name == "en" else lexicon.key(lowered)
