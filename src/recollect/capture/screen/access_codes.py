"""What opens something without being called a password: PINs, one-time codes, combinations of locks, answers to security questions.

Digits count close to a word that says what they open; most numbers in a text open nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from recollect.capture.screen.finding import Finding
from recollect.capture.screen.passwords import is_chosen_word, is_password, positions
from recollect.values.patterns import compiled

_PIN_CUES: Final = ("pin", "cvv", "cvc", "code", "combination", "otp", "geheimzahl", "2fa", "tan ")

_CODE_WORDS: Final = (
    r"(?:passcode|zugangscode|geheimzahl|cvv2?|cvc2?|otp|totp|tan|pin|(?:security|door|alarm|gate|access|entry"
    r"|unlock|lock"
    r"|safe|verification|confirmation|2fa|mfa|sms|login|garage|locker|vault|keypad|voicemail|sim|card"
    r"|authenti\w+)[ ](?:code|pin"
    r"|combination)|one[- ]time[ ](?:code|password|pin)|code[ ](?:pin|secret)|(?:lock|safe)[ ]combination"
    r"|(?:combination|code)[ ](?:of|to|for)[ ](?:the|my|our|his|her|their)[ ](?:[\w'-]{1,15}[ ]){0,2}?(?:door|gate|safe"
    r"|alarm|garage|lock|locker|vault|entrance|elevator|bike|suitcase|entry))"
)
_PIN_REACH: Final = 80
_PIN: Final = (
    rf"(?i)\b{_CODE_WORDS}(?P<more> code| number)?(?: (?:for|to|of|from|vom|von|für|zum|del?|du|de la|der|des)"
    r" [\w' -]{1,30}?)?"
    r"(?P<copula>\s?(?:is|was|ist|lautet|es|est|=|:|\uff1a|是)[:\s]\s?|\s?[=:\uff1a]"
    r"|\s)\#?(?P<value>\d[\d-]{2,9})#?(?![\w%])(?!\.\d)"
)
_RECOVERY_CODES: Final = (
    r"(?i)(?:recovery|backup|emergency|scratch) codes?(?: are| is)?\W{1,4}((?:[a-z0-9]{4,6}-[a-z0-9]{4,6}|\d{8})"
    r"(?:\W{1,3}(?:[a-z0-9]{4,6}-[a-z0-9]{4,6}|\d{8}))*)"
)

# Locks, and how people say that a number opens them: "the safe opens with 33-12-07", "combo for the shed: 19-84-02".
_LOCK_CUES: Final = (
    "safe", "padlock", "lock", "vault", "suitcase", "garage", "gate", "door", "cabinet", "tresor", "schloss",
    "combo", "combination",
)  # fmt: skip
_LOCK: Final = (
    r"(?<![a-z])(?:safe|(?:pad|door|bike)?lock(?:er|[ ]?box)?|vault|suitcase|garage|gate|door|cabinet"
    r"|tresor|schloss|combo|combination)s?"
)
_TURNS: Final = r"\d{1,2}-\d{1,2}-\d{1,2}(?![\w-])(?![ ]?(?:cm|mm|m|in|inch|inches|kg)\b)"
_COMBINATION: Final = (
    rf"(?i)(?!(?:door|gate|garage|cabinet|suitcase)s?[ ]\d){_LOCK}(?:[ ](?:lock|combo|combination|code|number))?(?:[ ](?:for|of"
    rf"|to)[ ](?:[\w'-]{{1,15}}[ ]){{0,3}}?[\w'-]{{1,15}})?"
    rf"(?:[ ]?[:=]|[ ]is|[ ]to)?[ ](?P<value>{_TURNS})"
)
_OPENS: Final = (
    rf"(?i){_LOCK}[ ](?:(?:opens?|unlocks?|is[ ](?:opened|unlocked)|(?:can|could)[ ]be[ ](?:opened"
    rf"|unlocked))(?:[ ]up)?[ ](?:with|by|using|on)"
    r"|geht|\u00f6ffnet(?:[ ]sich)?)(?:[ ]mit)?(?:[ ](?:the|der|dem))?(?:[ ](?:code|combination|number|pin|combo"
    r"|digits|kombination))?[ ]"
    rf"\#?(?P<value>{_TURNS}|\d{{4,10}}(?=\#?(?:[.!,;)]|\s*$|\s(?:and|to|und|auf)\b)))"
)
_LOCK_IS: Final = (
    r"(?i)(?:(?<=bike )lock|(?<=bicycle )lock|(?<=suitcase )lock|(?<=door )lock|(?<=gym )lock|(?<=luggage )lock"
    r"|padlock|suitcase"
    r"|lock[ ]?box|tresor)[ ]?[:=][ ]?(?P<value>\d{3,8})(?=[.!,;)]|\s*$)"
)
_LOCK_REACH: Final = 90

# "security question: first pet; answer: Biscuit".
_QUESTIONS: Final = ("y question", "t question", "sicherheitsfrage", "maiden name for ")
_ANSWERED: Final = (
    r"(?i)(?:(?:secret|security|recovery) question|sicherheitsfrage)\b[^\n]{0,100}?[;,.?:\n]\s{0,4}(?:answer|a"
    r"|antwort)\s?(?:is|ist|lautet|:|=)"
    r"[\"'`\s]{1,3}(?P<value>[^\s\"'`]{3,40})"
    r"|maiden name for (?:the|my|our) (?:[\w-]{1,20} ){0,2}?[\w-]{1,20}\s?(?:is|:"
    r"|=)[\"'`\s]{1,3}(?P<name>[^\s\"'`]{3,40})"
)


def pin_codes(text: str, lowered: str) -> Iterator[Finding]:
    """PINs, one-time codes and combinations of locks: digits close to a word that says what they open."""
    for cue in _PIN_CUES:
        for at in positions(cue, lowered) if cue in lowered else ():
            if compiled(r"\d").search(text, at, at + _PIN_REACH):
                yield from _numbers(text, max(0, at - _PIN_REACH), at + _PIN_REACH)


def _numbers(text: str, start: int, end: int) -> Iterator[Finding]:
    for match in compiled(_PIN).finditer(text, start, end):
        word = match[0].lower()
        digits = sum(map(str.isdigit, match["value"]))
        # Without a verb only the usual lengths count: "pin 13" is a contact of a chip, "OTP 27" a version of Erlang.
        if not match["copula"].isspace() or digits >= 4 or word.startswith(("cvv", "cvc")):
            yield Finding("pin-code", *match.span("value"))
    for match in compiled(_RECOVERY_CODES).finditer(text, start, end):
        yield Finding("recovery-code", *match.span(1))


def lock_combinations(text: str, lowered: str) -> Iterator[Finding]:
    """Numbers that open a safe, a padlock or a door; `lowered` is the text in lower case."""
    for cue in _LOCK_CUES:
        for at in positions(cue, lowered) if cue in lowered else ():
            if compiled(r"\d\d").search(text, at, at + _LOCK_REACH):
                for pattern in (_COMBINATION, _OPENS, _LOCK_IS):
                    if match := compiled(pattern).match(text, at):
                        yield Finding("lock-combination", *match.span("value"))


def security_answers(text: str, lowered: str) -> Iterator[Finding]:
    """Answers that stand apart from the question they belong to; `passwords.py` has "the security answer is"."""
    if not any(cue in lowered for cue in _QUESTIONS):
        return
    for match in compiled(_ANSWERED).finditer(text):
        value = (match["value"] or match["name"]).rstrip(".,;!?)")
        start = match.start("value" if match["value"] else "name")
        if is_password(value) or (value[:1].isupper() and is_chosen_word(value, quoted=True)):
            yield Finding("security-answer", start, start + len(value))
