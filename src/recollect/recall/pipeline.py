"""The read path: its stages in their order, and the class that runs them over one store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from recollect.errors import EmbedderError, InvalidInput
from recollect.log import warning
from recollect.ports import Calibrated, Embedder, Reader, scripts_of
from recollect.recall.expansion import expand_by_names
from recollect.recall.explain import build_hits, build_trace
from recollect.recall.features import fetch_candidates
from recollect.recall.graph_walk import walk_graph
from recollect.recall.profiles import MOST_RANKED
from recollect.recall.query import Query, is_foreign, parse_query
from recollect.recall.ranking import judge_relevance, rank_candidates, reorder, select_answers
from recollect.recall.relevance import ANSWERED, enough
from recollect.recall.state import PreparedQuery, RecallRequest, RecallState
from recollect.recall.tag_match import TagMatcher, filter_by_tags, match_tags
from recollect.recall.triggers import TriggerMatcher, match_triggers
from recollect.values.recalled import Recalled
from recollect.values.search import Floats, Search

# Each stage reads the state and sets its own fields. Only the final hits become memories.
STAGES: tuple[Callable[[RecallState], None], ...] = (
    filter_by_tags,  # a #tag of the query that exists
    match_tags,  # only for a request that is restricted to the tags it names
    fetch_candidates,
    match_triggers,
    walk_graph,  # for profiles that need it
    rank_candidates,
    expand_by_names,  # for profiles that need it
    reorder,
    judge_relevance,
    select_answers,
    build_hits,
)

FOREIGN = "the embedding model does not know this script, so words decide; multilingual-e5-small knows it"


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """The hits, and their rows for counting accesses. `filtered`: a tag in the query left other memories out.

    `bar` is the relevance from which a hit answers the query.
    """

    recalled: Recalled
    rows: tuple[int, ...]
    filtered: bool
    vector: Floats | None = None
    bar: float = ANSWERED

    @property
    def missed(self) -> bool:
        """Whether nothing that may be seen answers the query. With a filter, other memories may well answer it."""
        return not self.recalled.answered and not self.filtered


class Recall:
    """The read path over one store."""

    def __init__(self, embedder: Embedder | None, missing: str | None) -> None:
        """`missing` says why there is no embedder."""
        self._embedder, self._missing = embedder, missing
        self._triggers, self._tags = TriggerMatcher(), TagMatcher()

    def prepare(self, request: RecallRequest) -> PreparedQuery:
        """Everything that needs no store: parse the query and embed it."""
        limit = request.limit
        if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= 1000:
            raise InvalidInput("limit", f"{limit!r} is out of range", "give a whole number from 1 to 1000")
        query = parse_query(request.text, request.now, exact=request.exact)
        vector, calibration, notes = self._embed(request, query)
        if self._embedder is not None and vector is not None and is_foreign(query.text, scripts_of(self._embedder)):
            query, notes = replace(query, foreign=True), (*notes, FOREIGN)
        return PreparedQuery(query, _build_search(request, query, vector), calibration, notes)

    def answer(self, reader: Reader, request: RecallRequest, prepared: PreparedQuery) -> RecallAnswer:
        """Run every stage over one consistent view of the store."""
        state = RecallState(reader, request, prepared, prepared.search, self._tags, self._triggers)
        for stage in STAGES:
            stage(state)
        ranking = state.ranking
        notes = (*prepared.notes, *state.notes, *state.triggered.notes, *_why_nothing(state))
        bar = enough(prepared.query)
        answered = bool(state.surfaced) or bool((state.relevance[state.answers] >= bar).any())
        recalled = Recalled(state.hits, notes, build_trace(ranking.features), answered)
        return RecallAnswer(
            recalled, tuple(ranking.rows_of(state.answers)), bool(state.tags), prepared.search.vector, bar
        )

    def _embed(self, request: RecallRequest, query: Query) -> tuple[Floats | None, Calibrated | None, tuple[str, ...]]:
        """The query's vector and calibration if the profile needs them; otherwise a note that says why there are none."""
        if not request.profile.needs.meaning:
            return None, None, ()
        if self._embedder is None:
            return None, None, (self._missing,) if self._missing else ()
        try:
            return self._embedder.embed_query(query.text), self._embedder.query_calibration, ()
        except EmbedderError as error:
            warning("recall is lexical only: %s", type(error).__name__)
            return None, None, (f"recall is lexical only: {error}",)


def _why_nothing(state: RecallState) -> list[str]:
    """Notes on an answer without hits: how the wording of the query narrowed the search."""
    if state.hits:
        return []
    notes = [f"searched only what is tagged {', '.join(f'#{tag}' for tag in state.tags)}"] if state.tags else []
    if state.search.past:
        day = datetime.fromtimestamp(state.search.now, UTC).date()
        notes.append(f"searched only what was true on {day}; ask without that time for what is true now")
    return notes


def _build_search(request: RecallRequest, query: Query, vector: Floats | None) -> Search:
    """What to ask the back end, by what the profile needs. Without a vector, words are searched whatever the profile."""
    needs = request.profile.needs
    past = request.true_at or query.true_at
    return Search(
        request.viewer,
        request.filter,
        (past or request.now).timestamp(),
        vector,
        query.terms if needs.words or vector is None or query.foreign else (),
        depth=request.profile.fetch(request.limit),
        neighbours=needs.neighbouring_turns,
        windows=query.window_seconds if needs.time_windows else (),
        standing=needs.standing_instructions and query.intent.asks_for_help,
        mean=True,
        explain=request.explain,
        past=past is not None,
        seasons=query.seasons if request.season is None else query.seasons | {request.season},
        every=MOST_RANKED if needs.every_row else 0,
    )
