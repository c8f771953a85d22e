"""Binding: how a statement names its values, and how it is sent; worked out once a statement."""

from __future__ import annotations

import re
from functools import lru_cache

from psycopg.adapt import PyFormat

_PLACE = re.compile(r"%(?:%|\((\w+)\)s)")


@lru_cache(maxsize=1024)
def numbered(statement: str) -> tuple[bytes, tuple[str, ...]]:
    """A statement with numbers in place of names, and the names in their order."""
    names: dict[str, int] = {}

    def number(found: re.Match[str]) -> str:
        return "%" if found[1] is None else f"${names.setdefault(found[1], len(names) + 1)}"

    return _PLACE.sub(number, statement).encode(), tuple(names)


@lru_cache(maxsize=64)
def automatic(count: int) -> list[PyFormat]:
    """How so many values are sent: as the driver thinks best."""
    return [PyFormat.AUTO] * count
