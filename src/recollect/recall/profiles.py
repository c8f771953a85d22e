"""Profiles: the ranking formulas. Each is a value with its constants, what it needs, and a function from features to scores.

`composite` (seed 000), `hebbian` (001), `relevance` (003) and `belief` (004) are here; `cascade` (002) and `hybrid` have their
own files. A user's own profile names one of them as its base and changes constants.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from recollect.errors import SettingsError
from recollect.recall.features import Features, GraphPath
from recollect.values.enums import SCOPES, STATUSES
from recollect.values.link import Edge, Node
from recollect.values.search import Floats

# A formula in which something else can outweigh the query ranks everything up to so many visible memories, in a few milliseconds.
MOST_RANKED = 20_000
_GLOBAL = SCOPES.index("global")
_SUPERSEDED = STATUSES.index("superseded")

# The edges from some nodes. The flag says that this is the last step, after which only memories matter.
EdgeSource = Callable[[Sequence[Node], bool], Iterable[Edge]]


@dataclass(frozen=True, slots=True)
class Needs:
    """What a profile wants the pipeline to do for it."""

    words: bool = False  # search by words
    meaning: bool = False  # embed the query and search by vector
    neighbouring_turns: int = 0  # how many turns before and after the best hits to add as candidates
    time_windows: bool = False  # candidates from the time the query names
    standing_instructions: bool = False  # rules for the agent as candidates, when the query asks for help
    graph_walk: bool = False  # call `reach`, and add the memories it finds
    shared_names: bool = False  # add memories that share a rare name with the best hits, then score again
    every_row: bool = False  # score every visible memory, up to `MOST_RANKED`; above, the best of each search
    newest_first: bool = False  # of two hits that say nearly the same, show the newer first


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One signal of a score for every candidate: its values, and the weight the formula gives them."""

    values: Floats
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Scores:
    """The score of every candidate and the parts it consists of, added or `multiplied`. NaN means: not an answer."""

    total: Floats
    parts: Mapping[str, ScorePart]
    paths: Mapping[int, GraphPath] = field(default_factory=dict)
    multiplied: bool = False

    def contributions(self, index: int) -> dict[str, float]:
        """What each part adds to the score of one candidate; together they are its score.

        A factor of a product adds what it changes the product of the factors before it by. A part of weight 0 adds nothing.
        """
        values = {name: part.weight * _number(part.values[index]) for name, part in self.parts.items()}
        if not self.multiplied:
            return values
        product, sum_so_far = 1.0, 0.0
        added = dict.fromkeys(values, 0.0)
        for name, value in values.items():
            if self.parts[name].weight:
                product *= value
                added[name], sum_so_far = product - sum_so_far, product
        return added

    def shown(self, index: int) -> float:
        """The score to show; of a hit that a trigger brought, and that is no answer by itself, the sum of its parts."""
        total = float(self.total[index])
        return sum(self.contributions(index).values()) if math.isnan(total) else total


class Profile(Protocol):
    """A ranking formula. The pipeline asks `needs`, never the class of a profile."""

    needs: ClassVar[Needs]

    @property
    def name(self) -> str: ...
    @property
    def formula(self) -> str: ...
    def fetch(self, limit: int) -> int:
        """How many candidates each search must return for this many answers."""
        ...

    def score(self, features: Features) -> Scores:
        """Score every candidate."""
        ...

    def reach(self, features: Features, edges: EdgeSource) -> Mapping[int, GraphPath]:  # noqa: ARG002 - used by those that walk
        """The memories the best candidates lead to, by row. Called if `needs.graph_walk` is set."""
        return {}

    def steady(self) -> Self:
        """The same formula without parts that change while nothing is written, for text that should not flicker."""
        return self


@dataclass(frozen=True, slots=True)
class Composite(Profile):
    """Seed 000: similarity, importance and recency of access, added."""

    needs: ClassVar[Needs] = Needs(words=True, meaning=True, every_row=True)
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

    def score(self, features: Features) -> Scores:
        recency = np.exp(-self.decay * features.days_since(features.columns.accessed))
        parts = {
            "similarity": ScorePart(features.similarity, self.similarity),
            "importance": ScorePart(features.columns.importance, self.importance),
            "recency": ScorePart(recency, self.recency),
        }
        return Scores(sum((p.weight * p.values for p in parts.values()), np.float32(0)), parts)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Hebbian(Profile):
    """Seed 001: lexical relevance, scaled by how often it was confirmed useful and how recently."""

    needs: ClassVar[Needs] = Needs(words=True, every_row=True)
    name: str = "hebbian"
    growth: float = 0.2
    decay: float = 0.01

    @property
    def formula(self) -> str:
        return f"bm25 · exp({self.growth}·score) · 1/(1 + {self.decay}·days since hit, else since creation)"

    def fetch(self, limit: int) -> int:
        return max(4 * limit, 100)

    def score(self, features: Features) -> Scores:
        columns = features.columns
        last = np.where(np.isnan(columns.hit), columns.created, columns.hit)
        parts = {
            "bm25": ScorePart(features.bm25),
            "reinforcement": ScorePart(np.exp(self.growth * np.clip(columns.score, -200, 200)).astype(np.float32)),
            "recency": ScorePart((1 / (1 + self.decay * features.days_since(last))).astype(np.float32)),
        }
        return Scores(np.where(features.with_words(), _product(parts), np.nan), parts, multiplied=True)


