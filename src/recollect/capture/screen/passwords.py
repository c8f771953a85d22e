"""Passwords: chosen by people, so neither long nor random; known by the word beside them.

`password = "…"`, `PGPASSWORD=…`, "my password is hunter2", "mein Passwort ist …", "my PIN is 4821".
Called by `secrets.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from recollect.capture.screen.finding import Finding
from recollect.capture.screen.randomness import is_name, is_placeholder, is_reference
from recollect.values.patterns import compiled

_CUES = ("pass", "pwd", "kennwort", "mot de passe", "contrase", "senha", "wachtwoord")
_CUES_BEYOND_ASCII = ("has\u0142o", "l\u00f6senord", "пароль", "密码", "密碼", "パスワード", "비밀번호")
_PIN_CUES = ("pin ", "pin:", "cvv", "cvc", "code", "combination")

_WORD = (
    r"(?:pass(?:word|wd|wort|phrase|code|wrd)s?|pwd|kennwort|mot\ de\ passe|contrase(?:ñ|n)a|senha|wachtwoord"
    r"|has\u0142o|l\u00f6senord|"
    r"пароль|密码|密碼|パスワード|비밀번호|(?<=[_.-])pass|pass(?=\s?=))"
)
_ASSIGNED = rf"""(?ix)
    {_WORD}(?P<rest>[\w.-]{{0,24}}+)\\?["'`\]]{{0,3}}\s{{0,3}}
    (?P<operator>[:?+.|]{{0,3}}=>?|:|,|>)\s{{0,4}}
    (?: \\?(?P<quote>["'`])(?P<quoted>[^"'`\n]{{4,80}}?)\\?(?P=quote) | (?P<bare>[^\s"'`<>,;(){{}}\[\]]{{5,80}}) )
"""
_SPOKEN = rf"""(?ix)
    {_WORD}(?:\s(?:for|to|of|on|für|pour|para|del?)\s(?:[\w.'-]{{1,24}}\s){{1,5}}?)?\s?
    (?:is(?:\snow)?|was|(?:set\s|changed\s)?to|ist|lautet|est|es|é|=|是|は|:|\uff1a)[:\uff1a]?\s?
    (?: ["'`“](?P<quoted>[^"'`”\n]{{4,60}})["'`”] | (?P<bare>[^\s"'`“<>()]{{5,60}}) )
"""
_PIN = (
    r"(?i)\b(?:pin|passcode|cvv2?|cvc|security code|door code|alarm code|gate code|safe combination)(?: code| number)?"
    r"(?: (?:for|to|of) [\w' ]{1,24}?)?\s?(?:is|=|:)\s?(\d[\d-]{2,9})\b"
)
_OTHER_FIELD = (
    r"(?i)^[_.-]?(?:hash\w*|field|file|path|policy|length|reset\w*|input|prompt|manager|confirm\w*|strength|id|hint"
    r"|url|label|type|min\w*|max\w*|"
    r"error|encoder|changed?|valid\w*|regex|expir\w*|form|text|box|salt|column|variable|changed_at|rules?|name"
    r"|requirements?|attempts?)"
)
_STOCK_WORDS: Final = (
    "password passwd pass pwd passphrase secret user username admin root guest test testing postgres mysql redis "
    "mongo string str text none null true false required optional hidden varchar char password123 pass123 123456 "
    "12345678 changeme test123 token confirm validate value input field self undefined process request "
    "credentials letmein"
)
_TRIVIAL: Final = frozenset(_STOCK_WORDS.split())
_REACH: Final = 240
_SENTENCE_END: Final = ".,;?"
_STRENGTH = r"(?=.*[A-Za-z]).{6,}$|(?=.*[^\w\s]).{6,}$|\d{6,}$"


def passwords(text: str, lowered: str) -> Iterator[Finding]:
    """Passwords and PINs given in the text, in code or in prose; `lowered` is the text in lower case."""
    cues = _CUES if text.isascii() else (*_CUES, *_CUES_BEYOND_ASCII)
    for at in _positions(cues, lowered):
        # A password has a digit or stands in quotes, and not far from its word.
        if compiled(r"[\d\"'`]").search(text, at, at + _REACH):
            yield from _assigned(text, at)
            yield from _spoken(text, at)
    if any(cue in lowered for cue in _PIN_CUES):
        for match in compiled(_PIN).finditer(text):
            yield Finding("pin-code", match.start(1), match.end(1))


def _positions(cues: tuple[str, ...], lowered: str) -> Iterator[int]:
    for cue in cues:
        at = lowered.find(cue)
        while at >= 0:
            yield at
            at = lowered.find(cue, at + len(cue))


def _assigned(text: str, at: int) -> Iterator[Finding]:
    match = compiled(_ASSIGNED).match(text, at)
    if match is None or compiled(_OTHER_FIELD).match(match["rest"]):
        return
    if _is_password(match["quoted"] or match["bare"], quoted=bool(match["quoted"])):
        yield _found("password-assignment", match)


def _spoken(text: str, at: int) -> Iterator[Finding]:
    match = compiled(_SPOKEN).match(text, at)
    if match and _is_password((match["quoted"] or match["bare"]).rstrip(_SENTENCE_END), quoted=False):
        yield _found("password", match)


def _found(kind: str, match: re.Match[str]) -> Finding:
    group = "quoted" if match["quoted"] else "bare"
    value = match[group] if match["quoted"] else match[group].rstrip(_SENTENCE_END)
    return Finding(kind, match.start(group), match.start(group) + len(value))


def _is_password(value: str, *, quoted: bool) -> bool:
    return (
        _is_strong(value, quoted=quoted)
        and value.lower() not in _TRIVIAL
        and not is_placeholder(value)
        and not is_reference(value)
        and not is_name(value)
    )


def _is_strong(value: str, *, quoted: bool) -> bool:
    """True when the value is no plain word: digits among letters, or capitals inside a quoted one."""
    if " " in value:
        return False
    if quoted and len(value) >= 8 and value.isalpha():
        return not value.istitle() and not value.islower()
    return any(map(str.isdigit, value)) and compiled(_STRENGTH).match(value) is not None
