"""Ids (UUIDv7, so that they sort by creation time) and keyed digests of texts."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime
from functools import lru_cache

from recollect.values.normalise import comparable

_TRAILING = " \t\r\n.!。！"


def new_id(at: datetime) -> str:
    """A fresh UUIDv7 (RFC 9562): 48 bits of milliseconds, then random bits."""
    milliseconds = int(at.timestamp() * 1000) & (1 << 48) - 1
    random = secrets.randbits(74)
    value = milliseconds << 80 | 7 << 76 | random >> 62 << 64 | 2 << 62 | random & (1 << 62) - 1
    digits = f"{value:032x}"  # three times faster than uuid.UUID
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def normalised(text: str) -> str:
    """Text for the exact-duplicate check: case, spacing, width and a final full stop do not matter."""
    return " ".join(comparable(text).casefold().split()).rstrip(_TRAILING)


@lru_cache(maxsize=32)  # a write needs it three times: for the tombstones, the duplicate check and the row
def fingerprint(text: str, secret: bytes) -> bytes:
    """Keyed hash of the normalised text: finds duplicates and reveals nothing without the key."""
    return hashlib.blake2b(normalised(text).encode(), key=secret, digest_size=16).digest()
