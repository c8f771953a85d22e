"""Filters and searches: what a back end is asked, and the columns it returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from recollect.values.enums import MemoryType, ProvenanceKind, Scope, Status
from recollect.values.scope import Place, Viewer, Visit


class FilterFields(TypedDict, total=False):
    """The conditions that narrow a recall, a search, a list, an export, or what a verb changes.

    Several values of one field mean any of them; all `tags` must match, one of `any_tags`. `since` and `until` compare when it
    happened, or else when it was stored. `metadata` maps fields to values or to conditions such as `{"$gte": 3}`. `where` is a
    further filter as an object, in which `AND` and `OR` list filters, and `NOT` is one.
    """

    type: MemoryType | Sequence[MemoryType] | None
    tags: str | Sequence[str] | None
    any_tags: str | Sequence[str] | None
    scope: Scope | Sequence[Scope] | None
    in_project: str | None
    in_session: str | None
    speaker: str | Sequence[str] | None
    status: Status | Literal["all"] | Sequence[Status] | None
    source: ProvenanceKind | Sequence[ProvenanceKind] | None
    since: datetime | str | None
    until: datetime | str | None
    created_since: datetime | str | None
    created_until: datetime | str | None
    updated_since: datetime | str | None
    updated_until: datetime | str | None
    min_trust: float | None
    metadata: Mapping[str, Any] | None
    where: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class EntryTest:
    """A memory has, at a path of its metadata, one of some values, or one in a span: from a text to before another.

    Values are written as `entry_value` writes them. With `absent` it has none such.
    """

    path: str
    values: tuple[str, ...] = ()
    span: tuple[str, str] | None = None
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """All named conditions must hold; an empty tuple or None does not restrict. `without` leaves projects out.

    `visit` is the session and the task whose own memories are shown; those of all others are left out. None shows all. Of `all_of`
    every filter must pass, of each group in `any_of` one, of `none_of` none.
    """

    types: tuple[MemoryType, ...] = ()
    tags: tuple[str, ...] = ()
    any_tags: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = ()
    project: str | None = None
    session: str | None = None
    speakers: tuple[str, ...] = ()
    statuses: tuple[Status, ...] = ("active",)
    sources: tuple[ProvenanceKind, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    created_since: datetime | None = None
    created_until: datetime | None = None
    updated_since: datetime | None = None
    updated_until: datetime | None = None
    min_trust: float = 0.0
    without: tuple[str, ...] = ()
    visit: Visit | None = None
    metadata: tuple[EntryTest, ...] = ()
    all_of: tuple[Filter, ...] = ()
    any_of: tuple[tuple[Filter, ...], ...] = ()
    none_of: tuple[Filter, ...] = ()

    def inside(self) -> Iterator[Filter]:
        """Every filter that this one is made of, at any depth."""
        for part in (*self.all_of, *(part for group in self.any_of for part in group), *self.none_of):
            yield part
            yield from part.inside()

    @property
    def tells_status_inside(self) -> bool:
        """Whether a filter inside this one asks for a status."""
        return any(part.statuses for part in self.inside())


Floats = NDArray[np.float32]
Times = NDArray[np.float64]

# How many rows in the time window, and how many standing instructions, each retriever adds beyond its depth.
IN_WINDOW, STANDING = 50, 20
# For how many of the best rows of each retriever the neighbouring turns are added: 16 gives the same answers, 8 loses a few.
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
    """Whether a person, an assistant or a machine spoke; an unknown name is a person."""
    if not speaker or not speaker.strip():
        return UNKNOWN
    return _ROLES.get(speaker.strip().casefold(), PERSON)


@dataclass(frozen=True, slots=True)
class Search:
    """One search in a back end: by vector, by terms, or both, under a filter, at a time.

    `past` asks what was true at that time: a memory is valid from `valid_from` on, or else from when it happened or was stored.
    `holders` asks how many visible rows have each term, of terms that no more than so many memories have. `every` asks for all
    visible rows if they are no more than that; if they are more, for the best of each retriever.
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
    holders: int = 0
    every: int = 0

    def among_active(self) -> Search:
        """The same search for active memories only, whatever else its filter says."""
        return replace(self, filter=Filter(statuses=("active",)))

    def for_rows(self, rows: tuple[int, ...]) -> Search:
        """The same search for some rows and nothing else; visibility and the filter still apply to them."""
        return replace(self, rows=rows, depth=0, neighbours=0, windows=(), standing=False, holders=0, every=0)


@dataclass(frozen=True, slots=True)
class DeliveryQuery:
    """One list of visible rows by delivery and type: the most important first, then the newest.

    With `since`, only what was stored or confirmed from that time on, the latest first. With `rows`, only these.
    """

    limit: int
    deliveries: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    since: float | None = None
    rows: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Columns:
    """The input of the scorer, one array per field; times are epoch seconds, NaN where unknown.

    `season` is 1 for a memory of a wanted season, -1 for one of another season, 0 for one without a season.
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
    """The rows to score, with their signals; the cosine is NaN where a row has no vector of this model.

    `holders` is the number of visible rows with each term, where the search asks for it; 0 also for a term in too many memories.
    """

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
    holders: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    def __len__(self) -> int:
        return len(self.rows)

    def joined(self, other: Candidates) -> Candidates:
        """These, followed by those of another search that are not among them."""
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
    """The nearest rows of one vector, nearest first, each with its status for the viewer."""

    rows: NDArray[np.int64]
    cosine: Floats
    status: NDArray[np.uint8]


class Snippet(NamedTuple):
    """The row, id and text of a stored memory: what a comparison needs."""

    row: int
    id: str
    content: str


@dataclass(frozen=True, slots=True)
class Embedded:
    """Every active memory that has a vector of the model in use: its row, the vector of its whole text, its place."""

    rows: NDArray[np.int64]
    vectors: NDArray[np.float16]
    places: tuple[Place, ...]
