"""Profiles: the ranking formulas, each a value with its constants and a function from columns to a score with its parts.

`composite` (seed 000), `hebbian` (001), `relevance` (003) and `belief` (004) are here; `cascade` (002) and `hybrid` have files
of their own. A user's own profile names one of them as its base and changes constants.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Protocol

import numpy as np

from recollect.errors import SettingsError
from recollect.recall.sight import Reached, Sight
from recollect.values.search import Floats
from recollect.values.words import SCOPES, STATUSES

WORDS, MEANING = frozenset(("words",)), frozenset(("meaning",))
BOTH = WORDS | MEANING
_GLOBAL = SCOPES.index("global")
_SUPERSEDED = STATUSES.index("superseded")


@dataclass(frozen=True, slots=True)
class Part:
    """One signal of a score for every candidate: its values and the weight the formula gives them."""

    values: Floats
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Scores:
    """The score of every candidate and the parts it was made of; NaN means: not an answer."""

    total: Floats
    parts: Mapping[str, Part]
    paths: Mapping[int, Reached] = field(default_factory=dict)


class Profile(Protocol):
    """A ranking formula. `legs` says by what it looks: words, meaning, or both."""

    legs: ClassVar[frozenset[str]]

    @property
    def name(self) -> str: ...
    @property
    def formula(self) -> str: ...
    def fetch(self, limit: int) -> int:
        """How many candidates a leg must bring for this many answers."""
        ...

    def score(self, sight: Sight) -> Scores: ...


@dataclass(frozen=True, slots=True)
class Composite:
    """Seed 000: similarity, importance and recency of access, added."""

    legs: ClassVar[frozenset[str]] = BOTH
    name: str = "composite"
    similarity: float = 0.5
    importance: float = 0.3
    recency: float = 0.2
    decay: float = 0.05

    @property
    def formula(self) -> str:
        return f"{self.similarity}·similarity + {self.importance}·importance + {self.recency}·exp(−{self.decay}·days since access)"

    def fetch(self, limit: int) -> int:
        return max(4 * limit, 100)

    def score(self, sight: Sight) -> Scores:
        recency = np.exp(-self.decay * sight.days_since(sight.columns.accessed))
        parts = {
            "similarity": Part(sight.similarity, self.similarity),
            "importance": Part(sight.columns.importance, self.importance),
            "recency": Part(recency, self.recency),
        }
        return Scores(sum((p.weight * p.values for p in parts.values()), np.float32(0)), parts)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Hebbian:
    """Seed 001: lexical relevance, scaled by how often it was confirmed useful and how recently."""

    legs: ClassVar[frozenset[str]] = WORDS
    name: str = "hebbian"
    growth: float = 0.2
    decay: float = 0.01

    @property
    def formula(self) -> str:
        return f"bm25 · exp({self.growth}·score) · 1/(1 + {self.decay}·days since hit, else since creation)"

    def fetch(self, limit: int) -> int:
        return max(4 * limit, 100)

    def score(self, sight: Sight) -> Scores:
        columns = sight.columns
        last = np.where(np.isnan(columns.hit), columns.created, columns.hit)
        parts = {
            "bm25": Part(sight.bm25),
            "reinforcement": Part(np.exp(self.growth * np.clip(columns.score, -200, 200)).astype(np.float32)),
            "recency": Part((1 / (1 + self.decay * sight.days_since(last))).astype(np.float32)),
        }
        return Scores(np.where(sight.bm25 > 0, _product(parts), np.nan), parts)


@dataclass(frozen=True, slots=True)
class Relevance:
    """Seed 003: what matters, is believed, and was used lately; the query only chooses the candidates."""

    legs: ClassVar[frozenset[str]] = BOTH
    name: str = "relevance"
    decay: float = 0.01

    @property
    def formula(self) -> str:
        return f"importance · confidence · exp(−{self.decay}·days since access)"

    def fetch(self, limit: int) -> int:
        return max(3 * limit, 15)

    def score(self, sight: Sight) -> Scores:
        parts = {
            "importance": Part(sight.columns.importance),
            "confidence": Part(sight.columns.confidence),
            "recency": Part(np.exp(-self.decay * sight.days_since(sight.columns.accessed))),
        }
        return Scores(_product(parts), parts)


@dataclass(frozen=True, slots=True)
class Belief:
    """Seed 004: similarity, narrowed by scope, the caller's weight and age since the last update."""

    legs: ClassVar[frozenset[str]] = BOTH
    name: str = "belief"
    decay: float = 0.005
    narrow: float = 1.0
    wide: float = 0.8
    superseded: float = 0.1

    @property
    def formula(self) -> str:
        return f"similarity · scope ({self.narrow} narrow, {self.wide} global) · weight · exp(−{self.decay}·days since update)"

    def fetch(self, limit: int) -> int:
        return max(3 * limit, 15)

    def score(self, sight: Sight) -> Scores:
        columns = sight.columns
        # A superseded memory is only shown on request, and then at the lowest weight.
        weight = np.where(columns.status == _SUPERSEDED, np.minimum(columns.weight, self.superseded), columns.weight)
        parts = {
            "similarity": Part(sight.similarity),
            "scope": Part(np.where(columns.scope == _GLOBAL, self.wide, self.narrow).astype(np.float32)),
            "weight": Part(weight.astype(np.float32)),
            "recency": Part(np.exp(-self.decay * sight.days_since(columns.updated))),
        }
        return Scores(_product(parts), parts)


@dataclass(frozen=True, slots=True)
class Lexical:
    """Words alone, for `search --mode lexical`."""

    legs: ClassVar[frozenset[str]] = WORDS
    name: str = "lexical"
    formula: str = "bm25"

    def fetch(self, limit: int) -> int:
        return max(limit, 50)

    def score(self, sight: Sight) -> Scores:
        return Scores(np.where(sight.bm25 > 0, sight.bm25, np.nan), {"bm25": Part(sight.bm25)})


@dataclass(frozen=True, slots=True)
class Semantic:
    """Meaning alone, for `search --mode semantic`."""

    legs: ClassVar[frozenset[str]] = MEANING
    name: str = "semantic"
    formula: str = "similarity"

    def fetch(self, limit: int) -> int:
        return max(limit, 50)

    def score(self, sight: Sight) -> Scores:
        return Scores(sight.similarity, {"similarity": Part(sight.similarity)})


def _product(parts: Mapping[str, Part]) -> Floats:
    product: Floats = np.prod([part.values for part in parts.values()], axis=0).astype(np.float32)
    return product


def customised(name: str, base: Profile, changes: Mapping[str, Any]) -> Profile:
    """A user's own profile: a base with some constants changed."""
    where = f"profiles.{name}"
    known = {f.name for f in fields(base) if f.name not in ("name", "formula")}  # type: ignore[arg-type]
    for key, value in changes.items():
        if key not in known:
            raise SettingsError(where, f"{base.name} has no constant {key!r}", f"it has {', '.join(sorted(known))}")
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise SettingsError(where, f"{key} = {value!r} is not a number", "give a number")
    return replace(base, name=name, **changes)  # type: ignore[type-var]
