r"""Trigger: a pattern that surfaces a memory first whenever the context matches it, whatever the similarity.

One string spells it: `println!` (the text itself), `word:drop table` (whole words), `glob:*.env` (a file name or path),
`re:rm\s+-rf` (a regular expression, see `expression`). Case never matters, nor, outside expressions, does the length of
white space. `literal:` spells a text that begins like one of the others. Before: intake. After: recall.
"""

from __future__ import annotations

import fnmatch
import re
import string
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, cast, get_args

from recollect.errors import InvalidInput
from recollect.values.expression import Unfit, found_in, ready

Kind = Literal["literal", "word", "glob", "re"]
KINDS: tuple[str, ...] = get_args(Kind)

LONGEST = 1000
_SHORTEST = 2
_MOMENT = 0.02  # seconds
_CLASS = re.compile(r"\[!?\]?[^\]]*\]")
_LOOSE = re.compile(r"[*?/\\]|" + _CLASS.pattern)


@dataclass(frozen=True, slots=True)
class Trigger:
    """A kind and the pattern without its prefix."""

    kind: Kind
    pattern: str


def parse(text: str) -> Trigger:
    """The trigger a string spells; one that is malformed, or that would fire always, is refused."""
    trigger = split(text)
    if trigger.kind == "re":
        _check_expression(trigger.pattern)
    elif trigger.kind == "glob":
        _check_glob(trigger.pattern)
    elif len(folded(trigger.pattern)) < _SHORTEST:
        raise _refused(f"{trigger.pattern!r} is one character and would fire nearly always", "give more of the text")
    return trigger


def spelled(trigger: Trigger) -> str:
    """The string that `parse` reads as this trigger."""
    prefix, colon, _ = trigger.pattern.partition(":")
    if trigger.kind == "literal" and not (colon and prefix in KINDS):
        return trigger.pattern
    return f"{trigger.kind}:{trigger.pattern}"


def split(text: str) -> Trigger:
    """The trigger a string spells, its pattern not examined beyond its length."""
    if not isinstance(text, str):
        raise _refused(f"{type(text).__name__} is not text", "give each trigger as a string")
    if len(text) > LONGEST:
        raise _refused(f"one has {len(text):,} characters", f"at most {LONGEST:,}; give the telling part of it")
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
        raise _refused(f"the glob {pattern!r} fits nearly every word", "name a folder, a file or an ending")


def _check_expression(pattern: str) -> None:
    expression = ready(pattern)
    if isinstance(expression, Unfit):
        raise _refused(f"the expression {pattern[:60]!r} cannot be used: {expression.problem}", expression.fix)
    try:
        if found_in(expression, ("", *string.printable), _MOMENT):
            raise _refused(f"the expression {pattern[:60]!r} fits one character and would fire always", "ask for more")
    except TimeoutError:
        raise _refused(f"the expression {pattern[:60]!r} takes too long on one letter", "simplify it") from None


def folded(text: str) -> str:
    """Text as literals, words and globs compare it: case aside, one space for any white space."""
    plain = text.casefold()
    return " ".join((plain if plain.isascii() else unicodedata.normalize("NFC", plain)).split())


def fixed_part(trigger: Trigger) -> str:
    """The longest text that every context this trigger fits must contain."""
    plain = folded(trigger.pattern)
    return max(_LOOSE.split(plain), key=len) if trigger.kind == "glob" else plain


@lru_cache(maxsize=4096)
def path_pattern(glob: str) -> re.Pattern[str]:
    """A glob as an expression on one path: it may begin at any folder, and `**/` may stand for none."""
    plain = folded(glob).replace("\\", "/")
    forms = dict.fromkeys((plain, plain.replace("**/", "")))
    return re.compile(f"(?:.*/)?(?:{'|'.join(map(fnmatch.translate, forms))})")


def _refused(problem: str, fix: str) -> InvalidInput:
    return InvalidInput("triggers", problem, fix)
