"""Split a text into comparable pieces: words, numbers with their unit, dates and times in one spelling, CJK runs.

First step of the rules. Two spellings of one value become one string ("30 s" and "30 seconds", "March 1, 2025" and
"2025-03-01"), two different values never do ("1.1" and "1.10").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from recollect.judge.rules.lexicon import Lexicon
from recollect.values.normalise import comparable, usual_shape

Units = dict[str, tuple[str, float]]

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# Words are tried first: nearly every piece is one, and no other kind of piece starts like one.
_TOKEN = re.compile(
    rf"[^\W_{_CJK}](?:[^\W{_CJK}]+|['.\-/@+:#&,](?=[^\W_{_CJK}])(?<![^\d],)(?!,[^\d]))*[+#]*"
    rf"|[{_CJK}]+|(?<![^\s(=:])[-+](?=\d)[\d.,]*\d|[$€£¥%]|[=!<>]=|[<>=^]+|[.,;:!?]"
)
_STOPS = frozenset(".,;:!?")
# What may say something beside the words; nearly all texts have none of it. All but ASCII may be a symbol.
_MAY_BE_SYMBOLS = re.compile(r"[^\w\s.,;:()'\"`-]|[:;=8][\^'-]?[()]|\d['\"]", re.ASCII)
_EMOTICON = re.compile(r"(?<!\S)[:;=8][\^'-]?[()\[\]DP/|\\](?!\S)")
_NOT = re.compile(r"(?<![\w!?])!(?=[\w(])")
_PRIME = re.compile(r"(?<=\d)['\"](?!\w)")
# Punctuation that says something; all other separates, quotes or emphasises.
_SPEAKING = frozenset("&*/\\%‰[]{}?؟§†‡′″‴")
# Symbols that only decorate.
_IDLE = frozenset("™®©▪▫►▶")
_EMPHASIS = re.compile(r"(?m)^\s*[*•]\s|(?<![\w*])\*+(?=\w)|(?<=\w)\*+(?![\w*])|(?<=\s)&(?=\s)")
_DIGIT = re.compile(r"\d")
_CJK_RUN = re.compile(f"[{_CJK}]")
_NUMBER = re.compile(r"[-+]?v?\d[\d.,:/\-]*", re.ASCII)
_AMOUNT = re.compile(r"([-+]?\d+(?:\.\d+)?)([a-zµ]+)")
_THOUSANDS = re.compile(r"([-+]?\d{1,3})((?:,\d{3})+)(?![\d,])(.*)")
_DATE = re.compile(r"(?:\d{4}-)?\d\d-\d\d|\d{4}-\d\d")
_TIME = re.compile(r"\d\d:\d\d")
_SLASHED = re.compile(r"\b(?P<year>\d{4})[/.](?P<month>\d{1,2})[/.](?P<day>\d{1,2})\b")
_CLOCK = re.compile(r"\b(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))?\s*(?P<half>[ap])\.?m\b\.?", re.I)
_EARLY = re.compile(r"(?<![\d:.])(\d:[0-5]\d)(?![\d:])")


class _Dates(NamedTuple):
    """The patterns of dates with the month names of a language."""

    name: re.Pattern[str]
    month_first: re.Pattern[str]
    day_first: re.Pattern[str]


@cache
def _dates(lexicon: Lexicon) -> _Dates | None:
    if not lexicon.months:
        return None
    month = "|".join(sorted(lexicon.months, key=len, reverse=True))
    of = "|".join(sorted(lexicon.listed("calendar", "of"))) or "of"
    year = rf"(?:,?\s+(?:(?:{of})\s+)?(?P<year>\d{{4}}))?"
    first = rf"\b(?P<month>{month})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:){year}"
    day = rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.)?\s+(?:(?:{of})\s+)?(?P<month>{month})\b\.?{year}"
    return _Dates(re.compile(rf"\b(?:{month})\b", re.I), re.compile(first, re.I), re.compile(day, re.I))


_CURRENCY = frozenset("$€£¥")


def pieces(text: str, lexicon: Lexicon) -> list[str]:
    """The pieces of a text in order, in their own letter case; punctuation that separates clauses is kept."""
    text = comparable(text).replace("\u2019", "'").replace("`", " ")
    if lexicon.lead_ins is not None and (found := lexicon.lead_ins.match(text)) is not None:
        text = text[found.end() :] or text
    if lexicon.now_phrases is not None:
        text = lexicon.now_phrases.sub(lexicon.now, text)
    if lexicon.elisions is not None:
        text = lexicon.elisions.sub(r"\1 ", text)
    if _DIGIT.search(text) is None:
        words = _split(text)
        return words if lexicon.numbers.keys().isdisjoint(map(str.lower, words)) else _with_amounts(words, lexicon)
    return _with_amounts(_split(_with_plain_dates(text, lexicon)), lexicon)


def symbols(text: str) -> tuple[str, ...]:
    """What a text says beside its words, in order: operators, emoji, units such as degrees, and that it asks."""
    text = comparable(text)
    if _MAY_BE_SYMBOLS.search(text) is None:
        return ()
    text = _EMPHASIS.sub(" ", text)
    found = [(match.start(), match[0]) for match in _EMOTICON.finditer(text)]
    found += [(match.start(), "!") for match in _NOT.finditer(text)]
    found += [(at.start(), at[0]) for at in _PRIME.finditer(text) if text.count(at[0]) % 2]
    end = 0
    for match in _TOKEN.finditer(text):
        found += _symbols_in(text, end, match.start())
        if match[0] == "?":
            found.append((match.start(), "?"))
        end = match.end()
    found += _symbols_in(text, end, len(text))
    ordered = [symbol for _, symbol in sorted(found)]
    # Two thumbs say no more than one.
    return tuple(symbol for symbol, before in zip(ordered, ["", *ordered], strict=False) if symbol != before)


def _symbols_in(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """The symbols between two pieces of a text; those in ASCII that touch are one: `&&` is not `&`."""
    run = ""
    for at in range(start, end):
        char = text[at]
        says = _says_something(char)
        if says and char.isascii():
            run += char
            continue
        if run:
            yield at - len(run), run
        run = ""
        if says:
            yield at, char
    if run:
        yield end - len(run), run


def _says_something(char: str) -> bool:
    if char in _SPEAKING:
        return True
    if char in _IDLE or (not char.isascii() and usual_shape(char) == ""):
        return False
    category = unicodedata.category(char)
    return category[0] in "SM" and category != "Sk"


def _split(text: str) -> list[str]:
    """The pieces as written. No piece contains a space, and plain words, nearly all of them, need no regular expression."""
    if not text.isascii():
        return _TOKEN.findall(text)
    found: list[str] = []
    for word in text.split():
        if word.isalnum():
            found.append(word)
        elif word[-1] in _STOPS and word[:-1].isalnum():
            found += (word[:-1], word[-1])
        else:
            found += _TOKEN.findall(word)
    return found


def is_number(piece: str) -> bool:
    """Whether a piece is a number, an amount, a version, a date or a time."""
    return piece[0].isdigit() or (len(piece) > 1 and piece[0] in "-+vV#" and piece[1].isdigit())


def is_cjk(piece: str) -> bool:
    """Whether a piece is a run of characters of a script without spaces."""
    return not piece.isascii() and _CJK_RUN.match(piece) is not None


def bigrams(run: str) -> list[str]:
    """A run of Chinese or Japanese as overlapping pairs of characters, because there are no spaces to split at."""
    return [run[i : i + 2] for i in range(len(run) - 1)] if len(run) > 1 else [run]


def _with_plain_dates(text: str, lexicon: Lexicon) -> str:
    dates = _dates(lexicon)

    def iso(match: re.Match[str]) -> str:
        month = match["month"].lower()
        day = f"{lexicon.months.get(month) or int(month):02d}-{int(match['day']):02d}"
        return f"{match['year']}-{day}" if match["year"] else day

    if dates is not None and dates.name.search(text) is not None:
        text = dates.day_first.sub(iso, dates.month_first.sub(iso, text))
    return _EARLY.sub(r"0\1", _CLOCK.sub(_clock, _SLASHED.sub(iso, text)))


def _clock(match: re.Match[str]) -> str:
    hour = int(match["hour"]) % 12 + (12 if match["half"] in "pP" else 0)
    return f"{hour:02d}:{match['minute'] or '00'}"


def _with_amounts(found: list[str], lexicon: Lexicon) -> list[str]:
    units, out, skip = lexicon.units, list[str](), False
    for i, piece in enumerate(found):
        if skip:
            skip = False
            continue
        following = found[i + 1] if i + 1 < len(found) else ""
        number = lexicon.numbers.get(piece.lower())
        # "one" is an article, too: it counts only before a unit.
        if number is not None and (number != "1" or following.lower() in units):
            piece = number
        if piece in _CURRENCY and following[:1].isdigit():
            out.append(_amount(_plain_number(following, units), piece, units))
            skip = True
        elif is_number(piece):
            piece = _plain_number(piece, units)
            unit = following if following == "%" else following.lower()
            if unit in units and _is_plain(piece):
                piece, skip = _amount(piece, unit, units), True
            out.append(piece)
        else:
            out.append(piece)
    return out


def _plain_number(piece: str, units: Units) -> str:
    """Without thousands separators and the v of a version; "30s" gets its canonical unit."""
    lowered = piece.lower()
    if lowered[0] == "v" and _NUMBER.fullmatch(lowered):
        return lowered[1:]
    if "," in lowered:
        lowered = _THOUSANDS.sub(lambda found: found[1] + found[2].replace(",", "") + found[3], lowered)
    amount = _AMOUNT.fullmatch(lowered)
    if amount is not None and amount[2] in units:
        return _amount(amount[1], amount[2], units)
    return lowered


def _amount(number: str, unit: str, units: Units) -> str:
    name, factor = units.get(unit, (unit, 1.0))
    if len(number) > 12 or not _is_plain(number):
        return number + name  # unchanged: rounding could make two numbers equal
    return f"{float(number) * factor:.15g}{name}"


def unit_of(piece: str) -> str:
    """What a number counts, as far as the piece itself says: a unit, "date", "time", "version" or nothing."""
    if _DATE.fullmatch(piece):
        return "date"
    if _TIME.fullmatch(piece):
        return "time"
    if piece.count(".") > 1:
        return "version"
    return piece.lstrip("+-v#").lstrip("0123456789.,")


def _is_plain(number: str) -> bool:
    return number.replace(".", "", 1).lstrip("-+").isdecimal()
