"""The JSON of what the tiers answer: their values as they are, memories as everywhere, times as ISO text in UTC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from typing import Any

from recollect.serve.cli.json_form import memory_form, outcome_form
from recollect.values.memory import Record
from recollect.values.outcome import Refused, Reinforced, Stored, Superseded


def plain(value: Any) -> Any:
    """Any value of the tiers as plain JSON, however deep."""
    if isinstance(value, Record):
        return memory_form(value)
    if isinstance(value, (Stored, Reinforced, Superseded, Refused)):
        return outcome_form(value)
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, Mapping):
        return {name: plain(inside) for name, inside in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return value
