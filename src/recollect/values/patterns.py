"""Regular expressions compiled on first use: a command that reads no text does not pay for them."""

from __future__ import annotations

import re
from functools import cache


@cache
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The compiled pattern, cached for the life of the process (the cache of `re` is limited to 512)."""
    return re.compile(pattern, flags)
