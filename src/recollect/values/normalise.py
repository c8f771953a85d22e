"""The forms of a text: the one in which it is stored, screened and shown, and a wider one in which texts are compared.

`normalise` is the only place that decides this; docs/decisions/0029-normal-form.md says why it is not plain NFKC.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from recollect.values.patterns import compiled

# Default_Ignorable_Code_Point of Unicode 16 (which has the bidi controls, the zero-width characters, the variation selectors
# and the tag characters), interlinear annotation, and the control characters except tab, line feed and carriage return.
_INVISIBLE: Final = (
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_LINE_BREAKS: Final = "\x85\u2028\u2029"
# Superscripts, subscripts and fractions have a value of their own: `10²` is not 102, `2½` is not 21⁄2.
_VALUED: Final = ("<super>", "<sub>", "<fraction>")
# Letters whose decomposition is another spelling: Thai and Lao vowels, the jamo that Koreans type alone.
_KEPT: Final = frozenset(map(chr, (0x0E33, 0x0EB3, *range(0x3131, 0x318F))))


def normalise(text: str) -> str:
    """The text without invisible characters, its letters, digits and spaces in their usual shape, composed (NFC)."""
    # Nearly every text: a plain check is ten times faster than looking at each character.
    if text.isascii() and text.replace("\n", "").replace("\t", "").replace("\r", "").isprintable():
        return text
    composed = unicodedata.normalize("NFC", text)
    odd = (char for char in set(composed) if not " " <= char <= "~")
    changes = {ord(char): usual for char in odd if (usual := usual_shape(char)) != char}
    # Without what stood between them, a letter and its accent may compose.
    return unicodedata.normalize("NFC", composed.translate(changes)) if changes else composed


def comparable(text: str) -> str:
    """The text as it is compared with others: NFKC, but with superscripts, subscripts and fractions as they are written."""
    if text.isascii():
        return text
    valued = {char for char in set(text) if not char.isascii() and unicodedata.decomposition(char).startswith(_VALUED)}
    if not valued:
        return unicodedata.normalize("NFKC", text)
    parts = re.split(f"([{re.escape(''.join(sorted(valued)))}])", text)
    return "".join(part if part in valued else unicodedata.normalize("NFKC", part) for part in parts)


def normalise_value(value: Any) -> Any:
    """A plain value (as of JSON) with every text in it, keys included, in its normal form."""
    if isinstance(value, str):
        return normalise(value)
    if isinstance(value, Mapping):
        return {normalise_value(key): normalise_value(inside) for key, inside in value.items()}
    if isinstance(value, (list, tuple)):
        return [normalise_value(inside) for inside in value]
    return value


@lru_cache(maxsize=4096)
def usual_shape(char: str) -> str:
    """A character as it is usually written: nothing for an invisible one, the plain form of a letter, digit or space.

    Full-width, half-width, mathematical and circled letters, ligatures and presentation forms have the same meaning as the
    letters they are made of. Symbols and punctuation (`…`, `™`, `，`) say something that their decomposition does not.
    """
    if compiled(_INVISIBLE).match(char):
        return ""
    if char in _LINE_BREAKS:
        return "\n"
    decomposition = unicodedata.decomposition(char)
    if not decomposition.startswith("<") or decomposition.startswith(_VALUED) or char in _KEPT:
        return char
    category = unicodedata.category(char)
    if category[0] in "LM" or category in ("Nd", "Zs") or _is_circled_letter(char):
        return unicodedata.normalize("NFKC", char)
    return char


def _is_circled_letter(char: str) -> bool:
    return "\u24b6" <= char <= "\u24e9" or "\U0001f110" <= char <= "\U0001f14f"
