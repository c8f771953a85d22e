"""Ids: UUIDv7 text, so that ids sort by the time they were made; and the keyed fingerprint of a text."""

from __future__ import annotations

import hashlib
import secrets
import unicodedata
from datetime import datetime
from functools import lru_cache

_TRAILING = " \t\r\n.!。！"


def new_id(at: datetime) -> str:
    """A fresh UUIDv7 (RFC 9562): 48 bits of milliseconds, then random bits."""
    milliseconds = int(at.timestamp() * 1000) & (1 << 48) - 1
    random = secrets.randbits(74)
    value = milliseconds << 80 | 7 << 76 | random >> 62 << 64 | 2 << 62 | random & (1 << 62) - 1
    digits = f"{value:032x}"  # a third of the time of making a UUID of it
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def normalised(text: str) -> str:
    """Text as the exact-duplicate check sees it: case, spacing, width and a closing full stop do not matter."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(_TRAILING)


@lru_cache(maxsize=32)  # a write asks three times: whether it was purged, whether it is stored, and to store it
def fingerprint(text: str, secret: bytes) -> bytes:
    """Keyed hash of the normalised text: finds duplicates, reveals nothing without the key."""
    return hashlib.blake2b(normalised(text).encode(), key=secret, digest_size=16).digest()
