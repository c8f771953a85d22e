"""Intent: what a question is after, as far as its wording tells. Each cue moves one prior of the hybrid profile."""

from __future__ import annotations

import re
from dataclasses import dataclass

_REQUEST = re.compile(
    r"^(?:(?:hi|hey|hello|please|so|ok)[, ]+)*(?:can|could|would|will) you\b"
    r"|\b(?:how (?:do|can|should|would|to)\b(?! i (?:say|mention))|(?:what|which)\b.{0,60}\bshould i"
    r"|suggest|recommend|advice|tips|ideas|help me|show me|explain|walk me through|what are (?:some|the different))\b",
    re.IGNORECASE,
)
_ABOUT_PAST = re.compile(
    r"\bremind me\b|\b(?:previous|last|earlier|our) (?:conversation|chat|discussion)s?\b|\b(?:did|have|had) i\b"
    r"|\bi (?:said|told|mentioned)\b|\bsummar",
    re.IGNORECASE,
)
_SAYING = (
    "said|told|suggested|recommended|mentioned|gave|provided|listed|explained|advised|described|wrote|proposed|shared"
)
_SAY = "say|tell|suggest|recommend|mention|give|provide|list|explain|advise|describe|write|propose|share"
_TO_ASSISTANT = re.compile(
    rf"\byou(?:'d|’d|'ve|’ve| had| have)? (?:\w+ly )?(?:{_SAYING}|came up)\b"
    rf"|\bdid you (?:\w+ly )?(?:{_SAY})\b"
    r"|\bremind me\b|\b(?:our|the) (?:previous|last|earlier|past) (?:conversation|chat|discussion)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Intent:
    """A request for help now (standing instructions apply); a question about what the assistant said."""

    request: bool
    to_assistant: bool


def intent_of(text: str) -> Intent:
    """Read the wording of a question."""
    start = text[:2000]
    return Intent(
        request=bool(_REQUEST.search(start)) and not _ABOUT_PAST.search(start),
        to_assistant=bool(_TO_ASSISTANT.search(start)),
    )
