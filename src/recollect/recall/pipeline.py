"""The read path in order: query, candidates, cascade, score, then only the final hits become memories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from recollect.errors import EmbedderError, InvalidInput
from recollect.ports import Calibrated, Embedder, Reader
from recollect.recall.cascade import HAS_TAG, Cascade, Node
from recollect.recall.currency import FIRST, newest_first
from recollect.recall.hybrid import Hybrid
from recollect.recall.profiles import Profile, Scores
from recollect.recall.query import Query, parse
from recollect.recall.second_look import Best, look_again
from recollect.recall.sight import Sight, behold
from recollect.values.filter import Filter
from recollect.values.hit import Explanation, Hit, Recalled, Signal, Trace
from recollect.values.memory import Record
from recollect.values.scope import Viewer
from recollect.values.search import Floats, Search
from recollect.values.words import STATUSES

_FAN_OUT = 50


@dataclass(frozen=True, slots=True)
class Ask:
    """One call of recall or search."""

    text: str
    viewer: Viewer
    filter: Filter
    now: datetime
    profile: Profile
    limit: int
    explain: bool = False
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The hits and the rows behind them, for the batched count of accesses."""

    recalled: Recalled
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question ready to be put to a store."""

    query: Query
    vector: Floats | None = None
    calibration: Calibrated | None = None
    notes: tuple[str, ...] = ()


class Recall:
    """The read path over one store."""

    def __init__(self, embedder: Embedder | None, missing: str | None) -> None:
        self._embedder, self._missing = embedder, missing

    def prepare(self, ask: Ask) -> Prepared:
        """Everything that needs no store: the query taken apart, embedded and calibrated."""
        if not isinstance(ask.limit, int) or isinstance(ask.limit, bool) or not 1 <= ask.limit <= 1000:
            raise InvalidInput("limit", f"{ask.limit!r} is out of range", "give a whole number from 1 to 1000")
        query = parse(ask.text, ask.now, exact=ask.exact)
        if "meaning" not in ask.profile.legs:
            return Prepared(query)
        if self._embedder is None:
            return Prepared(query, notes=(self._missing,) if self._missing else ())
        try:
            return Prepared(query, self._embedder.embed_query(query.text), self._embedder.query_calibration)
        except EmbedderError as error:
            return Prepared(query, notes=(f"recall is lexical only: {error}",))

    def answer(self, reader: Reader, ask: Ask, prepared: Prepared) -> Answer:
        """The hits of one question, over one consistent view of the store."""
        search = _search(ask, prepared)
        sight = behold(prepared.query, reader.candidates(search), prepared.calibration)
        if isinstance(ask.profile, Cascade):
            sight = _walked(reader, search, sight, ask.profile, prepared.calibration)
        scores = ask.profile.score(sight)
        places = _leading(scores.total, sight, max(ask.limit, FIRST))
        records = _shown(reader, ask, sight, places)
        if isinstance(ask.profile, Hybrid) and records:
            more = look_again(reader, search, sight, Best(places, records, scores), prepared.calibration)
            if more is not None:
                sight, scores = more, ask.profile.score(more)
                places = _leading(scores.total, sight, max(ask.limit, FIRST))
                records = _shown(reader, ask, sight, places)
        totals = [float(scores.total[place]) for place in places]
        order = newest_first(records, totals) if isinstance(ask.profile, Hybrid) else list(range(len(records)))
        hits = tuple(
            Hit(
                records[which],
                round(totals[rank], 6),
                None
                if np.isnan(sight.found.cosine[places[which]])
                else round(float(sight.similarity[places[which]]), 4),
                _explanation(ask.profile, sight, scores, places[which], moved=which != rank) if ask.explain else None,
            )
            for rank, which in enumerate(order[: ask.limit])
        )
        rows = tuple(int(sight.found.rows[places[which]]) for which in order[: ask.limit])
        return Answer(Recalled(hits, prepared.notes, _trace(sight)), rows)


def tag_edges(reader: Reader, account: str, nodes: Iterable[Node]) -> dict[Node, list[tuple[Node, str, float]]]:
    """The edges between memories and their tags."""
    rows = [int(str(key)) for kind, key in nodes if kind == "memory"]
    found: dict[Node, list[tuple[Node, str, float]]] = {}
    for source, tag in reader.tags_of(account, rows):
        found.setdefault(("memory", source), []).append((("tag", tag), "has_tag", HAS_TAG))
    for kind, key in nodes:
        if kind == "tag":
            members = reader.tag_members(account, str(key), _FAN_OUT)
            found[kind, key] = [(("memory", row), "has_tag", HAS_TAG) for row in members]
    return found


def _search(ask: Ask, prepared: Prepared) -> Search:
    query, hybrid = prepared.query, isinstance(ask.profile, Hybrid)
    by_words = "words" in ask.profile.legs or prepared.vector is None
    return Search(
        ask.viewer,
        replace(ask.filter, tags=tuple(dict.fromkeys((*ask.filter.tags, *query.tags)))),
        ask.now.timestamp(),
        prepared.vector,
        query.terms if by_words else (),
        depth=ask.profile.fetch(ask.limit),
        neighbours=2 if hybrid else 0,
        windows=tuple((since.timestamp(), until.timestamp()) for since, until in query.windows) if hybrid else (),
        standing=hybrid and query.intent.request,
        mean=hybrid,
        explain=ask.explain,
    )


def _walked(reader: Reader, search: Search, sight: Sight, profile: Cascade, calibration: Calibrated | None) -> Sight:
    """What the nearest memories lead to, itself put under the same mask as every candidate."""

    def edges(nodes: Iterable[Node]) -> Mapping[Node, list[tuple[Node, str, float]]]:
        return tag_edges(reader, search.viewer.account, nodes)

    reached = profile.walk(sight, edges)
    more = reader.candidates(replace(search, rows=tuple(reached)))
    return replace(behold(sight.query, more, calibration), reached=reached)


def _shown(reader: Reader, ask: Ask, sight: Sight, places: list[int]) -> list[Record]:
    """The memories of some candidates, with their standing for this viewer."""
    records = reader.fetch(ask.viewer.account, [int(row) for row in sight.found.rows[places]])
    statuses = [STATUSES[sight.columns.status[place]] for place in places]
    if "superseded" not in statuses:
        return records
    known = reader.get(ask.viewer.account, [record.id for record in records])
    heirs = [None if record is None else record.superseded_by for record in known]
    return [
        record.with_(status=status, superseded_by=heir) if status == "superseded" else record
        for record, status, heir in zip(records, statuses, heirs, strict=True)
    ]


def _trace(sight: Sight) -> Trace:
    found = sight.found
    near, met = int((~np.isnan(found.cosine)).sum()), int((found.bm25 > 0).sum())
    return Trace(found.considered, found.visible, found.hidden, near, met)


def _leading(total: Floats, sight: Sight, limit: int) -> list[int]:
    """The best answers; between equals the newer memory, then the later row."""
    places = np.flatnonzero(~np.isnan(total))
    order = np.lexsort((-sight.found.rows[places], -sight.columns.created[places], -total[places]))
    return [int(place) for place in places[order][:limit]]


def _explanation(profile: Profile, sight: Sight, scores: Scores, place: int, *, moved: bool) -> Explanation:
    signals = tuple(
        Signal(
            name, round(float(part.values[place]), 4), part.weight, round(float(part.weight * part.values[place]), 4)
        )
        for name, part in scores.parts.items()
    )
    counts = zip(sight.query.terms, sight.found.matches[place], strict=False)
    met = tuple(dict.fromkeys(sight.query.words.get(term, term) for term, count in counts if count))
    notes = []
    if np.isnan(sight.found.cosine[place]) and sight.embedded:
        notes.append("no vector yet: judged by its words")
    if moved:
        notes.append("of two that say nearly the same, the newer stands first")
    return Explanation(profile.name, profile.formula, signals, met, scores.paths.get(place, ()), tuple(notes))
