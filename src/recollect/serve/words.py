"""What the doors call the verbs that the messages of the library name with a dot, as in "`pools.list()` shows which there are"."""

from __future__ import annotations

import re
from collections.abc import Callable

# The command of each, without `recollect`.
DOTTED = {
    "pools.list": "pool list",
    "contexts.list": "contexts list",
    "contexts.entries": "contexts show",
    "contexts.snapshots": "contexts snapshots",
    "chain": "narrative list",
    "router.stats": "tiers stats",
}
_QUOTED = re.compile(rf"`({'|'.join(map(re.escape, DOTTED))})(?:\(\))?`")


def replace_dotted(message: str, said: Callable[[str], str]) -> str:
    """A message with what `said` makes of each such verb."""
    return _QUOTED.sub(lambda found: said(found[1]), message)
