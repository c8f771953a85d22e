"""Expression: a regular expression somebody else wrote, compiled and searched within bounded time and memory.

Three things of the `regex` module need bounds of our own: it unrolls repeats when it compiles (three nested {1000} take
gigabytes), it recurses with the nesting, and it looks at the clock only every hundred steps, each as long as the text.
Before: `trigger.parse` and `Matcher`. After: nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from time import perf_counter
from typing import Any, NamedTuple, cast

_DEEPEST = 40
_HEAVIEST = 5000
# Long enough for what a trigger looks for; short enough that a hundred steps of it are over in milliseconds.
_WINDOW, _OVERLAP = 1000, 200
_COUNT = re.compile(r"\{(\d*)(,?)(\d*)\}")
_POSIX = re.compile(r"\[:\^?\w+:\]")
# Comments and flags that would change where a group begins or ends, or what a count repeats.
_UNSUPPORTED = re.compile(r"\(\?(?:#|[a-zA-Z0-9]*-?[a-zA-Z]*[xV])|(?!\A)\(\?[a-zA-Z-]+\)")


class Unfit(NamedTuple):
    """Why an expression cannot be used, and what to do."""

    problem: str
    fix: str


@lru_cache(maxsize=4096)
def ready(pattern: str) -> re.Pattern[str] | Unfit:
    """The expression, compiled; case is ignored, and `^` and `$` are the ends of a line."""
    if problem := _structure(pattern):
        return problem
    regex: Any = import_module("regex")
    try:
        return cast("re.Pattern[str]", regex.compile(pattern, regex.IGNORECASE | regex.MULTILINE))
    except regex.error as error:
        return Unfit(f"{error.msg} at character {error.pos or 0}", "mend the expression")
    except (RecursionError, MemoryError, OverflowError):
        return Unfit("it is too large", "simplify the expression")


def found_in(expression: re.Pattern[str], parts: Sequence[str], seconds: float) -> bool:
    """Whether any part matches; TimeoutError when that cannot be told in so many seconds."""
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
    """A text in overlapping parts, cut between lines or words where it can be; the end of a part counts as a line end."""
    parts, start = [], 0
    while len(text) - start > _WINDOW:
        end = _gap(text, start + _WINDOW - _OVERLAP, start + _WINDOW)
        parts.append(text[start:end])
        start = _gap(text, end - _OVERLAP, end - _OVERLAP // 2)
    parts.append(text[start:])
    return parts


def _gap(text: str, low: int, high: int) -> int:
    """The last line end between two places, else the last space, else the second place."""
    return next((at for mark in ("\n", " ") if (at := text.rfind(mark, low, high)) >= 0), high)


def _structure(pattern: str) -> Unfit | None:
    """What is wrong with an expression before it is compiled: its size once unrolled, its nesting, its brackets."""
    if _UNSUPPORTED.search(pattern):
        return Unfit("comments, the flags x and V, and flags inside are not supported", "leave them out")
    sizes, last, place = [0], 0, 0
    while place < len(pattern):
        if pattern[place] == "(":
            sizes.append(0)
            last, place = 0, place + 1
        elif pattern[place] == ")":
            last, place = sizes.pop() + 1, place + 1
            if not sizes:
                return Unfit(f"unbalanced parenthesis at character {place - 1}", "mend the expression")
            sizes[-1] += last
        elif repeat := _repeat(pattern, place):
            sizes[-1] += last * (repeat[0] - 1)
            last, place = last * repeat[0], repeat[1]
        else:
            last, place = 1, _past(pattern, place)
            sizes[-1] += 1
        if sizes[-1] > _HEAVIEST or len(sizes) > _DEEPEST:
            return Unfit("it is too large once its repeats are written out", "use smaller counts and fewer groups")
    return None if len(sizes) == 1 else Unfit("a parenthesis is not closed", "mend the expression")


def _repeat(pattern: str, place: int) -> tuple[int, int] | None:
    """How often a quantifier at a place copies what it repeats, and where it ends."""
    if pattern[place] in "*+?":
        return (2 if pattern[place] == "+" else 1), place + 1
    if not (found := _COUNT.match(pattern, place)):
        return None
    least = int(found[1][:6] or 0)
    exact = not found[2] or found[1] == found[3]
    return max(least if exact else least + 1, 1), found.end()


def _past(pattern: str, place: int) -> int:
    """Where the escape, character class or character at a place ends."""
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
