"""Triggers: patterns of a memory (text, word, glob, regular expression) that are matched against what the caller works on.

Expressions come from callers, so they run within bounded time and memory. The `regex` module needs extra limits for that: it
unrolls repeats when it compiles (three nested {1000} take gigabytes), it recurses with the nesting, and it checks its timeout only
every hundred steps, each as long as the text.
"""

from __future__ import annotations

import fnmatch
import re
import string
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from itertools import chain
from operator import attrgetter
from time import perf_counter
from typing import Any, Literal, NamedTuple, cast, get_args

from recollect.errors import InvalidInput

_DEEPEST = 40
_HEAVIEST = 5000
# Long enough for what triggers look for, short enough that a hundred steps take milliseconds.
_WINDOW, _OVERLAP = 1000, 200
_COUNT = re.compile(r"\{(\d*)(,?)(\d*)\}")
_POSIX = re.compile(r"\[:\^?\w+:\]")
# Comments and flags that would change where a group begins or ends, or what a count repeats.
_UNSUPPORTED = re.compile(r"\(\?(?:#|[a-zA-Z0-9]*-?[a-zA-Z]*[xV])|(?!\A)\(\?[a-zA-Z-]+\)")


class InvalidExpression(NamedTuple):
    """Why an expression cannot be used, and what to do."""

    problem: str
    fix: str


@lru_cache(maxsize=4096)
def compile_expression(pattern: str) -> re.Pattern[str] | InvalidExpression:
    """The expression, compiled; case is ignored, and `^` and `$` are the ends of a line."""
    if problem := _check_structure(pattern):
        return problem
    regex: Any = import_module("regex")
    try:
        return cast("re.Pattern[str]", regex.compile(pattern, regex.IGNORECASE | regex.MULTILINE))
    except regex.error as error:
        return InvalidExpression(f"{error.msg} at character {error.pos or 0}", "correct the expression")
    except (RecursionError, MemoryError, OverflowError):
        return InvalidExpression("it is too large", "simplify the expression")


def matches_any(expression: re.Pattern[str], parts: Sequence[str], seconds: float) -> bool:
    """Whether any part matches; raises TimeoutError when the search takes longer than so many seconds."""
    search: Any = expression.search
    deadline = perf_counter() + seconds
    for part in parts:
        left = deadline - perf_counter()
        if left <= 0:
            raise TimeoutError
        if search(part, timeout=left) is not None:
            return True
    return False


