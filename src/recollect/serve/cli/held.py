"""The memories behind some ids, of which any may be erased or out of reach by now."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from recollect.errors import NotFound

if TYPE_CHECKING:
    from recollect.engine import Memory
    from recollect.values.memory import Record


def held(memory: Memory, ids: Iterable[str]) -> dict[str, Record]:
    """Those of some memories that are there to be seen, by id."""
    found = {each: held_one(memory, each) for each in ids}
    return {each: record for each, record in found.items() if record is not None}


def held_one(memory: Memory, id: str) -> Record | None:
    """A memory, or None when it is not there to be seen."""
    try:
        return memory.get(id)
    except NotFound:
        return None
