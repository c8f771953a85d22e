"""Matching: which of many triggers a context fires, in a bounded time whatever the patterns.

Before: `trigger`, which spells and checks one. After: recall surfaces the memories whose triggers fired.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from operator import attrgetter
from time import perf_counter

from recollect.errors import InvalidInput
from recollect.values.expression import Unfit, found_in, ready, windows
from recollect.values.trigger import Trigger, fixed_part, folded, path_pattern, split

LONGEST_CONTEXT = 100_000
# Seconds for one expression, and for all globs and expressions of one call.
_EACH, _TOGETHER = 0.02, 0.05
# Eight characters in a row are seldom shared by chance; few sizes, because the context is cut up once for each.
_PIECES = (8, 4, 2, 1)
_PATH = re.compile(r"[\w.~/\\@+-]+")
_OPENING, _CLOSING = "\"'`“‘«([{<", "\"'`”’»)]}>.,;:!?"


@dataclass(frozen=True, slots=True)
class Matched:
    """Which memories a context calls for and by which pattern; whose patterns ran out of time or no longer compile."""

    keys: dict[int, str]
    slow: tuple[int, ...] = ()
    broken: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Entry:
    place: int
    key: int
    spelling: str
    trigger: Trigger
    fixed: str = ""


class Matcher:
    """Many triggers, made ready once, asked often.

    Literals, words and globs are filed under a few rarely shared characters they need, so that a context of some
    thousand characters looks at a handful of ten thousand. Expressions are compiled when first needed.
    """

    def __init__(self, pairs: Iterable[tuple[int, str]]) -> None:
        self._broken: list[int] = []
        self._expressions: list[_Entry] = []
        fixed: list[_Entry] = []
        for entry in self._entries(pairs):
            (self._expressions if entry.trigger.kind == "re" else fixed).append(entry)
        shared = Counter(chain.from_iterable(_pieces(entry.fixed) for entry in fixed))
        self._filed: defaultdict[str, list[_Entry]] = defaultdict(list)
        for entry in fixed:
            self._filed[min(_pieces(entry.fixed), key=shared.__getitem__)].append(entry)
        self._sizes = sorted({len(piece) for piece in self._filed})
        self._ready: dict[str, re.Pattern[str] | Unfit] = {}

    def matches(self, context: str) -> Matched:
        """The keys whose triggers fit the context; it takes a bounded time whatever the patterns."""
        context = context[:LONGEST_CONTEXT]
        text = folded(context)
        called: dict[int, str] = {}
        globs: list[_Entry] = []
        for entry in self._candidates(text):
            if entry.trigger.kind == "glob":
                globs.append(entry)
            elif entry.key not in called and _contains(entry, text):
                called[entry.key] = entry.spelling
        deadline = perf_counter() + _TOGETHER
        late = _on_paths(globs, text, called, deadline)
        slow, broken = self._by_expression(context, called, deadline)
        return Matched(called, _others((*late, *slow), called), _others((*self._broken, *broken), called))

    def _entries(self, pairs: Iterable[tuple[int, str]]) -> Iterator[_Entry]:
        for place, (key, text) in enumerate(pairs):
            try:
                trigger = split(text)
            except InvalidInput:
                self._broken.append(key)
                continue
            fixed = "" if trigger.kind == "re" else fixed_part(trigger)
            if fixed or trigger.kind == "re":
                yield _Entry(place, key, text, trigger, fixed)
            else:
                self._broken.append(key)

    def _candidates(self, text: str) -> list[_Entry]:
        pieces = {text[at : at + size] for size in self._sizes for at in range(len(text) - size + 1)}
        present = pieces & self._filed.keys()
        return sorted((entry for piece in present for entry in self._filed[piece]), key=attrgetter("place"))

    def _by_expression(self, context: str, called: dict[int, str], deadline: float) -> tuple[list[int], list[int]]:
        slow: list[int] = []
        broken: list[int] = []
        parts = windows(context) if self._expressions else ()
        for entry in self._expressions:
            if entry.key in called:
                continue
            expression = self._compiled(entry.trigger.pattern) if perf_counter() < deadline else None
            if isinstance(expression, Unfit):
                broken.append(entry.key)
                continue
            try:
                if expression and found_in(expression, parts, min(_EACH, deadline - perf_counter())):
                    called[entry.key] = entry.spelling
            except TimeoutError:
                expression = None
            if expression is None:
                slow.append(entry.key)
        return slow, broken

    def _compiled(self, pattern: str) -> re.Pattern[str] | Unfit:
        if (known := self._ready.get(pattern)) is None:
            known = self._ready[pattern] = ready(pattern)
        return known


def _on_paths(globs: list[_Entry], text: str, called: dict[int, str], deadline: float) -> list[int]:
    slow: list[int] = []
    paths = _paths(text) if globs else ()
    for entry in globs:
        if entry.key in called:
            continue
        if perf_counter() > deadline:
            slow.append(entry.key)
            continue
        pattern = path_pattern(entry.trigger.pattern)
        if any(entry.fixed in path and pattern.match(path) for path in paths):
            called[entry.key] = entry.spelling
    return slow


def _others(keys: Iterable[int], called: dict[int, str]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(key for key in keys if key not in called))


def _pieces(fixed: str) -> list[str]:
    size = next(size for size in _PIECES if size <= len(fixed))
    return [fixed[at : at + size] for at in range(len(fixed) - size + 1)]


def _contains(entry: _Entry, text: str) -> bool:
    if entry.trigger.kind == "literal":
        return entry.fixed in text
    within, start = _within().match, text.find(entry.fixed)
    while start >= 0:
        before = start > 0 and within(text, start - 1)
        if not before and not within(text, start + len(entry.fixed) - 1):
            return True
        start = text.find(entry.fixed, start + 1)
    return False


@cache
def _within() -> re.Pattern[str]:
    """Two characters of one word. Scripts written without spaces are left out: a word of theirs may stand anywhere."""
    unspaced = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
    return re.compile(rf"[^\W{unspaced}]{{2}}")


def _paths(text: str) -> list[str]:
    """Whatever in a text could be a file name or path: its words without their quotes, and runs of path characters."""
    words = (word.rstrip(_CLOSING).lstrip(_OPENING) for word in text.split(" "))
    runs = (run.rstrip(".") for run in _PATH.findall(text))
    return list(dict.fromkeys(path.replace("\\", "/") for path in chain(words, runs) if path))
