"""Secrets with a known shape rather than a prefix: key blocks, signed tokens, URLs with a password, headers.

Each shape has cues, lower-case literals of which every match contains one; `secrets.py` runs a pattern only if the text has a
cue. The group of a pattern is the secret; without a group, the whole match is.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Shape(NamedTuple):
    """A pattern that is run on texts with one of the space-separated `cues`."""

    kind: str
    cues: str
    pattern: str
    bits: float = 0.0


_UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
_HEADER_NAME = (
    r"(?:Proxy-)?Authorization|(?:X-)?(?:Api|Auth|Access|Private|Gitlab|Vault|Session|Amz-Security)-?(?:Key|Token)"
    r"|Token|Cookie"
)

KEYS: Final = (
    Shape(
        "private-key",
        "-----begin",
        r"-----BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----[^-]{8,20000}(?:-----END[^-]{0,60}-----)?",
    ),
    Shape(
        "putty-private-key",
        "putty-user-key-file",
        r"PuTTY-User-Key-File-\d: [\w-]+\r?\n(?:[A-Z][\w-]{5,24}: ?[^\n]{0,99}\n?|[A-Za-z0-9+/=]{1,64}\r?\n){3,99}+",
    ),
    Shape(
        "jwt", "eyj", r"(?<![A-Za-z0-9])ey[A-Za-z0-9_-]{16,4000}\.ey[A-Za-z0-9_-]{14,8000}\.[A-Za-z0-9_-]{0,2000}={0,2}"
    ),
    Shape("jwt", "zxlk", r"(?<![A-Za-z0-9])ZXlK[A-Za-z0-9+/_-]{60,8000}={0,2}"),
    Shape("gcp-service-account", "service_account", r"\"type\\?\"\s{0,4}:\s{0,4}\\?\"service_account\\?\""),
    Shape(
        "1password-key",
        "a3-",
        r"(?<![A-Za-z0-9])A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
        3.0,
    ),
    Shape(
        "seed-phrase",
        "phrase mnemonic seed recovery backup",
        r"(?i)(?:seed|recovery|mnemonic|secret|backup|wallet|\b(?:12|24)[- ]words?)(?: phrase| words| backup|)(?: (?:for|of|to)"
        r" [\w' ]{1,30}?)?"
        r"\s?(?:is|are|=|:)\s{0,3}[\"'`]?((?:(?:\d{1,2}[.)] ?)?"
        r"(?!(?:the|and|for|are|was|has|not|from|with|your|our|must|should)\b)[a-z]{3,8}[ ,;\n-]{1,3}){11,23}"
        r"(?:\d{1,2}[.)] ?)?[a-z]{3,8})\b",
    ),
)

TOKENS: Final = (
    Shape("azure-client-secret", "q~", r"(?<![\w~.-])([\w~.-]{3}[78]Q~[\w~.-]{30,34})(?![\w~-])", 3.5),
    Shape("azure-client-secret", "q~", r"(?<![\w~.-])([\w~.-]{3}\dQ~[\w~.-]{31,34})(?![\w~-])", 3.5),
    Shape(
        "azure-storage-key",
        "accountkey= sharedaccesskey=",
        r"(?i)(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{40,100}={0,2})",
        3.5,
    ),
    Shape("azure-sas-signature", "sig=", r"[?&]sig=([A-Za-z0-9%+/]{40,100}(?:%3D|=)?)", 3.5),
    Shape("terraform-token", ".atlasv1.", r"(?<!\w)(\w{14}\.atlasv1\.[\w=-]{60,70})", 3.5),
    Shape(
        "slack-token",
        "xox",
        r"(?<![A-Za-z0-9])(xox[abeoprs](?:-\d)?-\d{5,14}(?:-\d{5,14}){0,3}-[A-Za-z0-9-]{10,70})",
        2.5,
    ),
    Shape("slack-token", "xapp-", r"(?i)(?<![A-Za-z0-9])(xapp-\d-[A-Z0-9]{8,14}-\d{8,16}-[a-f0-9]{32,70})", 2.5),
    Shape("discord-token", ".", r"(?<![\w-])([MNO][A-Za-z\d]{23,27}\.[\w-]{6}\.[\w-]{27,40})(?![\w-])", 3.8),
    Shape("telegram-token", ":a", r"(?<!\d)(\d{7,12}:A[A-Za-z0-9_-]{34})(?![\w-])", 3.5),
    Shape("fcm-server-key", "aaaa", r"(?<!\w)(AAAA[\w-]{7}:[\w-]{120,180})", 4.0),
    Shape("facebook-token", "|", r"(?<!\d)(\d{15,16}\|[\w-]{27,40})", 3.5),
    Shape("mailchimp-key", "-us", r"(?<![a-z0-9])([a-f0-9]{32}-us\d{1,2})(?!\d)", 2.8),
    Shape("mailgun-key", "-", r"(?<![a-z0-9-])([a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8})(?![a-z0-9-])", 2.8),
    Shape("launchdarkly-key", "api- sdk-", rf"(?<!\w)((?:api|sdk)-{_UUID})", 2.8),
    Shape("airtable-token", "pat", r"(?<!\w)(pat[A-Za-z0-9]{14}\.[a-f0-9]{64})", 3.0),
    Shape("asana-token", "/", r"(?<![\w/.])([012]/\d{10,16}(?:/\d{10,16})?:[a-f0-9]{32})", 2.8),
    Shape("clickup-token", "pk_", r"(?<!\w)(pk_\d{6,10}_[A-Z0-9]{32})", 3.0),
    Shape("mapbox-token", "k.eyj", r"(?<!\w)([ps]k\.eyJ[\w-]{40,200}\.[\w-]{20,30})", 3.5),
    Shape("mapbox-token", "pk.", r"(?<!\w)(pk\.[a-z0-9]{60}\.[a-z0-9]{22})(?!\w)", 3.5),
    Shape("maxmind-key", "_mmk", r"(?<!\w)(\w{6}_\w{29}_mmk)", 3.5),
    Shape("harness-token", "pat. sat.", r"(?<!\w)((?:pat|sat)\.[\w-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20})", 3.5),
    Shape(
        "authress-key",
        "acc_ acc-",
        r"(?<!\w)((?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][\w-]{10,32}\.[\w+/=-]{30,"
        r"120})",
        3.0,
    ),
    Shape("yandex-token", "t1.", r"(?<!\w)(t1\.[A-Z0-9a-z_-]{30,400}[=]{0,2}\.[A-Z0-9a-z_-]{86}[=]{0,2})", 4.0),
    Shape("vault-token", "s.", r"(?<![\w.])(s\.(?=[A-Za-z]{0,23}\d)(?=[^A-Z]{0,23}[A-Z])[A-Za-z0-9]{24})(?!\w)", 3.5),
    Shape("gitlab-session", "_gitlab_session=", r"_gitlab_session=([a-z0-9]{32})", 2.8),
    Shape("ghost-admin-key", ":", r"(?<![\w:])([a-f0-9]{24}:[a-f0-9]{64})(?!\w)", 3.0),
    Shape("salesforce-token", "00d", r"(?<!\w)(00D[A-Za-z0-9]{12,15}![\w.]{60,120})", 4.0),
    Shape("braintree-token", "access_token$", r"(access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32})"),
    Shape("openai-key", "t3blbkfj", r"(?<!\w)(sk-[\w-]{16,120}T3BlbkFJ[\w-]{16,120})", 3.0),
    Shape(
        "password-hash",
        "$2 $6$ $5$ $argon2",
        r"(\$(?:2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|[56]\$[^$\s]{1,40}\$[./A-Za-z0-9]{43,86}"
        r"|argon2id?\$v=\d+\$[^$\s]{1,60}\$[^$\s]{8,90}\$[\w+/]{20,90}))",
    ),
)

PLACES: Final = (
    Shape("freemius-key", "sk_", r"(?<!\w)(sk_(?=[A-Za-z0-9]{0,28}[!@#$%^&*()])[^\s\"']{29})(?=[\"'])", 4.0),
    Shape(
        "sidekiq-secret",
        "contribsys",
        r"(?i)BUNDLE_(?:ENTERPRISE|GEMS)__CONTRIBSYS__COM[\"']?\s{0,3}[=:]\s{0,3}[\"']?([a-f0-9]{8}:[a-f0-9]{8})",
    ),
    Shape("cisco-password-password", "password", r"password 7 ([0-9A-F]{8,60})"),
    Shape(
        "slack-webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com\\?/(?:services|workflows|triggers)\\?/([A-Za-z0-9+/\\]{30,80})",
        3.0,
    ),
    Shape(
        "discord-webhook", "/webhooks/", r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/(\d{16,20}/[\w-]{40,100})", 3.5
    ),
    Shape(
        "teams-webhook",
        "webhook.office.com",
        rf"(\w+\.webhook\.office\.com/webhookb2/{_UUID}@{_UUID}/IncomingWebhook/\w{{20,40}}/{_UUID})",
    ),
    Shape(
        "google-chat-webhook",
        "chat.googleapis.com",
        r"chat\.googleapis\.com/v1/spaces/[\w-]+/messages\?key=([\w-]{30,60}&token=[\w%-]{20,90})",
    ),
    Shape("zapier-webhook", "hooks.zapier.com", r"hooks\.zapier\.com/hooks/catch/(\d+/\w{5,12})"),
    Shape(
        "url-password",
        "://",
        r"(?i)(?<![a-z0-9])[a-z][a-z0-9+.-]{1,24}://[^\s:/?#@\"'<>`]{0,80}:([^\s@/\"'<>`]{3,120})@[^\s@:/?#\"'<>`]{2}",
        0.1,
    ),
    Shape(
        "curl-credentials",
        "curl",
        r"curl\b[^\n]{0,300}?\s(?:-u|--user)[= ]\s{0,3}(\"[^\"\n]{0,99}\":\"[^\"\n]{1,99}\"|\"[^\"\n]{3,200}\""
        r"|[^\s:\"']{1,80}:'[^'\n]{3,99}'|'[^'\n]{3,200}'|[^\s\"']{3,200})",
    ),
    Shape(
        "http-header",
        "-h --header",
        rf"(?i)(?:-H|--header)[= ]\s{{0,3}}[\"'](?:{_HEADER_NAME})\s{{0,2}}:\s{{0,3}}(?:[a-z-]{{3,12}} )"
        rf"?([^\s\"']{{8,2000}})[\"']",
        2.8,
    ),
    Shape(
        "http-header",
        "authorization",
        r"(?i)authorization[\"']?\s{0,2}[:=,]\s{0,3}[\"']?(?:bearer|basic|token|apikey|api-token|bot|digest"
        r"|ssws) ([A-Za-z0-9._~+/=|-]{12,2000})",
        3.0,
    ),
    Shape(
        "http-header",
        "key: token:",
        rf"(?im)^[>\s]{{0,4}}(?!Cookie|Token)(?:{_HEADER_NAME}):[ ]{{1,3}}(?:[a-z-]{{3,12}} )?([A-Za-z0-9._~+/=|-]{{16,2000}})$",
        3.0,
    ),
    Shape(
        "cookie",
        "cookie curl",
        r"(?i)(?:\b(?:set-)?cookie[\"']?\s?[:=]\s?[\"']?|curl\b[^\n]{0,200}?\s(?:-b|--cookie)\s?[\"']?)"
        r"(?:[\w.-]{1,60}=[^\s;\"']{0,400};\s?){0,12}?"
        r"([\w.-]{0,60}(?:sess|sid|auth|token|jwt|login|csrf|remember|key)[\w.-]{0,40}=[A-Za-z0-9%._~+/|:-]{10,2000}={0,2})",
        3.0,
    ),
    Shape(
        "cookie",
        "cookie",
        r"(?i)\b(?:set-)?cookie[\"']?\s?[:=]\s?[\"']?(?:[\w.-]{1,60}=[^\s;\"']{0,400};\s?){0,12}?"
        r"([\w.-]{1,60}=(?=[a-z%_.-]{0,60}\d)[A-Za-z0-9%._~+/|:-]{24,2000}={0,2})",
        3.5,
    ),
    Shape("http-header", "bearer", r"(?i)\bbearer\s+((?=[^\s\d]{0,40}\d)[A-Za-z0-9._~+/=|-]{20,2000})", 3.3),
    Shape("django-secret-key", "django-insecure-", r"(django-insecure-[^\s\"'`]{16,120})", 3.0),
    Shape(
        "named-secret",
        "secret_key secret-key secretkey",
        r"(?i)secret[_-]?key[\"'\]]{0,2}\s{0,3}[:=]\s{0,3}[\"']([^\s\"']{16,200})[\"']",
        3.5,
    ),
    Shape("totp-secret", "otpauth:", r"otpauth://[^\s\"']{1,200}?[?&]secret=([A-Za-z2-7]{12,200})", 2.0),
    Shape("wifi-password", "wifi:", r"WIFI:[^\n]{0,80}?\bP:((?:\\.|[^;\n]){4,63});"),
    Shape("cli-password", "sshpass", r"sshpass\s+-p\s?[\"']?([^\s\"']{4,80})"),
    Shape("cli-password", "mysql", r"mysql\w{0,8}\s[^\n]{0,99}?\s-p([^\s\"']{6,80})"),
    Shape(
        "cli-password",
        "login mongo 7z",
        r"(?:docker|podman|helm|az|cf|oc|skopeo|mongo\w{0,7}|7z)\b[^\n]{0,120}?\s-p\s?[\"']?((?!ort|\d{1,5}:)[^\s\"'-][^\s\"']{3,79})",
    ),
    Shape(
        "cli-password",
        "-u",
        r"(?:^|\s)-{1,2}[uU](?:ser(?:name)?)?[= ]?[^\s%]{1,80}\s+(?:[^\s]{1,80}\s+){0,3}?-[pPwa]\s?[\"']?"
        r"((?=[^\s\"']{0,80}[A-Za-z])(?=[^\s\"']{0,80}\d)[^\s\"'/-][^\s\"']{5,79})",
    ),
    Shape("cli-password", "-u", r"\s-U\s?[\"']?[^\s%\"']{1,60}%([^\s\"']{4,80})"),
    Shape("cli-password", "/p:", r"/u:\S{1,80}\s[^\n]{0,120}?/p:[\"']?([^\s\"']{4,80})"),
    Shape("cli-password", "redis-cli", r"redis-cli\b[^\n]{0,99}?\s(?:-a|--pass)\s?[\"']?([^\s\"']{4,80})"),
    Shape("cli-password", "requirepass masterauth", r"(?m)(?:requirepass|masterauth)\s+[\"']?([^\s\"']{4,120})"),
    Shape("cli-password", "sudo", r"echo\s+(?:-n\s+)?[\"']?([^\s\"'|]{4,80})[\"']?\s*\|\s*sudo\s+-S"),
    Shape(
        "cli-password", "ldap", r"ldap(?:search|modify|add|delete|whoami)\b[^\n]{0,200}?\s-w\s?[\"']?([^\s\"']{4,80})"
    ),
    Shape("cli-password", "snmp", r"snmp[a-z]{2,12}\s[^\n]{0,120}?(?<=\s)-c\s?[\"']?([^\s\"']{4,80})"),
    Shape("cli-password", "openssl", r"openssl\s[^\n]{0,200}?\s(?:-k|-K)\s[\"']?([^\s\"']{4,120})"),
    Shape("cli-password", "pass:", r"-pass(?:in|out)?\s[\"']?pass:([^\s\"']{4,120})"),
    Shape("cli-password", "zip", r"\b(?:un)?zip\s[^\n]{0,120}?-P\s?[\"']?([^\s\"']{4,80})"),
    Shape("cli-password", "/user:", r"(?i)net use\s[^\n]{0,160}?/user:\S{1,60}\s+([^\s\"'/]{4,80})"),
    Shape("cli-password", "htpasswd", r"htpasswd\s+-\w{0,4}b\w{0,4}\s+\S{1,120}\s+\S{1,60}\s+[\"']?([^\s\"']{4,80})"),
    Shape(
        "login-pair",
        "@",
        r"(?<![\w/:.@-])[A-Za-z][\w.-]{1,30}:((?=[^\s@]{0,60}\d)(?=[^\s@]{0,60}[A-Za-z])[^\s@:/\"'<>]{6,60})@[\w-]{1,60}[.:]\w",
    ),
    Shape(
        "login-pair",
        "credential login logon",
        r"(?i)(?:credentials?|log ?[io]n)(?:\s?(?:with|are|is|as"
        r"|:)){1,2}\s[\w.@-]{2,40}\s?[:/]\s?((?=\S{0,40}\d)(?=\S{0,40}[A-Za-z])[^\s/:\"'<>{}()]{6,60})",
    ),
    Shape("netrc-password", "machine", r"machine\s+\S{1,99}\s+login\s+\S{1,99}\s+password\s+(\S{4,99})"),
    Shape("npmrc-token", "_auth", r"(?://[^\s:]{3,99}/:)?_auth(?:Token)?\s?=\s?[\"']?([A-Za-z0-9+/=_-]{12,400})", 2.8),
    Shape(
        "kubernetes-secret",
        "kind:",
        r"(?s)kind:\s{0,3}[\"']?Secret\b.{0,400}?\bdata:\s{0,8}\n?(?:\s{1,8}[\w.-]{1,60}:\s{0,4}[\"']?[A-Za-z0-9+/]{1,9}={0,3}"
        r"[\"']?\s{0,3}\n){0,8}(?:\s{1,8}[\w.-]{1,60}:\s{0,4}(?:\|\s{0,12})?[\"']?([A-Za-z0-9+/]{10,2000}={0,3}))",
    ),
)

# A token is one run of characters; the other shapes may span spaces and lines.
IN_RUNS: Final = TOKENS
ANYWHERE: Final = (*KEYS, *PLACES)
