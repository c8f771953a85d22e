"""Credentials as people note them down: a field called password with a value beside it, however plain the value is.

The screen of the write path leaves plain words alone, because in a sentence they hardly ever are passwords; in a field of a
note they are.
"""

from __future__ import annotations

import re

_FIELD = re.compile(
    r"(?i)(?<![\w-])(?:pass(?:word|wd|wort|phrase|code)|pwd|kennwort|contrase[ñn]a|senha|mot de passe|wachtwoord|пароль|密码)"
    r"\s*\)?\s*[:=]\s*(?:([\"'`])(?P<quoted>[^\"'`\s]{3,80})\1|(?P<bare>[^\s\"'`<>${}\[\](),;]{3,80})(?=\s*(?:$|[\n/|,;)])))",
    re.MULTILINE,
)
_NO_VALUE = re.compile(
    r"(?i)^(?:\W+|x+|\*+|\.+|\$.*|<.*|%.*|\{.*|(?:see|in|from|ask|via|env|stored|hidden|redacted|none|null|unset|empty|required|optional|yes|no"
    r"|true|false|tbd|todo|unknown|changeme|password|passwd|secret|string|vault|keychain|1password|bitwarden|keepass\w*|lastpass)\W*)$"
)


def has_password(text: str) -> bool:
    """Whether a note gives a password in a field of its own."""
    return any(not _NO_VALUE.match(found["quoted"] or found["bare"]) for found in _FIELD.finditer(text))
