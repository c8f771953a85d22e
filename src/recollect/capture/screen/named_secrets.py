"""Secrets known by the name they are assigned to: `api_token: 9fK…`, "the signing key is 3b1c…"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from recollect.capture.screen.finding import Finding
from recollect.capture.screen.passwords import is_password
from recollect.capture.screen.secret_values import is_name, is_placeholder, is_reference, looks_random
from recollect.values.patterns import compiled

# Possessive counts (`{0,60}+`) keep matching linear on a long line of names.
_ASSIGNMENT = r"""(?x)
    (?<![\w.])(?P<flag>--?)?+(?P<name>[A-Za-z_$][\w.$-]{0,80}+(?:[ ][Kk]ey|[ ][Tt]oken|[ ][Ss]ecret)?)
    \\{0,2}["'`\])}]{0,3}+
    (?P<operator> [ \t]{0,4}(?: [?+.|:]{0,3}=>? | :{1,2} | , | > | \|\| )[ \t]{0,4}(?:[|>][ \t]{0,3})? \s{0,12}
                | [ ](?:is|was|ist|es|est)[ ]:?[ ]? | \( | (?(flag)[ \t]{1,3}|(?!)) )
    (?P<quote>\\{0,2}["'`]{1,3}|[@]?["']|!!binary[ ])? (?:Bearer[ ]|Basic[ ]|Token[ ]|base64:|hex:)?
    (?P<value>[A-Za-z0-9_+/.~|-][A-Za-z0-9_+/.~|=-]{7,600}+)
    (?P<after>.?)
"""
_TELLING_NAME = (
    r"(?i)secret|token|passw|pwd|api[_. -]?key|access[_. -]?key|(?:^|[_.-])auth(?:$|[_.-])|authoriz|[a-z]Auth$"
    r"|credential|creds?$|"
    r"private[_. -]?key|signing|encrypt\w*[_.-]?key|session[_.-]?(?:id|key)|master[_.-]?key|licen[sc]e[_. -]?key"
    r"|app[_.-]?key|secure$"
)
_SETTING_NAME = r"^[A-Z][A-Z0-9_]*(?:SECRET|SECRET_KEY|PASSPHRASE)$"
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


# A key word and a random value without an operator between them: "our API key 3f9a…", "use 3f9a… as the master key".
_KEY_WORD = (
    r"(?:(?:api|access|secret|signing|encryption|private|master|auth\w{0,11}|session|service|licen[sc]e|deploy|bearer|aes|hmac"
    r"|jwt|client|app|admin|webhook|production|prod|live|storage|account|refresh)[ _-]?(?:key|token|secret)|key|token|secret)"
)
# What stands between a name and its value: "is", "was set to", "should be", ":=", an arrow, a dash.
_LINK = (
    r"(?:\s?(?::?=|=?>|:|->|\u2192|[-\u2013\u2014](?=\s))\s?|(?:\s(?:is|was|are|has\sbeen|should\sbe|must\sbe"
    r"|will\sbe|equals|ist|lautet|es"
    r"|est))?(?:\s(?:now|still|currently|set|changed|reset|rotated|updated|switched))*(?:\s(?:to|as|auf|zu))?:?\s)"
)
_KEYED = rf"""(?ix)(?<!\w)(?P<name>{_KEY_WORD})(?:['\u2019]s(?:\svalue)?)?(?:\s(?:for|of|to)\s[\w.' -]{{1,30}}?)?
    {_LINK}[`"'*]{{0,2}}(?:0x)?(?P<value>[A-Za-z0-9_+/-]{{16,200}}={{0,2}})(?![\w.])"""
# A setting or "secret key" whose value is drawn from all printable characters.
_SET = rf"""(?x)(?<![\w.])(?P<name>
    [A-Z][A-Z0-9_]*_(?:SECRET|KEY|TOKEN|PASSPHRASE|SALT)(?![A-Za-z_]) | [Ss]ecret[_ -]?[Kk]ey(?:[_ -]base)?
    | (?:[Jj][Ww][Tt]|[Ss]ession|[Cc]ookie|[Ss]igning|[Ww]ebhook|[Cc]lient|[Ee]ncryption)[ ][Ss]ecret)
    {_LINK}[`"'*]{{0,2}}(?:base64:|hex:)?(?P<value>[^\s"'`<>]{{16,300}})"""
_KEYED_BEFORE = rf"""(?ix)(?<![\w/.])(?:0x)?(?P<value>[A-Za-z0-9_+/-]{{24,200}}={{0,2}})[`"']?\s(?:as|is|als|ist)\s
    (?:the|my|our|your|a|an|der|mein|unser)\s(?:[\w-]{{1,20}}\s){{0,2}}?(?P<name>{_KEY_WORD})\b"""
_SET_CUES = ("_key", "_secret", "_token", "_pass", "_salt", " secret", "secret-key", "secretkey")
_LONG_ENOUGH_ALONE = 32
# Addresses and mints of crypto currencies are public, and as random as a key.
_PUBLIC_CONTEXT = (
    r"(?i)wallet|address|mint|solana|\bspl\b|contract|public|pubkey|fingerprint|\bhash|commit|primary|foreign|ssh-"
)
# What makes a value public even if the word next to it is "private key".
_DERIVED = r"(?i)public|pubkey|fingerprint|\bhash|checksum|digest|\bsha-?\d|\bmd5|commit|signature"
_DIGEST_OF = r"(?i)(?:fingerprint|hash|checksum|digest|sha-?\d{1,3}|signature)\s(?:of|for)\s(?:[\w-]{1,20}\s){0,3}$"
_PRIVATE_NAME = r"(?i)private|secret|master|signing|encryption"
_BASE58 = r"(?:0x)?[1-9A-HJ-NP-Za-km-z]{25,44}$"


def named_secrets(text: str, lowered: str) -> Iterator[Finding]:
    """Values whose name and form say that they are secret; `lowered` is the text in lower case."""
    yield from _assigned(text)
    if not ("key" in lowered or "token" in lowered or "secret" in lowered):
        return
    for pattern in (_KEYED, _KEYED_BEFORE):
        for match in compiled(pattern).finditer(text):
            value, alone = match["value"], match["name"].lower() in ("key", "token", "secret")
            if alone and len(value) < _LONG_ENOUGH_ALONE:
                continue
            if looks_random(value, 2.8) and not _is_phrase(value) and not is_reference(value) and not is_name(value):
                context = text[max(0, match.start() - 30) : match.start("value")]
                public = _DERIVED if compiled(_PRIVATE_NAME).search(match["name"]) else _PUBLIC_CONTEXT
                if not compiled(public).search(context):
                    yield Finding("named-secret", *match.span("value"))
    for match in compiled(_SET).finditer(text) if any(cue in lowered for cue in _SET_CUES) else ():
        value = match["value"].rstrip(".,;:)]}")
        if looks_random(value, 3.5) and is_password(value) and not _is_phrase(value):
            yield Finding("named-secret", match.start("value"), match.start("value") + len(value))


def _is_address(name: str, value: str) -> bool:
    """Whether a value is the public address of a wallet rather than a key."""
    return compiled(_BASE58).match(value) is not None and compiled(_PUBLIC_CONTEXT).search(name) is not None


def _assigned(text: str) -> Iterator[Finding]:
    pattern = compiled(_ASSIGNMENT)
    match = pattern.search(text)
    while match:
        value = match["value"].rstrip(".,-")
        resume = match.end("name")
        around = text[max(0, match.start() - 30) : match.start("value")]
        if (
            _is_candidate(value, match["after"])
            and _is_secret(_full_name(text, match), value, match)
            and not _is_address(around, value)
            and not compiled(_DIGEST_OF).search(text[max(0, match.start() - 40) : match.start()])
        ):
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
    # A setting in capitals is assigned by a machine: what people choose there has the form of a password.
    if compiled(_SETTING_NAME).search(name) and size >= 10 and is_password(value):
        return True
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
