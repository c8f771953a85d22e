"""Memories as rows of this database: what `store/rows.py` leaves open, and what searches read beside the columns.

Ids are text, tags are lists, places are JSON texts. A term is stored as a hash of the account and the term, so that each posting
list of the GIN index belongs to one account, and a term of one account tells nothing about another.

Facets are what the scorer needs of a memory, packed into one value: a search scores hundreds of rows, and reading thirty columns of
each costs the server more than finding them. The two access counters are not part of it, because they change without the memory
being written.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.store import rows
from recollect.store.index.columns import lexical_terms
from recollect.store.postgres.sql import Array
from recollect.values.enums import MEMORY_TYPES, PROVENANCE_KINDS, SCOPES, STATUSES
from recollect.values.memory import Record
from recollect.values.passages import is_question, is_standing_instruction
from recollect.values.search import Columns, role_of

# The account id of the store itself.
STORE = 0
_SHARES = ("importance", "weight", "confidence", "trust")
# Searches read these in single precision, and the server refuses to convert a smaller number.
_SMALLEST = 1e-37
# Databases contain these bytes: the lists of words may only be added to, and another layout needs a migration that packs every row
# again.
_LAYOUT = struct.Struct("<8B3i6f4d")
FACETS = np.dtype([
    ("status", "u1"), ("type", "u1"), ("scope", "u1"), ("source", "u1"), ("role", "u1"), ("standing", "?"), ("asks", "?"),
    ("spare", "u1"),
    ("thread", "<i4"), ("position", "<i4"), ("season", "<i4"),
    ("importance", "<f4"), ("weight", "<f4"), ("confidence", "<f4"), ("trust", "<f4"), ("score", "<f4"), ("strength", "<f4"),
    ("created", "<f8"), ("updated", "<f8"), ("hit", "<f8"), ("occurred", "<f8"),
])  # fmt: skip
_CODES = {
    name: {word: number for number, word in enumerate(words)}
    for name, words in (("status", STATUSES), ("type", MEMORY_TYPES), ("scope", SCOPES), ("source", PROVENANCE_KINDS))
}
_NO_SEASON, _NO_THREAD = 0, -1
_SCORED = tuple(name for name in Columns.__slots__ if name in (FACETS.names or ()))
Words = NDArray[np.int32]


def account_number(name: str) -> int:
    """The id of an account: a hash of its name, never that of the store itself."""
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, person=b"account").digest()
    return int.from_bytes(digest, "big", signed=True) or 1


def room_text(scope: str, room: str) -> str:
    """How the places of one agent, team or user begin, whatever their project."""
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


# Terms


def words_of(account_id: int, memory: Record) -> Words:
    """Every term of a memory, as often as it occurs."""
    return np.array(sorted(_mark(account_id, term) for term in lexical_terms(memory)), np.int32)


def marks_of(account_id: int, terms: Sequence[str]) -> Words:
    """The numbers of some terms in one account, in the same order."""
    return np.array([_mark(account_id, term) for term in terms], np.int32)


@lru_cache(maxsize=1 << 18)
def _mark(account_id: int, term: str) -> int:
    own = account_id.to_bytes(8, "little", signed=True)
    digest = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=4, key=own).digest()
    return int.from_bytes(digest, "little", signed=True)


def packed_words(words: NDArray[np.int32]) -> bytes:
    """The terms of a memory as bytes: an array would be sent value by value."""
    return words.astype("<i4").tobytes()


def words_in(packed: bytes | None) -> NDArray[np.int32]:
    """The terms of many rows, one row after the other."""
    return np.frombuffer(packed or b"", "<i4").astype(np.int32, copy=False)


# Facets


def facets_of(row: Mapping[str, Any]) -> bytes:
    """The facets of a memory from its columns."""
    session, season, position = row["session"], row["season"], row["position"]
    return _LAYOUT.pack(
        *(_CODES[name][row[name]] for name in ("status", "type", "scope", "source")),
        row["role"], row["standing"], row["asks"], 0,
        # The same number in every row of a session of a place.
        _NO_THREAD if session is None else _number(f"{row['place']}{session}"),
        -1 if position is None else position,
        _NO_SEASON if season is None else _number(season),
        *(row[name] for name in ("importance", "weight", "confidence", "trust", "score", "strength")),
        *(_seconds(row[name]) for name in ("created_at", "updated_at", "hit_at", "occurred_at")),
    )  # fmt: skip


def scoring_columns(
    found: Mapping[str, Array], seasons: Iterable[str], standing: NDArray[np.uint8] | None = None
) -> Columns:
    """The columns of the scorer from facets, counters and lengths of the same rows; `standing` replaces the statuses."""
    facets = found["facets"]
    own = {name: facets[name] for name in _SCORED}
    own["season"] = -(facets["season"] != _NO_SEASON).astype(np.int8)
    for season in seasons:
        own["season"][facets["season"] == _number(season)] = 1
    if standing is not None:
        own["status"] = standing
    return Columns(
        **own,
        access_count=found["access_count"].astype(np.float32),
        accessed=found["accessed"] / 1e6,
        length=found["length"],
    )


def no_rows() -> dict[str, Array]:
    """The same for no rows."""
    kinds: dict[str, Any] = {"facets": FACETS, "access_count": np.int32, "accessed": np.int64, "length": np.int32}
    return {name: np.empty(0, kind) for name, kind in kinds.items()}


@lru_cache(maxsize=4096)
def _number(text: str) -> int:
    """A positive number for a text."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return (int.from_bytes(digest, "little") & 0x7FFF_FFFF) or 1


def _seconds(micros: int | None) -> float:
    return nan if micros is None else micros / 1e6
