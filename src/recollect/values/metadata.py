"""Metadata: a JSON object of the caller's own on a memory, and the entries it is filtered by.

An entry is a path and a value. The path of a value inside an object is the names joined by dots; of a list, each element is an
entry. Every back end stores and compares the same text for a value (`entry_value`), so that all of them answer a filter alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from hashlib import blake2b
from typing import Any

from recollect.values.plain import strings_in

Metadata = Mapping[str, Any]
Scalar = str | int | float | bool | None

# The kinds of values, by the first letter of their text. `PRESENT` is said of a path that has no value of its own.
PRESENT, NULL, BOOLEAN, NUMBER, TEXT = "a", "b", "c", "d", "e"
AFTER = {NUMBER: TEXT, TEXT: "f"}
_LONGEST_TEXT = 200
_BIAS = 50_000
_LARGE = 2.0**63
_NINES = str.maketrans("0123456789", "9876543210")


def strings_of(metadata: Metadata) -> Iterator[str]:
    """Every text in it, names of fields too, each once."""
    yield from dict.fromkeys(strings_in(dict(metadata)))


def entries_of(metadata: Metadata) -> list[tuple[str, str]]:
    """Every path of it with every value there, as text that is ordered as the values are."""
    return list(dict.fromkeys(_entries("", metadata)))


def _entries(path: str, value: Any, *, inside: bool = False) -> Iterator[tuple[str, str]]:
    match value:
        case Mapping():
            if path:
                yield path, PRESENT
            for name, held in value.items():
                yield from _entries(f"{path}.{name}" if path else name, held)
        case list() | tuple():
            yield path, PRESENT
            if not inside:  # a list inside a list is only known to be there
                for element in value:
                    yield from _entries(path, element, inside=True)
        case _:
            yield path, entry_value(value)


def entry_value(value: Scalar) -> str:
    """A value as text. Texts of one kind are ordered as the values are; a long text is told apart by its beginning and a digest."""
    match value:
        case None:
            return NULL
        case bool():
            return f"{BOOLEAN}{int(value)}"
        case int() | float():
            return f"{NUMBER}{_ordered(value)}"
    if len(value) <= _LONGEST_TEXT:
        return f"{TEXT}{value}"
    digest = blake2b(value.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{TEXT}{value[:_LONGEST_TEXT]}\x1f{digest}"


def _ordered(number: float) -> str:
    """A number as text that is ordered as numbers are: sign, exponent, digits; exact for every integer and float."""
    if isinstance(number, float) and abs(number) < _LARGE and number.is_integer():
        number = int(number)  # what Python shows of a large one is rounded
    sign, digits, exponent = Decimal(repr(number)).as_tuple()
    said = "".join(map(str, digits)).lstrip("0")
    if not said:
        return "1"
    assert isinstance(exponent, int)
    above = len(said) + exponent + _BIAS
    said = said.rstrip("0")
    if not sign:
        return f"2{above:06d}{said}"
    # Of negative numbers the larger digit is the smaller number, and the longer text too.
    return f"0{999_999 - above:06d}{said.translate(_NINES)}~"


def is_scalar(value: Any) -> bool:
    """Whether something can be compared with what metadata has: text, a finite number, true, false or null."""
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, str | int | bool)


def merged(old: Metadata, changes: Metadata, *, removing: bool = True) -> dict[str, Any]:
    """Metadata with changes merged in, as in JSON Merge Patch: objects are merged, null removes a field, or else is a value."""
    made = dict(old)
    for name, value in changes.items():
        if value is None and removing:
            made.pop(name, None)
        elif isinstance(value, Mapping):
            held = made.get(name)
            made[name] = merged(held if isinstance(held, Mapping) else {}, value, removing=removing)
        else:
            made[name] = value
    return made


def is_deeper(value: Any, most: int) -> bool:
    """Whether objects and lists are nested deeper than so many times; one that contains itself is."""
    if not isinstance(value, Mapping | list | tuple):
        return False
    inside = value.values() if isinstance(value, Mapping) else value
    return most <= 0 or any(is_deeper(held, most - 1) for held in inside)
