"""National identity numbers by country, and the check digits that distinguish them from other numbers.

The check functions take the digits (and letters, where the scheme has them) without separators; `personal.py` uses some too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import cycle
from typing import Final, NamedTuple

from recollect.capture.screen.finding import Finding

_DNI_LETTERS: Final = "TRWAGMYFPDXBNJZSQVHLCKE"
_HETU_SIGNS: Final = "0123456789ABCDEFHJKLMNPRSTUVWXY"
_FISCAL_ODD_DIGITS: Final = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21)
_FISCAL_ODD_LETTERS: Final = (
    *_FISCAL_ODD_DIGITS,
    *(2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
)
_VERHOEFF_TURN: Final = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def luhn(digits: str) -> bool:
    """Payment cards, Canadian SIN, Swedish personnummer."""
    total = sum(map(int, digits[-1::-2]))
    return (total + sum(d * 2 - 9 * (d > 4) for d in map(int, digits[-2::-2]))) % 10 == 0


def weighted(digits: str, weights: tuple[int, ...], modulus: int) -> bool:
    """True when the weighted sum of the digits is a multiple of `modulus`."""
    return sum(int(d) * w for d, w in zip(digits, weights, strict=True)) % modulus == 0


def mod97(account: str) -> bool:
    """IBAN: the first four characters moved to the end, letters as 10 to 35."""
    return int("".join(str(int(c, 36)) for c in account[4:] + account[:4])) % 97 == 1


def _dihedral(a: int, b: int) -> int:
    """Multiplication in the symmetry group of the pentagon."""
    if a < 5:
        return (a + b) % 5 if b < 5 else (a + b - 5) % 5 + 5
    return (a - 5 - b) % 5 + 5 if b < 5 else (a - b) % 5


@cache
def _turned(digit: str, times: int) -> int:
    turned = int(digit)
    for _ in range(times):
        turned = _VERHOEFF_TURN[turned]
    return turned


def verhoeff(digits: str) -> bool:
    """Indian Aadhaar."""
    check = 0
    for place, digit in enumerate(reversed(digits)):
        check = _dihedral(check, _turned(digit, place % 8))
    return check == 0


def spanish_dni(number: str) -> bool:
    """DNI and NIE: the letter is the number modulo 23."""
    digits = number[:-1].translate(str.maketrans("XYZ", "012"))
    return _DNI_LETTERS[int(digits) % 23] == number[-1]


def italian_fiscal_code(code: str) -> bool:
    """Codice fiscale: odd and even places weigh differently."""
    odd = sum(_FISCAL_ODD_DIGITS[int(c)] if c.isdigit() else _FISCAL_ODD_LETTERS[ord(c) - 65] for c in code[0:15:2])
    even = sum(int(c) if c.isdigit() else ord(c) - 65 for c in code[1:15:2])
    return chr(65 + (odd + even) % 26) == code[15]


def german_tax_id(digits: str) -> bool:
    """Steuer-Identifikationsnummer: ISO 7064, modulus 11,10; no leading zero."""
    product = 10
    for digit in digits[:10]:
        total = (int(digit) + product) % 10 or 10
        product = total * 2 % 11
    return digits[0] != "0" and (11 - product) % 10 == int(digits[10])


def brazilian_cpf(digits: str) -> bool:
    """CPF: two check digits, each modulo 11."""
    if len(set(digits)) == 1:
        return False
    for size in (9, 10):
        total = sum(int(d) * (size + 1 - i) for i, d in enumerate(digits[:size]))
        if total * 10 % 11 % 10 != int(digits[size]):
            return False
    return True


def polish_pesel(digits: str) -> bool:
    """PESEL."""
    return weighted(digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), 10)


def finnish_hetu(number: str) -> bool:
    """Henkilötunnus: date and serial modulo 31."""
    return _HETU_SIGNS[int(number[:6] + number[7:10]) % 31] == number[10]


def french_nir(digits: str) -> bool:
    """INSEE number: the last two digits are 97 less the rest modulo 97."""
    return 97 - int(digits[:13]) % 97 == int(digits[13:])


def chinese_id(number: str) -> bool:
    """Resident identity number: ISO 7064, modulus 11-2."""
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    total = sum(int(d) * w for d, w in zip(number[:17], weights, strict=True))
    return "10X98765432"[total % 11] == number[17]


def dutch_bsn(digits: str) -> bool:
    """BSN: the eleven test."""
    return weighted(digits, (9, 8, 7, 6, 5, 4, 3, 2, -1), 11)


def us_routing(digits: str) -> bool:
    """ABA routing number."""
    return digits[:2] <= "32" and weighted(digits, tuple(w for w, _ in zip(cycle((3, 7, 1)), digits, strict=False)), 10)


def australian_tfn(digits: str) -> bool:
    """Tax file number."""
    return weighted(digits, (1, 4, 3, 7, 5, 8, 6, 9, 10), 11)


# How many characters before a number the word that names it may be.
_REACH: Final = 48
_DATE8: Final = r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
_DATE6: Final = r"\d\d(?:[0246]\d|[1357][0-2])(?:0[1-9]|[12]\d|3[01])"


class Scheme(NamedTuple):
    """A printed form. `check` gets it without separators; if there are `words`, one must occur shortly before it."""

    country: str
    pattern: str
    check: Callable[[str], bool] | None = None
    words: str = ""


SCHEMES: Final = (
    Scheme("us", r"(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}"),
    Scheme("us", r"(?!000|666|9)\d{3}[ .]?(?!00)\d\d[ .]?(?!0000)\d{4}", words=r"ssn|social security|soc\. sec"),
    Scheme("us", r"9\d\d-?[5-9]\d-?\d{4}", words=r"itin|taxpayer"),
    Scheme("uk", r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]"),
    Scheme("es", rf"(?!{_DATE8})\d{{8}}-?[A-HJ-NP-TV-Z]", spanish_dni),
    Scheme("es", r"[XYZ]-?\d{7}-?[A-HJ-NP-TV-Z]", spanish_dni),
    Scheme("it", r"[A-Z]{6}\d\d[A-EHLMPRST][0-7]\d[A-Z]\d{3}[A-Z]", italian_fiscal_code),
    Scheme("nl", r"\d{9}|\d{4}[. ]\d\d[. ]\d{3}", dutch_bsn, r"bsn|burgerservice|sofi"),
    Scheme("de", r"\d{11}|\d\d \d{3} \d{3} \d{3}", german_tax_id, r"steuer|tax id|idnr|tin\b"),
    Scheme("in", r"[2-9]\d{3}[ -]\d{4}[ -]\d{4}", verhoeff),
    Scheme("in", r"[2-9]\d{11}", verhoeff, r"aadhaar|aadhar|uidai|आधार"),
    Scheme("ca", r"\d{3}[ -]?\d{3}[ -]?\d{3}", luhn, r"\bsin\b|social insurance"),
    Scheme("br", r"\d{3}\.\d{3}\.\d{3}-\d\d", brazilian_cpf),
    Scheme("br", r"\d{11}", brazilian_cpf, r"cpf"),
    Scheme(
        "pl",
        _DATE6.replace("[0246]", "[02468]").replace("[1357]", "[13579]") + r"\d{5}",
        polish_pesel,
        r"pesel",
    ),
    Scheme("se", r"(?:19|20)?\d{6}[-+]?\d{4}", lambda n: luhn(n[-10:]), r"personnummer|personal number|swedish"),
    Scheme(
        "fi",
        r"[0-3]\d[01]\d\d\d[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]",
        None,
        r"hetu|henkilötunnus|henkilotunnus|personal identity",
    ),
    Scheme("fr", r"[12] ?\d\d ?(?:0[1-9]|1[0-2]) ?\d\d ?\d{3} ?\d{3} ?\d\d", french_nir),
    Scheme("cn", rf"[1-8]\d{{5}}{_DATE8}\d{{3}}[\dX]", chinese_id),
    Scheme("kr", rf"{_DATE6}-[1-4]\d{{6}}", words=r"주민|resident registration|rrn"),
    Scheme("au", r"\d{3} ?\d{3} ?\d{3}", australian_tfn, r"\btfn\b|tax file"),
    Scheme("id", r"[A-Z]{0,2}[\d-]{5,16}", words=r"driver.{0,3} licen[sc]e(?: number| no\.?|#|:| is){1,2}\W{0,3}$"),
)


@cache
def _compiled(scheme: Scheme) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.-])(?:{scheme.pattern})(?![\w-])(?!\.\d)")


@cache
def _words(words: str) -> re.Pattern[str]:
    return re.compile(words, re.IGNORECASE)


def identity_numbers(text: str) -> Iterator[Finding]:
    """Identity numbers with a valid check digit and, where the form alone is weak, a word before them that names them."""
    for scheme in SCHEMES:
        if scheme.words and not _words(scheme.words.removesuffix("$")).search(text):
            continue
        for match in _compiled(scheme).finditer(text):
            if _is_valid(scheme, match[0]) and _is_announced(scheme, text, match.start()):
                yield Finding("national_id", *match.span())


def _is_valid(scheme: Scheme, printed: str) -> bool:
    if scheme.country == "fi":
        return finnish_hetu(printed)
    bare = re.sub(r"[ .+-]", "", printed)
    return scheme.check is None or scheme.check(bare)


def _is_announced(scheme: Scheme, text: str, start: int) -> bool:
    return not scheme.words or _words(scheme.words).search(text, max(0, start - _REACH), start) is not None
