"""Digests of a purged text: nothing of its words is kept, and yet it and its rewordings are recognised when they come again.

Of a purged text only keyed digests are left, so that a rewording can be recognised only by a digest that it has itself. One digest
is of the normalised text; the others are of what it states: its content words in any form and order, without those that only
introduce, hedge or emphasise. Negation, numbers and words that turn the meaning count, and who does it where both texts begin with
it ("Ada owes Ben" is not "Ben owes Ada"). What is refused wrongly can be stored with `revive`; what came back could not be taken
back, so that the digests rather match too much than too little.

A text in disguise (look-alike letters, contractions without their apostrophe) has the digests of what it is read as too. Digests
are kept for years: what a text is looked up by may grow, but never lose what an earlier version kept.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from recollect.values.ids import fingerprint, normalised
from recollect.values.look_alikes import latin
from recollect.values.terms import STOP_WORDS, query_words, stem

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
# With these begins a phrase that may have been moved to the front: "Behind Ada's back, Ben ..." is about Ben.
_FRONTED = frozenset(
    """according across along alongside amid among around behind beneath beside besides beyond concerning considering despite
    following given inside like near opposite outside past per regarding since throughout toward towards underneath unlike
    unknown upon via within without""".split()
)
_FRONT = re.compile(r"[^,，]*[,，]\s*(?=\w)")
# Contractions as they are written without their apostrophe, unless that is a word of its own.
_CONTRACTIONS = {
    word.replace("'", ""): word
    for word in STOP_WORDS.difference(("i'd", "i'll", "it's", "let's", "we're"))
    if "'" in word
}
_LOST_APOSTROPHE = re.compile(rf"\b(?:{'|'.join(sorted(_CONTRACTIONS))})\b")


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


@lru_cache(maxsize=64)  # the clauses of a text are looked up together, several times in a transaction
def purge_digests(text: str, secret: bytes) -> PurgeDigests:
    """The digests of a text: of its words, and of what it states, by whoever is named first and by anybody."""
    kept: dict[bytes, None] = {}
    sought: dict[bytes, None] = {}
    for reading in _readings(text):
        own = _digests(reading, secret)
        kept |= dict.fromkeys(own.kept)
        sought |= dict.fromkeys(own.sought)
    return PurgeDigests(tuple(kept), tuple(sought))


def _readings(text: str) -> tuple[str, ...]:
    """The text, and what it is read as: with Latin letters for those that look like them, and with lost apostrophes."""
    plain = latin(text)
    lowered = plain.casefold()
    if _LOST_APOSTROPHE.search(lowered) is None:
        return (text,) if plain == text else (text, plain)
    spelled = _LOST_APOSTROPHE.sub(lambda word: _CONTRACTIONS[word[0]], lowered)
    return tuple(dict.fromkeys((text, plain, spelled)))


def _digests(text: str, secret: bytes) -> PurgeDigests:
    exact = fingerprint(text, secret)
    found = query_words(text)
    stated = {term: word for term, word in found.items() if term not in _IDLE}
    if len(stated) < _FEWEST_TERMS:
        return PurgeDigests((exact,), (exact,))
    words = _WORD.findall(normalised(text))
    terms = {word.casefold(): term for term, word in stated.items()}
    content = _content(words, terms, negated=_NEGATION.search(text) is not None)
    agents = _agents(text, words, terms)
    named = tuple(_digest(f"{agent}\x00{content}", secret) for agent in agents if agent is not None)
    anybody, somebody = _digest(f"anybody\x00{content}", secret), _digest(f"somebody\x00{content}", secret)
    unknown = None in agents
    kept = (exact, anybody, *named, *((somebody,) if unknown else ()))
    sought = (exact, *named, *((anybody,) if unknown else ()), *((somebody,) if named else ()))
    return PurgeDigests(kept, sought)


def _content(words: list[str], terms: dict[str, str], *, negated: bool) -> str:
    others = {word for word in words if word not in terms and _decides(word)}
    # "from Leeds to York" is not "from York to Leeds".
    pairs = itertools.pairwise(words)
    others |= {f"from {terms[word]}" for before, word in pairs if before == "from" and word in terms}
    return "\x00".join((*sorted(set(terms.values())), "", *sorted(others), "not" if negated else ""))


def _agents(text: str, words: list[str], terms: dict[str, str]) -> tuple[str | None, ...]:
    """Who may be doing it: whoever the text begins with, or the clause after a phrase that was moved to the front."""
    agent = _agent(words, terms)
    if agent is None or words[0] not in _FRONTED:
        return (agent,)
    front = _FRONT.match(text)
    behind = _WORD.findall(normalised(text[front.end() :])) if front is not None else []
    return (agent, _agent(behind, terms) if behind else None)


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
