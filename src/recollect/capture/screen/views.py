"""Other readings of a text, in which a disguised secret stands in plain form, with the way back to the original positions.

The disguises that are undone: characters that are invisible or of another shape, tokens split by spaces or line breaks, texts in
quotes that are joined by an operator, and base64. `split_tokens.py` has what only the format of a token can tell.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from recollect.capture.screen.secret_formats import FORMATS
from recollect.values.normalise import usual_shape
from recollect.values.patterns import compiled


@dataclass(frozen=True, slots=True)
class View:
    """A text derived from another: character `i` stands for the original character at `offsets[i]`."""

    text: str
    offsets: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original text that a span of this one covers."""
        return self.offsets[start], self.offsets[end - 1] + 1


def visible(text: str) -> View | None:
    """The text without invisible characters, letters in their usual shape, full-width punctuation as ASCII; None if it is so."""
    if text.isascii():
        return None
    shapes = {char: shape for char in set(text) if (shape := _ascii_shape(char)) != char}
    if not shapes:
        return None
    characters, offsets = [], []
    for at, char in enumerate(text):
        for shape in shapes.get(char, char):
            characters.append(shape)
            offsets.append(at)
    return View("".join(characters), offsets)


def _ascii_shape(char: str) -> str:
    return chr(ord(char) - 0xFEE0) if "\uff01" <= char <= "\uff5e" else usual_shape(char)


# A part of a token has a digit next to a letter, or a capital inside; words of a sentence hardly ever have, twice in a row.
_ODD: Final = r"[a-z][A-Z0-9]|[A-Z]\d|\d[A-Za-z]"
_ODD_PAIR: Final = rf"(?:{_ODD}|[A-Z]{{2}}|\w[_-])\S{{0,200}}\s{{1,8}}\S{{0,80}}?(?:{_ODD})"
_SPACED: Final = r" \S \S \S \S \S \S(?!\S)"
_PART: Final = r"[A-Za-z0-9_+/=.~|%-]+$"
_FEWEST_SINGLES: Final = 8
_LONGEST_PLAIN: Final = 12


def has_mixed_run(text: str) -> bool:
    """Whether a digit stands next to a letter, as in nearly every generated token."""
    for digits in compiled(r"\d+").finditer(text):
        start, end = digits.span()
        if text[start - 1 : start].isalpha() or text[end : end + 1].isalpha():
            return True
    return False


def joined(text: str, *, mixed: bool) -> View | None:
    """The text with the parts of split tokens put together; None if nothing in it looks split. `mixed` is `has_mixed_run`."""
    split = mixed and compiled(_ODD_PAIR).search(text)
    if not split and not compiled(_SPACED).search(text):
        return None
    chunks = [(match.start(), match.end()) for match in compiled(r"\S+").finditer(text)]
    gaps = {chunks[n][0] for first, last in _stretches(text, chunks) for n in range(first + 1, last + 1)}
    if not gaps:
        return None
    characters: list[str] = []
    offsets: list[int] = []
    for start, end in chunks:
        if characters and start not in gaps:
            characters.append(" " if text.find("\n", offsets[-1], start) < 0 else "\n")
            offsets.append(start - 1)
        characters += text[start:end]
        offsets += range(start, end)
    return View("".join(characters), offsets)


def _stretches(text: str, chunks: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Runs of chunks, as first and last number, that are the parts of one token or the letters of a spaced word."""
    first = 0
    while first < len(chunks):
        last = _last_single(chunks, first)
        if last - first + 1 < _FEWEST_SINGLES:
            last = _last_part(text, chunks, first)
        if last > first:
            yield first, last
        first = last + 1


def _last_single(chunks: list[tuple[int, int]], first: int) -> int:
    last = first
    if chunks[first][1] - chunks[first][0] > 1:
        return last
    while last + 1 < len(chunks):
        start, end = chunks[last + 1]
        # Two spaces end a spaced word.
        if end - start > 1 or start - chunks[last][1] > 1:
            break
        last += 1
    return last


def _last_part(text: str, chunks: list[tuple[int, int]], first: int) -> int:
    """The last chunk of the token that begins with a chunk: parts, and a plain word or two between parts."""
    beginning = text[slice(*chunks[first])]
    # The prefix of an issuer, `ghp_` or `sk-`, says that a token begins here, so that more of what follows may be plain.
    prefixed = beginning.startswith(_prefixes())
    if not (_is_part(beginning) or prefixed) or len(beginning) < 3:
        return first
    last, plain = first, 0
    for number in range(first + 1, len(chunks)):
        chunk = text[slice(*chunks[number])]
        if _is_part(chunk):
            last, plain = number, 0
        elif plain < 1 + prefixed and _is_whole(chunk) and len(chunk) <= _LONGEST_PLAIN:
            plain += 1
        else:
            break
        if chunk[-1] in ",.;)":
            break
    # What is left of a token cut into equal parts may be a plain word by chance.
    if last > first and last + 1 < len(chunks):
        size, rest = chunks[last][1] - chunks[last][0], text[slice(*chunks[last + 1])].rstrip(",.;)")
        if _is_whole(rest) and len(rest) == size and chunks[last - 1][1] - chunks[last - 1][0] == size:
            last += 1
    return last


@cache
def _prefixes() -> tuple[str, ...]:
    return tuple(start for form in FORMATS for start in form.prefixes.split() if len(start) > 2)


def _is_part(chunk: str) -> bool:
    plain = chunk.rstrip(",.;)")
    return _is_whole(plain) and (compiled(_ODD).search(plain) is not None or plain.isdigit() or plain.isupper())


def _is_whole(chunk: str) -> bool:
    return compiled(_PART).match(chunk) is not None


# The end of a text in quotes, an operator or a continued line, and the beginning of the next.
_JOINED_QUOTES: Final = r"(?<=[^\s\"'`(])([\"'`]) {0,4}(?:[+.]|\\\r?\n)[ \t\r\n]{0,12}[rbf]?\1(?=[^\s\"'`)])"


def unquoted(text: str) -> View | None:
    """The text with `"a" + "b"` as `"ab"`; None if nothing in it is joined like that."""
    if "+" not in text and " . " not in text and "\\\n" not in text:
        return None
    seams = list(compiled(_JOINED_QUOTES).finditer(text))
    if not seams:
        return None
    characters: list[str] = []
    offsets: list[int] = []
    start = 0
    for end, following in (*(seam.span() for seam in seams), (len(text), len(text))):
        characters.append(text[start:end])
        offsets += range(start, end)
        start = following
    return View("".join(characters), offsets)


_BASE64: Final = r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{12,65536}={0,2}(?![A-Za-z0-9+/_=-])"
_LONGEST_WORD: Final = 24


def decoded(text: str) -> Iterator[tuple[int, int, str]]:
    """The base64 runs that decode to text: start, end and what they say."""
    for match in compiled(_BASE64).finditer(text):
        run = match[0]
        # A plain word is no base64; nor is a path or an identifier with many separators.
        if run.isalpha() and (run.islower() or run.istitle()) and len(run) <= _LONGEST_WORD:
            continue
        plain = _plain_text(run)
        if plain is not None:
            yield match.start(), match.end(), plain


def _plain_text(run: str) -> str | None:
    body = run.rstrip("=").replace("-", "+").replace("_", "/")
    usable = body[: len(body) - (len(body) % 4 == 1)]
    try:
        plain = b64decode(usable + "=" * (-len(usable) % 4)).decode()
    except (NotBase64, UnicodeDecodeError):
        return None
    return plain if re.sub(r"[\r\n\t]", "", plain).isprintable() else None
