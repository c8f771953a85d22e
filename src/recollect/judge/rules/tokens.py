"""Split a text into comparable pieces: words, numbers with their unit, dates and times in one spelling, CJK runs.

First step of the rules. Two spellings of one value become one string ("30 s" and "30 seconds", "March 1, 2025" and
"2025-03-01"), two different values never do ("1.1" and "1.10").
"""

from __future__ import annotations

import re
import unicodedata

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# Words are tried first: nearly every piece is one, and no other kind of piece starts like one.
_TOKEN = re.compile(
    rf"[^\W_{_CJK}](?:[^\W{_CJK}]+|['.\-/@+:#&,](?=[^\W_{_CJK}])(?<![^\d],)(?!,[^\d]))*[+#]*"
    rf"|[{_CJK}]+|(?<![^\s(=:])[-+](?=\d)[\d.,]*\d|[$€£¥%]|[=!<>]=|[<>=^]+|[.,;:!?]"
)
_STOPS = frozenset(".,;:!?")
_DIGIT = re.compile(r"\d")
_CJK_RUN = re.compile(f"[{_CJK}]")
_NUMBER = re.compile(r"[-+]?v?\d[\d.,:/\-]*", re.ASCII)
_AMOUNT = re.compile(r"([-+]?\d+(?:\.\d+)?)([a-zµ]+)")
_THOUSANDS = re.compile(r"([-+]?\d{1,3})((?:,\d{3})+)(?![\d,])(.*)")

MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sep sept", "october oct", "november nov", "december dec"), start=1)
    for name in names.split()
}  # fmt: skip
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_MONTH_NAME = re.compile(rf"\b(?:{_MONTH})\b", re.I)
_YEAR = r"(?:,?\s+(?P<year>\d{4}))?"
_MONTH_FIRST = re.compile(rf"\b(?P<month>{_MONTH})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:){_YEAR}", re.I)
_DAY_FIRST = re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{_MONTH})\b\.?{_YEAR}", re.I)
_SLASHED = re.compile(r"\b(?P<year>\d{4})[/.](?P<month>\d{1,2})[/.](?P<day>\d{1,2})\b")
_CLOCK = re.compile(r"\b(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))?\s*(?P<half>[ap])\.?m\b\.?", re.I)

# unit -> (canonical unit, factor); durations are converted to seconds, so that 60 s equals 1 minute
_UNIT_WORDS = {
    ("s", 1.0): "s sec secs second seconds", ("s", 0.001): "ms millisecond milliseconds msec",
    ("s", 60.0): "min mins minute minutes", ("s", 3600.0): "h hr hrs hour hours", ("s", 86400.0): "day days",
    ("s", 604800.0): "week weeks", ("kb", 1.0): "kb kilobyte kilobytes", ("mb", 1.0): "mb megabyte megabytes",
    ("gb", 1.0): "gb gigabyte gigabytes", ("tb", 1.0): "tb terabyte terabytes", ("gib", 1.0): "gib",
    ("mib", 1.0): "mib", ("%", 1.0): "% percent pct", ("km", 1.0): "km kilometer kilometers kilometre kilometres",
    ("kg", 1.0): "kg kilogram kilograms", ("mi", 1.0): "mile miles", ("usd", 1.0): "$ usd dollar dollars",
    ("eur", 1.0): "€ eur euro euros", ("gbp", 1.0): "£ gbp", ("px", 1.0): "px pixel pixels", ("x", 1.0): "times",
}  # fmt: skip
UNITS = {word: unit for unit, words in _UNIT_WORDS.items() for word in words.split()}
_CURRENCY = frozenset("$€£¥")
_SMALL_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve"
_SPELLED = {word: str(number) for number, word in enumerate(_SMALL_NUMBERS.split()) if word != "one"} | {
    "twenty": "20",
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "hundred": "100",
    "thousand": "1000",
}


def pieces(text: str) -> list[str]:
    """The pieces of a text in order, in their own letter case; punctuation that separates clauses is kept."""
    text = unicodedata.normalize("NFKC", text).replace("\u2019", "'").replace("`", " ")
    if _DIGIT.search(text) is None:
        found = _split(text)
        return found if _SPELLED.keys().isdisjoint(map(str.lower, found)) else _with_amounts(found)
    return _with_amounts(_split(_with_plain_dates(text)))


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


def _with_plain_dates(text: str) -> str:
    if _MONTH_NAME.search(text) is not None:
        text = _DAY_FIRST.sub(_iso, _MONTH_FIRST.sub(_iso, text))
    return _CLOCK.sub(_clock, _SLASHED.sub(_iso, text))


def _iso(match: re.Match[str]) -> str:
    month = match["month"].lower()
    number = MONTHS[month] if month in MONTHS else int(month)
    day = f"{number:02d}-{int(match['day']):02d}"
    return f"{match['year']}-{day}" if match["year"] else day


def _clock(match: re.Match[str]) -> str:
    hour = int(match["hour"]) % 12 + (12 if match["half"] in "pP" else 0)
    return f"{hour:02d}:{match['minute'] or '00'}"


def _with_amounts(found: list[str]) -> list[str]:
    out: list[str] = []
    skip = False
    for i, piece in enumerate(found):
        if skip:
            skip = False
            continue
        piece = _SPELLED.get(piece.lower(), piece)
        following = found[i + 1] if i + 1 < len(found) else ""
        if piece in _CURRENCY and following[:1].isdigit():
            out.append(_amount(_plain_number(following), piece))
            skip = True
        elif is_number(piece):
            piece = _plain_number(piece)
            unit = following if following == "%" else following.lower()
            if unit in UNITS and _is_plain(piece):
                piece, skip = _amount(piece, unit), True
            out.append(piece)
        else:
            out.append(piece)
    return out


def _plain_number(piece: str) -> str:
    """Without thousands separators and the v of a version; "30s" gets its canonical unit."""
    lowered = piece.lower()
    if lowered[0] == "v" and _NUMBER.fullmatch(lowered):
        return lowered[1:]
    if "," in lowered:
        lowered = _THOUSANDS.sub(lambda found: found[1] + found[2].replace(",", "") + found[3], lowered)
    amount = _AMOUNT.fullmatch(lowered)
    if amount is not None and amount[2] in UNITS:
        return _amount(amount[1], amount[2])
    return lowered


def _amount(number: str, unit: str) -> str:
    name, factor = UNITS.get(unit, (unit, 1.0))
    if len(number) > 12 or not _is_plain(number):
        return number + name  # unchanged: rounding could make two numbers equal
    return f"{float(number) * factor:.15g}{name}"


def _is_plain(number: str) -> bool:
    return number.replace(".", "", 1).lstrip("-+").isdecimal()
