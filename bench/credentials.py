"""Credentials: what the screen catches of known secrets, and what it wrongly flags or labels in natural chat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.metrics import mean
from bench.sets import chat_texts, rows_of
from recollect.capture.screen.injection import injection_signs
from recollect.capture.screen.secrets import find_secrets


def credentials(data: Path) -> dict[str, Any]:
    """Shares of the gitleaks test strings and of all chat turns in which a credential is found, and of turns labelled as orders."""
    cases = list(rows_of(data, "secrets_gitleaks", "cases.jsonl.gz"))
    secret = [(case["rule"], bool(find_secrets(case["text"]))) for case in cases if case["kind"] == "secret"]
    other = [bool(find_secrets(case["text"])) for case in cases if case["kind"] != "secret"]
    turns = list(chat_texts(data))
    chat = [bool(find_secrets(text)) for text in turns]
    labelled = [bool(injection_signs(text)) for text in turns]
    return {
        "caught": mean(float(found) for _, found in secret),
        "secrets": len(secret),
        "missed_rules": sorted({rule for rule, found in secret if not found}),
        "not_secret_flagged": mean(map(float, other)),
        "chat_flagged": mean(map(float, chat)),
        "chat_labelled": mean(map(float, labelled)),
        "chat_turns": len(chat),
    }
