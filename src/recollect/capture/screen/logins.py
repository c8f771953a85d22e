"""Logins: a pair ("admin / Summer2026!"), a sentence ("use hunter2 to log in"), or cells of a table under "password"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from recollect.capture.screen.finding import Finding
from recollect.capture.screen.passwords import WORD, is_chosen_word, is_pass_phrase, is_password, positions
from recollect.capture.screen.secret_values import looks_random
from recollect.values.patterns import compiled

_PAIR: Final = (
    r"(?P<user>(?<![^\s\"'`(*])[\w.+-]{2,40}(?:@[\w-]{1,40}(?:\.[\w-]{1,30}){1,4})?)"
    r"(?P<separator>[ ]?[/|][ ]?|:[ ]?)(?P<value>(?![/|+.])[^\s/\"'`<>(){}|]{6,60})"
)
_USERS: Final = frozenset(
    "admin administrator root sa postgres ubuntu pi deploy operator sysadmin oracle tomcat demo ec2-user guest superuser "
    "superadmin dba".split()
)
# Accounts that software brings along. Its name is also that of a product, so "postgres / mysql8" is no login.
_PRODUCTS: Final = frozenset(
    "postgres ubuntu pi deploy operator oracle tomcat demo guest elastic minioadmin mysql rabbitmq mongo redis "
    "grafana jenkins kibana"
    " zabbix cisco neo4j wordpress vagrant weblogic odoo nagios pfsense".split()
)
_ACCOUNTS: Final = _USERS | _PRODUCTS
_LOOSE_PAIR: Final = (
    rf"(?i)(?<![\w./-])(?P<user>{'|'.join(sorted(_ACCOUNTS, key=len, reverse=True))})"
    r"(?P<separator>[ ]?(?:[-\u2013\u2014]|=>|->|\\)[ ]|,[ ]|\t[ ]?)(?P<value>(?![/|+.])[^\s\"'`<>(){}|]{6,60})"
)
_AFTER_ADDRESS: Final = r"@[\w-]{1,40}(?:\.[\w-]{1,30}){1,4}(?:[ ]?[-\u2013|,;]?[ ]|\s)([^\s/\"'`<>(){}|]{6,60})"
_SYMBOL_AFTER_COLON: Final = r":[^\s/:]{4,59}[!#$%^&*]"
_STRONG_SYMBOLS: Final = "!#$%^&*?="
# Short names are part of many words; with a slash they are found by its spaces.
_AFTER_CREDENTIALS: Final = r"(?i)\b(?:cred\w*|logins?|zugangsdaten|accesos?|identifiants)\W{1,3}$"
_PAIR_CUES: Final = (
    " / ",
    "@",
    "creds",
    "credential",
    "login",
    "zugangsdaten",
    *(name if len(name) > 4 else f"{name}:" for name in sorted(_USERS)),
)
_LOOSE_CUES: Final = frozenset(
    f"{before}{name}{after}" for name in _ACCOUNTS for before in ("", "(", '"', "`") for after in ("", ",")
)
# A letter in disguise: the 3 of "s3cret", not that of "mysql8", "k8s" or "v3beta".
_DISGUISED: Final = (
    r"(?<![A-Za-z0-9])(?![vV]\d|[aA]11y|[lL]10n|sha1|md5"
    r"|ipv4)(?=[A-Za-z0-9]{4})[A-Za-z0-9]*[A-Za-z](?:[013457]|00)[A-Za-z]"
)

# "use hunter2 to log in", "sign in to the NAS with hunter2".
_ENTERS: Final = (
    r"(?:log(?:ging)?[ -]?(?:in|on)(?:to)?|sign(?:ing)?[ -]?(?:in|on)(?:to)?|unlocks?|unlocking"
    r"|get[ ]in(?:to)?|authenticate|ssh[ ]in(?:to)?)"
)
_ENTER_CUES: Final = (
    "log in", "login", "log on", "logon", "logging in", "sign in", "sign-in", "unlock", "get in", "authenticate", "ssh in",
)  # fmt: skip
_TYPED: Final = r"[\"'`]?(?P<value>[^\s\"'`<>(){}|]{6,40})[\"'`]?"
_WHERE: Final = r"(?:(?:to|on|at|into|as|with)\s(?:[\w.-]{1,20}\s){1,3}?(?:and\s)?)?(?:the\s\w{1,20}\s)?"
_USED: Final = (
    rf"(?i)\b(?:us(?:e|ing)|enter|type|try)\s{_TYPED}\s(?:to|for|when)\s(?:you\s)?{_ENTERS}\b",
    rf"(?i)\b{_ENTERS}\s{_WHERE}(?:with|using|and)\s(?:[\w.-]{{1,20}}\sand\s)?{_TYPED}",
    rf"(?i)\bto\s{_ENTERS}\b[^.\n]{{0,30}}?,?\s(?:use|type|enter)\s{_TYPED}",
)
_WORD_AND_DIGITS: Final = r"[a-z]{5,20}\d{1,4}[.,;:!]?$"
# Ways to log in, and names of accounts, that end in a digit.
_METHODS: Final = (
    r"(?i)auth|saml|ldap|fido|kerber|x509|rsa|ed25519|ecdsa|token|passkey|yubi|keycloak|okta|user|account|admin"
    r"|guest|node|room|page|port"
    r"|http|tls|sso|google|github|gitlab|windows|python|android|iphone|office|face|touch|web|version|server|client"
    r"|device|email|profile|bastion|host|proxy|prod|stag|cluster"
)
_LOGIN_WORDS: Final = (
    r"(?i)\bcred|log ?in|log ?on|sign(?:ed)? ?in|zugang|anmeld|acceso|identifiant|credencial|account|\bssh\b|\buser"
    r"|wi-?fi|wlan"
)
_REACH: Final = 60
_HEADING: Final = rf"(?i)[*_`\s]*(?:[\w./-]{{1,20}}[\s_.-]){{0,3}}?(?:{WORD})(?:\s?\([^()]{{1,20}}\))?[*_`\s:]*$"
_KEY_HEADING: Final = (
    r"(?i)[*_`\s]*(?:[\w./-]{1,20}[\s_.-]){0,3}?(?:api[ _-]?key|access[ _-]?key|token|secret)[*_`\s:]*$"
)
_MOST_ROWS: Final = 200
_LONGEST_ROW: Final = 2000


def login_pairs(text: str, lowered: str) -> Iterator[Finding]:
    """Passwords after a user name and a slash or colon; `lowered` is the text in lower case."""
    if "@" in text:
        yield from _after_addresses(text)
    if not any(cue in lowered for cue in _PAIR_CUES) and not compiled(_SYMBOL_AFTER_COLON).search(text):
        return
    match = compiled(_PAIR).search(text)
    while match:
        value = match["value"].rstrip(".,;:?")
        if is_password(value) and _is_login(text, match["user"], match["separator"], value, match.start()):
            yield Finding("login-pair", match.start("value"), match.start("value") + len(value))
        # In "staging: deploy / s3cretpw" the first value is the next user.
        match = compiled(_PAIR).search(text, match.end("user"))


def loose_pairs(text: str, lowered: str) -> Iterator[Finding]:
    """Passwords after the name of a usual account and a dash, a comma or an arrow: only those of a clear form."""
    if _LOOSE_CUES.isdisjoint(lowered.split()):
        return
    for match in compiled(_LOOSE_PAIR).finditer(text):
        value = match["value"].rstrip(".,;:?")
        strong = any(map(str.isdigit, value)) and any(char in _STRONG_SYMBOLS for char in value)
        spoken = _is_disguised(value) and (not value.isalnum() or _has_login_word(text, match.start()))
        if is_password(value) and any(map(str.isalpha, value)) and (strong or spoken):
            yield Finding("login-pair", match.start("value"), match.start("value") + len(value))


def spoken_logins(text: str, lowered: str) -> Iterator[Finding]:
    """Passwords in sentences on how to get in, which do not say that they are one."""
    for cue in _ENTER_CUES:
        for at in positions(cue, lowered) if cue in lowered else ():
            if compiled(r"\d").search(text, max(0, at - _REACH), at + _REACH):
                yield from _typed(text, max(0, at - _REACH), at + _REACH)


def _typed(text: str, start: int, end: int) -> Iterator[Finding]:
    for pattern in _USED:
        for match in compiled(pattern).finditer(text, start, end):
            value = match["value"].rstrip(".,;:?")
            if is_password(value) and _is_typed(value):
                yield Finding("spoken-login", match.start("value"), match.start("value") + len(value))


def _is_typed(value: str) -> bool:
    """Whether a value is what one types, rather than a method or an account: letters in disguise, symbols, a word and digits."""
    if compiled(_METHODS).search(value):
        return False
    strong = any(map(str.isdigit, value)) and any(char in _STRONG_SYMBOLS for char in value)
    return strong or _is_disguised(value) or compiled(_WORD_AND_DIGITS).match(value) is not None


def _is_disguised(value: str) -> bool:
    return compiled(_DISGUISED).search(value) is not None


def _after_addresses(text: str) -> Iterator[Finding]:
    """Passwords right after an e-mail address: with capitals, digits and symbols no word of a sentence looks like them."""
    for match in compiled(_AFTER_ADDRESS).finditer(text):
        value = match[1].rstrip(".,;:?")
        cased = any(map(str.isupper, value)) and any(map(str.islower, value))
        if cased and any(char in _STRONG_SYMBOLS for char in value) and is_password(value):
            yield Finding("login-pair", match.start(1), match.start(1) + len(value))


def _is_login(text: str, user: str, separator: str, value: str, at: int) -> bool:
    """Whether the form of the value is as clearly a password as the user name and the words before leave open."""
    letters = any(map(str.isalpha, value))
    cased = any(map(str.isupper, value)) and any(map(str.islower, value))
    symbols = any(char in _STRONG_SYMBOLS for char in value)
    if not letters or "@" in value or (separator == "/" and not symbols):
        return False
    if user.lower() in _PRODUCTS:
        return symbols or _is_disguised(value) or _has_login_word(text, at)
    if user.lower() in _USERS or "@" in user:
        return cased or symbols or _is_disguised(value) or _has_login_word(text, at)
    if compiled(_AFTER_CREDENTIALS).search(text[max(0, at - 24) : at]):
        return True
    if separator == " / ":
        return (cased and symbols) or ((cased or symbols or len(value) > 7) and _has_login_word(text, at))
    return separator == ":" and cased and symbols


def _has_login_word(text: str, at: int) -> bool:
    return compiled(_LOGIN_WORDS).search(text, max(0, at - _REACH), at) is not None


class _Row(NamedTuple):
    cells: tuple[str, ...]
    starts: tuple[int, ...]


def table_cells(text: str, lowered: str, words: list[int]) -> Iterator[Finding]:
    """Passwords and keys in tables: beside their heading, or in the column under it. `words` are the positions of cues."""
    keys = [at for word in ("key", "token", "secret") for at in positions(word, lowered)] if "|" in text else []
    looked: set[int] = set()
    end = 0  # of the last table: a heading inside it has only a cell beside it, not a column of its own
    for at in sorted((*words, *keys)):
        start = text.rfind("\n", max(0, at - _LONGEST_ROW), at) + 1
        if start in looked or (not start and at > _LONGEST_ROW):
            continue
        looked.add(start)
        found, end = _of_line(text, start, end)
        yield from found


def _of_line(text: str, start: int, end: int) -> tuple[list[Finding], int]:
    """What is found beside and under the headings of a line, and where the table ends that it heads."""
    line = _line(text, start)
    separator = next((mark for mark in ("|", "\t", ",") if mark in line), None)
    found: list[Finding] = []
    if separator is None or len(line) > _LONGEST_ROW:
        return found, end
    row = _row(line, start, separator)
    headings = [(number, secret) for number, cell in enumerate(row.cells) if (secret := _heading(cell)) is not None]
    for number, secret in headings:
        if separator == "|" and number + 1 < len(row.cells):
            found += _of_cell(row, number + 1, secret=secret)
    if not headings or start < end:
        return found, end
    for below in _rows_below(text, start + len(line) + 1, separator, len(row.cells)):
        end = below.starts[-1]
        for number, secret in headings:
            found += _of_cell(below, number, secret=secret)
    return found, end


def _heading(cell: str) -> bool | None:
    """Whether a cell is a heading for passwords (True) or for keys (False), or none."""
    if compiled(_HEADING).match(cell):
        return True
    return False if compiled(_KEY_HEADING).match(cell) else None


def _rows_below(text: str, start: int, separator: str, width: int) -> Iterator[_Row]:
    """The rows of a table, down to the first line that has another number of cells."""
    for _ in range(_MOST_ROWS):
        line = _line(text, start)
        row = _row(line, start, separator)
        if start >= len(text) or len(row.cells) != width:
            return
        yield row
        start += len(line) + 1


def _of_cell(row: _Row, number: int, *, secret: bool) -> Iterator[Finding]:
    cell = row.cells[number]
    value = cell.strip().strip("*_`\"'")
    if secret:
        real = is_password(value) or is_chosen_word(value) or is_pass_phrase(value.split(" "), 3)
    else:
        real = len(value) >= 16 and looks_random(value, 2.8)
    if real:
        start = row.starts[number] + cell.index(value)
        yield Finding("table-cell", start, start + len(value))


def _line(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start:] if end < 0 else text[start:end]


def _row(line: str, start: int, separator: str) -> _Row:
    cells = line.split(separator)
    starts, at = [], start
    for cell in cells:
        starts.append(at)
        at += len(cell) + 1
    return _Row(tuple(cells), tuple(starts))
