"""First: what a change will ask of a store before anything else, told with its beginning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from recollect.values.search import Floats, Search


@dataclass(frozen=True, slots=True)
class First:
    """The memories of the same text, then those nearest to its vector; and what can be done while a store looks.

    A store that is far away answers all of it in one round trip. One that is near need not mind: it is asked again.
    """

    text: str
    search: Search
    vector: Floats
    meanwhile: Callable[[], object]
