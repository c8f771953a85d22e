"""Hybrid, the default profile: meaning and words fused, then priors on who said it, when, and how.

One setting for every kind of store, found by ablation on five evaluation sets (docs/benchmarks.md). Meaning is measured from
what an unrelated memory has (the cosine with the mean of all memories) up to the best candidate; words are BM25 term by term,
so that a neighbouring turn can lend exactly the terms a turn lacks; both are then comparable and added.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recollect.recall.cascade import MOST, Steps, walk
from recollect.recall.profiles import BOTH, Part, Scores
from recollect.recall.sight import DAY, Reached, Sight
from recollect.values.link import Edge, Node
from recollect.values.search import ASSISTANT, PERSON, Floats
from recollect.values.terms import BM25_B, BM25_K1
from recollect.values.words import LOW_TRUST, SCOPES

_STEPS = np.array([[-2], [-1], [1], [2]])
_GLOBAL = SCOPES.index("global")
# So few memories have no telling mean: a lone one would be its own, and score nothing.
_FEW = 20
_SEEDS = 5


@dataclass(frozen=True, slots=True)
class Hybrid:
    """Fusion of meaning and words with priors; every constant is a point, the sum is the score."""

    legs: ClassVar[frozenset[str]] = BOTH
    name: str = "hybrid"
    meaning: float = 0.55
    near: float = 0.7
    far: float = 0.4
    near_meaning: float = 0.2
    assistant: float = 0.4
    assistant_asked: float = 0.1
    question: float = 0.05
    standing: float = 0.3
    window: float = 0.7
    later: float = 0.4
    link: float = 0.2
    weight: float = 0.1
    importance: float = 0.1
    confidence: float = 0.1
    faded: float = 0.03
    reinforcement: float = 0.02
    low_trust: float = 0.1
    season: float = 0.2
    narrow: float = 0.03
    # Off: over the tags of five sets it changed one answer in a thousand, and it costs more than all the rest of recall.
    walk: float = 0.0

    @property
    def formula(self) -> str:
        return (
            f"{self.meaning:g}·meaning + {1 - self.meaning:g}·words, with what neighbouring turns lend,"
            " + priors: who spoke, when, how it fared"
        )

    def fetch(self, limit: int) -> int:
        # With 64 the answers are as good on five sets, with 32 worse on one.
        return max(48, 2 * limit)

    def led(self, sight: Sight, steps: Steps) -> dict[int, Reached]:
        """What the best hits of a first ranking lead to over tags and links, by row; asked for when `walk` is not 0."""
        total = np.nan_to_num(self.score(sight).total, nan=0.0)
        order = [int(place) for place in np.argsort(-total, kind="stable")[:_SEEDS] if total[place] > 0]
        rows = sight.found.rows
        seeds: dict[Node, float] = {("memory", int(rows[i])): float(total[i] / total[order[0]]) for i in order}
        walked = walk(seeds, _thinned(steps))
        best = walked.widest([node for node in walked if node[0] == "memory" and walked.led_to(node)], MOST)
        return {int(node[1]): walked[node] for node in best}

    def score(self, sight: Sight) -> Scores:
        beside = _neighbours(sight)
        words = self._words(sight, beside)
        parts: dict[str, Part] = {}
        if sight.embedded:
            share = self.meaning if words.any() else 1.0
            parts["meaning"] = Part(self._meaning(sight, beside), share)
            parts["words"] = Part(words, 1 - share)
        else:
            parts["words"] = Part(words)
        parts |= self._priors(sight)
        weighted = np.array([part.values for part in parts.values()], np.float32)
        weighted *= np.array([part.weight for part in parts.values()], np.float32)[:, None]
        total = np.add.reduce(weighted, axis=0)
        rows = enumerate(sight.found.rows.tolist()) if sight.reached else ()
        paths = {place: sight.reached[row] for place, row in rows if row in sight.reached}
        return Scores(np.where(self._answers(sight), total, np.nan), parts, paths)

    def _meaning(self, sight: Sight, beside: NDArray[np.intp] | None) -> Floats:
        if sight.found.considered < _FEW:
            own: Floats = np.where(np.isnan(sight.found.cosine), np.float32(0), sight.similarity)
            return self._lent(own, beside)
        base, cosine = sight.found.mean_cosine, np.fmax(sight.found.cosine, np.float32(-1))
        span = max(float(cosine.max(initial=0.0)) - base, 1e-6)
        return self._lent(np.maximum(0, (cosine - base) / span).astype(np.float32), beside)

    def _lent(self, own: Floats, beside: NDArray[np.intp] | None) -> Floats:
        if beside is None:
            return own
        lent = np.concatenate((own, np.zeros(1, np.float32)))[beside[1:3]]
        meant: Floats = own + np.float32(self.near_meaning) * np.maximum(lent[0], lent[1])
        return meant

    def _words(self, sight: Sight, beside: NDArray[np.intp] | None) -> Floats:
        """BM25 by term, each term the best of the turn's own and what its neighbours lend, against the best own score."""
        counts = sight.found.matches.astype(np.float32)
        length = sight.columns.length[:, None].astype(np.float32) / np.float32(max(sight.found.mean_length, 1.0))
        own = sight.found.idf * counts * (BM25_K1 + 1) / (counts + BM25_K1 * (1 - BM25_B + BM25_B * length))
        sums = np.add.reduce(own, axis=1)
        best = float(sums.max(initial=0.0))
        if best <= 0:
            return np.zeros(len(counts), np.float32)
        if beside is None:
            return np.asarray(sums / best, np.float32)
        padded = np.concatenate((own, np.zeros((1, own.shape[1]), own.dtype)))
        near = np.maximum(padded[beside[1]], padded[beside[2]])
        far = np.maximum(padded[beside[0]], padded[beside[3]])
        lent = np.maximum(self.near * near, self.far * far)
        held: Floats = (np.add.reduce(np.maximum(own, lent), axis=1) / best).astype(np.float32)
        return held

    def _priors(self, sight: Sight) -> dict[str, Part]:
        columns, intent = sight.columns, sight.query.intent
        penalty = self.assistant_asked if intent.to_assistant else self.assistant
        parts = {
            "assistant's words": Part(_flag(columns.role == ASSISTANT), -penalty),
            "only asks": Part(_flag(columns.asks), -self.question),
            **self._standing(sight),
        }
        if intent.request:
            parts["standing instruction"] = Part(_flag(columns.standing), self.standing)
        if sight.query.windows:
            parts["time asked about"] = Part(_flag(sight.in_window()), self.window * sight.window_weight())
        if columns.season.any():
            parts["season"] = Part(columns.season.astype(np.float32), self.season)
        later = columns.occurred > sight.query.now.timestamp() + DAY
        if later.any():
            parts["later than asked"] = Part(_flag(later), -self.later)
        if sight.linked is not None:
            parts["linked"] = Part(sight.linked, self.link)
        if sight.reached:
            parts["led to"] = Part(_led_to(sight), self.walk)
        return parts

    def _standing(self, sight: Sight) -> dict[str, Part]:
        """How a memory has fared and how far it is believed; a memory nobody judged yet moves by nothing."""
        columns = sight.columns
        return {
            "weight": Part(1 - columns.weight, -self.weight),
            "importance": Part(columns.importance - np.float32(0.5), self.importance),
            "doubt": Part(1 - columns.confidence, -self.confidence),
            "faded": Part(np.maximum(columns.confidence * columns.trust - sight.confidence(), 0), -self.faded),
            "reinforcement": Part(np.clip(columns.score, -10, 15), self.reinforcement),
            "low trust": Part(_flag(columns.trust <= LOW_TRUST), -self.low_trust),
            "narrow scope": Part(_flag(columns.scope != _GLOBAL), self.narrow),
        }

    def _answers(self, sight: Sight) -> NDArray[np.bool_]:
        """Without meaning, a memory that shares no word (nor a neighbour that does) is no answer."""
        if sight.embedded:
            return np.ones(len(sight.found), np.bool_)
        return np.asarray(sight.bm25 > 0) | ~sight.found.selected


