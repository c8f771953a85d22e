"""Whether a text says again what a forgotten one says, in other words: the same names, roles, directions and owners.

This is wider than "the same" of duplicates: a tombstone that stops one text too many can be lifted by its owner, one that lets the
value back in has failed. But with the same words somebody else can do it ("Jan left Eva", "Eva left Jan"), it can go in another
direction, or be about something else ("Tom has cancer", "Tom's mother has cancer").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from recollect.values.outcome import Relation
from recollect.values.purge_digests import TURNING
from recollect.values.terms import STOP_WORDS, query_terms

# A text restates a forgotten one if it is this similar and shares this part of its terms.
_RESTATED, _SHARED_TERMS = 0.85, 0.8
_WORD = re.compile(r"\w+")
_DIRECTIONS = TURNING | frozenset(
    "from up down above below beneath underneath behind inside outside until since towards".split()
)
_PREPOSITIONS = frozenset(
    "about against at by for from in into of on onto over since to under until with without".split()
)
# Whose something is: what one person says of itself, another one says to it, so that "my" and "your" are one.
_OWNERS = tuple(
    map(
        frozenset,
        (
            ("i", "me", "my", "mine", "we", "us", "our", "ours", "you", "your", "yours"),
            ("he", "him", "his"),
            ("she", "her", "hers"),
        ),
    )
)
_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being|gets?|got)\s+(?:\w+ly\s+)?\w+e[dn]\b|\bby\b", re.IGNORECASE)
# "Tom's mother" is somebody else than Tom; "Tom's looking", "Tom's got" and "Tom's a teacher" are about Tom.
_GENITIVE = re.compile(
    r"\b(\w+)['’]s\s+(?!(?:got|been|not|now|still|also|a|an|the)\b|\w+(?:ing|ed|ly)\b)(?=\w)", re.IGNORECASE
)


def restates(old: str, new: str, similarity: float, relation: Relation) -> bool:
    """Whether a new text would bring back what was forgotten; names, numbers, roles and directions must still be the same."""
    if relation == "same":
        return True
    if relation == "extends":
        return not _is_about_another(old, new)
    if relation not in ("different", "related") or similarity < _RESTATED:
        return False
    before, after = set(query_terms(old)), set(query_terms(new))
    if len(before & after) < _SHARED_TERMS * len(before | after):
        return False
    return _same_names(old, new) and _same_direction(old, new) and _same_roles(old, new)


def _is_about_another(old: str, new: str) -> bool:
    """Whether a text that has all words of another one in order puts them together in another way."""
    known = {word.casefold() for word in _GENITIVE.findall(old)}
    owners = {word.casefold() for word in _GENITIVE.findall(new)} - known
    before, after = _words(old), _words(new)
    return not owners.isdisjoint(before) or _is_torn(before, after)


def _is_torn(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether what stands together after the verb belongs to two phrases: "a new job", "a new flat for his old job"."""
    content = [word for word in before if word not in STOP_WORDS]
    together = [pair for pair in pairwise(before) if set(pair).isdisjoint(STOP_WORDS) and pair[0] not in content[:1]]
    for first, second in together:
        if first in after and second in after:
            start, end = after.index(first), len(after) - 1 - after[::-1].index(second)
            if not _PREPOSITIONS.isdisjoint(after[start:end]):
                return True
    return False


def _same_names(old: str, new: str) -> bool:
    """Whether every name and number of each text is in the other one too, in upper or lower case."""
    words = [_WORD.findall(text) for text in (old, new)]
    names = [set(_names(each)) for each in words]
    spoken = [{word.casefold() for word in each} for each in words]
    return names[0] <= spoken[1] and names[1] <= spoken[0]


def _same_direction(old: str, new: str) -> bool:
    """Whether both texts point the same way ("before ten", "under the sofa") and at the same owner ("her salary")."""
    before, after = set(_words(old)), set(_words(new))
    if before & _DIRECTIONS != after & _DIRECTIONS:
        return False
    owners = [{kind for kind in _OWNERS if not kind.isdisjoint(each)} for each in (before, after)]
    return not (owners[0] and owners[1]) or not owners[0].isdisjoint(owners[1])


def _same_roles(old: str, new: str) -> bool:
    """Whether the same ones do it, where both texts begin with a name: exchanged by a passive, and by nothing else."""
    one, other = _subject(old, new), _subject(new, old)
    if not one or not other:
        return True
    if one.isdisjoint(other):
        return (_PASSIVE.search(old) is None) != (_PASSIVE.search(new) is None)
    return ("by" in _words(old)) == ("by" in _words(new))


def _subject(text: str, other: str) -> set[str]:
    """The names with which a text begins, as far as both texts have its words; empty when it begins with something else."""
    words, spoken = _WORD.findall(text), set(_words(other))
    both = {word.casefold() for word in words if word[0].isupper()} & {
        word.casefold() for word in _WORD.findall(other) if word[0].isupper()
    }
    found: set[str] = set()
    for word in words:
        folded = word.casefold()
        if folded in both and folded not in STOP_WORDS:
            found.add(folded)
        elif (found and folded != "and") or (folded in spoken and folded not in STOP_WORDS):
            break
    return found


def _names(words: Sequence[str]) -> Iterable[str]:
    """Numbers and capitalised words; the first word of a text is one unless it is a common word."""
    for place, word in enumerate(words):
        named = word[0].isupper() and (place > 0 or word.casefold() not in STOP_WORDS)
        if named or any(map(str.isdigit, word)):
            yield word.casefold()


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
