"""The read path in order: query, candidates, triggers, cascade, score, order, explain. Only the final hits become memories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from recollect.errors import EmbedderError, InvalidInput
from recollect.ports import Calibrated, Embedder, Reader
from recollect.recall.cascade import Cascade
from recollect.recall.currency import FIRST, current_first, newest_first
from recollect.recall.explaining import Explainer, node_names, trace_of
from recollect.recall.hybrid import Hybrid
from recollect.recall.naming import Named
from recollect.recall.profiles import Profile, Scores
from recollect.recall.query import Query, parse
from recollect.recall.second_look import Best, look_again
from recollect.recall.sight import Sight, behold
from recollect.recall.triggered import Fired, Triggers
from recollect.recall.walking import joined, steps_of
from recollect.values.filter import Filter
from recollect.values.hit import Hit, Recalled
from recollect.values.memory import Record
from recollect.values.scope import Viewer
from recollect.values.search import Floats, Search
from recollect.values.words import STATUSES

# A hit that is nearly like the question, or has half of its telling words, may answer it.
_NEAR, _TOLD = 0.75, 0.5
_NOTHING_ELSE: dict[str, Any] = {"depth": 0, "neighbours": 0, "windows": (), "standing": False}


@dataclass(frozen=True, slots=True)
class Ask:
    """One call of recall or search. `context` is what the asker works on; triggers look at it too. `named` is strict."""

    text: str
    viewer: Viewer
    filter: Filter
    now: datetime
    profile: Profile
    limit: int
    explain: bool = False
    exact: bool = False
    context: str = ""
    true_at: datetime | None = None
    season: str | None = None
    named: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The hits and the rows behind them, for the batched count of accesses; `missed` when nothing of it is relevant."""

    recalled: Recalled
    rows: tuple[int, ...]
    missed: bool
    vector: Floats | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question ready to be put to a store; `first` is what a store will be asked first, if that is known."""

    query: Query
    search: Search
    calibration: Calibrated | None = None
    notes: tuple[str, ...] = ()
    first: Search | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """Candidates with their scores; the places of the answers, best first, and their memories."""

    sight: Sight
    scores: Scores
    places: list[int]
    records: list[Record]


class Recall:
    """The read path over one store."""

    def __init__(self, embedder: Embedder | None, missing: str | None, floor: float = 0.4) -> None:
        self._embedder, self._missing, self._floor = embedder, missing, floor
        self._triggers, self._names = Triggers(), Named()

    def prepare(self, ask: Ask) -> Prepared:
        """Everything that needs no store: the query taken apart, embedded and calibrated."""
        if not isinstance(ask.limit, int) or isinstance(ask.limit, bool) or not 1 <= ask.limit <= 1000:
            raise InvalidInput("limit", f"{ask.limit!r} is out of range", "give a whole number from 1 to 1000")
        query = parse(ask.text, ask.now, exact=ask.exact)
        vector, calibration, notes = self._embedded(ask, query)
        search = _search(ask, query, vector)
        return Prepared(query, search, calibration, notes, None if ask.named else search)

    def _embedded(self, ask: Ask, query: Query) -> tuple[Floats | None, Calibrated | None, tuple[str, ...]]:
        """The vector of a question with its scale, where the profile looks at meaning; or why there is none."""
        if "meaning" not in ask.profile.legs:
            return None, None, ()
        if self._embedder is None:
            return None, None, (self._missing,) if self._missing else ()
        try:
            return self._embedder.embed_query(query.text), self._embedder.query_calibration, ()
        except EmbedderError as error:
            return None, None, (f"recall is lexical only: {error}",)

    def answer(self, reader: Reader, ask: Ask, prepared: Prepared) -> Answer:
        """The hits of one question, over one consistent view of the store."""
        search = prepared.search
        if ask.named:
            search = replace(search, rows=self._names.rows(reader, search, ask.text), **_NOTHING_ELSE)
        fired = self._triggers.fired(reader, search, f"{ask.text}\n{ask.context}")
        if fired.patterns:
            search = replace(search, rows=(*search.rows, *fired.patterns))
        sight = behold(prepared.query, reader.candidates(search), prepared.calibration)
        ranked = _ranked(reader, ask, search, _walked(reader, ask, search, sight, prepared), prepared)
        order = _ordered(ask, ranked)
        called = _called_up(ranked.sight, fired)
        rows = _rows(ranked, ranked.places)
        records = dict(zip(rows, ranked.records, strict=True))
        missing = [row for row in called if row not in records]
        if missing:
            records |= dict(zip(missing, reader.fetch(ask.viewer.account, missing), strict=True))
        rest = [which for which in order if not called or rows[which] not in called]
        places = [*called.values(), *(ranked.places[which] for which in rest)][: ask.limit]
        moved = {ranked.places[which] for rank, which in enumerate(order) if which != rank}
        hits = _hits(reader, ask, ranked, places, records, fired, moved)
        recalled = Recalled(hits, (*prepared.notes, *fired.notes), trace_of(ranked.sight))
        return Answer(
            recalled, _rows(ranked, places), not called and self._missed(ranked.sight, places), prepared.search.vector
        )

    def _missed(self, sight: Sight, places: list[int]) -> bool:
        """Whether no hit is about what was asked: none is like it, and none has half of its telling words."""
        if not places:
            return True
        return bool((sight.similarity[places] < _NEAR * self._floor).all() and (sight.coverage[places] < _TOLD).all())


def _search(ask: Ask, query: Query, vector: Floats | None) -> Search:
    hybrid = isinstance(ask.profile, Hybrid)
    by_words = "words" in ask.profile.legs or vector is None
    past = ask.true_at or query.true_at
    return Search(
        ask.viewer,
        replace(ask.filter, tags=tuple(dict.fromkeys((*ask.filter.tags, *query.tags)))) if query.tags else ask.filter,
        (past or ask.now).timestamp(),
        vector,
        query.terms if by_words else (),
        depth=ask.profile.fetch(ask.limit),
        neighbours=2 if hybrid else 0,
        windows=tuple((since.timestamp(), until.timestamp()) for since, until in query.windows) if hybrid else (),
        standing=hybrid and query.intent.request,
        mean=hybrid,
        explain=ask.explain,
        past=past is not None,
        seasons=query.seasons if ask.season is None else query.seasons | {ask.season},
    )


def _walked(reader: Reader, ask: Ask, search: Search, sight: Sight, prepared: Prepared) -> Sight:
    """The sight with what the nearest memories lead to, for a profile that walks."""
    profile = ask.profile
    if ask.named:
        return sight
    if isinstance(profile, Cascade):
        reached = profile.walk(sight, steps_of(reader, search))
    elif isinstance(profile, Hybrid) and profile.walk:
        reached = profile.led(sight, steps_of(reader, search))
    else:
        return sight
    return joined(reader, search, sight, reached, prepared.calibration)


def _ranked(reader: Reader, ask: Ask, search: Search, sight: Sight, prepared: Prepared) -> Ranked:
    """The candidates scored, with a second look where the profile takes one."""
    ranked = _scored(reader, ask, sight)
    if not isinstance(ask.profile, Hybrid) or not ranked.records or ask.named:
        return ranked
    best = Best(ranked.places, ranked.records, ranked.scores)
    more = look_again(reader, search, sight, best, prepared.calibration)
    return ranked if more is None else _scored(reader, ask, more)


def _scored(reader: Reader, ask: Ask, sight: Sight) -> Ranked:
    scores = ask.profile.score(sight)
    places = _leading(scores.total, sight, max(ask.limit, FIRST))
    return Ranked(sight, scores, places, _shown(reader, ask, sight, places))


def _ordered(ask: Ask, ranked: Ranked) -> list[int]:
    """The order in which to show the answers: what is current above what is stale."""
    totals = ranked.scores.total[ranked.places].tolist()
    plain = list(range(len(ranked.records)))
    order = newest_first(ranked.records, totals) if isinstance(ask.profile, Hybrid) else plain
    return current_first(ranked.records, order)


def _called_up(sight: Sight, fired: Fired) -> dict[int, int]:
    """The places of what the context called up, by row: the most important first, then the newest."""
    if not fired.patterns:
        return {}
    where = {row: place for place, row in enumerate(sight.found.rows.tolist()) if row in fired.patterns}
    importance = sight.columns.importance
    return dict(sorted(where.items(), key=lambda item: (-float(importance[item[1]]), -item[0])))


def _hits(
    reader: Reader,
    ask: Ask,
    ranked: Ranked,
    places: list[int],
    records: Mapping[int, Record],
    fired: Fired,
    moved: set[int],
) -> tuple[Hit, ...]:
    sight, scores = ranked.sight, ranked.scores
    paths = [scores.paths[place] for place in places if place in scores.paths] if ask.explain else []
    names = node_names(reader, ask.viewer.account, paths) if paths else {}
    explainer = Explainer(ask.profile, sight, scores, ask.now, names) if ask.explain else None
    rows = _rows(ranked, places)
    called = sum(row in fired.patterns for row in rows)
    scored = scores.total[places]
    totals: list[float] = np.where(np.isnan(scored), 0, scored).tolist()
    # What was moved for its currency takes the score of the rank it moved to.
    totals[called:] = sorted(totals[called:], reverse=True)
    known, likeness = (~np.isnan(sight.found.cosine[places])).tolist(), sight.similarity[places].tolist()
    hits = []
    for rank, (place, row, total) in enumerate(zip(places, rows, totals, strict=True)):
        record, trigger = records[row], fired.patterns.get(row)
        like = round(likeness[rank], 4) if known[rank] else None
        reason = None if explainer is None else explainer.of(place, record, moved=place in moved, trigger=trigger)
        hits.append(Hit(record, round(total, 6), like, reason, trigger))
    return tuple(hits)


def _rows(ranked: Ranked, places: list[int]) -> tuple[int, ...]:
    return tuple(ranked.sight.found.rows[places].tolist())


def _shown(reader: Reader, ask: Ask, sight: Sight, places: list[int]) -> list[Record]:
    """The memories of some candidates, with their standing for this viewer."""
    records = reader.fetch(ask.viewer.account, sight.found.rows[places].tolist())
    statuses = [STATUSES[code] for code in sight.columns.status[places].tolist()]
    if "superseded" not in statuses:
        return records
    known = reader.get(ask.viewer.account, [record.id for record in records])
    heirs = [None if record is None else record.superseded_by for record in known]
    return [
        record.with_(status=status, superseded_by=heir) if status == "superseded" else record
        for record, status, heir in zip(records, statuses, heirs, strict=True)
    ]


def _leading(total: Floats, sight: Sight, limit: int) -> list[int]:
    """The best answers; between equals the newer memory, then the later row."""
    places = (~np.isnan(total)).nonzero()[0]
    order = np.lexsort((-sight.found.rows[places], -sight.columns.created[places], -total[places]))
    best: list[int] = places[order[:limit]].tolist()
    return best
