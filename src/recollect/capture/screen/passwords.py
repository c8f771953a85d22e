"""Passwords, pass phrases and PINs that people write next to a word for them, in prose, settings, code or tables.

The word decides where to look, the form of the value decides whether it is one. A value with letters and digits counts wherever
the word stands next to it; a plain word or a phrase counts only where nothing but a password can stand, because most sentences
about passwords have none: "the password is wrong", "password: required".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from recollect.capture.screen.finding import Finding
from recollect.capture.screen.secret_values import is_name, is_placeholder, is_reference
from recollect.values.patterns import compiled

CUES: Final = (
    "pass",
    "p@ss",
    "pa55",
    "pa$$",
    "wifi",
    "wi-fi",
    "wlan",
    "pwd",
    "pw",
    "kennwort",
    "mdp",
    "contrase",
    "clave",
    "senha",
    "wachtwoord",
    "adgangskode",
    "parola",
    "psk",
    "l2tp",
    "ipsec",
    "radius ",
    "vpn ",
    "vpn-",
)
# Longer cues, looked for only in a text that has the word they share.
CUES_WITH: Final = {
    "shared": ("pre-shared", "preshared", "pre shared", "shared secret"),
    "communit": ("snmp", "rocommunity", "rwcommunity", "community string"),
    "answer": (
        "secret answer", "security answer", "recovery answer", "secret question", "security question",
        "recovery question", "answer to ",
    ),
}  # fmt: skip
CUES_BEYOND_ASCII: Final = (
    "has\u0142o", "l\u00f6senord", "\u015fifre", "пароль", "密码", "密碼", "口令", "パスワード", "비밀번호"
)  # fmt: skip

# What is a password by another name: of a network, of a device, of an account that has lost its own.
_OTHER_WORD: Final = (
    r"(?<![a-z0-9])psk(?![a-z0-9])|pre-?[ ]?shared[ -]?(?:key|secret)|shared[ ]secret(?![ ]sharing)"
    r"|(?<![a-z])(?:l2tp|ipsec|radius|vpn)[ -](?:psk|secret|key)(?![a-z])"
    r"|(?:snmp(?:-server|v?[123]c?)?[ ](?:(?:read|write|ro|rw)(?:-only)?[ ])?community|community[ ]string"
    r"|r[ow]community)(?:[ ](?:string|name))?"
)
_ANSWER: Final = (
    r"(?:secret|security|recovery)[ ](?:question(?:['\u2019]?s)?[ ])?answers?"
    r"|answers?[ ]to[ ](?:(?:the|my|our|his|her|their|your)[ ])?(?:[\w'\u2019]{2,14}[ ])?"
    r"(?:secret|security|recovery)[ ]question"
)
WORD: Final = (
    rf"(?:{_OTHER_WORD}|{_ANSWER}"
    r"|(?:wi-?fi|wlan)[- ]?(?:key|code|pass|pw|schl\u00fcssel)\b|(?<=code[ ])wi-?fi"
    r"|p(?:ass|@ss|a55|a\$\$)(?:word|wd|w0rd|wort|[ -]?phrase"
    r"|code|wrd)s?|(?<![a-z])pwd?(?![a-z])|(?<=[a-z_])pwd|kennwort|(?<=mot[ ]de[ ])passe"
    r"|(?<![a-z])mdp(?![a-z])|contrase(?:ñ|n)a|(?<![a-z])clave(?![a-z])|senha|wachtwoord|adgangskode|(?<![a-z])parola"
    r"|has\u0142o|l\u00f6senord|\u015fifre|пароль|密[码碼]|口令|パスワード|비밀번호|(?<=[_.-])pass|(?<=store)pass(?![a-z])|(?<![a-z])pass(?![a-z]))"
)
_PLACES: Final = (
    r"for|to|of|on|in|at|from|für|vom|von|zum|zur|im|am|de|del|du|des|pour|para|do|da|di|della|van|voor|het"
)
# "shared secret", "secret answer" and "clave" are said of other things too: only a value of a clear form counts after them.
_AMBIGUOUS: Final = rf"(?i)clave|pass[ :]|shared|{_ANSWER}"
# What a word for a password belongs to: "for the router", "(router)".
_OBJECT: Final = (
    rf"(?:\s(?:{_PLACES})\s(?:[\w.'\u2019@/-]{{1,30}}\s){{0,5}}?[\w.'\u2019@/-]{{1,30}})?(?:\s\([^()\n]{{1,40}}\))?"
)
_IS: Final = (
    r"(?:['\u2019]s[ ]|\s?(?:[:=\uff1a]|->|=>|\u2192|[-\u2013\u2014](?=\s))\s?"
    r"|\s(?:is|was|are|ist|war|lautet|hei\u00dft|es|era|est|\u00e9|\u00e8|jest|\u00e4r|er)(?=[\s:])"
    r"(?:\s(?:now|still|currently|just|simply|jetzt|noch|ahora|maintenant|adesso))?:?\s{1,3}"
    r"|\s?(?:是|为|為|は|는|은)[:\uff1a]?\s?)"
)
_CHANGED: Final = (
    r"(?:\s(?:is|was|has\sbeen|got|wurde|auf))?(?:\s(?:set|changed|reset|updated|rotated|switched|ge\u00e4ndert))?"
    r"(?:\s(?:from|von)\s\S{1,60})?\s(?:to|auf|zu)\s"
)
_VALUE: Final = (
    r"[*_]{0,2}(?: \\?(?P<quote>[\"'`“‘«„])(?P<quoted>[^\"'`”’»“\n]{4,80}?)\\?[\"'`”’»“]"
    r" | (?P<bare>[^\s\"'`“”<>|]{4,80}) )"
)
_ASSIGNED: Final = rf"""(?ix)
    {WORD}(?P<rest>[\w.-]{{0,24}}+)\\?["'`\])*]{{0,4}}
    (?P<operator>\s{{0,3}}(?:[:?+.|]{{0,3}}=>?|:|,)\s{{0,4}}|>|</t[dh]>\s{{0,4}}<t[dh][^>\n]{{0,40}}>)
    (?: \\?(?P<quote>["'`])(?P<quoted>[^"'`\n]{{4,80}}?)\\?(?P=quote) | (?P<bare>[^\s"'`<>,;(){{}}\[\]|]{{4,80}}) )
"""
_SPOKEN: Final = rf"(?ix) {WORD}[*_\"'`]{{0,3}}{_OBJECT}(?:{_CHANGED}|(?P<plain>{_IS}))(?:[*_]{{1,2}}\s?)?{_VALUE}"
_NEXT: Final = rf"(?ix) {WORD}[*_\"'`]{{0,3}}\s{_VALUE}"
# "hunter2 is the password", "use Summer2026! as my password": read backwards from the word.
_BEFORE: Final = (
    r"(?i)(?P<value>[^\s\"'`()]{5,60})[\"'`)]?,?\s(?:is|was|as|ist|war|als|es|est|comme|como|\u00e8|\u00e9)\s"
    r"(?:the|my|our|your|his|her|their|das|mein|unser|la|el|mi|le|mon|il|o|a)?\s?(?:[\w-]{1,20}\s){0,2}$"
)
_PHRASE: Final = r"(?:[A-Za-z]{3,14}[ ]){2,11}[A-Za-z]{3,14}"
_JOINED_PHRASE: Final = r"[A-Za-z]{3,14}(?:[-_.+][A-Za-z]{3,14}){2,9}$"
# A plain bare value counts up to the end of a line or clause, where no further word explains it.
_END: Final = r"[*_`]{0,2}(?:[.!]?(?=\s*$)|[.!,;]\s|\s*\n|\s(?:and|und|y|et|for|f\u00fcr|in\scase)\b|\s[(])"

_GOES_ON: Final = r"(?i)\s(?:to|into|along|as|through|by|via|around|over|instead|when)\b"
_SUBJECT: Final = (
    r"(?i)\b(?:i|we|you|they|to|must|should|can|could|will|would|may|might|please|then|just|also|not|never|always"
    r"|don't|or|who|that"
    r"|which|let's|callers?|functions?)\s$"
)

_OTHER_FIELD: Final = (
    r"(?i)^[_.-]?(?:hash\w*|field|file|path|policy|length|reset\w*|input|prompt|manager|confirm\w*|strength|id|hint"
    r"|url|label|type|min\w*|max\w*|"
    r"error|encoder|changed?|valid\w*|regex|expir\w*|form|text|box|salt|column|variable|changed_at|rules?|name"
    r"|requirements?|attempts?|stdin|less|ed|es|ing|port|enger|age)"
)
_STOCK_WORDS: Final = (
    "password passwd pass pwd passphrase secret user username admin root guest test testing postgres mysql redis "
    "mongo string str text none null true false required optional hidden varchar char password123 pass123 123456 "
    "12345678 changeme test123 token confirm validate value input field self undefined process request "
    "credentials letmein"
)
TRIVIAL: Final = frozenset(_STOCK_WORDS.split())
# What sentences say about passwords. A value that is one of these words, or a phrase with one of them, is talk.
_TOPIC_WORDS: Final = (
    "above account accounts active again already always another anything apart argument authentication available bad base64 "
    "bcrypt below blank body both boolean broken bytes case changed characters charfield client column common complex config "
    "correct count data database default different digits draft easy either elsewhere empty encryption enough entry enum "
    "env error every everyone expired extra false field fields fine form format forgotten fresh from generator given good "
    "gone hard hash hashes header hello hers here hidden hint however identical important incorrect insecure inside integer "
    "invalid itself known later length letters likely login logins longer longtext lost mandatory manager maximum mine minimum "
    "missing module mostly name needed never nothing null number numbers object okay once online optional ours outdated "
    "param parameter person phone please plain plaintext policy possible private props protocol public question random "
    "reading ready request requirement requirements required reset right rotation safe same secret secrets secure security "
    "self sensitive service setting shared short should show shown simple single somehow someone something somewhere special "
    "state static still storage store strength string strong symbol symbols system temp temporary text that their theirs then "
    "there these this token tomorrow true type undefined unique unknown unsafe uppercase user username users usual valid "
    "validation value values variable vault visible void weak what where which whole widget wrong yesterday your yours "
    "falsch richtig sicher unsicher leer lang kurz abgelaufen vergessen gespeichert erforderlich notwendig geheim gleich "
    "dasselbe immer obligatoire obligatoria obligatorio incorrecta correcta segura larga corta igual necesaria fuerte faux "
    "requis court faible faible fort oublié expiré vide paciencia siguiente"
)
_TOPIC: Final = frozenset(_TOPIC_WORDS.split())
_FUNCTION_WORDS: Final = (
    "a about after all also an and any are as ask at be because been before being but by can cannot could did do does each "
    "for had has have having he her him his how i if in into is it its just keep let like make many may me more most must "
    "my need needs no not now of off on only or other our out over own per please see she should since so some such than "
    "that the their them then there they this those through to too two under until up use used uses using very via was we "
    "were when where which while who why will with without would you your"
)
_FUNCTION: Final = frozenset(_FUNCTION_WORDS.split())
# Only in phrases: alone "correct" is talk, in "correct horse battery staple" it is not.
_PHRASE_TOPIC: Final = (_TOPIC | {"change", "changes", "takes", "requires", "sharing", "recovery", "stored", "sent"}) - {
    "correct", "easy", "plain", "fresh", "phone", "person", "simple", "static", "single", "store", "hello", "short", "hard",
}  # fmt: skip
_TALK_ENDING: Final = r"(?:ed|ing|able|ible|ive|ent|ant|ous|less|ful|ory|ally|ely|ic|ical|iert|ado|ada|ido|ida)$"
_ALGORITHM: Final = (
    r"(?i)^\W?(?:sha|md|pbkdf|argon|bcrypt|scrypt|oauth|saml|aes|rsa|base|utf|v)[-_]?\d|^\d+[-\s]?[a-z]+$"
)
# "at least 8 characters" in a script without spaces.
_QUANTITY: Final = (
    r"^[^A-Za-z]*\d+\s?(?:文字|桁|字符|字元|个字|個字|자|자리|글자|символ|знак)"
    r"|^[^A-Za-z]*\d+\s?(?:字|位|个|個|日|天|か月|ヶ月|月|年|回|次|일|분|秒|分|時間|小时)[^A-Za-z]*$"
)
_STRENGTH: Final = r"(?=.*[A-Za-z]).{6,}$|(?=.*[^\w\s]).{6,}$|\d{6,}$"
_SENTENCE_END: Final = ".,;:?!)]}*_"

_CREDENTIAL_NAME: Final = (
    rf"(?i){WORD}[\W_]{{0,3}}$|{WORD}[\s_.-]+(?:for|of|to|f\u00fcr|de|du)\b"
    r"|(?:^|[\W_])(?:pin|cvv|otp|secret|token|credentials?|(?:api|access|private|signing)[ _.-]?key)[\W_]{0,3}$"
)
# The value is on the next line, under a heading, or in the field beside the one that has the name.
_BESIDE: Final = rf"""(?ix)
    {WORD}(?P<rest>[\w.-]{{0,24}}+)
    (?: [ \t*_:`"'|>\\=-]{{0,8}}\n[ \t]*(?:[=~-]{{3,40}}[ \t]*\n[ \t]*)?\n?[ \t]*[>*`"'-]{{0,3}}[ ]?
        (?P<line>[^\s"'`<>|]{{4,80}})["'`*]{{0,2}}[ \t]*(?:\n|$)
      | ["'`]?\s{{0,3}}(?:,\s{{0,6}}|</?\w{{1,20}}>\s{{0,12}}<\w{{1,20}}>|\n?\s{{0,12}})["']?
        (?:(?:value|val|content|default)["']?\s?[:=]\s?|(?<=>))["'`]?
        (?P<field>[^\s"'`<>,;|]{{4,80}})
      | [ ]{{0,2}}(?:[\[(~]|\u2026|\.{{3}})[ ]?(?P<bracket>[^\s"'`<>()\[\],;|]{{4,80}})
      | \s{{0,2}}[=:(]\s{{0,2}}(?:["'`]{{3}}|(?<=[(])["'`])(?P<call>[^\s"'`]{{4,80}})["'`]
    )
"""


def passwords(text: str, words: list[int]) -> Iterator[Finding]:
    """Passwords given in the text, in code or in prose; `words` are the positions where a word for them may begin."""
    for at in words:
        yield from _assigned(text, at)
        yield from _spoken(text, at)
        yield from _adjacent(text, at)
        yield from _in_next_field(text, at)


def names_credential(name: str) -> bool:
    """Whether a key, a tag or a heading names a credential: `db-password`, `wifi code`, `api_token`."""
    return compiled(_CREDENTIAL_NAME).search(name) is not None


def password_words(text: str, lowered: str) -> list[int]:
    """Where a word for a password may begin; `lowered` is the text in lower case."""
    cues = CUES if text.isascii() else (*CUES, *CUES_BEYOND_ASCII)
    found = [at for cue in cues if cue in lowered for at in positions(cue, lowered)]
    for shared, longer in CUES_WITH.items():
        if shared in lowered:
            found += [at for cue in longer for at in positions(cue, lowered)]
    return found


def positions(word: str, lowered: str) -> Iterator[int]:
    """Every position of a word."""
    at = lowered.find(word)
    while at >= 0:
        yield at
        at = lowered.find(word, at + len(word))


def is_password(value: str) -> bool:
    """Whether a value has the form of a password: letters and digits or symbols, and not a stand-in for one."""
    return _is_strong(value) and _is_real(value)


def is_chosen_word(value: str, *, quoted: bool = False) -> bool:
    """Whether a plain word can be a password rather than something that is said about one; in quotes, it more likely is."""
    lowered = value.lower()
    return (
        value.isalpha()
        and 5 <= len(value) <= 30
        and lowered not in _TOPIC
        and lowered not in _FUNCTION
        and (quoted or compiled(_TALK_ENDING).search(lowered) is None)
        and compiled(WORD).search(lowered) is None
        and _is_real(value)
    )


def _is_real(value: str) -> bool:
    stand_in = value.lower() in TRIVIAL or is_placeholder(value) or is_reference(value) or is_name(value)
    return not stand_in and (value.isascii() or compiled(_QUANTITY).search(value) is None)


def _is_strong(value: str) -> bool:
    """Whether the value is not a plain word: it has digits among other characters, or symbols inside."""
    if " " in value:
        return False
    if any(map(str.isdigit, value)):
        return compiled(_STRENGTH).match(value) is not None
    return len(value) >= 8 and compiled(r"[A-Za-z]\w*[!#$%^&*]+\w*[A-Za-z]").match(value) is not None


def is_pass_phrase(words: list[str], least: int) -> bool:
    """Whether words in a row are no part of a sentence: no "the", no "must", nothing that is said about passwords."""
    return (
        all(map(str.isalpha, words))
        and len(words) >= least
        and not any(word.lower() in _PHRASE_TOPIC or word.lower() in _FUNCTION for word in words)
    )


def _assigned(text: str, at: int) -> Iterator[Finding]:
    match = compiled(_ASSIGNED).match(text, at)
    if match is None or compiled(_OTHER_FIELD).match(match["rest"]):
        return
    operator = match["operator"].strip()
    if match["quoted"]:
        value = match["quoted"]
        # After a comma it may be the next item of a list.
        plain = operator != "," and (is_chosen_word(value, quoted=True) or is_pass_phrase(value.split(" "), 3))
        if is_password(value) or plain:
            yield Finding("password-assignment", *match.span("quoted"))
        return
    value = match["bare"].rstrip(_SENTENCE_END) if operator == ":" else match["bare"].rstrip(".")
    value = value.partition("&")[0] if text[at - 1 : at] in ("?", "&") else value
    end = match.start("bare") + len(value)
    if is_password(value) or (_stands_as_value(text, match, operator, end) and _is_plain_password(value)):
        yield Finding("password-assignment", match.start("bare"), end)


def _is_plain_password(value: str) -> bool:
    if compiled(_JOINED_PHRASE).match(value):
        return is_pass_phrase(re.split(r"[-_.+]", value), 3) and _is_real(value)
    return is_chosen_word(value)


def _stands_as_value(text: str, match: re.Match[str], operator: str, end: int) -> bool:
    """Whether an unquoted value can only be a literal: in settings, a connection string, a command, a tag, a table cell."""
    name, before = match[0][: match.start("operator") - match.start()], text[max(0, match.start() - 30) : match.start()]
    after = text[end : end + 2]
    if operator.startswith((">", "</")):
        return after == "</"
    if operator == ":":
        return compiled(r"[*_`]{0,2}[.!]?\s*(?:\n|$)").match(text, end) is not None
    if "=" not in operator or match["operator"] != operator:
        return False
    if name.isupper():
        return True
    starts_line = not before or before[-1] == "\n"
    return (
        before.endswith((";", "?", "&", "--", "."))
        or compiled(r"--[\w-]{1,20}-$").search(before) is not None
        or (starts_line and not after.strip())
    )


def _spoken(text: str, at: int) -> Iterator[Finding]:
    match = compiled(_SPOKEN).match(text, at)
    if match is None:
        return
    plain = bool(match["plain"]) and not compiled(_AMBIGUOUS).match(text, at)
    plain = plain or text[at : at + 11].lower() == "pass phrase"
    if match["plain"] and compiled(rf"(?i){_ANSWER}").match(text, at):
        plain = bool(match["quoted"]) or match["bare"][0].isupper() or match["plain"].strip() in (":", "=")
    if match["quoted"]:
        value = match["quoted"].strip()
        chosen = plain and (is_chosen_word(value, quoted=True) or is_pass_phrase(value.split(), 3))
        if is_password(value) or chosen:
            yield Finding("password", *match.span("quoted"))
        return
    value = match["bare"].rstrip(_SENTENCE_END)
    start = match.start("bare")
    if is_password(value) or (plain and _ends_clause(text, start + len(value)) and _is_plain_password(value)):
        yield Finding("password", start, start + len(value))
    elif plain:
        yield from _phrase(text, start)


def _ends_clause(text: str, end: int) -> bool:
    return compiled(_END).match(text, end) is not None


def _phrase(text: str, start: int) -> Iterator[Finding]:
    """Four or more words in a row, up to the first that only a sentence has."""
    match = compiled(_PHRASE).match(text, start)
    if match is None:
        return
    words = match[0].split(" ")
    kept = next((n for n, word in enumerate(words) if word.lower() in _FUNCTION), len(words))
    if is_pass_phrase(words[:kept], 4):
        yield Finding("pass-phrase", start, start + len(" ".join(words[:kept])))


def _adjacent(text: str, at: int) -> Iterator[Finding]:
    """A password right after its word without a verb ("DB password hunter2"), or before it ("hunter2 is the password")."""
    match = compiled(_NEXT).match(text, at)
    if match:
        group = "quoted" if match["quoted"] else "bare"
        value = match[group].rstrip(_SENTENCE_END)
        mixed = any(map(str.isalpha, value)) and not compiled(_ALGORITHM).match(value)
        if mixed and is_password(value) and not _passes_it_on(text, at, match.start(group), value):
            yield Finding("password", match.start(group), match.start(group) + len(value))
    window = text[max(0, at - 110) : at]
    before = compiled(_BEFORE).search(window) if window.endswith(" ") else None
    if before and not before["value"].isdigit() and not compiled(_ALGORITHM).match(before["value"]):
        value = before["value"].rstrip(_SENTENCE_END)
        if any(map(str.isalpha, value)) and is_password(value):
            start = at - len(window) + before.start("value")
            yield Finding("password", start, start + len(value))


def _passes_it_on(text: str, at: int, start: int, value: str) -> bool:
    """Whether "pass" is a verb: "we pass user_id2 to the handler"."""
    if text[at : at + 5].lower() != "pass ":
        return False
    end = start + len(value)
    return (
        value.startswith("-")
        or "_" in value
        or compiled(_GOES_ON).match(text, end) is not None
        or compiled(_SUBJECT).search(text[max(0, at - 24) : at]) is not None
    )


def _in_next_field(text: str, at: int) -> Iterator[Finding]:
    match = compiled(_BESIDE).match(text, at)
    if match is None or match.lastgroup is None or compiled(_OTHER_FIELD).match(match["rest"]):
        return
    group = match.lastgroup
    value = match[group].rstrip(_SENTENCE_END)
    if any(map(str.isalpha, value)) and is_password(value) and not compiled(_ALGORITHM).match(value):
        yield Finding("password", match.start(group), match.start(group) + len(value))
