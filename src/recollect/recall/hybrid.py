"""Hybrid, the default profile: meaning and words fused, then priors on who said it, when, and how it was judged.

One set of constants for every kind of store, found by ablation on five evaluation sets (docs/benchmarks.md). Meaning is scaled
from the cosine of an unrelated memory (that with the mean of all memories) up to the best candidate. Words are BM25 per term,
so that a neighbouring turn can lend exactly the terms a turn lacks. Both are then comparable and added.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from recollect.recall.features import DAY, Features
from recollect.recall.profiles import Needs, Profile, ScorePart, Scores
from recollect.values.enums import LOW_TRUST, SCOPES
from recollect.values.search import ASSISTANT, PERSON, Floats
from recollect.values.terms import BM25_B, BM25_K1

_OFFSETS = np.array([[-2], [-1], [1], [2]])
_GLOBAL = SCOPES.index("global")
# With fewer memories the mean says nothing: a single memory would be its own mean, and score 0.
_FEW = 20
# Where a memory has this much of what the query is about, words carry it.
_CARRIED = 0.7
# A query of so many words is a message about the work at hand, for which what the assistant worked out counts, too.
_MESSAGE = 16
# A memory matches if meaning and words give it this part of what they give the best.
_MATCHING = 0.6
# A memory that does not match may come this near to the best one that does.
_NEARLY = 0.98
# After so many days, a memory counts as recent to a third.
_RECENT_DAYS = 30.0


@dataclass(frozen=True, slots=True)
class Hybrid(Profile):
    """Fusion of meaning and words with priors; every constant is a weight, the sum is the score."""

    needs: ClassVar[Needs] = Needs(
        words=True,
        meaning=True,
        neighbouring_turns=2,
        time_windows=True,
        standing_instructions=True,
        shared_names=True,
        newest_first=True,
    )
    name: str = "hybrid"
    meaning: float = 0.55
    meaning_alone: float = 1.0
    meaning_foreign: float = 0.1
    near: float = 0.7
    far: float = 0.4
    beside: float = 0.2
    beyond: float = 0.05
    recent: float = 0.15
    assistant: float = 0.4
    assistant_asked: float = 0.1
    question: float = 0.05
    standing_instruction: float = 0.4
    window: float = 0.7
    future: float = 0.4
    shared_name: float = 0.2
    weight: float = 0.1
    importance: float = 0.1
    confidence: float = 0.1
    stale: float = 0.03
    reinforcement: float = 0.02
    low_trust: float = 0.1
    season: float = 0.2
    scope_match: float = 0.03

    @property
    def formula(self) -> str:
        return (
            f"{self.meaning:g} to {self.meaning_alone:g}·meaning + the rest·words, by how many words of the query any memory has,"
            " words with what neighbouring turns lend,"
            " + priors: who spoke, when, how it was judged"
        )

    def fetch(self, limit: int) -> int:
        # With 64 the answers are as good on five sets, with 32 worse on one.
        return max(48, 2 * limit)

    def steady(self) -> Self:
        """Without the priors on age, which change from day to day, and on staleness, which changes with every access."""
        return replace(self, stale=0.0, recent=0.0)

    def score(self, features: Features) -> Scores:
        neighbours = _neighbours(features)
        words = self._words(features, neighbours)
        parts: dict[str, ScorePart] = {}
        if features.embedded or features.foreign:
            share = self._share(features) if words.any() else 1.0
            parts["meaning"] = ScorePart(self._meaning(features), share)
            parts["words"] = ScorePart(words, 1 - share)
        else:
            parts["words"] = ScorePart(words)
        matched = _total(parts)
        if neighbours is not None:
            parts |= self._beside(matched, neighbours)
        parts |= self._priors(features)
        total = _total(parts)
        if features.query.windows:
            weight = self.window * features.window_weight()
            parts["in time window"] = ScorePart(_window_share(features.in_window(), matched, total, weight), weight)
            total = total + parts["in time window"].values * np.float32(weight)
        return Scores(np.where(_is_answer(features), total, np.nan), parts)

    def _share(self, features: Features) -> float:
        """The weight of meaning: the less of what the query is about any memory has in words, the more meaning counts.

        In a script that the embedder does not know, meaning hardly counts beside words.
        """
        if features.foreign:
            return self.meaning_foreign
        carried = float(features.topic_coverage().max(initial=0.0))
        return self.meaning + (self.meaning_alone - self.meaning) * max(0.0, 1 - carried / _CARRIED)

    def _meaning(self, features: Features) -> Floats:
        candidates = features.candidates
        if candidates.considered < _FEW:
            own: Floats = np.where(np.isnan(candidates.cosine), np.float32(0), features.similarity)
            return own
        base, cosine = candidates.mean_cosine, np.fmax(candidates.cosine, np.float32(-1))
        span = max(float(cosine.max(initial=0.0)) - base, 1e-6)
        meaning: Floats = np.maximum(0, (cosine - base) / span).astype(np.float32)
        return meaning

    def _words(self, features: Features, neighbours: NDArray[np.intp] | None) -> Floats:
        """BM25 per term, each the better of the turn's own and what its neighbours lend, relative to the best own score."""
        candidates = features.candidates
        counts = candidates.matches.astype(np.float32)
        length = features.columns.length[:, None].astype(np.float32) / np.float32(max(candidates.mean_length, 1.0))
        own = candidates.idf * counts * (BM25_K1 + 1) / (counts + BM25_K1 * (1 - BM25_B + BM25_B * length))
        sums = np.add.reduce(own, axis=1)
        best = float(sums.max(initial=0.0))
        if best <= 0:
            return np.zeros(len(counts), np.float32)
        if neighbours is None:
            return np.asarray(sums / best, np.float32)
        padded = np.concatenate((own, np.zeros((1, own.shape[1]), own.dtype)))
        near = np.maximum(padded[neighbours[1]], padded[neighbours[2]])
        far = np.maximum(padded[neighbours[0]], padded[neighbours[3]])
        lent = np.maximum(self.near * near, self.far * far)
        words: Floats = (np.add.reduce(np.maximum(own, lent), axis=1) / best).astype(np.float32)
        return words

    def _beside(self, matched: Floats, neighbours: NDArray[np.intp]) -> dict[str, ScorePart]:
        """In a talk between people, a turn belongs to what is said before and after it: what these match counts for it, too."""
        padded = np.append(np.maximum(matched, 0), np.float32(0))
        near = np.maximum(padded[neighbours[1]], padded[neighbours[2]])
        far = np.maximum(padded[neighbours[0]], padded[neighbours[3]])
        # Two turns of a person with one of an assistant between them are no such talk.
        talking = neighbours[1:3].min(axis=0) < len(matched)
        return {
            "beside a match": ScorePart(near, self.beside),
            "two turns from a match": ScorePart(far * talking, self.beyond),
        }

    def _priors(self, features: Features) -> dict[str, ScorePart]:
        """Who spoke, and what the wording of the query asks for."""
        columns, intent = features.columns, features.query.intent
        message = len(features.query.terms) >= _MESSAGE
        penalty = self.assistant_asked if intent.about_assistant or message else self.assistant
        parts = {
            "said by assistant": ScorePart(_flag(columns.role == ASSISTANT), -penalty),
            "is a question": ScorePart(_flag(columns.asks), -self.question),
            "recent": ScorePart(np.exp(-features.days_since(features.happened()) / _RECENT_DAYS), self.recent),
            **self._judgement(features),
        }
        if intent.asks_for_help:
            parts["standing instruction"] = ScorePart(_flag(columns.standing), self.standing_instruction)
        if columns.season.any():
            parts["season"] = ScorePart(columns.season.astype(np.float32), self.season)
        future = columns.occurred > features.query.now.timestamp() + DAY
        if future.any():
            parts["in the future"] = ScorePart(_flag(future), -self.future)
        if features.shared_names is not None:
            parts["shared name"] = ScorePart(features.shared_names, self.shared_name)
        return parts

    def _judgement(self, features: Features) -> dict[str, ScorePart]:
        """How a memory was rated and how far it is believed. A memory nobody has judged yet is moved by nothing."""
        columns = features.columns
        return {
            "weight": ScorePart(1 - columns.weight, -self.weight),
            "importance": ScorePart(columns.importance - np.float32(0.5), self.importance),
            "low confidence": ScorePart(1 - columns.confidence, -self.confidence),
            "stale": ScorePart(np.maximum(columns.confidence * columns.trust - features.confidence(), 0), -self.stale),
            "reinforcement": ScorePart(np.clip(columns.score, -10, 15), self.reinforcement),
            "low trust": ScorePart(_flag(columns.trust <= LOW_TRUST), -self.low_trust),
            "scope match": ScorePart(_flag(columns.scope != _GLOBAL), self.scope_match),
        }


