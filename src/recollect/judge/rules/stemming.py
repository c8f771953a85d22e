"""The base form of a word, without its plural, past and progressive endings.

Light on purpose: a stemmer that also joins "operator" and "operation" would merge memories.
"""

from __future__ import annotations

from collections.abc import Sequence

_VOWELS = frozenset("aeiouy")


def without_suffix(word: str, suffixes: Sequence[str]) -> str:
    """A word without the first of some endings that it has, longest first, if at least three letters stay."""
    return next((word[: -len(end)] for end in suffixes if word.endswith(end) and len(word) >= len(end) + 3), word)


def english_stem(word: str) -> str:
    """The base form of an English word, without the silent e of longer words."""
    if len(word) > 3:
        word = _without_ending(word)
    return word[:-1] if len(word) > 4 and word[-1] == "e" else word


def _without_ending(word: str) -> str:
    last = word[-1]
    if last == "s":
        return _singular(word)
    if last not in "gd":
        return word
    if word.endswith("ing") and len(word) > 4 and _has_vowel(word[:-3]):
        return _restored(word[:-3])
    if word.endswith("ied"):
        return word[:-3] + "y"
    if word.endswith("ed") and not word.endswith("eed") and len(word) > 4 and _has_vowel(word[:-2]):
        return _restored(word[:-2])
    return word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word[:-1]


def _restored(stump: str) -> str:
    """Undo what English does before -ing and -ed: running -> run, riding -> ride, opening -> open."""
    if len(stump) > 2 and stump[-1] == stump[-2] and stump[-1] not in "lsz":
        return stump[:-1]
    closed = len(stump) > 2 and stump[-1] not in _VOWELS and stump[-1] not in "wx"
    if closed and stump[-2] in _VOWELS and stump[-3] not in _VOWELS:
        return stump + "e"
    return stump


def _has_vowel(part: str) -> bool:
    return any(letter in _VOWELS for letter in part)
