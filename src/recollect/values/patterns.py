"""Regular expressions compiled when first used: a command that reads no text must not pay for them."""

from __future__ import annotations

import re
from functools import cache


@cache
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The compiled pattern, kept for the life of the process (the standard cache forgets after 512)."""
    return re.compile(pattern, flags)
