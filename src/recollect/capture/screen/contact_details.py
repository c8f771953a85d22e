"""Ways to reach or place a person: e-mail, phone, IP address, street address, date of birth, passport.

Called by `personal.py`. Forms that also occur as ordinary numbers count only beside a word that names them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from recollect.capture.screen.finding import Finding
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
    """Full dates beside a word of birth."""
    lowered = text.lower()
    if any(cue in lowered for cue in _BIRTH_CUES):
        yield from (Finding("date_of_birth", *m.span(1)) for m in compiled(_BIRTH).finditer(text))


def passports(text: str) -> Iterator[Finding]:
    """Passport numbers beside the word."""
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
