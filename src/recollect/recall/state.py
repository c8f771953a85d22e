"""The values that pass through the read path: the request, the prepared query, and the state its stages work on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from recollect.recall.triggers import TriggerMatches

if TYPE_CHECKING:
    from recollect.ports import Calibrated, Reader
    from recollect.recall.features import Features
    from recollect.recall.profiles import Profile, Scores
    from recollect.recall.query import Query
    from recollect.recall.tag_match import TagMatcher
    from recollect.recall.triggers import TriggerMatcher
    from recollect.values.memory import Record
    from recollect.values.recalled import Hit
    from recollect.values.scope import Viewer
    from recollect.values.search import Filter, Floats, Search


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """One call of recall or search.

    `working_on` is what the caller works on; only triggers look at it. `exact` says that `now` is the moment of asking and not
    just the clock. `named` restricts the answer to memories whose tags the text names, `floor` to hits with that relevance.
    `verify` lets the judge read the hits.
    """

    text: str
    viewer: Viewer
    filter: Filter
    now: datetime
    profile: Profile
    limit: int
    explain: bool = False
    exact: bool = False
    working_on: str = ""
    true_at: datetime | None = None
    season: str | None = None
    named: bool = False
    floor: float = 0.0
    verify: bool = False


@dataclass(frozen=True, slots=True)
class PreparedQuery:
    """A parsed and embedded query, ready to run against a store."""

    query: Query
    search: Search
    calibration: Calibrated | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranking:
    """Scored candidates: the indexes of the best ones, best first, and their memories."""

    features: Features
    scores: Scores
    best: list[int]
    records: list[Record]

    @property
    def rows(self) -> list[int]:
        """The store rows of the best candidates."""
        return self.rows_of(self.best)

    def rows_of(self, indexes: list[int]) -> list[int]:
        """The store rows of some candidates, given by index."""
        rows: list[int] = self.features.candidates.rows[indexes].tolist()
        return rows


@dataclass(slots=True)
class RecallState:
    """One recall on its way through the stages; a field without a default is set by the stage named beside it."""

    reader: Reader
    request: RecallRequest
    prepared: PreparedQuery
    search: Search
    tag_matcher: TagMatcher
    trigger_matcher: TriggerMatcher
    triggered: TriggerMatches = field(default_factory=lambda: TriggerMatches({}))
    tags: tuple[str, ...] = ()  # filter_by_tags: the #tags of the query that exist
    notes: tuple[str, ...] = ()
    features: Features = field(init=False)  # fetch_candidates
    ranking: Ranking = field(init=False)  # rank_candidates
    order: list[int] = field(init=False)  # reorder: positions in the ranking
    relevance: Floats = field(init=False)  # judge_relevance: of each candidate
    answers: list[int] = field(init=False)  # select_answers: indexes of the candidates to return
    moved: set[int] = field(init=False)  # select_answers: those that `reorder` put before higher scores
    surfaced: int = 0  # select_answers: how many of the answers a trigger put first
    records: Mapping[int, Record] = field(init=False)  # select_answers: memories by row
    hits: tuple[Hit, ...] = ()
