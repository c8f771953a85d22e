"""A value made by the thousand is the value its constructor would have made."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, astuple, dataclass

import pytest

from recollect.values.memory import maker


@dataclass(frozen=True, slots=True)
class Pair:
    """Two things, one of them with a default."""

    first: str
    second: int = 2


def test_it_equals_what_the_constructor_makes() -> None:
    made = maker(Pair)("a", 3)
    assert made == Pair("a", 3)
    assert (type(made), hash(made), astuple(made)) == (Pair, hash(Pair("a", 3)), ("a", 3))


def test_it_is_as_frozen() -> None:
    made = maker(Pair)("a", 3)
    with pytest.raises(FrozenInstanceError):
        made.first = "b"  # type: ignore[misc]


@pytest.mark.parametrize("values", [("a",), ("a", 3, 4)])
def test_a_value_too_few_or_too_many_is_refused(values: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match="zip"):
        maker(Pair)(*values)