def _thinned(steps: Steps) -> Steps:
    """Steps without clusters; one to a member of a large tag carries less, since it tells less."""

    def thinned(nodes: Sequence[Node], last: bool) -> list[Edge]:
        found = [edge for edge in steps(nodes, last) if edge.relation != "in_cluster"]
        sizes = Counter(edge.source for edge in found)
        return [
            edge._replace(weight=edge.weight / max(1.0, math.log2(sizes[edge.source])))
            if edge.source[0] == "tag"
            else edge
            for edge in found
        ]

    return thinned


def _led_to(sight: Sight) -> Floats:
    """What the walk gives each candidate; an assistant's long answer is led to by everything and gets nothing."""
    none = Reached(0.0, ())
    scores = np.array([sight.reached.get(row, none).score for row in sight.found.rows.tolist()], np.float32)
    led: Floats = np.where(sight.columns.role == ASSISTANT, np.float32(0), scores)
    return led


def _flag(values: NDArray[np.bool_]) -> Floats:
    return values.astype(np.float32)


def _neighbours(sight: Sight) -> NDArray[np.intp] | None:
    """For each candidate, the places of the turns two and one before and one and two after it; past the end is nobody.

    Only between people: an assistant's long answer stands next to every statement and would lend it everything.
    """
    columns = sight.columns
    spoken = (columns.thread >= 0) & (columns.position >= 0) & (columns.role == PERSON)
    if not spoken.any():
        return None
    keys = np.where(spoken, columns.thread.astype(np.int64) << 32 | columns.position.astype(np.int64), -10)
    order = keys.argsort(kind="stable")
    held = keys[order]
    wanted = keys + _STEPS
    spot = held.searchsorted(wanted)
    spot[spot == len(held)] = 0
    return np.where(spoken & (held[spot] == wanted), order[spot], len(keys))
