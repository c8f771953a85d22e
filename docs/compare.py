"""Compares what a command prints with what a page shows. Ids, times, scores and frames may differ, words may not.

`…` in the shown text stands for anything in a line, and alone on a line for any number of lines. The ids of the page are
bound to the ids of the run where they first appear, so that a later command can name them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Ids = dict[str, str]

_ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<![\w-])[0-9a-f]{8}(?![\w-])"
_ANYTHING = "…"
_FRAMES = str.maketrans("", "", "█░│╭╮╰╯─━┃")
_UNITS = "second|minute|hour|day|week|month|year"
_CHANGING = (
    (r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?", "<time>"),
    (rf"just now|(?:in )?\b\d+ (?:{_UNITS})s?(?: ago)?", "<age>"),
    (r"(?<=\s)\d+(?:s|m|h|d|w|mo|y)(?=\s)", "<age>"),
    (r"-?\b\d+\.\d+", "<number>"),
    (r"\b\d+(?= ?%)", "<number>"),
    (r"\b\d+(?= [KM]?B\b)", "<number>"),
)


def agrees(shown: Sequence[str], said: Sequence[str], ids: Ids) -> bool:
    """Whether the lines of a page match the lines of a run; binds the ids if they do."""
    found = _matched(_told(shown), _told(said), dict(ids))
    if found is None:
        return False
    ids.update(found)
    return True


def same(shown: str, said: str) -> bool:
    """Whether one line matches another."""
    return _line(_plain(shown), _plain(said), {}) is not None


def bound(command: str, ids: Ids) -> str:
    """A command of a page with the ids of this run."""
    return re.sub(_ID, lambda found: ids.get(found[0], found[0]), command)


def _told(lines: Sequence[str]) -> list[str]:
    return [plain for line in lines if (plain := _plain(line))]


def _plain(line: str) -> str:
    parts = re.split(f"({_ID})", line.translate(_FRAMES))
    return " ".join("".join(p if n % 2 else _settled(p) for n, p in enumerate(parts)).split())


def _settled(text: str) -> str:
    for pattern, name in _CHANGING:
        text = re.sub(pattern, name, text)
    return text


def _matched(shown: list[str], said: list[str], ids: Ids) -> Ids | None:
    if not shown:
        return None if said else ids
    if shown[0] == _ANYTHING:
        tails = (_matched(shown[1:], said[skipped:], dict(ids)) for skipped in range(len(said) + 1))
        return next((found for found in tails if found is not None), None)
    bindings = _line(shown[0], said[0], ids) if said else None
    return None if bindings is None else _matched(shown[1:], said[1:], ids | bindings)


def _line(shown: str, said: str, ids: Ids) -> Ids | None:
    """Which id of the run each id of the page means, or None if the lines differ."""
    parts = re.split(f"({_ID})", shown)
    pattern = "".join(f"({_ID})" if n % 2 else _loose(part) for n, part in enumerate(parts))
    found = re.fullmatch(pattern, said)
    if found is None:
        return None
    bindings = dict(zip(parts[1::2], found.groups(), strict=True))
    if any(ids.get(mine, theirs) != theirs for mine, theirs in bindings.items()):
        return None
    return bindings | {mine[-8:]: theirs[-8:] for mine, theirs in bindings.items()}


def _loose(text: str) -> str:
    return ".*".join(map(re.escape, text.split(_ANYTHING)))
