"""Ids (UUIDv7, so that they sort by creation time) and keyed digests of texts."""

from __future__ import annotations

import hashlib
import re
import secrets
import unicodedata
from datetime import datetime
from functools import lru_cache

from recollect.values.terms import query_terms

_TRAILING = " \t\r\n.!。！"
# Fewer content words say too little: with one or two, texts about other things would have the same digest.
_FEWEST_TERMS = 3
_NEGATION = re.compile(r"\b(?:no|not|never|none|nothing|neither|nor|without|cannot)\b|n['’]t\b", re.IGNORECASE)

_WORD = re.compile(r"\w+")
_TURNING = frozenset(("into", "out", "off", "against", "without", "before", "after", "under", "over"))


def _decides(word: str) -> bool:
    """Whether a word that is no content word can make another statement: a number, a single letter, a direction."""
    return word in _TURNING or any(map(str.isdigit, word)) or (len(word) == 1 and word not in ("a", "i"))


def new_id(at: datetime) -> str:
    """A fresh UUIDv7 (RFC 9562): 48 bits of milliseconds, then random bits."""
    milliseconds = int(at.timestamp() * 1000) & (1 << 48) - 1
    random = secrets.randbits(74)
    value = milliseconds << 80 | 7 << 76 | random >> 62 << 64 | 2 << 62 | random & (1 << 62) - 1
    digits = f"{value:032x}"  # three times faster than uuid.UUID
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def normalised(text: str) -> str:
    """Text for the exact-duplicate check: case, spacing, width and a final full stop do not matter."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(_TRAILING)


@lru_cache(maxsize=32)  # a write needs it three times: for the tombstones, the duplicate check and the row
def fingerprint(text: str, secret: bytes) -> bytes:
    """Keyed hash of the normalised text: finds duplicates and reveals nothing without the key."""
    return hashlib.blake2b(normalised(text).encode(), key=secret, digest_size=16).digest()


@lru_cache(maxsize=32)
def purge_digests(text: str, secret: bytes) -> tuple[bytes, ...]:
    """The digests under which a text is known once it is purged: of its words, and of its content words in any form.

    Of a purged text only digests are left, so that a rewording can be recognised only by a digest of its own. Their order counts
    (who owes whom), and so do numbers, single letters and words that turn the meaning.
    """
    words = fingerprint(text, secret)
    terms = query_terms(text)
    if len(terms) < _FEWEST_TERMS:
        return (words,)
    exact = [word for word in _WORD.findall(normalised(text)) if word not in terms and _decides(word)]
    content = "\x00".join((*terms, "", *exact, "not" if _NEGATION.search(text) else ""))
    return words, hashlib.blake2b(content.encode(), key=secret, digest_size=16, person=b"content words").digest()