def _total(parts: Mapping[str, ScorePart]) -> Floats:
    """The weighted sum of some parts."""
    weighted = np.array([part.values for part in parts.values()], np.float32)
    weighted *= np.array([part.weight for part in parts.values()], np.float32)[:, None]
    total: Floats = np.add.reduce(weighted, axis=0)
    return total


def _window_share(inside: NDArray[np.bool_], matched: Floats, total: Floats, weight: float) -> Floats:
    """How much of the weight of the time window each memory gets: all if it also matches, else not enough to come first.

    So the time chooses among what matches, and a greeting of the right day does not outrank an answer. A limit for what does not
    match costs nothing; a part in proportion to the match cost up to 1.5 points on LongMemEval.
    """
    share = _flag(inside)
    best = float(matched.max(initial=0.0))
    if weight <= 0 or best <= 0:
        return share
    matching = matched >= _MATCHING * best
    lead = float((total + weight * share)[matching].max())
    room = np.maximum(_NEARLY * (lead - total), 0) / np.float32(weight)
    limited: Floats = np.where(matching, share, np.minimum(share, share * room)).astype(np.float32)
    return limited


def _is_answer(features: Features) -> NDArray[np.bool_]:
    """Without meaning, a memory that shares no word with the query (and no neighbour that does) is no answer."""
    if features.embedded or features.foreign:
        return np.ones(len(features.candidates), np.bool_)
    return features.with_words() | ~features.candidates.selected


def _flag(values: NDArray[np.bool_]) -> Floats:
    return values.astype(np.float32)


def _neighbours(features: Features) -> NDArray[np.intp] | None:
    """For each candidate, the indexes of the turns two and one before and one and two after it; len(candidates) for none.

    Only between people: an assistant's long answer is next to every statement and would lend it everything.
    """
    columns = features.columns
    spoken = (columns.thread >= 0) & (columns.position >= 0) & (columns.role == PERSON)
    if not spoken.any():
        return None
    keys = np.where(spoken, columns.thread.astype(np.int64) << 32 | columns.position.astype(np.int64), -10)
    order = keys.argsort(kind="stable")
    ordered = keys[order]
    wanted = keys + _OFFSETS
    spot = ordered.searchsorted(wanted)
    spot[spot == len(ordered)] = 0
    return np.where(spoken & (ordered[spot] == wanted), order[spot], len(keys))
