"""Facets: what the scorer needs of a memory, packed into one value beside the columns it is made of.

A search scores hundreds of rows, and reading thirty columns of each costs the server more than finding them. The two access
counters are not part of it, because they change without the memory being written. Databases contain these bytes: the lists of words
may only be added to, and another layout needs a migration that packs every row again.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from functools import lru_cache
from hashlib import blake2b
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.values.enums import MEMORY_TYPES, PROVENANCE_KINDS, SCOPES, STATUSES
from recollect.values.search import Columns

Array = NDArray[Any]

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


def packed_words(words: NDArray[np.int32]) -> bytes:
    """The terms of a memory as bytes: an array would be sent value by value."""
    return words.astype("<i4").tobytes()


def words_in(packed: bytes | None) -> NDArray[np.int32]:
    """The terms of many rows, one row after the other."""
    return np.frombuffer(packed or b"", "<i4").astype(np.int32, copy=False)


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
