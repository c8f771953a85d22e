"""National identity numbers: how each country prints them, their check digits, the words before weak forms.

One line a scheme. Called by `personal.py`; the arithmetic is in `checksums.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, NamedTuple

from recollect.capture.screen import checksums
from recollect.capture.screen.finding import Finding

# How far before a number the word that names it may stand.
_REACH: Final = 48
_DATE8: Final = r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
_DATE6: Final = r"\d\d(?:[0246]\d|[1357][0-2])(?:0[1-9]|[12]\d|3[01])"


class Scheme(NamedTuple):
    """A printed form; `check` gets it without separators; `words`, when given, must occur shortly before it."""

    country: str
    pattern: str
    check: Callable[[str], bool] | None = None
    words: str = ""


SCHEMES: Final = (
    Scheme("us", r"(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}"),
    Scheme("us", r"(?!000|666|9)\d{3}[ .]?(?!00)\d\d[ .]?(?!0000)\d{4}", words=r"ssn|social security|soc\. sec"),
    Scheme("us", r"9\d\d-?[5-9]\d-?\d{4}", words=r"itin|taxpayer"),
    Scheme("uk", r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]"),
    Scheme("es", rf"(?!{_DATE8})\d{{8}}-?[A-HJ-NP-TV-Z]", checksums.spanish_dni),
    Scheme("es", r"[XYZ]-?\d{7}-?[A-HJ-NP-TV-Z]", checksums.spanish_dni),
    Scheme("it", r"[A-Z]{6}\d\d[A-EHLMPRST][0-7]\d[A-Z]\d{3}[A-Z]", checksums.italian_fiscal_code),
    Scheme("nl", r"\d{9}|\d{4}[. ]\d\d[. ]\d{3}", checksums.dutch_bsn, r"bsn|burgerservice|sofi"),
    Scheme("de", r"\d{11}|\d\d \d{3} \d{3} \d{3}", checksums.german_tax_id, r"steuer|tax id|idnr|tin\b"),
    Scheme("in", r"[2-9]\d{3}[ -]\d{4}[ -]\d{4}", checksums.verhoeff),
    Scheme("in", r"[2-9]\d{11}", checksums.verhoeff, r"aadhaar|aadhar|uidai|आधार"),
    Scheme("ca", r"\d{3}[ -]?\d{3}[ -]?\d{3}", checksums.luhn, r"\bsin\b|social insurance"),
    Scheme("br", r"\d{3}\.\d{3}\.\d{3}-\d\d", checksums.brazilian_cpf),
    Scheme("br", r"\d{11}", checksums.brazilian_cpf, r"cpf"),
    Scheme(
        "pl",
        _DATE6.replace("[0246]", "[02468]").replace("[1357]", "[13579]") + r"\d{5}",
        checksums.polish_pesel,
        r"pesel",
    ),
    Scheme(
        "se", r"(?:19|20)?\d{6}[-+]?\d{4}", lambda n: checksums.luhn(n[-10:]), r"personnummer|personal number|swedish"
    ),
    Scheme(
        "fi",
        r"[0-3]\d[01]\d\d\d[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]",
        None,
        r"hetu|henkilötunnus|henkilotunnus|personal identity",
    ),
    Scheme("fr", r"[12] ?\d\d ?(?:0[1-9]|1[0-2]) ?\d\d ?\d{3} ?\d{3} ?\d\d", checksums.french_nir),
    Scheme("cn", rf"[1-8]\d{{5}}{_DATE8}\d{{3}}[\dX]", checksums.chinese_id),
    Scheme("kr", rf"{_DATE6}-[1-4]\d{{6}}", words=r"주민|resident registration|rrn"),
    Scheme("au", r"\d{3} ?\d{3} ?\d{3}", checksums.australian_tfn, r"\btfn\b|tax file"),
    Scheme("id", r"[A-Z]{0,2}[\d-]{5,16}", words=r"driver.{0,3} licen[sc]e(?: number| no\.?|#|:| is){1,2}\W{0,3}$"),
)


@cache
def _compiled(scheme: Scheme) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.-])(?:{scheme.pattern})(?![\w-])(?!\.\d)")


@cache
def _words(words: str) -> re.Pattern[str]:
    return re.compile(words, re.IGNORECASE)


def identity_numbers(text: str) -> Iterator[Finding]:
    """Identity numbers whose check digit holds and, where the form alone is weak, whose name stands before them."""
    for scheme in SCHEMES:
        if scheme.words and not _words(scheme.words.removesuffix("$")).search(text):
            continue
        for match in _compiled(scheme).finditer(text):
            if _holds(scheme, match[0]) and _is_announced(scheme, text, match.start()):
                yield Finding("national_id", *match.span())


def _holds(scheme: Scheme, printed: str) -> bool:
    if scheme.country == "fi":
        return checksums.finnish_hetu(printed)
    bare = re.sub(r"[ .+-]", "", printed)
    return scheme.check is None or scheme.check(bare)


def _is_announced(scheme: Scheme, text: str, start: int) -> bool:
    return not scheme.words or _words(scheme.words).search(text, max(0, start - _REACH), start) is not None
