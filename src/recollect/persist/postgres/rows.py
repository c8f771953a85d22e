"""Rows of the server: what `persist/rows.py` leaves open, and the number an account goes by. Ids are text, tags lists."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.persist import rows
from recollect.persist.postgres.facets import facets_of, packed_words
from recollect.persist.postgres.places import place_text
from recollect.persist.postgres.words import words_of
from recollect.values.manner import is_standing, only_asks
from recollect.values.memory import Record
from recollect.values.search import role_of

STORE = 0  # the account that stands for the store itself
_SHARES = ("importance", "weight", "confidence", "trust")
# Searches read these as single precision, and the server refuses a number that has none but zero.
_LEAST = 1e-37


def account_number(name: str) -> int:
    """The number of an account: a hash of its name, never that of the store itself."""
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, person=b"account").digest()
    return int.from_bytes(digest, "big", signed=True) or 1


def micros_of(seconds: float) -> int:
    """Seconds as whole microseconds."""
    return round(seconds * 1_000_000)


def row_of(memory: Record, account_id: int, digest: bytes) -> dict[str, Any]:
    """The values of one memory by column, all but its row number."""
    row = rows.row_of(memory)
    row |= {name: 0.0 for name in _SHARES if abs(row[name]) < _LEAST}
    row |= {
        "account_id": account_id,
        "digest": digest,
        "place": place_text(memory.place),
        "tags": list(memory.tags),
        "more": rows.more_of(memory),
        "standing": is_standing(memory),
        "role": role_of(memory.speaker),
        "words": (words := words_of(account_id, memory)),
        "packed_words": packed_words(words),
    }
    row["facets"] = facets_of({**row, "asks": only_asks(memory)})
    return row


def in_json(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as one value that the server takes apart: one statement however many they are."""
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"), default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return f"\\x{value.hex()}"
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value)} has no place in a row")


def stacked(vectors: Sequence[Any]) -> NDArray[np.float32]:
    """The vectors of one memory, as read, one row each."""
    return np.stack([np.asarray(vector.to_numpy(), np.float32) for vector in vectors])
