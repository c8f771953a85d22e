"""Explain, the last stage: build the hits and say why each of them is one, in values and words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from recollect.ports import Reader
from recollect.recall.features import Features, GraphPath
from recollect.recall.profiles import Profile, Scores
from recollect.recall.ranking import newer_sides
from recollect.recall.state import RecallState
from recollect.values.link import Node
from recollect.values.memory import Record, confidence_now
from recollect.values.recalled import Explanation, Hit, Signal, Trace

_START = 48
MOVED_UP = "comes before higher scores: it is newer than a memory that says nearly the same or contradicts it"


def build_hits(state: RecallState) -> None:
    """Stage: the answers as hits, with explanations where they are asked for."""
    ranking, answers, patterns = state.ranking, state.answers, state.triggered.patterns
    features, explainer = ranking.features, _explainer(state) if state.request.explain else None
    embedded = (~np.isnan(features.candidates.cosine[answers]) & (not features.foreign)).tolist()
    similarities = features.similarity[answers].tolist()
    newer = newer_sides([state.records[row] for row in ranking.rows_of(answers)])
    hits = []
    for rank, (index, row) in enumerate(zip(answers, ranking.rows_of(answers), strict=True)):
        record, trigger = state.records[row], patterns.get(row)
        similarity = round(similarities[rank], 4) if embedded[rank] else None
        reason = None
        if explainer is not None:
            reason = explainer.explain(index, record, moved=index in state.moved, trigger=trigger)
        hits.append(
            Hit(
                record,
                round(ranking.scores.shown(index), 6),
                similarity,
                reason,
                trigger,
                newer.get(record.id),
                round(float(state.relevance[index]), 4),
            )
        )
    state.hits = tuple(hits)


def _explainer(state: RecallState) -> Explainer:
    request, scores = state.request, state.ranking.scores
    paths = [scores.paths[index] for index in state.answers if index in scores.paths]
    names = node_names(state.reader, request.viewer.account, paths) if paths else {}
    return Explainer(request.profile, state.ranking.features, scores, request.now, names)


@dataclass(frozen=True, slots=True)
class Explainer:
    """The scores of one answer, and the names of the nodes on the paths to its hits."""

    profile: Profile
    features: Features
    scores: Scores
    now: datetime
    names: Mapping[Node, str]

    def explain(self, index: int, record: Record, *, moved: bool = False, trigger: str | None = None) -> Explanation:
        """Why one candidate is a hit."""
        features = self.features
        added = self.scores.contributions(index)
        signals = tuple(
            # Contributions are as exact as the score, which is their sum.
            Signal(name, _rounded(np.nan_to_num(part.values[index])), part.weight, round(added[name], 6))
            for name, part in self.scores.parts.items()
        )
        counts = zip(features.query.terms, features.candidates.matches[index], strict=False)
        matched = tuple(dict.fromkeys(features.query.words.get(term, term) for term, count in counts if count))
        notes = []
        if trigger is not None:
            notes.append(f"surfaced first: its trigger {trigger} matches")
        if np.isnan(features.candidates.cosine[index]) and features.embedded:
            notes.append("no vector yet: scored by its words")
        if moved:
            notes.append(MOVED_UP)
        return Explanation(
            self.profile.name,
            self.profile.formula,
            signals,
            matched,
            self._path(self.scores.paths.get(index)),
            tuple(notes),
            round(confidence_now(record, self.now), 4),
        )

    def _path(self, reached: GraphPath | None) -> tuple[str, ...]:
        if reached is None or not reached.path or reached.start is None:
            return ()
        steps = (f"{relation} {self.names.get(node, node[1])}" for relation, node in reached.path)
        return (f"from {self.names.get(reached.start, reached.start[1])}", *steps)


def node_names(reader: Reader, account: str, paths: Iterable[GraphPath]) -> dict[Node, str]:
    """What to call the nodes of some paths: a memory by its short id and the start of its text, a cluster by its name."""
    nodes = {node for reached in paths for _, node in reached.path} | {r.start for r in paths if r.start is not None}
    rows = [int(key) for kind, key in nodes if kind == "memory"]
    names: dict[Node, str] = {}
    for row, record in zip(rows, reader.fetch(account, rows), strict=False):
        short = record.content if len(record.content) <= _START else f"{record.content[:_START].rstrip()}…"
        names["memory", row] = f"{record.short_id} “{short}”"
    if any(kind == "cluster" for kind, _ in nodes):
        names |= {("cluster", cluster.id): cluster.name for cluster in reader.clusters(account)}
    return names


def build_trace(features: Features) -> Trace:
    """How many rows were considered, visible, and found by vector and by words."""
    found = features.candidates
    without_vector = np.count_nonzero(np.isnan(found.cosine))
    matched = np.count_nonzero(found.bm25 > 0)
    return Trace(found.considered, found.visible, found.hidden, len(found) - int(without_vector), int(matched))


def _rounded(value: float) -> float:
    return round(float(value), 4)
