"""Quotes refused texts in reports, without the secrets in them; and finds passwords in fields of notes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from recollect.capture.gate import Gate
from recollect.capture.screen.policy import Action, Clean, Refusal, apply_policy, checked_policy
from recollect.errors import InvalidInput
from recollect.values.plain import strings_in

_PASSWORD_FIELD = re.compile(
    r"(?i)(?<![\w-])(?:pass(?:word|wd|wort|phrase|code)|pwd|kennwort|contrase[ñn]a|senha|mot de passe|wachtwoord|пароль|密码)"
    r"\s*\)?\s*[:=]\s*(?:([\"'`])(?P<quoted>[^\"'`\s]{3,80})\1|(?P<bare>[^\s\"'`<>${}\[\](),;]{3,80})(?=\s*(?:$|[\n/|,;)])))",
    re.MULTILINE,
)
_PLACEHOLDER = re.compile(
    r"(?i)^(?:\W+|x+|\*+|\.+|\$.*|<.*|%.*|\{.*|(?:see|in|from|ask|via|env|stored|hidden|redacted|none|null|unset|empty|required|optional|yes|no"
    r"|true|false|tbd|todo|unknown|changeme|password|passwd|secret|string|vault|keychain|1password|bitwarden|keepass\w*|lastpass)\W*)$"
)


def masked(text: str, policy: Mapping[str, Action]) -> str:
    """A text with every secret in it masked, so that a report can quote it; nothing of it if a secret cannot be located."""
    masking: dict[str, Action] = {
        kind: "allow" if action == "allow" else "redact" for kind, action in checked_policy(policy).items()
    }
    cleaned = apply_policy(text, masking)
    shown = cleaned.text if isinstance(cleaned, Clean) else ""
    if "secret" in {kind for kind, action in masking.items() if action == "allow"}:
        return shown
    shown = _mask_passwords(shown)
    return "(not shown)" if isinstance(apply_policy(shown, policy), Refusal) or has_password(shown) else shown


def metadata_problem(gate: Gate, metadata: Mapping[str, Any]) -> str | None:
    """Why metadata must not be stored, or None."""
    try:
        gate.require_value("metadata", metadata)
        for text in strings_in(metadata):
            gate.require_text("metadata", text)
    except InvalidInput as error:
        return error.problem
    return None


def _mask_passwords(text: str) -> str:
    """A text without the passwords in fields of their own."""

    def hidden(found: re.Match[str]) -> str:
        value = found["quoted"] or found["bare"]
        return found[0] if _PLACEHOLDER.match(value) else found[0].replace(value, "[redacted: password]")

    return _PASSWORD_FIELD.sub(hidden, text)


def has_password(text: str) -> bool:
    """Whether a note has a password in a field of its own, however plain the password is.

    The screen of the write path does not catch plain words, because in a sentence they hardly ever are passwords.
    """
    return any(not _PLACEHOLDER.match(found["quoted"] or found["bare"]) for found in _PASSWORD_FIELD.finditer(text))
