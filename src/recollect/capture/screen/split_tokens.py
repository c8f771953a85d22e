"""Tokens of known issuers that are cut into parts: in groups, in two halves, in quotes joined by a plus, around a line break.

`views.py` joins what is split by white space alone, whatever it is. A token that begins with the prefix of an issuer is known by
its length too, so more may stand between its parts: punctuation, quotes, "and the second half is".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from recollect.capture.screen.finding import Finding
from recollect.capture.screen.secret_formats import FORMATS, Format
from recollect.capture.screen.secret_values import entropy
from recollect.values.patterns import compiled

_WORD: Final = r"[A-Za-z0-9_][A-Za-z0-9_-]*"
# A hyphen at the end of a line is that of the line break, one after a space belongs to the token.
_PIECE: Final = r"-?[A-Za-z0-9_]+(?:-+[A-Za-z0-9_]+)*"
_MARKS: Final = r"(?:-[ \t]{0,3}\r?\n\s{0,12}|<br ?/?>\s{0,4}|(?:[^\w-]|-(?=[^\w-])){1,14})"
_BETWEEN: Final = (
    r"(?:and|then|plus|followed|by|the|with|first|1st|second|2nd|other|next|last|rest|remaining|half|part|piece|portion|chunk|one|two|is"
    r"|was|are|ends?|finish(?:es)?|continued?|continues|concatenated|to|after|that|1|2)"
)
_GLUE: Final = rf"(?i){_MARKS}(?:{_BETWEEN}(?:[^\w-]|-(?=[^\w-])){{1,4}}){{0,7}}"
# A part has a digit or a capital inside; a word of a sentence hardly ever has.
_ODD: Final = r"[a-z][A-Z0-9]|[A-Z]\d|\d[A-Za-z]|^\d+$|^[A-Z]+$"
_PLAIN: Final = r"(?:[A-Za-z]?[a-z]{2,}|_[a-z]+)(?:_[a-z]+)*$"
_HEAD: Final = 3
_NEAR: Final = 6
_MOST_PIECES: Final = 60
_SHORTEST_PREFIX: Final = 3


class _Piece(NamedTuple):
    text: str
    end: int
    glue: str


@cache
def _by_head() -> dict[str, tuple[tuple[str, Format], ...]]:
    """The formats by the first characters of their prefixes, and by what is left when the prefix itself is cut."""
    found: dict[str, tuple[tuple[str, Format], ...]] = {}
    for form in FORMATS:
        for start in form.prefixes.split():
            if len(start) >= _SHORTEST_PREFIX and compiled(rf"{_WORD}$").match(start):
                stem = start.rstrip("_-").split("_")[0].split("-")[0]
                for head in {start[:_HEAD], stem[:_HEAD]}:
                    found[head] = (*found.get(head, ()), (start, form))
    return found


def split_tokens(text: str) -> Iterator[Finding]:
    """Tokens whose parts, put together, have the prefix, the alphabet and the length of a format."""
    words = compiled(_WORD).findall(text)
    if _by_head().keys().isdisjoint({word[:_HEAD] for word in words}):
        return
    done = 0
    for match in compiled(_WORD).finditer(text):
        formats = _by_head().get(match[0][:_HEAD])
        if formats and match.start() >= done and (found := _whole(text, match.start(), formats)):
            done = found.end
            yield found


def _whole(text: str, start: int, formats: tuple[tuple[str, Format], ...]) -> Finding | None:
    first = compiled(_PIECE).match(text, start)
    likely = [each for each in formats if first and _may_begin(text, first, each[0])]
    pieces = _pieces(text, start) if likely else []
    for prefix, form in likely:
        if len(pieces) > 1 and (end := _end_of_token(pieces, prefix, form)):
            return Finding(form.kind, start, end)
    return None


def _may_begin(text: str, first: re.Match[str], prefix: str) -> bool:
    """Whether the first piece has the prefix, or a beginning of it with the next of its characters close behind."""
    if first[0].startswith(prefix):
        # `test_data` is a name.
        return compiled(_PLAIN).match(first[0], len(prefix)) is None
    rest = prefix[len(first[0]) :]
    return bool(rest) and prefix.startswith(first[0]) and text.find(rest[0], first.end(), first.end() + _NEAR) >= 0


def _pieces(text: str, start: int) -> list[_Piece]:
    """The piece at a position and those that follow it, up to the first that is no part of a token."""
    match = compiled(_PIECE).match(text, start)
    assert match is not None
    pieces, plain = [_Piece(match[0], match.end(), "")], 0
    while len(pieces) < _MOST_PIECES:
        glue = compiled(_GLUE).match(text, pieces[-1].end)
        piece = compiled(_PIECE).match(text, glue.end()) if glue else None
        # Where another token begins, this one has ended.
        if glue is None or piece is None or (len(piece[0]) > _HEAD and piece[0].startswith(pieces[0].text[:_HEAD])):
            break
        plain += not compiled(_ODD).search(piece[0])
        if plain > 1 + len(pieces) // 3:
            break
        pieces.append(_Piece(piece[0], piece.end(), glue[0]))
    return pieces


def _end_of_token(pieces: list[_Piece], prefix: str, form: Format) -> int | None:
    """Where the token ends that begins with the first piece, or None if the pieces are no token of this format."""
    whole, end = "", None
    for number, piece in enumerate(pieces):
        if number and piece.text.startswith(prefix):
            break
        longer = whole + piece.text
        if end is not None and not (compiled(_ODD).search(piece.text) and piece.glue == pieces[1].glue):
            break
        if not (longer.startswith(prefix) or prefix.startswith(longer)) or len(longer) - len(prefix) > form.most:
            break
        whole, value = longer, longer[len(prefix) :]
        if not compiled(rf"{form.alphabet}*$").match(value):
            break
        if number and len(value) >= form.least and _is_random(value, form.bits):
            end = piece.end
    return end


def _is_random(value: str, bits: float) -> bool:
    return any(map(str.isdigit, value)) and not value.isdigit() and entropy(value) >= max(bits, 2.5)
