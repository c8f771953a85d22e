"""Terms: the words of a text, in every script, for the lexical index and for queries.

A query is cleaned: URLs, punctuation and single characters are dropped, hyphens split words, and any word may match. Terms are
looked up and never parsed, so `NOT`, `NEAR(` and `tags:` are ordinary words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import chain
from typing import Protocol, cast

URL = re.compile(r"\b(?:https?|ftp|file)://\S+|\bwww\.\S+", re.IGNORECASE)
# Vowel signs of Indian scripts are marks, not letters, but belong to the word.
_WORD = re.compile("(?:[^\\W_]|[\u0900-\u0dff])+(?:['\u2019](?!s\\b)[^\\W_]+)*")
_PLAIN_WORD = re.compile(r"[a-zA-Z0-9]+(?:'(?!s\b)[a-zA-Z0-9]+)*")
_KANA_VOICING = frozenset("\u3099\u309a")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
# Scripts written without spaces between words: overlapping pairs of characters stand in for words.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003134f]+"
)
_LATIN = re.compile(r"[a-z']+\Z")
_MARKED = re.compile(r"[^\x00-\x7f]")

# BM25's saturation and length constants: one pair for every back end and for the profile that scores term by term.
BM25_K1, BM25_B = 1.2, 0.75

STOP_WORDS = frozenset(
    """a about after again all also am an and any are aren't as at be because been before being between both but by can
    can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from further had hadn't
    has hasn't have haven't having he her here hers herself him himself his how i i'd i'll i'm i've if in into is isn't
    it it's its itself just let's me more most my myself no nor not of off on once only or other ought our ours ourselves
    out over own same shan't she should shouldn't so some such than that that's the their theirs them themselves then
    there there's these they they're this those through to too under until up very was wasn't we we're were weren't what
    what's when where which while who whom why will with won't would wouldn't you you'd you'll you're you've your yours
    yourself yourselves""".split()
)


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802  (the library's name)


def terms_of(text: str) -> list[str]:
    """Every term of a document, in order, repeats included."""
    return list(chain.from_iterable(map(_forms, _words(text))))


def query_terms(text: str) -> tuple[str, ...]:
    """The distinct terms of a query; common words are left out unless there is nothing else."""
    return tuple(query_words(text))


def query_words(text: str) -> dict[str, str]:
    """The terms of a query, each with the word it came from."""
    words = _words(URL.sub(" ", text))
    content = [word for word in words if word.casefold().replace("\u2019", "'") not in STOP_WORDS]
    found: dict[str, str] = {}
    for word in content or words:
        for term in _forms(word):
            found.setdefault(term, word)
    return found


def _words(text: str) -> list[str]:
    if text.isascii():  # the usual case: the same words, three times faster
        return _PLAIN_WORD.findall(text)
    plain = unicodedata.normalize("NFKC", text)
    if _MARKED.search(plain):
        plain = _unmarked(plain)
    return _WORD.findall(plain)


@lru_cache(maxsize=1 << 17)
def _forms(word: str) -> tuple[str, ...]:
    if word.isascii() and word.islower():
        return (whole,) if len(whole := stem(word)) > 1 else ()
    folded = word.casefold().replace("\u2019", "'")
    if UNSPACED.search(folded):
        return tuple(_pairs(folded))
    whole = stem(folded)
    parts = _CAMEL.findall(word) if word != folded and not word.isupper() and not word.istitle() else ()
    forms = dict.fromkeys((whole, *(stem(part.casefold()) for part in parts)))
    return tuple(form for form in forms if len(form) > 1)


def _unmarked(text: str) -> str:
    """Text without accents and vowel points: `Café` is `Cafe`, vowelled Arabic is bare Arabic."""
    kept = (c for c in unicodedata.normalize("NFKD", text) if c in _KANA_VOICING or not unicodedata.combining(c))
    return unicodedata.normalize("NFC", "".join(kept)).replace("\u0640", "")


def _pairs(run: str) -> Iterator[str]:
    position = 0
    for match in UNSPACED.finditer(run):
        if match.start() > position:
            yield run[position : match.start()]
        part = match.group()
        yield from (part[i : i + 2] for i in range(len(part) - 1)) if len(part) > 1 else (part,)
        position = match.end()
    if position < len(run):
        yield run[position:]


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of one lower-case word."""
    return _stemmer().stemWord(word) if _LATIN.match(word) and len(word) > 2 else word


@cache
def _stemmer() -> _Stemmer:
    import Stemmer  # imported on first use: a command that only prints help does not need it

    return cast("_Stemmer", Stemmer.Stemmer("english"))
