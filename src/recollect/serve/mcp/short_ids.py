"""Short ids: the end of an id is enough for an agent. What was handed out is known again at once, and means one memory.

The end of an id is looked up by reading all ids; one that was handed out here is not, and among what was handed out here
no two are alike: of a pair with the same end, the second gets a longer one.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

from recollect.values.memory import Record

_MOST = 20_000
_LONGER = (8, 12, 36)


@dataclass(slots=True)
class ShortIds:
    """The short ids one server handed out, the latest of them."""

    _given: OrderedDict[str, str] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def give(self, record: Record) -> str:
        """The short id of a memory."""
        return self.give_id(record.id)

    def give_id(self, id: str) -> str:
        """The short form of an id."""
        with self._lock:
            short = next(id[-length:] for length in _LONGER if self._given.get(id[-length:], id) == id)
            self._given[short] = id
            self._given.move_to_end(short)
            if len(self._given) > _MOST:
                self._given.popitem(last=False)
            return short

    def take(self, part: str) -> str:
        """The whole id that a short one stands for; anything else as it is."""
        return self._given.get(part.strip().lower().removeprefix("recollect://memory/"), part)
