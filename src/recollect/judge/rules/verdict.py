"""What a comparison answers: how a new memory relates to an old one, why, and how sure the rules are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Relation = Literal["same", "changed", "contradicts", "extends", "different"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`same`: merge. `changed`: the new supersedes. `contradicts`: keep both and flag. Otherwise keep both."""

    relation: Relation
    reason: str
    certainty: float