def windows(text: str) -> list[str]:
    """A text in overlapping parts, cut between lines or words where possible; the end of a part counts as a line end."""
    parts, start = [], 0
    while len(text) - start > _WINDOW:
        end = _cut_at(text, start + _WINDOW - _OVERLAP, start + _WINDOW)
        parts.append(text[start:end])
        start = _cut_at(text, end - _OVERLAP, end - _OVERLAP // 2)
    parts.append(text[start:])
    return parts


def _cut_at(text: str, low: int, high: int) -> int:
    """The last line end between two positions, else the last space, else the second position."""
    return next((at for mark in ("\n", " ") if (at := text.rfind(mark, low, high)) >= 0), high)


def _check_structure(pattern: str) -> InvalidExpression | None:
    """What is wrong with an expression before it is compiled: its size once unrolled, its nesting, its brackets."""
    if _UNSUPPORTED.search(pattern):
        return InvalidExpression("comments, the flags x and V, and flags inside are not supported", "leave them out")
    sizes, last, place = [0], 0, 0
    while place < len(pattern):
        if pattern[place] == "(":
            sizes.append(0)
            last, place = 0, place + 1
        elif pattern[place] == ")":
            last, place = sizes.pop() + 1, place + 1
            if not sizes:
                return InvalidExpression(f"unbalanced parenthesis at character {place - 1}", "correct the expression")
            sizes[-1] += last
        elif repeat := _repeat(pattern, place):
            sizes[-1] += last * (repeat[0] - 1)
            last, place = last * repeat[0], repeat[1]
        else:
            last, place = 1, _end_of_token(pattern, place)
            sizes[-1] += 1
        if sizes[-1] > _HEAVIEST or len(sizes) > _DEEPEST:
            return InvalidExpression(
                "it is too large once its repeats are written out", "use smaller counts and fewer groups"
            )
    return None if len(sizes) == 1 else InvalidExpression("a parenthesis is not closed", "correct the expression")


def _repeat(pattern: str, place: int) -> tuple[int, int] | None:
    """How often a quantifier at a position copies what it repeats, and where it ends."""
    if pattern[place] in "*+?":
        return (2 if pattern[place] == "+" else 1), place + 1
    if not (found := _COUNT.match(pattern, place)):
        return None
    least = int(found[1][:6] or 0)
    exact = not found[2] or found[1] == found[3]
    return max(least if exact else least + 1, 1), found.end()


def _end_of_token(pattern: str, place: int) -> int:
    """Where the escape, character class or character at a position ends."""
    if pattern[place] == "\\":
        return place + 2
    if pattern[place] != "[":
        return place + 1
    place += 1 + (pattern[place + 1 : place + 2] == "^")
    place += pattern[place : place + 1] == "]"
    while place < len(pattern) and pattern[place] != "]":
        posix = _POSIX.match(pattern, place)
        place = posix.end() if posix else place + 1 + (pattern[place] == "\\")
    return place + 1


Kind = Literal["literal", "word", "glob", "re"]
KINDS: tuple[str, ...] = get_args(Kind)

LONGEST = 1000
_SHORTEST = 2
_CHECK_SECONDS = 0.02  # seconds
_CLASS = re.compile(r"\[!?\]?[^\]]*\]")
_LOOSE = re.compile(r"[*?/\\]|" + _CLASS.pattern)


@dataclass(frozen=True, slots=True)
class Trigger:
    """A kind and the pattern without its prefix."""

    kind: Kind
    pattern: str


def parse(text: str) -> Trigger:
    """The trigger a string describes; one that is malformed, or that would always fire, is refused."""
    trigger = split_prefix(text)
    if trigger.kind == "re":
        _check_expression(trigger.pattern)
    elif trigger.kind == "glob":
        _check_glob(trigger.pattern)
    elif len(fold(trigger.pattern)) < _SHORTEST:
        raise _refused(f"{trigger.pattern!r} is one character and would nearly always fire", "give more of the text")
    return trigger


def format_trigger(trigger: Trigger) -> str:
    """The string that `parse` reads as this trigger."""
    prefix, colon, _ = trigger.pattern.partition(":")
    if trigger.kind == "literal" and not (colon and prefix in KINDS):
        return trigger.pattern
    return f"{trigger.kind}:{trigger.pattern}"


def split_prefix(text: str) -> Trigger:
    """The trigger a string describes; of its pattern only the length is checked."""
    if not isinstance(text, str):
        raise _refused(f"{type(text).__name__} is not text", "give each trigger as a string")
    if len(text) > LONGEST:
        raise _refused(f"one has {len(text):,} characters", f"at most {LONGEST:,}; give the distinctive part of it")
    if "\x00" in text or any("\ud800" <= c <= "\udfff" for c in text):
        raise _refused("one contains a NUL character or half a character", "give plain text")
    prefix, colon, rest = text.strip().partition(":")
    kind, pattern = (prefix, rest.strip()) if colon and prefix in KINDS else ("literal", text.strip())
    if not pattern:
        raise _refused("one is empty", "give text, word:…, glob:… or re:…")
    return Trigger(cast("Kind", kind), pattern)


def _check_glob(pattern: str) -> None:
    if len(pattern.split()) > 1:
        raise _refused(f"the glob {pattern!r} has a space, and a path is read up to a space", "leave the space out")
    if "{" in pattern:
        raise _refused(f"the glob {pattern!r} has braces", "give one trigger for each alternative")
    narrow = _CLASS.sub("a", pattern).replace("*", "").replace("?", "")
    if len(narrow) < _SHORTEST or not any(c.isalnum() for c in narrow) or not fixed_part(Trigger("glob", pattern)):
        raise _refused(f"the glob {pattern!r} matches nearly every word", "name a folder, a file or an ending")


def _check_expression(pattern: str) -> None:
    expression = compile_expression(pattern)
    if isinstance(expression, InvalidExpression):
        raise _refused(f"the expression {pattern[:60]!r} cannot be used: {expression.problem}", expression.fix)
    try:
        if matches_any(expression, ("", *string.printable), _CHECK_SECONDS):
            raise _refused(f"the expression {pattern[:60]!r} fits one character and would always fire", "ask for more")
    except TimeoutError:
        raise _refused(f"the expression {pattern[:60]!r} takes too long on one letter", "simplify it") from None


def fold(text: str) -> str:
    """Text for the comparison of literals, words and globs: case folded, white space as one space."""
    plain = text.casefold()
    return " ".join((plain if plain.isascii() else unicodedata.normalize("NFC", plain)).split())


def fixed_part(trigger: Trigger) -> str:
    """The longest text that every matching context must contain."""
    plain = fold(trigger.pattern)
    return max(_LOOSE.split(plain), key=len) if trigger.kind == "glob" else plain


@lru_cache(maxsize=4096)
def path_pattern(glob: str) -> re.Pattern[str]:
    """A glob as an expression for one path: it may begin at any folder, and `**/` also matches no folder."""
    plain = fold(glob).replace("\\", "/")
    forms = dict.fromkeys((plain, plain.replace("**/", "")))
    return re.compile(f"(?:.*/)?(?:{'|'.join(map(fnmatch.translate, forms))})")


def _refused(problem: str, fix: str) -> InvalidInput:
    return InvalidInput("triggers", problem, fix)


LONGEST_CONTEXT = 100_000
# Seconds for one expression, and for all globs and expressions of one call.
_SECONDS_EACH, _SECONDS_IN_ALL = 0.02, 0.05
# Eight characters in a row are rarely shared by chance; only a few sizes, because the context is split once per size.
_PIECES = (8, 4, 2, 1)
_PATH = re.compile(r"[\w.~/\\@+-]+")
_OPENING, _CLOSING = "\"'`“‘«([{<", "\"'`”’»)]}>.,;:!?"


@dataclass(frozen=True, slots=True)
class PatternMatches:
    """The keys of matching triggers with the pattern, and the keys whose patterns ran out of time or do not compile."""

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


class PatternMatcher:
    """Many triggers, prepared once and matched often.

    Literals, words and globs are indexed by a few rare characters they contain, so that a context of some thousand characters is
    compared with a handful of ten thousand triggers. Expressions are compiled on first use.
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
        self._ready: dict[str, re.Pattern[str] | InvalidExpression] = {}

    def matches(self, context: str) -> PatternMatches:
        """The keys whose triggers match the context, in bounded time whatever the patterns."""
        context = context[:LONGEST_CONTEXT]
        text = fold(context)
        matched: dict[int, str] = {}
        globs: list[_Entry] = []
        for entry in self._candidates(text):
            if entry.trigger.kind == "glob":
                globs.append(entry)
            elif entry.key not in matched and _contains(entry, text):
                matched[entry.key] = entry.spelling
        deadline = perf_counter() + _SECONDS_IN_ALL
        late = _on_paths(globs, text, matched, deadline)
        slow, broken = self._by_expression(context, matched, deadline)
        return PatternMatches(
            matched, _without_matched((*late, *slow), matched), _without_matched((*self._broken, *broken), matched)
        )

    def _entries(self, pairs: Iterable[tuple[int, str]]) -> Iterator[_Entry]:
        for place, (key, text) in enumerate(pairs):
            try:
                trigger = split_prefix(text)
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

    def _by_expression(self, context: str, matched: dict[int, str], deadline: float) -> tuple[list[int], list[int]]:
        slow: list[int] = []
        broken: list[int] = []
        parts = windows(context) if self._expressions else ()
        for entry in self._expressions:
            if entry.key in matched:
                continue
            expression = self._compiled(entry.trigger.pattern) if perf_counter() < deadline else None
            if isinstance(expression, InvalidExpression):
                broken.append(entry.key)
                continue
            try:
                if expression and matches_any(expression, parts, min(_SECONDS_EACH, deadline - perf_counter())):
                    matched[entry.key] = entry.spelling
            except TimeoutError:
                expression = None
            if expression is None:
                slow.append(entry.key)
        return slow, broken

    def _compiled(self, pattern: str) -> re.Pattern[str] | InvalidExpression:
        if (known := self._ready.get(pattern)) is None:
            known = self._ready[pattern] = compile_expression(pattern)
        return known


def _on_paths(globs: list[_Entry], text: str, matched: dict[int, str], deadline: float) -> list[int]:
    slow: list[int] = []
    paths = _paths(text) if globs else ()
    for entry in globs:
        if entry.key in matched:
            continue
        if perf_counter() > deadline:
            slow.append(entry.key)
            continue
        pattern = path_pattern(entry.trigger.pattern)
        if any(entry.fixed in path and pattern.match(path) for path in paths):
            matched[entry.key] = entry.spelling
    return slow


def _without_matched(keys: Iterable[int], matched: dict[int, str]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(key for key in keys if key not in matched))


def _pieces(fixed: str) -> list[str]:
    size = next(size for size in _PIECES if size <= len(fixed))
    return [fixed[at : at + size] for at in range(len(fixed) - size + 1)]


def _contains(entry: _Entry, text: str) -> bool:
    if entry.trigger.kind == "literal":
        return entry.fixed in text
    within, start = _inside_word().match, text.find(entry.fixed)
    while start >= 0:
        before = start > 0 and within(text, start - 1)
        if not before and not within(text, start + len(entry.fixed) - 1):
            return True
        start = text.find(entry.fixed, start + 1)
    return False


@cache
def _inside_word() -> re.Pattern[str]:
    """Two characters of one word. Scripts without spaces are left out: their words may begin anywhere."""
    unspaced = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
    return re.compile(rf"[^\W{unspaced}]{{2}}")


def _paths(text: str) -> list[str]:
    """Everything in a text that could be a file name or path: words without quotes, and runs of path characters."""
    words = (word.rstrip(_CLOSING).lstrip(_OPENING) for word in text.split(" "))
    runs = (run.rstrip(".") for run in _PATH.findall(text))
    return list(dict.fromkeys(path.replace("\\", "/") for path in chain(words, runs) if path))
