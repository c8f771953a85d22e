"""Memories as rows of this database: what `store/rows.py` leaves open. Ids are text, tags are lists, places are JSON texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.store import rows
from recollect.store.postgres.facets import facets_of, packed_words
from recollect.store.postgres.terms import words_of
from recollect.values.memory import Record
from recollect.values.passages import is_question, is_standing_instruction
from recollect.values.search import role_of

# The account id of the store itself.
STORE = 0
_SHARES = ("importance", "weight", "confidence", "trust")
# Searches read these in single precision, and the server refuses to convert a smaller number.
_SMALLEST = 1e-37


def account_number(name: str) -> int:
    """The id of an account: a hash of its name, never that of the store itself."""
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, person=b"account").digest()
    return int.from_bytes(digest, "big", signed=True) or 1


def room_text(scope: str, room: str) -> str:
    """How the places of one agent or team begin, whatever their project."""
    return rows.place_text((scope, room, "")).removesuffix('""]')


def row_of(memory: Record, account_id: int, digest: bytes) -> dict[str, Any]:
    """The values of one memory by column, all but its row number."""
    row = rows.row_of(memory)
    row |= {name: 0.0 for name in _SHARES if abs(row[name]) < _SMALLEST}
    row |= {
        "account_id": account_id,
        "digest": digest,
        "place": rows.place_text(memory.place),
        "tags": list(memory.tags),
        "more": rows.more_of(memory),
        "standing": is_standing_instruction(memory),
        "role": role_of(memory.speaker),
        "words": (words := words_of(account_id, memory)),
        "packed_words": packed_words(words),
    }
    row["facets"] = facets_of({**row, "asks": is_question(memory)})
    return row


def rows_as_json(values: Sequence[Mapping[str, Any]]) -> str:
    """Rows as one parameter that the server takes apart: one statement, however many they are."""
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"), default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return f"\\x{value.hex()}"
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value)} cannot be a column")


def stacked(vectors: Sequence[Any]) -> NDArray[np.float32]:
    """The vectors of one memory as the driver returns them, one row each."""
    return np.stack([np.asarray(vector.to_numpy(), np.float32) for vector in vectors])
