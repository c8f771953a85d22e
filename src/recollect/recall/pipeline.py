"""The read path in order: query, candidates, cascade, score, then only the final hits become memories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from recollect.errors import EmbedderError, InvalidInput
from recollect.ports import Calibrated, Embedder, Reader
from recollect.recall.cascade import EDGE_WEIGHTS, Cascade, Node
from recollect.recall.profiles import Profile, Scores
from recollect.recall.query import Query, parse
from recollect.recall.sight import Sight, behold
from recollect.values.filter import Filter
from recollect.values.hit import Explanation, Hit, Recalled, Signal, Trace
from recollect.values.scope import Viewer
from recollect.values.search import Floats, Search

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


@dataclass(frozen=True, slots=True)
class Answer:
    """The hits and the rows behind them, for the batched count of accesses."""

    recalled: Recalled
    rows: tuple[int, ...]


class Recall:
    """The read path over one store."""

    def __init__(self, embedder: Embedder | None, missing: str | None) -> None:
        self._embedder, self._missing = embedder, missing

    def prepare(self, ask: Ask) -> tuple[Query, Floats | None, tuple[str, ...]]:
        """Everything that needs no store: the query taken apart and embedded."""
        if not isinstance(ask.limit, int) or isinstance(ask.limit, bool) or not 1 <= ask.limit <= 1000:
            raise InvalidInput("limit", f"{ask.limit!r} is out of range", "give a whole number from 1 to 1000")
        query = parse(ask.text, ask.now)
        if ask.profile.name in ("lexical", "hebbian"):
            return query, None, ()
        vector, note = self._vector(query.text)
        return query, vector, (note,) if note else ()

    def answer(self, reader: Reader, ask: Ask, query: Query, vector: Floats | None, notes: tuple[str, ...]) -> Answer:
        """The hits of one question, over one consistent view of the store."""
        search = self._search(ask, query, vector)
        sight = behold(query, reader.candidates(search), self._scale(vector))
        if isinstance(ask.profile, Cascade):
            sight = self._walked(reader, search, sight, ask.profile)
        scores = ask.profile.score(sight)
        order = _leading(scores.total, sight, ask.limit)
        rows = [int(row) for row in sight.found.rows[order]]
        records = reader.fetch(ask.viewer.account, rows)
        hits = tuple(
            Hit(
                record,
                round(float(scores.total[place]), 6),
                None if np.isnan(sight.found.cosine[place]) else round(float(sight.similarity[place]), 4),
                _explanation(ask.profile, sight, scores, place) if ask.explain else None,
            )
            for record, place in zip(records, order, strict=True)
        )
        found = sight.found
        trace = Trace(
            found.considered,
            found.visible,
            found.hidden,
            int((~np.isnan(found.cosine)).sum()),
            int((found.bm25 > 0).sum()),
        )
        return Answer(Recalled(hits, notes, trace), tuple(rows))

    def _scale(self, vector: Floats | None) -> Calibrated | None:
        return None if vector is None or self._embedder is None else self._embedder.query_calibration

    def _vector(self, text: str) -> tuple[Floats | None, str | None]:
        if self._embedder is None:
            return None, self._missing
        try:
            return self._embedder.embed_query(text), None
        except EmbedderError as error:
            return None, f"recall is lexical only: {error}"

    def _search(self, ask: Ask, query: Query, vector: Floats | None) -> Search:
        words = () if ask.profile.name == "semantic" and vector is not None else query.terms
        return Search(
            ask.viewer,
            replace(ask.filter, tags=tuple(dict.fromkeys((*ask.filter.tags, *query.tags)))),
            ask.now.timestamp(),
            vector,
            words,
            depth=ask.profile.fetch(ask.limit),
            neighbours=2 if ask.profile.name == "hybrid" else 0,
            explain=ask.explain,
        )

    def _walked(self, reader: Reader, search: Search, sight: Sight, profile: Cascade) -> Sight:
        """What the nearest memories lead to, itself put under the same mask as every candidate."""
        account = search.viewer.account

        def edges(nodes: Iterable[Node]) -> Mapping[Node, list[tuple[Node, str, float]]]:
            return tag_edges(reader, account, nodes)

        reached = profile.walk(sight, edges)
        more = reader.candidates(replace(search, rows=tuple(reached)))
        seen = behold(sight.query, more, self._scale(search.vector))
        return replace(seen, reached=reached)


def tag_edges(reader: Reader, account: str, nodes: Iterable[Node]) -> dict[Node, list[tuple[Node, str, float]]]:
    """The edges between memories and their tags."""
    rows = [int(str(key)) for kind, key in nodes if kind == "memory"]
    weight = EDGE_WEIGHTS["has_tag"]
    found: dict[Node, list[tuple[Node, str, float]]] = {}
    for source, tag in reader.tags_of(account, rows):
        found.setdefault(("memory", source), []).append((("tag", tag), "has_tag", weight))
    for kind, key in nodes:
        if kind == "tag":
            members = reader.tag_members(account, str(key), _FAN_OUT)
            found[kind, key] = [(("memory", row), "has_tag", weight) for row in members]
    return found


def _leading(total: Floats, sight: Sight, limit: int) -> list[int]:
    """The best answers; between equals the newer memory, then the later row."""
    places = np.flatnonzero(~np.isnan(total))
    order = np.lexsort((-sight.found.rows[places], -sight.columns.created[places], -total[places]))
    return [int(place) for place in places[order][:limit]]


def _explanation(profile: Profile, sight: Sight, scores: Scores, place: int) -> Explanation:
    signals = tuple(
        Signal(
            name, round(float(part.values[place]), 4), part.weight, round(float(part.weight * part.values[place]), 4)
        )
        for name, part in scores.parts.items()
    )
    met = tuple(term for term, count in zip(sight.query.terms, sight.found.matches[place], strict=False) if count)
    notes = (
        () if not np.isnan(sight.found.cosine[place]) or not sight.embedded else ("no vector yet: judged by its words",)
    )
    return Explanation(profile.name, profile.formula, signals, met, scores.paths.get(place, ()), notes)
