"""Signs of prompt injection: a text that tries to give orders to the model that will read it later.

A text is never refused for a sign; the gate labels the memory and lowers its trust. A disguised text is read in its plain form
too: without invisible characters, with look-alike letters and digits as Latin ones, with spaced letters joined, decoded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from recollect.capture.screen.look_alikes import latin, plain_digits
from recollect.capture.screen.order_classes import COMPOSED, ComposedSign
from recollect.capture.screen.order_signs import SIGNS, Sign
from recollect.capture.screen.standing_orders import STANDING
from recollect.capture.screen.views import decoded
from recollect.values.normalise import normalise
from recollect.values.patterns import compiled

_FLAGS: Final = re.IGNORECASE | re.MULTILINE
_CASED: Final = "(?-i:"
# Tag characters can spell hidden ASCII; their only legitimate use is in the flags of England, Scotland and Wales.
_TAGS: Final = "(?<!\U0001f3f4)(?<![\U000e0020-\U000e007f])[\U000e0000-\U000e007f]"
_ZERO_WIDTH: Final = (
    "[\u200b\u200c\u200d\u2060\u2062\u2063\u2064\ufeff]{4,}|[\u202d\u202e]|[\U000e0100-\U000e01ef]{3,}"
    "|[\ufe00-\ufe0f]{4,}"
)
_COMMAND: Final = r"(?i)\b(?:curl|wget) |rm -rf|/bin/(?:ba)?sh|powershell|eval\(|os\.system|exfiltrat|system prompt"
# Letters one by one, with the same mark or space between all of them: "i g n o r e", "i.g.n.o.r.e". Where wide gaps part the
# words, punctuation may be among the letters.
_SPACED: Final = (
    r"(?<!\S)\S(?:[ .*_|/-]\S){0,40}(?:[ ]{2,6}\S(?:[ .*_|/-]\S){0,40}){2,}(?!\S)|(?<!\S)\w(?:([ .*_|/-])\w){7,}(?!\S)"
)
_SOME_SPACED: Final = r"[ .*_|/-]\w[ .*_|/-]\w[ .*_|/-]\w[ .*_|/-]\w[ .*_|/-]\w"
_RUN_TOGETHER: Final = (
    r"(?i)(?:ignore|disregard|forget)(?:all|any|every|the|of|your|my|these)*(?:previous|prior|earlier|above"
    r"|existing|system)(?:instruction"
    r"|prompt|rule|order|command|message)|donottelltheuser|donttelltheuser|(?:reveal|print|show)(?:me)?(?:your"
    r"|the)systemprompt|youarenow(?:in)?"
    r"(?:dan|developermode|unrestricted)|send(?:all|the|your|every)*(?:password|secret|token|apikey|credential|message)"
    r"|(?:previous|prior|earlier|system|your)(?:rules?|instructions?|guidelines?|prompts?"
    r"|restrictions)(?:nolongerappl|donotapply|dontapply"
    r"|are(?:void|lifted|suspended|obsolete|revoked|withdrawn))|obeythefollowing|nevermentionthis(?:rule"
    r"|instruction|note|message)"
    r"|(?:output|print|list|reveal|show|dump)(?:all|the)*(?:users|customers|stored)(?:apikey|password|credential"
    r"|secret|token)"
    r"|(?:when|whenever)askedabout\w{1,40}always(?:recommend|suggest|say|promote)|fromnowonyoumustalways(?:answer"
    r"|reply|respond|speak)in(?:pirate|riddle)"
)
# "ignore", "disregard" and "instructions", turned around or shifted by thirteen.
_REVERSED: Final = ("erongi", "dragersid", "snoitcurtsni", "tpmorp metsys")
_SHIFTED: Final = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "nopqrstuvwxyzabcdefghijklmNOPQRSTUVWXYZABCDEFGHIJKLM"
)
_ROT13: Final = ("vtaber", "qvfertneq", "vafgehpgvba", "flfgrz cebzcg")


@cache
def _cued() -> tuple[tuple[Sign, frozenset[str], tuple[tuple[str, ...], ...]], ...]:
    return tuple(
        (sign, frozenset(sign.words.split()), tuple(tuple(group.split(",")) for group in sign.cues.split(" & ")))
        for sign in SIGNS
    )


@cache
def _worded() -> tuple[dict[str, int], tuple[tuple[ComposedSign, int], ...]]:
    """For each word the groups it is in, as bits, and for each sign the bits of all its groups."""
    bits: dict[str, int] = {}
    needed: list[tuple[ComposedSign, int]] = []
    bit = 1
    for sign in (*COMPOSED, *STANDING):
        first = bit
        for group in sign.words.split(" & "):
            bits |= {word: bits.get(word, 0) | bit for word in group.split()}
            bit <<= 1
        needed.append((sign, bit - first))
    return bits, tuple(needed)


def _is_cued(groups: tuple[tuple[str, ...], ...], lowered: str) -> bool:
    for group in groups:
        for cue in group:
            if cue in lowered:
                break
        else:
            return False
    return True


def injection_signs(text: str) -> tuple[str, ...]:
    """The names of the signs found, each once; empty for nearly all texts. A disguise is a sign only if it hides an order."""
    plain = normalise(text)
    names = list(_signs(plain))
    if plain != text and (re.search(_TAGS, text) or re.search(_ZERO_WIDTH, text)):
        names.append("hidden-unicode")
    for reading in _readings(text, plain):
        names += _signs(reading)
    for letters in _joined_letters(plain):
        names += _signs(letters)
        if compiled(_RUN_TOGETHER).search(letters):
            names.append("spaced-letters")
    names += _encoded(plain)
    return tuple(dict.fromkeys(names))


def _signs(text: str) -> Iterator[str]:
    lowered = text.lower()
    words = frozenset(compiled(r"\w+").findall(lowered))
    ascii_only = text.isascii()
    for sign, first, cues in _cued():
        if first and ascii_only and words.isdisjoint(first):
            continue
        if _is_cued(cues, lowered) and _stands_in(text, lowered, sign.pattern):
            yield sign.name
    bits, needed = _worded()
    met = 0
    for word in words & bits.keys():
        met |= bits[word]
    for composed, groups in needed:
        if met & groups == groups and _stands_in(text, lowered, composed.pattern):
            yield composed.name


def _stands_in(text: str, lowered: str, pattern: str) -> bool:
    """Whether a pattern, written in lower case, stands in a text in any case.

    `re` takes half the time where it need not mind the case, and ASCII in lower case is the same text without it.
    """
    if text.isascii() and _CASED not in pattern:
        return compiled(pattern, re.MULTILINE).search(lowered) is not None
    return compiled(pattern, _FLAGS).search(text) is not None


def _readings(text: str, plain: str) -> Iterator[str]:
    """What the text says once a disguise is undone, for every disguise it may wear."""
    if not text.isascii():
        if re.search(_TAGS, text):
            yield "".join(chr(ord(char) - 0xE0000) for char in text if "\U000e0020" <= char <= "\U000e007e")
        folded = latin(plain)
        if folded != plain:
            yield folded
            plain = folded
    spoken = plain_digits(plain)
    if spoken is not None:
        yield spoken
    if "&#" in plain:
        yield compiled(r"&#(\d{2,6});?").sub(lambda match: chr(int(match[1])), plain)
    if plain.count("%") > 5:
        yield compiled(r"%([2-7][0-9A-Fa-f])").sub(lambda match: chr(int(match[1], 16)), plain)
    lowered = plain.lower()
    if any(cue in lowered for cue in _ROT13):
        yield plain.translate(_SHIFTED)
    if any(cue in lowered for cue in _REVERSED):
        yield plain[::-1]


def _joined_letters(plain: str) -> Iterator[str]:
    """The spaced-out stretches of a text without what stands between their letters."""
    if not compiled(_SOME_SPACED).search(plain):
        return
    for match in compiled(_SPACED).finditer(plain):
        # A wide gap is the space between two words.
        yield " ".join(_joined(word) for word in re.split(r"\s{2,}", match[0]))


def _joined(word: str) -> str:
    """A spaced-out word without every second character: "i t ' s" is "it's"."""
    return re.sub(r"[\s.*_|/-]", "", word) if len(word) % 2 == 0 else word[::2]


def _encoded(plain: str) -> Iterator[str]:
    """A base64 run that decodes to a command, or to a text with a sign of its own."""
    if max(map(len, plain.split()), default=0) < 24:
        return
    for _, _, inside in decoded(plain):
        if compiled(_COMMAND).search(inside) or next(_signs(inside), None):
            yield "encoded-command"
