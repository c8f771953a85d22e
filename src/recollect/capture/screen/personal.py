"""Personal data in a text: contact data, date of birth, passport, payment cards, bank accounts, identity numbers.

Forms that also occur as ordinary numbers count only next to a word that names them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Final

from recollect.capture.screen import identity_numbers as checksums
from recollect.capture.screen.finding import Finding, disjoint
from recollect.capture.screen.identity_numbers import identity_numbers
from recollect.values.patterns import compiled

_EMAIL: Final = r"(?<![\w.+%-])[\w.+%-]{1,64}+@(?:[\w-]{1,63}\.){1,5}[A-Za-z]{2,24}(?![\w-])"
_PHONE: Final = (
    r"(?<![\w.+/-])(?:\+\d{1,3}[ .-]?(?:\(0?\d{0,4}\)[ .-]?)?\d(?:[ .-]?\d){6,12}"
    r"|(?:1[ .-])?\(\d{3}\) ?\d{3}[ .-]\d{4}|"
    r"(?:1[ .-])?[2-9]\d\d([.-])[2-9]\d\d\1\d{4})(?: ?(?:x|ext\.?) ?\d{1,6})?(?![\w/-])(?!\.\d)"
)
_PHONE_IN_CONTEXT: Final = (
    r"(?i)(?:phone|telephone|tel|mobile|cell|fax|desk|whatsapp|call(?: me| us| him| her| them)?(?: back)?(?: at"
    r"| on)?|answering at|"
    r"text me(?: at| on)?|messages to|reach (?:me|us) (?:at|on)|telefon|handy|téléphone|teléfono)"
    r"(?: ?(?:number|no\.?|nr\.?|#))?(?: is)?[:.]?\s{1,4}(\(?\d(?:[ ().-]{0,2}\d){6,14}(?: ?x\d{1,5})?)(?![\w/-])"
    r"(?!\.\d)"
)
_IPV4: Final = r"(?<![\w.-])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w-])(?!\.\d)"
_IPV6: Final = r"(?<![\w:.])(?:[0-9A-Fa-f]{1,4}:){1,7}[0-9A-Fa-f:]{1,24}(?![\w:])"
_MONTH: Final = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_DATE: Final = (
    rf"\d{{1,2}}[/.-]\d{{1,2}}[/.-](?:19|20)?\d\d|(?:19|20)\d\d[/.-]\d{{1,2}}[/.-]\d{{1,2}}|{_MONTH} \d{{1,2}}(?:st"
    rf"|nd|rd|th)?,? (?:19|20)\d\d|"
    rf"\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH},? (?:19|20)\d\d"
)
_BIRTH: Final = (
    rf"(?i)(?:\bborn(?: on)?|birth ?date|date of birth|\bd\.?o\.?b\.?|birthday|geboren(?: am)?|née? le|naci[óo] el"
    rf"|fecha de nacimiento)"
    rf"(?: is| was)?[:,]?\s{{1,3}}(?:the )?({_DATE})(?!\d)"
)
_BIRTH_CUES: Final = ("born", "birth", "dob", "d.o.b", "geboren", "née", "né le", "naci")
_PASSPORT_CUES: Final = ("passport", "reisepass", "passeport", "pasaporte")
_PASSPORT: Final = (
    r"(?i)(?:passport|reisepass|passeport|pasaporte)(?: ?(?:number|no\.?|nr\.?|id|#|nummer))?(?: is"
    r"| was)?[:#]?\s{0,3}((?=[A-Z]{0,3}\d)[A-Z0-9]{6,9})(?!\w)"
)
_STREET: Final = (
    r"(?<![\w.$€£-])\d{1,5}[A-Za-z]?,? (?:(?:[NSEW]|North|South|East|West)\.? )?(?:(?:[A-Z][\w.'\u2019-]{1,20}"
    r"|\d{1,3}(?:st|nd|rd|th)) ){1,3}"
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Way|Place|Pl|Square|Sq|Terrace"
    r"|Parkway|Pkwy|Highway|Hwy|Crescent|Close)\b"
    r"\.?(?:,? (?:Apt|Apartment|Suite|Ste|Unit|Floor|#)\.? ?\w{1,6})?(?:[,\n] ?[A-Z][\w. ]{2,24},? [A-Z]{2}\.? "
    r"\d{5}(?:-\d{4})?)?"
    r"|\b[A-ZÄÖÜ][a-zäöüß-]{2,24}(?:straße|strasse|str\.|weg|platz|allee|gasse|gata|gade|straat|laan) \d{1,4}[a-z]?\b"
    r"|\b\d{1,4},? (?:rue|avenue|boulevard|place|chemin|allée|impasse) (?:de |du |des |la |le |l['\u2019]"
    r"|d['\u2019]){0,3}[A-ZÉ][\w'\u2019-]{2,24}"
    r"|\b(?:Calle|Avenida|Avda\.|Paseo|Via|Viale|Piazza|Rua) (?:de |del |la |los |las |di |da "
    r"|do ){0,2}[A-ZÁÉÍÓÚ][\w'\u2019-]{2,24}(?: [A-Z][\w'\u2019-]{2,24})?,? \d{1,4}\b"
    r"|\bP\.? ?O\.? Box \d{1,6}\b"
)


def emails(text: str) -> Iterator[Finding]:
    """E-mail addresses."""
    if "@" in text:
        yield from (Finding("email", *m.span()) for m in compiled(_EMAIL).finditer(text))


def phones(text: str) -> Iterator[Finding]:
    """Phone numbers in international or American form, and other forms after a word such as "phone"."""
    yield from (Finding("phone", *m.span()) for m in compiled(_PHONE).finditer(text))
    yield from (Finding("phone", *m.span(1)) for m in compiled(_PHONE_IN_CONTEXT).finditer(text))


def ip_addresses(text: str) -> Iterator[Finding]:
    """IPv4 and IPv6 addresses; not version numbers, not clock times."""
    if not compiled(r"\d\.\d|:[0-9A-Fa-f:]").search(text):
        return
    for match in compiled(_IPV4).finditer(text):
        if "version" not in text[max(0, match.start() - 10) : match.start()].lower():
            yield Finding("ip_address", *match.span())
    for match in compiled(_IPV6).finditer(text):
        if _is_ipv6(match[0]):
            yield Finding("ip_address", *match.span())


def _is_ipv6(printed: str) -> bool:
    groups = printed.split(":")
    if any(len(group) > 4 for group in groups) or printed.count("::") > 1 or not any(map(str.isdigit, printed)):
        return False
    return len(groups) == 8 or (
        "::" in printed and len(groups) < 8 and (len(groups) > 3 or groups[0].lower() in ("fe80", "2001", "fd00"))
    )


def birth_dates(text: str) -> Iterator[Finding]:
    """Full dates after a word such as "born"."""
    lowered = text.lower()
    if any(cue in lowered for cue in _BIRTH_CUES):
        yield from (Finding("date_of_birth", *m.span(1)) for m in compiled(_BIRTH).finditer(text))


def passports(text: str) -> Iterator[Finding]:
    """Passport numbers after the word."""
    lowered = text.lower()
    if not any(cue in lowered for cue in _PASSPORT_CUES):
        return
    for match in compiled(_PASSPORT).finditer(text):
        if sum(map(str.isdigit, match[1])) >= 5:
            yield Finding("passport", *match.span(1))


def street_addresses(text: str) -> Iterator[Finding]:
    """House number and street in English, German, French, Spanish and Italian usage."""
    if compiled(r"\d [A-Z]|[a-z.] \d|\d,? [a-z]").search(text):
        yield from (Finding("street_address", *m.span()) for m in compiled(_STREET).finditer(text))


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
# Every account or identity number has five digits with at most a separator or letter between them; most texts have none.
_DENSE: Final = r"\d\d[ A-Za-z.+-]?\d\d[ A-Za-z.+-]?\d"
# Enough for the word that names a number before it, and for the longest number after its first digits.
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
    """The parts of the text around dense digits; there are no numbers elsewhere."""
    parts: list[tuple[int, int]] = []
    for match in compiled(_DENSE).finditer(text):
        start, end = max(0, match.start() - _BEFORE), match.end() + _AFTER
        if parts and start <= parts[-1][1]:
            parts[-1] = (parts[-1][0], end)
        else:
            # A part must not start inside a word: the end of a long number would look like a number of its own.
            blank = text.find(" ", start, match.start()) if start else 0
            parts.append((max(blank, start), end))
    return parts
