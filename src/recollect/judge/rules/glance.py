"""A glance: what the words of a text tell before they are read in their order, for a fraction of what reading costs.

Before it: `tokens` and `words`. After it: `compare`, which reads an old text only when a glance at it leaves something open.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from recollect.judge.rules.analysis import IGNORED, is_adverb
from recollect.judge.rules.lexicon import PREPOSITIONS
from recollect.judge.rules.tokens import is_cjk, pieces
from recollect.judge.rules.transitions import TELLING
from recollect.judge.rules.words import is_always_content, key_of


class Glance(NamedTuple):
    """The words of a text, and every key its analysis could have: what is not among these it does not say."""

    words: tuple[str, ...]
    keys: frozenset[str]

    def says_besides(self, known: frozenset[str]) -> bool:
        """Whether the text surely says something that is not among some keys."""
        return any(key_of(word) not in known and _is_surely_said(word) for word in self.words)


@lru_cache(maxsize=1024)
def glance(text: str) -> Glance | None:
    """What the words of `text` tell; none where they tell it only together."""
    words = pieces(text.lower()) if text.isascii() else [piece.lower() for piece in pieces(text)]
    keys = frozenset(map(key_of, words))
    # Contractions, runs of characters, and words that turn a sentence into another one.
    if not TELLING.isdisjoint(keys) or "cannot" in words:
        return None
    if (not text.isascii() or "'" in text) and any("'" in word or is_cjk(word) for word in words):
        return None
    return Glance(tuple(words), keys.union(words))


def _is_surely_said(word: str) -> bool:
    """Whether the key of a word is part of the gist wherever the word stands."""
    key = key_of(word)
    return is_always_content(word) and not (key in IGNORED or key in PREPOSITIONS or is_adverb(key))
