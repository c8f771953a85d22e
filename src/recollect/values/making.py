"""Making: frozen values by the thousand. Of reading a row, most is the constructors of the values it becomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Value = TypeVar("Value")


def maker(kind: type[Value]) -> Callable[..., Value]:
    """A function that makes a frozen, slotted value of all its fields, in their order, in half its constructor's time.

    The constructor sets each field by its name, past the lock of a frozen class; here the slots are filled as they come.
    """
    slots = [getattr(kind, name).__set__ for name in kind.__slots__]  # type: ignore[attr-defined]

    def made(*values: Any) -> Value:
        value = object.__new__(kind)
        for fill, part in zip(slots, values, strict=True):
            fill(value, part)
        return value

    return made
