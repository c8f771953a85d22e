"""Tags in a query: a #tag that exists is a filter; a `named` recall is restricted to the tags it names, with or without #.

A number is mostly no tag even if there is one: "issue #42" and "PR #1187" are words. Alone, "#42" brings what has either.
Names are matched strictly: the first two letters of a word must be right, and short words must be right altogether.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from recollect.ports import Reader
from recollect.recall.state import RecallState
from recollect.values.plain import shorten
from recollect.values.search import DeliveryQuery, Filter, Search
from recollect.values.terms import stem

_WORD = re.compile(r"[^\W_]+(?:[.'’+#][^\W_]+)*[+#]*")
_START = 4000
_TYPOS_FROM, _PREFIX = 5, 2
_MOST_MEMBERS = 200
_MOST_NAMED = 5
_MOST_ACCOUNTS = 64

Words = tuple[str, ...]


def filter_by_tags(state: RecallState) -> None:
    """Stage: narrow the search to the #tags of the query that exist for the viewer. Any other is only a word of the query."""
    asked = state.prepared.query.tags
    if not asked:
        return
    known = set(state.reader.tag_names(state.request.viewer.account))
    found = [tag for tag in asked if tag in known and _is_visible(state, tag)]
    unknown = [tag for tag in asked if tag not in found]
    if unknown:
        names = ", ".join(f"#{shorten(tag)}" for tag in unknown[:_MOST_NAMED])
        state.notes += (f"no memory here is tagged {names}: searched as a word",)
    if found and state.prepared.query.only_tags and all(map(str.isdecimal, asked)):
        state.tags, state.search = tuple(found), state.search.for_rows(_with_tag_or_word(state, found))
        return
    state.tags = tuple(tag for tag in found if not tag.isdecimal())
    if state.tags:
        narrowed = state.search.filter
        both = tuple(dict.fromkeys((*narrowed.tags, *state.tags)))
        state.search = replace(state.search, filter=replace(narrowed, tags=both))


def _is_visible(state: RecallState, tag: str) -> bool:
    """Whether the viewer may recall a memory with a tag, leaving the caller's own filter aside."""
    own = state.search.filter
    search = replace(state.search, filter=Filter(tags=(tag,), statuses=own.statuses, without=own.without))
    (rows,) = state.reader.list_by_delivery(search, [DeliveryQuery(limit=1)])
    return bool(rows)


def _with_tag_or_word(state: RecallState, tags: Sequence[str]) -> tuple[int, ...]:
    """The rows that have one of some tags, and those that have a word of the query."""
    own, words = state.search.filter, state.prepared.query.terms
    tagged = (replace(state.search, filter=replace(own, tags=(*own.tags, tag))) for tag in tags)
    rows = [
        row
        for search in tagged
        for found in state.reader.list_by_delivery(search, [DeliveryQuery(limit=_MOST_MEMBERS)])
        for row in found
    ]
    if words:
        by_word = replace(state.search, vector=None, terms=words, neighbours=0, windows=(), standing=False, every=0)
        said = state.reader.candidates(by_word)
        rows += said.rows[(said.matches > 0).any(axis=1)].tolist()
    return tuple(dict.fromkeys(rows))


def match_tags(state: RecallState) -> None:
    """Stage: restrict a `named` request to the memories whose tags it names and what they link to."""
    if state.request.named:
        rows = state.tag_matcher.rows(state.reader, state.search, state.request.text)
        state.search = state.search.for_rows(rows)


class TagNames:
    """The tags of one account, indexed by their first word."""

    def __init__(self, tags: Iterable[str]) -> None:
        self._exact: dict[str, list[tuple[Words, str]]] = defaultdict(list)
        self._near: dict[str, list[tuple[Words, str]]] = defaultdict(list)
        for tag in tags:
            words = _words(tag)
            if words:
                self._exact[stem(words[0])].append((words, tag))
                self._near[words[0][:_PREFIX]].append((words, tag))

    def in_text(self, text: str) -> list[str]:
        """The tags a text names, in the order it names them."""
        words = _words(text[:_START])
        found: dict[str, None] = {}
        for position, word in enumerate(words):
            for known in (self._exact.get(stem(word), ()), self._near.get(word[:_PREFIX], ())):
                for name, tag in known:
                    if tag not in found and _matches(words[position : position + len(name)], name):
                        found[tag] = None
        return list(found)


@dataclass(slots=True)
class TagMatcher:
    """The tag names of each account, cached until they change."""

    _indexed: dict[str, tuple[object, TagNames]] = field(default_factory=dict)

    def rows(self, reader: Reader, search: Search, text: str) -> tuple[int, ...]:
        """The visible memories with a tag that a text names, and the memories those link to."""
        account = search.viewer.account
        tags = reader.tag_names(account)
        known = self._indexed.get(account)
        if known is None or known[0] is not tags:
            if len(self._indexed) >= _MOST_ACCOUNTS:
                self._indexed.clear()
            known = self._indexed[account] = (tags, TagNames(tags))
        nodes = [("tag", tag) for tag in known[1].in_text(text)]
        members = (
            dict.fromkeys(int(edge.target[1]) for edge in reader.edges(account, nodes, _MOST_MEMBERS)) if nodes else {}
        )
        visible = reader.filter_visible(search, list(members))
        linked = [link.target for record in reader.fetch(account, visible) for link in record.links if not link.settled]
        return tuple(dict.fromkeys((*visible, *reader.rows_of(account, linked))))


def _words(text: str) -> Words:
    return tuple(_WORD.findall(text.casefold()))


def _matches(words: Sequence[str], name: Words) -> bool:
    return len(words) == len(name) and all(_same_word(one, other) for one, other in zip(words, name, strict=True))


def _same_word(one: str, other: str) -> bool:
    if one == other or stem(one) == stem(other):
        return True
    if max(len(one), len(other)) < _TYPOS_FROM or one[:_PREFIX] != other[:_PREFIX] or not one.isalpha():
        return False
    return abs(len(one) - len(other)) <= 1 and _one_typo(one, other)


def _one_typo(one: str, other: str) -> bool:
    """One letter added, missing or replaced, or two letters swapped."""
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
    return (position for position, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
