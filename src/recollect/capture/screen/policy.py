"""The policy for what the detectors find: allow it, redact it, or refuse the text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, get_args

from recollect.capture.screen.finding import Finding, redact
from recollect.capture.screen.personal import KINDS, find_personal
from recollect.capture.screen.secrets import find_secrets
from recollect.errors import InvalidInput
from recollect.values.normalise import normalise

Action = Literal["allow", "redact", "refuse"]
_ACTIONS: Final = get_args(Action)

DEFAULT_POLICY: Final[Mapping[str, Action]] = MappingProxyType(
    {
        "secret": "refuse",
        "payment_card": "redact",
        "bank_account": "redact",
        "national_id": "redact",
        "passport": "allow",
        "email": "allow",
        "phone": "allow",
        "ip_address": "allow",
        "date_of_birth": "allow",
        "street_address": "allow",
    }
)


@dataclass(frozen=True, slots=True)
class Clean:
    """A text that may be stored, and the kinds of what was redacted in it, in order."""

    text: str
    redacted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """A text that must not be stored; the reason names the kind, never the value."""

    kind: str
    reason: str


def apply_policy(text: str, policy: Mapping[str, Action] = DEFAULT_POLICY) -> Clean | Refusal:
    """The text as it may be stored, in its normal form. Kinds that the policy does not mention are treated as by default."""
    text = normalise(text)
    actions = checked_policy(policy)
    action = actions["secret"]
    secrets = find_secrets(text) if action != "allow" else ()
    if secrets and action == "refuse":
        return _refusal(secrets[0].kind, "a secret")
    wanted = [kind for kind in KINDS if actions[kind] != "allow"]
    personal = find_personal(text, wanted) if wanted else ()
    for found in personal:
        if actions[found.kind] == "refuse":
            return _refusal(found.kind, "personal data")
    return _redacted(text, (*secrets, *personal))


def checked_policy(policy: Mapping[str, Action]) -> Mapping[str, Action]:
    """The policy merged into the defaults. An unknown kind or action is an error that lists the known ones."""
    for kind, action in policy.items():
        if kind not in DEFAULT_POLICY:
            raise InvalidInput("policy", f"unknown kind {kind!r}", f"use one of {', '.join(DEFAULT_POLICY)}")
        if action not in _ACTIONS:
            raise InvalidInput("policy", f"unknown action {action!r} for {kind}", f"use one of {', '.join(_ACTIONS)}")
    return {**DEFAULT_POLICY, **policy}


def _refusal(kind: str, what: str) -> Refusal:
    return Refusal(kind, f"the text holds {what} ({kind}); take it out, or change the policy for it")


def _redacted(text: str, findings: tuple[Finding, ...]) -> Clean:
    if not findings:
        return Clean(text)
    return Clean(redact(text, findings), tuple(f.kind for f in sorted(findings, key=lambda f: f.start)))
