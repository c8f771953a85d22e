"""JSON: what a caller gives becomes plain JSON, or an error that names the place and the fix. Before anything is changed."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from recollect.errors import InvalidInput

MAX_BYTES = 1_000_000
MAX_DEPTH = 100
_LARGEST = 2**64


def json_text(field: str, value: Any) -> str:
    """A value as JSON text, checked: plain values only, at most 1 MB, at most 100 deep."""
    _check(field, value)
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if len(text) > MAX_BYTES or len(text.encode()) > MAX_BYTES:
        raise _too_large(field)
    return text


def strings(value: Any) -> Iterator[str]:
    """Every key and every text inside a plain value, as they are meant rather than as JSON escapes them."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += [*one.values(), *one]
        elif isinstance(one, list):
            waiting += one


def _check(field: str, value: Any) -> None:
    """Walk a value without recursion; one that holds itself is stopped by its depth, one too large by its count."""
    waiting: list[tuple[str, Any, int]] = [(field, value, 1)]
    seen = 0
    while waiting:
        place, one, depth = waiting.pop()
        seen += 1
        if depth > MAX_DEPTH:
            raise InvalidInput(field, f"is nested more than {MAX_DEPTH} deep", "make it flatter, or split it")
        if seen > MAX_BYTES:
            raise _too_large(field)
        if isinstance(one, dict):
            for key in one:
                if not isinstance(key, str):
                    raise InvalidInput(place, f"has the key {key!r:.40}, which is not text", "use strings as keys")
                _text(place, key)
            waiting += [(f"{place}.{key}", each, depth + 1) for key, each in one.items()]
        elif isinstance(one, (list, tuple)):
            waiting += [(f"{place}[{number}]", each, depth + 1) for number, each in enumerate(one)]
        else:
            _scalar(place, one)


def _scalar(place: str, value: Any) -> None:
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, str):
        _text(place, value)
    elif isinstance(value, int):
        if abs(value) > _LARGEST:
            raise InvalidInput(place, "is a number of more than 64 bits", "write it as text")
    elif not isinstance(value, float):
        name = type(value).__name__
        raise InvalidInput(place, f"{name} is not JSON", "give text, numbers, true, false, null, lists and objects")
    elif not math.isfinite(value):
        raise InvalidInput(place, f"{value} is not JSON", "give a finite number, or null")


def _text(place: str, value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidInput(place, "contains a lone surrogate", "decode the text properly first") from None


def _too_large(field: str) -> InvalidInput:
    return InvalidInput(field, f"has more than {MAX_BYTES:,} bytes as JSON", "split it, or keep less of it")
