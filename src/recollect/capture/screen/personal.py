"""Personal data in a text: cards, accounts, identity numbers, and the ways to reach or find a person.

Beside `secrets.py` in the screen; what happens to a finding is decided by kind in `policy.py`. Names of people are not
looked for: a memory without them would be useless.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Final

from recollect.capture.screen import checksums
from recollect.capture.screen.contact_details import (
    birth_dates,
    emails,
    ip_addresses,
    passports,
    phones,
    street_addresses,
)
from recollect.capture.screen.finding import Finding, disjoint
from recollect.capture.screen.identity_numbers import identity_numbers
from recollect.values.patterns import compiled

_CARD: Final = (
    r"(?<![\w.,/+-])(?:\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|3\d{3}([ -])\d{6}\2\d{4,5}|\d{12,19})(?![\w/-])(?![.,]\d)"
)
_CARD_WORDS: Final = (
    r"(?i)card|visa|mastercard|amex|maestro|\bcc\b|credit|debit|karte|carte|tarjeta|cartão|kreditkort|卡号|卡號"
)
# Issuer ranges and their lengths. Thirteen and nineteen digits are also the lengths of timestamps and of snowflake ids,
# and old Maestro numbers have twelve, so those need a word that says card.
_ISSUERS: Final = (
    r"4(?:\d{15})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]"
    r"|[689]\d)\d{11}|"
    r"(?:6011|65\d\d|64[4-9]\d|62\d\d)\d{12}|(?:2131|1800)\d{11}|35(?:2[89]|[3-8]\d)\d{12}"
)
_WEAK_ISSUERS: Final = r"4\d{12}|4\d{18}|(?:5[06-9]|6\d)\d{10,17}|35\d{14,17}|62\d{15,17}|220[0-4]\d{12,15}"
_IBAN: Final = r"(?<![A-Za-z0-9])[A-Za-z]{2}\d\d(?:[ -]?[A-Za-z0-9]{4}){2,7}(?:[ -]?[A-Za-z0-9]{1,3})?(?![A-Za-z0-9])"
_IBAN_LENGTHS: Final = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 "
    "FO18 FR27 GB22 "
    "GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 MC27 "
    "MD24 ME22 MK19 "
    "MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 "
    "TR26 UA29 VA22 XK20"
)
_ACCOUNT: Final = (
    r"(?i)(?:routing|aba|transit)[^\d\n]{0,24}(\d{9})(?!\d)|(?:bank|checking|savings"
    r"|chequing)[^\d\n]{0,24}account[^\d\n]{0,16}(\d{6,17})(?!\d)|"
    r"account (?:number|no\.?|#)[^\d\n]{0,8}(\d{8,17})(?!\d)|sort code[^\d\n]{0,12}(\d\d-\d\d-\d\d)(?!\d)"
)


def _payment_cards(text: str) -> Iterator[Finding]:
    for match in compiled(_CARD).finditer(text):
        digits = re.sub(r"[ -]", "", match[0])
        if not 12 <= len(digits) <= 19 or not checksums.luhn(digits):
            continue
        announced = compiled(_CARD_WORDS).search(text, max(0, match.start() - 48), match.start())
        if compiled(_ISSUERS).fullmatch(digits) or (announced and compiled(_WEAK_ISSUERS).fullmatch(digits)):
            yield Finding("payment_card", *match.span())


def _bank_accounts(text: str) -> Iterator[Finding]:
    for match in compiled(_IBAN).finditer(text):
        iban = re.sub(r"[ -]", "", match[0]).upper()
        if f"{iban[:2]}{len(iban)}" in _IBAN_LENGTHS and checksums.mod97(iban):
            yield Finding("bank_account", *match.span())
    lowered = text.lower()
    if "account" not in lowered and "routing" not in lowered and "sort code" not in lowered and "aba" not in lowered:
        return
    for match in compiled(_ACCOUNT).finditer(text):
        if match.lastindex != 1 or checksums.us_routing(match[1]):
            yield Finding("bank_account", *match.span(match.lastindex or 0))


_NUMBERS: Final[dict[str, Callable[[str], Iterator[Finding]]]] = {
    "payment_card": _payment_cards,
    "bank_account": _bank_accounts,
    "national_id": identity_numbers,
}
_CONTACTS: Final[dict[str, Callable[[str], Iterator[Finding]]]] = {
    "passport": passports,
    "email": emails,
    "phone": phones,
    "ip_address": ip_addresses,
    "date_of_birth": birth_dates,
    "street_address": street_addresses,
}
KINDS: Final = (*_NUMBERS, *_CONTACTS)
# Every account or identity number has five digits in a row but for a separator or letter; most turns of a talk do not.
_DENSE: Final = r"\d\d[ A-Za-z.+-]?\d\d[ A-Za-z.+-]?\d"
# Room for the word that names a number before it, and for the longest number after its first digits.
_BEFORE, _AFTER = 64, 48


def find_personal(text: str, kinds: Collection[str] = KINDS) -> tuple[Finding, ...]:
    """Personal data of the given kinds, in order, without overlaps."""
    found = [f for kind, detect in _CONTACTS.items() if kind in kinds for f in detect(text)]
    detectors = [detect for kind, detect in _NUMBERS.items() if kind in kinds]
    for start, end in _dense_parts(text) if detectors else ():
        part = text[start:end]
        found += (Finding(f.kind, f.start + start, f.end + start) for detect in detectors for f in detect(part))
    return disjoint(found) if found else ()


def _dense_parts(text: str) -> list[tuple[int, int]]:
    """The parts of the text around dense digits; elsewhere no number can be."""
    parts: list[tuple[int, int]] = []
    for match in compiled(_DENSE).finditer(text):
        start, end = max(0, match.start() - _BEFORE), match.end() + _AFTER
        if parts and start <= parts[-1][1]:
            parts[-1] = (parts[-1][0], end)
        else:
            # A part must not begin within a word, or its tail would pass for a number of its own.
            blank = text.find(" ", start, match.start()) if start else 0
            parts.append((max(blank, start), end))
    return parts
