"""Values as plain JSON (`to_dict()`), and a short text for `repr()`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

_SHORT = 60


def plain(value: Any) -> Any:
    """A value as plain JSON: dataclasses as objects, times as ISO text in UTC, tuples as lists."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(inside) for key, inside in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(inside) for inside in value]
    return value


def shorten(text: str, width: int = _SHORT) -> str:
    """The beginning of a text on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else f"{flat[: width - 1].rstrip()}…"


def strings_in(value: Any) -> Iterator[str]:
    """Every key and every text inside a plain value, without JSON escapes."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            waiting += [*one.values(), *one]
        elif isinstance(one, list | tuple):
            waiting += one
