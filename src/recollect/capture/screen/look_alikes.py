"""Digits and signs that stand in for letters: "1gn0r3". Letters of other alphabets are read by `values/look_alikes.py`."""

from __future__ import annotations

import re
from typing import Final

from recollect.values.look_alikes import latin, latin_words
from recollect.values.patterns import compiled

__all__ = ["latin", "latin_words", "plain_digits"]

_DIGITS: Final = str.maketrans("03457@$!|", "oeast" + "asil")
_MIXED_WORD: Final = (
    r"(?<![\w@$!])(?=[A-Za-z0-9@$!|]*[A-Za-z])(?=[A-Za-z0-9@$!|]*[013457@$|])[A-Za-z0-9@$!|]{2,24}(?![\w@$])"
)
_FEWEST_DIGITS: Final = 3


def plain_digits(text: str) -> str | None:
    """The text with digits inside words as the letters they stand for; None if there are not at least three."""
    inside = 0
    for digits in compiled(r"\d+").finditer(text):
        inside += text[digits.start() - 1 : digits.start()].isalpha() or text[digits.end() : digits.end() + 1].isalpha()
    return compiled(_MIXED_WORD).sub(_spelled, text) if inside >= _FEWEST_DIGITS else None


def _spelled(match: re.Match[str]) -> str:
    return match[0].replace("11", "ll").replace("1", "i").translate(_DIGITS)