@dataclass(frozen=True, slots=True)
class Relevance(Profile):
    """Seed 003: importance, confidence and recency of access, multiplied; the query only selects the candidates."""

    needs: ClassVar[Needs] = Needs(words=True, meaning=True)
    name: str = "relevance"
    decay: float = 0.01

    @property
    def formula(self) -> str:
        return f"importance · confidence · exp(−{self.decay}·days since access)"

    def fetch(self, limit: int) -> int:
        return max(3 * limit, 15)

    def score(self, features: Features) -> Scores:
        parts = {
            "importance": ScorePart(features.columns.importance),
            "confidence": ScorePart(features.columns.confidence),
            "recency": ScorePart(np.exp(-self.decay * features.days_since(features.columns.accessed))),
        }
        return Scores(_product(parts), parts, multiplied=True)


@dataclass(frozen=True, slots=True)
class Belief(Profile):
    """Seed 004: similarity, scaled by scope, the caller's weight and age since the last update."""

    needs: ClassVar[Needs] = Needs(words=True, meaning=True, every_row=True)
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

    def score(self, features: Features) -> Scores:
        columns = features.columns
        # A superseded memory is only shown on request, and then at the lowest weight.
        weight = np.where(columns.status == _SUPERSEDED, np.minimum(columns.weight, self.superseded), columns.weight)
        parts = {
            "similarity": ScorePart(features.similarity),
            "scope": ScorePart(np.where(columns.scope == _GLOBAL, self.wide, self.narrow).astype(np.float32)),
            "weight": ScorePart(weight.astype(np.float32)),
            "recency": ScorePart(np.exp(-self.decay * features.days_since(columns.updated))),
        }
        return Scores(_product(parts), parts, multiplied=True)


@dataclass(frozen=True, slots=True)
class Lexical(Profile):
    """Words alone, for `search --mode lexical`."""

    needs: ClassVar[Needs] = Needs(words=True)
    name: str = "lexical"
    formula: str = "bm25"

    def fetch(self, limit: int) -> int:
        return max(limit, 50)

    def score(self, features: Features) -> Scores:
        return Scores(np.where(features.with_words(), features.bm25, np.nan), {"bm25": ScorePart(features.bm25)})


@dataclass(frozen=True, slots=True)
class Semantic(Profile):
    """Meaning alone, for `search --mode semantic`."""

    needs: ClassVar[Needs] = Needs(meaning=True)
    name: str = "semantic"
    formula: str = "similarity"

    def fetch(self, limit: int) -> int:
        return max(limit, 50)

    def score(self, features: Features) -> Scores:
        return Scores(features.similarity, {"similarity": ScorePart(features.similarity)})


# The profiles of `search`, by mode; hybrid is the default profile of recall.
SEARCH_PROFILES: Mapping[str, Profile] = {"lexical": Lexical(), "semantic": Semantic()}


def _product(parts: Mapping[str, ScorePart]) -> Floats:
    product: Floats = np.prod([part.values for part in parts.values()], axis=0).astype(np.float32)
    return product


def _number(value: np.float32) -> float:
    return 0.0 if np.isnan(value) else float(value)


def custom_profile(name: str, base: Profile, changes: Mapping[str, Any]) -> Profile:
    """A user's own profile: a base with some constants changed."""
    where = f"profiles.{name}"
    known = {f.name for f in fields(base) if f.name not in ("name", "formula")}  # type: ignore[arg-type]
    for key, value in changes.items():
        if key not in known:
            raise SettingsError(where, f"{base.name} has no constant {key!r}", f"it has {', '.join(sorted(known))}")
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise SettingsError(where, f"{key} = {value!r} is not a number", "give a number")
    return replace(base, name=name, **changes)  # type: ignore[type-var]
