"""Letters of other alphabets that look like Latin ones: "іgnоrе" in Cyrillic is read as "ignore"."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final

from recollect.values.patterns import compiled

# The letters of Cyrillic, Greek, Armenian and the phonetic alphabet that look like a Latin one; from Unicode's confusables.txt.
_SAME_LOOK: Final = (
    "аaеeоoрpсcуyхxіiјjѕsһhԁdԛqԝwӏlвbкkмmнhтtьbгrпnиuѵvүyґr"
    "αaοoεeιiκkνvρpτtυuχxηnγyωwσoβbμuζzδd"
    "օoոnսuհhցgոnաwզq"
    "ıiȷjɡgɑaɩiʏyɪiɢgɴnʀrʟlʙbʜhᴀaᴄcᴅdᴇeᴊjᴋkᴍmᴏoᴘpᴛtᴜuᴠvᴡwᴢzꜰfꜱsƖlƿp"
)
_NEGATIVE_LETTERS: Final = (0x1F150, 0x1F170)


@cache
def _table() -> dict[int, str]:
    pairs = {ord(odd): usual for odd, usual in zip(_SAME_LOOK[::2], _SAME_LOOK[1::2], strict=True)}
    capitals = {ord(chr(odd).upper()): usual.upper() for odd, usual in pairs.items() if len(chr(odd).upper()) == 1}
    blocks = {start + n: chr(ord("a") + n) for start in _NEGATIVE_LETTERS for n in range(26)}
    return {**capitals, **pairs, **blocks}


def latin(text: str) -> str:
    """The text with letters that look like Latin ones as those, without accents; what it says is meant for comparison only."""
    if text.isascii():
        return text
    bare = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return bare.translate(_table())


def latin_words(text: str) -> str | None:
    """The text with every word made of Latin letters and their look-alikes in Latin letters only, none longer or shorter.

    None if there is no such word. Words with other letters stay, so that Russian or Greek text is hardly changed.
    """
    if _table().keys().isdisjoint(map(ord, set(text))):
        return None
    spelled = compiled(r"\w*[^\W\x00-\x7f]\w*").sub(_as_latin, text)
    return spelled if spelled != text and len(spelled) == len(text) else None


def _as_latin(match: re.Match[str]) -> str:
    word = match[0].translate(_table())
    return word if word.isascii() else match[0]
