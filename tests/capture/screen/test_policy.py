"""The policy decides by kind, fills what is left out, and never repeats what it refused."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.capture.screen import DEFAULT_POLICY, Clean, Refusal, apply_policy
from recollect.errors import InvalidInput

CARD = "4111 1111 1111 1111"


def test_ordinary_text_passes_untouched() -> None:
    assert apply_policy("Uses Postgres 16, mail jo@example.org", DEFAULT_POLICY) == Clean(
        "Uses Postgres 16, mail jo@example.org"
    )


def test_a_secret_is_refused_and_not_repeated() -> None:
    outcome = apply_policy("my password is hunter2", DEFAULT_POLICY)
    assert isinstance(outcome, Refusal)
    assert outcome.kind == "password"
    assert "hunter2" not in outcome.reason


def test_a_card_is_blotted_out_by_default() -> None:
    assert apply_policy(f"card {CARD} ok", DEFAULT_POLICY) == Clean(
        "card [redacted: payment_card] ok", ("payment_card",)
    )


def test_secrets_may_be_redacted_instead() -> None:
    outcome = apply_policy(f"my password is hunter2, card {CARD}", {"secret": "redact"})
    assert outcome == Clean(
        "my password is [redacted: password], card [redacted: payment_card]", ("password", "payment_card")
    )


def test_everything_may_be_allowed() -> None:
    text = f"my password is hunter2, card {CARD}"
    assert apply_policy(text, dict.fromkeys(DEFAULT_POLICY, "allow")) == Clean(text)


def test_personal_data_may_be_refused() -> None:
    outcome = apply_policy("write to jo@example.org", {"email": "refuse"})
    assert isinstance(outcome, Refusal)
    assert outcome.kind == "email"
    assert "jo@" not in outcome.reason


@pytest.mark.parametrize(
    ("policy", "listed"), [({"emial": "allow"}, "payment_card"), ({"email": "drop"}, "allow, redact, refuse")]
)
def test_an_unknown_kind_or_action_is_an_error_that_lists_the_known_ones(policy: Any, listed: str) -> None:
    with pytest.raises(InvalidInput, match=listed):
        apply_policy("x", policy)


def test_the_default_policy_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        DEFAULT_POLICY["secret"] = "allow"  # type: ignore[index]
