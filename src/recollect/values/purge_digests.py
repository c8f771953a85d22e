"""Digests of a purged text: nothing of its words is kept, and yet it and its rewordings are recognised when they come again.

Of a purged text only keyed digests are left, so that a rewording can be recognised only by a digest that it has itself. One digest
is of the normalised text; the others are of what it states: its content words in any form and order, without those that only
introduce, hedge or emphasise. Negation, numbers and words that turn the meaning count, and who does it where both texts begin with
it ("Ada owes Ben" is not "Ben owes Ada"). What is refused wrongly can be stored with `revive`; what came back could not be taken
back, so that the digests rather match too much than too little.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from recollect.values.ids import fingerprint, normalised
from recollect.values.terms import query_words, stem

# Fewer content words say too little: with one or two, texts about other things would have the same digest.
_FEWEST_TERMS = 2
_NEGATION = re.compile(r"\b(?:no|not|never|none|nothing|neither|nor|without|cannot)\b|n['’]t\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
TURNING = frozenset("into out off against without before after under over instead".split())
_LETTERS_OF_CONTRACTIONS = frozenset("a i s t d m".split())

# Words that introduce, hedge or emphasise a statement and state nothing themselves.
_IDLE = frozenset(
    map(
        stem,
        """actually already always allegedly anyway apparently aware basically believe btw certainly clearly currently
        definitely every evidently everyone fact far finally folks frankly fyi get gets getting go goes going gone got gotten
        guess guys happen happened hear heard hello hey hi honestly however indeed informed know known learned listen literally
        mention mentioned moment note noted now nowadays obviously ok okay oh per please presently presumably probably psst
        really recall remember remind reminder reportedly right sadly said say says saying seem seems simply something still
        suppose supposedly sure surely tell tells think thought today told totally truth turns uh um unfortunately understand us
        well yeah yes yet""".split(),
    )
)
# Where a text begins with one of these, somebody else does it than its first word says.
_LEADING = frozenset("next last this each every today yesterday tomorrow tonight soon recently".split())


class PurgeDigests(NamedTuple):
    """What is kept of a purged text, and what another text is looked up by; equal texts share the first of both."""

    kept: tuple[bytes, ...]
    sought: tuple[bytes, ...]

    @property
    def both(self) -> set[bytes]:
        """Everything that has to go when a person wants the text stored again."""
        return {*self.kept, *self.sought}


def kept_digests(texts: Iterable[str], secret: bytes) -> list[bytes]:
    """What is kept of some purged texts, each digest once."""
    return list(dict.fromkeys(digest for text in texts for digest in purge_digests(text, secret).kept))


@lru_cache(maxsize=32)
def purge_digests(text: str, secret: bytes) -> PurgeDigests:
    """The digests of a text: of its words, and of what it states, by whoever is named first and by anybody."""
    exact = fingerprint(text, secret)
    found = query_words(text)
    stated = {term: word for term, word in found.items() if term not in _IDLE}
    if len(stated) < _FEWEST_TERMS:
        return PurgeDigests((exact,), (exact,))
    words = _WORD.findall(normalised(text))
    terms = {word.casefold(): term for term, word in stated.items()}
    content = _content(words, terms, negated=_NEGATION.search(text) is not None)
    anybody, somebody = _digest(f"anybody\x00{content}", secret), _digest(f"somebody\x00{content}", secret)
    agent = _agent(words, terms)
    if agent is None:
        return PurgeDigests((exact, anybody, somebody), (exact, anybody))
    named = _digest(f"{agent}\x00{content}", secret)
    return PurgeDigests((exact, anybody, named), (exact, somebody, named))


def _content(words: list[str], terms: dict[str, str], *, negated: bool) -> str:
    others = {word for word in words if word not in terms and _decides(word)}
    # "from Leeds to York" is not "from York to Leeds".
    pairs = itertools.pairwise(words)
    others |= {f"from {terms[word]}" for before, word in pairs if before == "from" and word in terms}
    return "\x00".join((*sorted(set(terms.values())), "", *sorted(others), "not" if negated else ""))


def _agent(words: list[str], terms: dict[str, str]) -> str | None:
    """Who does it, where the text begins with that: None for "The old server ...", "Next year ...", "... by the board"."""
    first, *others = words
    plain = (
        first in terms and first not in _LEADING and others[:1] not in (["and"], ["or"], ["s"]) and "by" not in others
    )
    return terms[first] if plain else None


def _decides(word: str) -> bool:
    """Whether a word that is no content word can make another statement: a number, a single letter, a direction."""
    if len(word) == 1:
        return word not in _LETTERS_OF_CONTRACTIONS
    return word in TURNING or any(map(str.isdigit, word))


def _digest(content: str, secret: bytes) -> bytes:
    return hashlib.blake2b(content.encode(), key=secret, digest_size=16, person=b"content words").digest()
