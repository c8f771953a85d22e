"""Names: the keys of one room in Redis. `recollect:{account}:value:agent:task:key` and `recollect:{account}:ends:agent:task`.

Every part is percent-encoded, so no name can reach into another's place. The braces are a hash tag: a cluster keeps what
belongs to one account in one slot, which lets a script or a transaction touch a room as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from recollect.ports import Room


@dataclass(frozen=True, slots=True)
class Names:
    """What a room's keys are called."""

    ends: str
    _values: str

    def value(self, key: str) -> str:
        """Where one value is."""
        return f"{self._values}:{_part(key)}"


def names_of(prefix: str, room: Room) -> Names:
    """The keys of a room."""
    account, agent, task = map(_part, room)
    return Names(f"{prefix}:{{{account}}}:ends:{agent}:{task}", f"{prefix}:{{{account}}}:value:{agent}:{task}")


def _part(name: str) -> str:
    # An empty hash tag would be none at all; no encoded name is a lone percent sign.
    return quote(name, safe="", errors="surrogatepass") or "%"
