"""Search, Candidates and Near: what the read path asks of a back end, and the columns it gets back.

Columns, not objects: one array a signal, so that one numpy scorer serves every back end and only the final hits
become memories.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.values.filter import Filter
from recollect.values.scope import Place, Viewer

Floats = NDArray[np.float32]
Times = NDArray[np.float64]

# How many rows of the time asked about, and of standing instructions, each leg brings beyond its depth.
IN_WINDOW, STANDING = 50, 20
# Of how many of each leg's best the neighbouring turns are looked at: of 16 the answers are the same, of 8 a few are lost.
TALKING = 10

UNKNOWN, PERSON, ASSISTANT, MACHINE = 0, 1, 2, 3
_ROLES = {
    "user": PERSON,
    "human": PERSON,
    "assistant": ASSISTANT,
    "ai": ASSISTANT,
    "bot": ASSISTANT,
    "agent": ASSISTANT,
    "model": ASSISTANT,
    "system": MACHINE,
    "tool": MACHINE,
    "memory": UNKNOWN,
}


@lru_cache(maxsize=1024)
def role_of(speaker: str | None) -> int:
    """Whether a person, an assistant or a machine spoke; a name that is none of the known roles is a person's."""
    if not speaker or not speaker.strip():
        return UNKNOWN
    return _ROLES.get(speaker.strip().casefold(), PERSON)


@dataclass(frozen=True, slots=True)
class Search:
    """One question to a back end: by vector, by terms, or both, under a filter, at a moment.

    `past` asks what was true at that moment: a memory holds from `valid_from` on, or else from when it happened or was stored.
    """

    viewer: Viewer
    filter: Filter
    now: float
    vector: Floats | None = None
    terms: tuple[str, ...] = ()
    depth: int = 200
    neighbours: int = 0
    rows: tuple[int, ...] = ()
    windows: tuple[tuple[float, float], ...] = ()
    standing: bool = False
    mean: bool = False
    explain: bool = False
    past: bool = False
    seasons: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Columns:
    """What the scorer may use of each memory, one array a field; times are epoch seconds, NaN where unknown.

    `season` is 1 for a memory of a season asked about, -1 for one of another season, 0 for one of every season.
    """

    importance: Floats
    weight: Floats
    confidence: Floats
    trust: Floats
    score: Floats
    strength: Floats
    access_count: Floats
    created: Times
    updated: Times
    accessed: Times
    hit: Times
    occurred: Times
    status: NDArray[np.uint8]
    type: NDArray[np.uint8]
    scope: NDArray[np.uint8]
    source: NDArray[np.uint8]
    role: NDArray[np.uint8]
    season: NDArray[np.int8]
    standing: NDArray[np.bool_]
    asks: NDArray[np.bool_]
    thread: NDArray[np.int32]
    position: NDArray[np.int32]
    length: NDArray[np.int32]

    def take(self, rows: NDArray[np.intp]) -> Columns:
        """The same columns for some rows."""
        return Columns(**{name: getattr(self, name)[rows] for name in self.__slots__})


@dataclass(frozen=True, slots=True)
class Candidates:
    """The rows worth scoring, with their signals: cosine is NaN where a row has no vector of this model."""

    rows: NDArray[np.int64]
    cosine: Floats
    bm25: Floats
    matches: NDArray[np.uint8]
    selected: NDArray[np.bool_]
    columns: Columns
    considered: int = 0
    visible: int = 0
    hidden: tuple[tuple[str, int], ...] = ()
    idf: Floats = field(default_factory=lambda: np.empty(0, np.float32))
    mean_cosine: float = 0.0
    mean_length: float = 1.0
    in_window: int = 0

    def __len__(self) -> int:
        return len(self.rows)

    def joined(self, other: Candidates) -> Candidates:
        """These and, after them, those of another search that are not among them."""
        fresh = ~np.isin(other.rows, self.rows)
        columns = {
            name: np.concatenate((getattr(self.columns, name), getattr(other.columns, name)[fresh]))
            for name in Columns.__slots__
        }
        return replace(
            self,
            rows=np.concatenate((self.rows, other.rows[fresh])),
            cosine=np.concatenate((self.cosine, other.cosine[fresh])),
            bm25=np.concatenate((self.bm25, other.bm25[fresh])),
            matches=np.concatenate((self.matches, other.matches[fresh])),
            selected=np.concatenate((self.selected, other.selected[fresh])),
            columns=Columns(**columns),
        )


@dataclass(frozen=True, slots=True)
class Near:
    """The nearest rows of one vector, nearest first, each with its standing for the viewer who looked."""

    rows: NDArray[np.int64]
    cosine: Floats
    status: NDArray[np.uint8]


class Glimpse(NamedTuple):
    """What comparing needs of a stored memory: which one it is and what it says."""

    row: int
    id: str
    content: str


@dataclass(frozen=True, slots=True)
class Embedded:
    """Every active memory that has a vector of the model in use: its row, the vector of its whole text, where it lives."""

    rows: NDArray[np.int64]
    vectors: NDArray[np.float16]
    places: tuple[Place, ...]
