"""JSON values of callers: checked and screened before anything is stored; an error names the field and the fix."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from recollect.capture.gate import require_allowed, require_unnamed
from recollect.capture.screen.policy import Action
from recollect.errors import InvalidInput
from recollect.values.normalise import normalise, normalise_value
from recollect.values.plain import strings_in

MAX_BYTES = 1_000_000
MAX_DEPTH = 100
_LARGEST = 2**64


def json_text(field: str, value: Any) -> str:
    """A value as JSON text in normal form, checked: plain values only, at most 1 MB, at most 100 levels deep."""
    _check(field, value)
    text = json.dumps(normalise_value(value), ensure_ascii=False, allow_nan=False)
    if len(text) > MAX_BYTES or len(text.encode()) > MAX_BYTES:
        raise _too_large(field)
    return text


def screened_json(
    policy: Mapping[str, Action], field: str, value: Any, key: str | None = None, around: str | None = None
) -> str:
    """A value as JSON text, if the screen allows it. Its key counts too, and the name of what holds it: they may say `password`.

    Nothing is redacted inside a value: a program that reads it back would not know.
    """
    text = json_text(field, value)
    require_allowed(policy, field, text if key is None else f"{{{json.dumps(key)}: {text}}}")
    # JSON escapes can hide where a word begins, so the texts themselves are screened too.
    if "\\" in text:
        require_allowed(policy, field, "\n".join(strings_in(json.loads(text))))
    require_unnamed(policy, field, value, key or "", around or "")
    for parts in _split_texts(value):
        require_allowed(policy, field, parts)
    return text


def _split_texts(value: Any) -> Iterator[str]:
    """The texts of each list put together: a token may be split over its items."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            waiting += one.values()
        elif isinstance(one, list | tuple):
            waiting += one
            texts = [normalise(each) for each in one if isinstance(each, str)]
            if len(texts) > 1:
                yield "".join(texts)


def _check(field: str, value: Any) -> None:
    """Walk a value without recursion; a cycle is stopped by the depth limit, a huge value by the size limit."""
    waiting: list[tuple[str, Any, int]] = [(field, value, 1)]
    seen = 0
    while waiting:
        path, one, depth = waiting.pop()
        seen += 1
        if depth > MAX_DEPTH:
            raise InvalidInput(field, f"is nested more than {MAX_DEPTH} deep", "make it flatter, or split it")
        if seen > MAX_BYTES:
            raise _too_large(field)
        if isinstance(one, dict):
            for key in one:
                if not isinstance(key, str):
                    raise InvalidInput(path, f"has the key {key!r:.40}, which is not text", "use strings as keys")
                _text(path, key)
            waiting += [(f"{path}.{key}", each, depth + 1) for key, each in one.items()]
        elif isinstance(one, (list, tuple)):
            waiting += [(f"{path}[{number}]", each, depth + 1) for number, each in enumerate(one)]
        else:
            _scalar(path, one)


def _scalar(path: str, value: Any) -> None:
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, str):
        _text(path, value)
    elif isinstance(value, int):
        if abs(value) > _LARGEST:
            raise InvalidInput(path, "is a number of more than 64 bits", "write it as text")
    elif not isinstance(value, float):
        name = type(value).__name__
        raise InvalidInput(path, f"{name} is not JSON", "give text, numbers, true, false, null, lists and objects")
    elif not math.isfinite(value):
        raise InvalidInput(path, f"{value} is not JSON", "give a finite number, or null")


def _text(path: str, value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidInput(path, "contains a lone surrogate", "decode the text properly first") from None


def _too_large(field: str) -> InvalidInput:
    return InvalidInput(field, f"has more than {MAX_BYTES:,} bytes as JSON", "split it, or store less of it")
