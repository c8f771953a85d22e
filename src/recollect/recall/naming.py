"""Naming: which tags a question names, in the same words or within one slip of the keys; for recall of just what is named.

A tag stands for a thing and its other names ("kubernetes", "k8s"). What merely sounds alike is left out: the first two letters
of a word must be right, and short words must be right altogether.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from recollect.ports import Reader
from recollect.values.search import Search
from recollect.values.terms import stem

_WORD = re.compile(r"[^\W_]+(?:[.'’+#][^\W_]+)*[+#]*")
_START = 4000
_SLIPS_FROM, _PREFIX = 5, 2
_MOST = 200
_MANY_ACCOUNTS = 64

Words = tuple[str, ...]


class TagNames:
    """The tags of one account, ready to be found in questions."""

    def __init__(self, tags: Iterable[str]) -> None:
        self._exact: dict[str, list[tuple[Words, str]]] = defaultdict(list)
        self._near: dict[str, list[tuple[Words, str]]] = defaultdict(list)
        for tag in tags:
            words = _words(tag)
            if words:
                self._exact[stem(words[0])].append((words, tag))
                self._near[words[0][:_PREFIX]].append((words, tag))

    def in_question(self, text: str) -> list[str]:
        """The tags a question names, in the order it names them."""
        words = _words(text[:_START])
        found: dict[str, None] = {}
        for place, word in enumerate(words):
            for known in (self._exact.get(stem(word), ()), self._near.get(word[:_PREFIX], ())):
                for name, tag in known:
                    if tag not in found and _says(words[place : place + len(name)], name):
                        found[tag] = None
        return list(found)


@dataclass(slots=True)
class Named:
    """The tag names of each account, made ready once for as long as they stay the same."""

    _ready: dict[str, tuple[object, TagNames]] = field(default_factory=dict)

    def rows(self, reader: Reader, search: Search, text: str) -> tuple[int, ...]:
        """The memories that a question names by a tag, and what they themselves are linked to."""
        account = search.viewer.account
        tags = reader.tag_names(account)
        known = self._ready.get(account)
        if known is None or known[0] is not tags:
            if len(self._ready) >= _MANY_ACCOUNTS:
                self._ready.clear()
            known = self._ready[account] = (tags, TagNames(tags))
        nodes = [("tag", tag) for tag in known[1].in_question(text)]
        members = dict.fromkeys(int(edge.target[1]) for edge in reader.edges(account, nodes, _MOST)) if nodes else {}
        seen = reader.among(search, list(members))
        linked = [link.target for record in reader.fetch(account, seen) for link in record.links if not link.settled]
        return tuple(dict.fromkeys((*seen, *reader.rows_of(account, linked))))


def _words(text: str) -> Words:
    return tuple(_WORD.findall(text.casefold()))


def _says(said: Sequence[str], name: Words) -> bool:
    return len(said) == len(name) and all(_same(one, other) for one, other in zip(said, name, strict=True))


def _same(one: str, other: str) -> bool:
    if one == other or stem(one) == stem(other):
        return True
    if max(len(one), len(other)) < _SLIPS_FROM or one[:_PREFIX] != other[:_PREFIX] or not one.isalpha():
        return False
    return abs(len(one) - len(other)) <= 1 and _one_slip(one, other)


def _one_slip(one: str, other: str) -> bool:
    """One letter more, one less, another one, or two that changed places."""
    first = next(_differences(one, other), None)
    if first is None:
        return True
    rest, their_rest = one[first:], other[first:]
    return (
        rest[1:] == their_rest[1:]
        or rest[1:] == their_rest
        or rest == their_rest[1:]
        or (rest[:2] == their_rest[1::-1] and rest[2:] == their_rest[2:])
    )


def _differences(one: str, other: str) -> Iterator[int]:
    return (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
