"""First: what a change will ask of a store before anything else, told with its beginning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from recollect.values.memory import Record
from recollect.values.search import Floats, Search


@dataclass(frozen=True, slots=True)
class First:
    """A memory that is stored next unless something like it is known: the memories of the same text are asked for, then those
    nearest to the first of its vectors; and what can be done while a store looks.

    A store that is far away answers all of it in one round trip, and may have the memory on its way. One that is near need not
    mind: it is asked again.
    """

    memory: Record
    vectors: Floats
    search: Search
    meanwhile: Callable[[], object]
