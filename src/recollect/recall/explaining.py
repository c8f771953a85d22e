"""Explaining: why a hit is a hit, in values and words; and what the read path did. The last thing before the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from recollect.ports import Reader
from recollect.recall.profiles import Profile, Scores
from recollect.recall.sight import Reached, Sight
from recollect.values.hit import Explanation, Signal, Trace
from recollect.values.link import Node
from recollect.values.memory import Record
from recollect.values.trust import confidence_now

_START = 48


@dataclass(frozen=True, slots=True)
class Explainer:
    """The scores of one answer, and the names of the nodes that led to its hits."""

    profile: Profile
    sight: Sight
    scores: Scores
    now: datetime
    names: Mapping[Node, str]

    def of(self, place: int, record: Record, *, moved: bool = False, trigger: str | None = None) -> Explanation:
        """The whole reason for one candidate."""
        sight = self.sight
        signals = tuple(
            Signal(name, _rounded(part.values[place]), part.weight, _rounded(part.weight * part.values[place]))
            for name, part in self.scores.parts.items()
        )
        counts = zip(sight.query.terms, sight.found.matches[place], strict=False)
        met = tuple(dict.fromkeys(sight.query.words.get(term, term) for term, count in counts if count))
        notes = []
        if trigger is not None:
            notes.append(f"surfaced first: its trigger {trigger} matches")
        if np.isnan(sight.found.cosine[place]) and sight.embedded:
            notes.append("no vector yet: judged by its words")
        if moved:
            notes.append("of two that say nearly the same or contradict each other, the newer stands first")
        return Explanation(
            self.profile.name,
            self.profile.formula,
            signals,
            met,
            self._path(self.scores.paths.get(place)),
            tuple(notes),
            round(confidence_now(record, self.now), 4),
        )

    def _path(self, reached: Reached | None) -> tuple[str, ...]:
        if reached is None or not reached.path or reached.start is None:
            return ()
        steps = (f"{relation} {self.names.get(node, node[1])}" for relation, node in reached.path)
        return (f"from {self.names.get(reached.start, reached.start[1])}", *steps)


def node_names(reader: Reader, account: str, paths: Iterable[Reached]) -> dict[Node, str]:
    """What the nodes of some paths are called: a memory by its short id and how it begins, a cluster by its name."""
    nodes = {node for reached in paths for _, node in reached.path} | {r.start for r in paths if r.start is not None}
    rows = [int(key) for kind, key in nodes if kind == "memory"]
    names: dict[Node, str] = {}
    for row, record in zip(rows, reader.fetch(account, rows), strict=False):
        short = record.content if len(record.content) <= _START else f"{record.content[:_START].rstrip()}…"
        names["memory", row] = f"{record.short_id} “{short}”"
    if any(kind == "cluster" for kind, _ in nodes):
        names |= {("cluster", cluster.id): cluster.name for cluster in reader.clusters(account)}
    return names


def trace_of(sight: Sight) -> Trace:
    """How many rows stood behind each gate."""
    found = sight.found
    unknown, met = np.count_nonzero(np.isnan(found.cosine)), np.count_nonzero(found.bm25 > 0)
    return Trace(found.considered, found.visible, found.hidden, len(found) - int(unknown), int(met))


def _rounded(value: float) -> float:
    return round(float(value), 4)
