"""Secrets known by the name they are assigned to, and passwords in code or prose.

The first functions distinguish a random value (`sk-live-8fK2…`) from a placeholder (`sk-your-key-here`), a reference to a
variable and a plain name; every detector of secrets uses them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from math import log2
from typing import Final

from recollect.capture.screen.finding import Finding
from recollect.values.patterns import compiled

# Longer samples change the estimate by less than a tenth of a bit and would make a 1 MB line slow.
_SAMPLE = 256

_PLACEHOLDER = r"""(?xi)
    ([x*\#.?0_-])\1{4,} | \.\.\. | abcdefghijkl | (?<![a-z0-9])(?:xxx+|yyy+|zzz+|foo|bar|baz|foobar)(?![a-z0-9])
  | ([a-z0-9])\2{11,} | redacted | placeholder | change[-_ ]?(?:me|this|it) | replace[-_ ]?(?:me|this|with) | todo
  | (?<![a-z])(?:your|my|insert|enter|add|put|paste|some|the)[-_ ]?\w*(?:key|token|secret|pass|value|name|here|id)
  | (?:key|token|secret|password|goes)[-_ ]?here | dummy | not[-_ ]?a?[-_ ]?(?:real|secret) | (?<![a-z])(?:example
    |sample)
  | (?:example|sample)(?![a-z0-9]) | ^(?:null|none|true|false|undefined|nil|empty|required|optional|string)$
"""
_REFERENCE = r"""(?xi)
    ^[$%@&{<\[(] | \$\{ | \{\{ | \$\( | ^%\w+%$ | ^<.*>$ | process\.env | os\.(?:environ|getenv) | getenv | import\.meta
  | ^(?:secrets?|vars?|env|config|settings|self|this|args|options|params|data|local|module|request|req|ctx)[.\[]
  | ^[a-z_]\w*(?:\.[a-z_]\w*)*[(\[] | ^(?:https?|file|arn|urn|projects|vault)[:/]
"""
_FILE_NAME = (
    r"(?i)\.(?:pem|cer|crt|key|p12|pfx|jks|txt|json|ya?ml|toml|ini|cfg|conf|xml|html?|css|jsx?|tsx?|py|go|rs|rb|"
    r"java|kt|cs|php|sh|md|png|jpe?g|gif|svg|pdf|zip|gz|tar|jar|com|org|net|io|dev|local|image|keytab|keystore)$"
)
_DOTTED_NAME = r"^[A-Za-z_][A-Za-z_0-9]*(?:(?:\.|::|->)[A-Za-z_][A-Za-z_0-9]*)+$"


def entropy(value: str) -> float:
    """Shannon entropy in bits per character."""
    sample = value[:_SAMPLE]
    size = len(sample)
    return -sum(n / size * log2(n / size) for n in Counter(sample).values()) if size else 0.0


def is_placeholder(value: str) -> bool:
    """Whether a value is what documentation writes in place of a secret."""
    return compiled(_PLACEHOLDER).search(value[:_SAMPLE]) is not None


def is_reference(value: str) -> bool:
    """Whether a value is code that gets the secret from elsewhere: a variable, a template, a call, an address."""
    return compiled(_REFERENCE).search(value[:_SAMPLE]) is not None


def is_name(value: str) -> bool:
    """Whether a value is a file name or an identifier: `cert.p12`, `X25519.KeyPair`."""
    return any(compiled(p).search(value[:_SAMPLE]) for p in (_FILE_NAME, _DOTTED_NAME))


def looks_random(value: str, bits: float) -> bool:
    """Whether letters and digits are mixed as in a generated token, with an entropy of at least `bits` per character."""
    head = value[:_SAMPLE]
    if head.isalpha() or not any(c.isalnum() for c in head):
        return False
    return any(c.isdigit() for c in head) and entropy(head) >= bits and not is_placeholder(head)


# Possessive counts (`{0,60}+`) keep matching linear on a long line of names.
_ASSIGNMENT = r"""(?x)
    (?<![\w.])(?P<flag>--?)?+(?P<name>[A-Za-z_$][\w.$-]{0,80}+(?:[ ][Kk]ey|[ ][Tt]oken|[ ][Ss]ecret)?)
    \\{0,2}["'`\])}]{0,3}+
    (?P<operator> [ \t]{0,4}(?: [?+.|:]{0,3}=>? | :{1,2} | , | > | \|\| )[ \t]{0,4}(?:[|>][ \t]{0,3})? \s{0,12}
                | [ ](?:is|was|ist|es|est)[ ]:?[ ]? | \( | (?(flag)[ \t]{1,3}|(?!)) )
    (?P<quote>\\{0,2}["'`]{1,3}|[@]?["']|!!binary[ ])? (?:Bearer[ ]|Basic[ ]|Token[ ])?
    (?P<value>[A-Za-z0-9_+/.~|-][A-Za-z0-9_+/.~|=-]{7,600}+)
    (?P<after>.?)
"""
_TELLING_NAME = (
    r"(?i)secret|token|passw|pwd|api[_. -]?key|access[_. -]?key|(?:^|[_.-])auth(?:$|[_.-])|authoriz|[a-z]Auth$"
    r"|credential|creds?$|"
    r"private[_. -]?key|signing|encrypt\w*[_.-]?key|session[_.-]?(?:id|key)|master[_.-]?key|licen[sc]e[_.-]?key"
    r"|app[_.-]?key|secure$"
)
_KEY_NAME = r"(?i)(?:^|[_. -])key$|[a-z]Key$|_KEY$|login$|key[_-]?[12ab]$|^keys?$"
_HARMLESS_NAME = (
    r"(?i)(?:^|[_.-])ids?$|[a-z]Ids?$|_ID$|public|pub_?key|key_?(?:name|word|file|size|length|id|pair|vault|store"
    r"|tab|ring|board|frame|space)|"
    r"(?:name|version|url|uri|path|file|dir|host|type|size|length|count|limit|max|min|expir\w*|ttl|algorithm|format"
    r"|header|"
    r"field|label|title|description|message|status|method|class|style|color|email|domain|region|arn)s?$|hash"
    r"|sha\d*$|md5|checksum|chksum|"
    r"digest|integrity|etag|commit|revision|srcrev|csrf|xsrf|nonce|cursor|next_?page|continuation|signature|author"
    r"|accessor|fingerprint"
)
_HARMLESS_AT_VENDOR = (
    r"(?i)(?:url|uri|path|file|host|version|hash|sha\d*|public\w*|email|domain|region|channel\w*|user_?id|name)$"
)
_VAGUE_NAME = r"(?i)-*(?:value|val|string|str|default|data|text|content|pwd|create|key)$"
_VENDOR_NAMES: Final = (
    "adafruit adobe airtable algolia alibaba aliyun amplitude appsflyer artifactory asana assemblyai atlassian "
    "auth0 beamer bitbucket bittrex browserstack bugsnag cloudflare cloudinary clearbit codecov codeclimate "
    "cohere coinbase confluent contentful coveralls datadog deepgram deepl digitalocean discord droneci dropbox "
    "etsy eventbrite facebook fastly finicity finnhub firebase flickr freshbooks freshdesk giphy gitter "
    "gocardless heroku hubspot intercom instagram ipinfo jfrog jira jotform kraken kucoin launchdarkly linkedin "
    "lob looker mailchimp mailgun mandrill mattermost meraki messagebird message_bird mistral mixpanel moralis "
    "netlify newrelic new_relic ngrok nytimes okta opsgenie openweather pagerduty paypal plaid plivo postmark "
    "privateai pusher rapidapi rollbar sauce segment sendbird sendgrid shodan snyk sonar sourcegraph spotify "
    "square squarespace stripe sumologic sumo_ sumo. telegram travis trello twilio twitch twitter typeform "
    "unsplash vimeo virustotal vonage wakatime wandb webex wepay yandex zendesk zoom"
)
_VENDORS: Final = tuple(_VENDOR_NAMES.split())
_UUID = r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-z]{12}$"
_PLAIN_PART = r"(?<![A-Za-z0-9])(?:(?:[A-Z]?[a-z]{2,}+|[A-Z]{2,}+){1,4}+\d{0,5}|\d{1,8})(?:[-_./]|$)"


def named_secrets(text: str) -> Iterator[Finding]:
    """Values whose name and form say that they are secret."""
    pattern = compiled(_ASSIGNMENT)
    match = pattern.search(text)
    while match:
        value = match["value"].rstrip(".,-")
        resume = match.end("name")
        if _is_candidate(value, match["after"]) and _is_secret(_full_name(text, match), value, match):
            resume = match.start("value") + len(value)
            yield Finding("named-secret", match.start("value"), resume)
        # A rejected value may itself be the next name: `put("api_token", "9fK…")`.
        match = pattern.search(text, resume)


def _is_candidate(value: str, after: str) -> bool:
    return not value.isalpha() and not (value.isdigit() and len(value) < 14) and after not in ("(", "[")


def _full_name(text: str, match: re.Match[str]) -> str:
    """The name; for `value = …` or `default=…` with the text before it."""
    name = match["name"]
    if compiled(_VAGUE_NAME).match(name):
        return f"{text[max(0, match.start() - 50) : match.start()]} {name}"
    return name


def _is_secret(name: str, value: str, match: re.Match[str]) -> bool:
    operator = match["operator"]
    if is_reference(value) or is_name(value) or (operator == "(" and not match["quote"]):
        return False
    if _is_vendors(name, value):
        return True
    if compiled(_HARMLESS_NAME).search(name):
        return False
    return _is_named(name, value) or _is_nameless(value, quoted=bool(match["quote"]), assigned="=" in operator)


def _is_vendors(name: str, value: str) -> bool:
    if len(value) < 14 or not _names_vendor(name) or compiled(_HARMLESS_AT_VENDOR).search(name):
        return False
    if value.isdigit():
        # `discord: 139847…` is the id of a user or a message; that of a client or a key is part of a credential.
        return compiled(r"(?i)client|token|key|secret").search(name) is not None and not is_placeholder(value)
    return looks_random(value, 2.8) and not _is_phrase(value)


def _names_vendor(name: str) -> bool:
    """Whether `name` contains a vendor as a separate word: `OktaToken` does, `rookTable` does not."""
    lowered = name.lower()
    for vendor in _VENDORS:
        at = lowered.find(vendor)
        if at == 0 or (at > 0 and (not name[at - 1].isalpha() or (name[at].isupper() and name[at - 1].islower()))):
            return True
    return False


def _is_named(name: str, value: str) -> bool:
    size = len(value)
    if compiled(_TELLING_NAME).search(name):
        if value.isdigit():
            return size >= 14 and not is_placeholder(value)
        return size >= 10 and looks_random(value, 2.6) and not _is_phrase(value)
    return bool(compiled(_KEY_NAME).search(name)) and size >= 20 and looks_random(value, 3.2) and not _is_phrase(value)


def _is_nameless(value: str, *, quoted: bool, assigned: bool) -> bool:
    """A long mixed-case string of high entropy is a key, whatever its name."""
    if not (quoted or assigned) or len(value) < 32 or value.count("/") > 4 or compiled(_UUID).match(value):
        return False
    mixed = any(c.islower() for c in value) and any(c.isupper() for c in value)
    return mixed and looks_random(value, 4.3) and not _is_phrase(value)


def _is_phrase(value: str) -> bool:
    """Whether a value is made of words and numbers: `rc0.13.0_20230412_SNAPSHOT`, `id-Gost28147-89-None-KeyMeshing`."""
    if compiled(_UUID).match(value):
        return False
    plain = compiled(_PLAIN_PART).findall(value)
    return sum(map(len, plain)) > 0.6 * len(value)


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
        # A password has a digit or is in quotes, and is close to the word.
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
    """Whether the value is not a plain word: it has digits among letters, or is quoted and has capitals inside."""
    if " " in value:
        return False
    if quoted and len(value) >= 8 and value.isalpha():
        return not value.istitle() and not value.islower()
    return any(map(str.isdigit, value)) and compiled(_STRENGTH).match(value) is not None
