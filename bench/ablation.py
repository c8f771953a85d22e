"""Ablation: every constant of hybrid taken out on its own, and what that costs on every set of questions.

A store is loaded once and asked with all variants. The difference to the full profile comes with a 95 % interval: questions are
drawn again and again, with their answers by both profiles (paired bootstrap). The raw rows have a column per variant.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.retrieval import SETS, Row, evaluate
from bench.sets import DataMissing
from bench.tables import markdown
from recollect.recall.hybrid import Hybrid

FULL, MEAN = "full profile", "mean of the sets"
_QUESTION = ("bench", "qid", "category")
_DRAWS = 2_000
_NOTHING = 1e-9

# Recall@10 of each question of one set, in the order of the rows.
Recalls = NDArray[np.float64]


@dataclass(slots=True)
class Ablation:
    """A row a question with its recall@10 by each variant, and the sets that are missing."""

    rows: list[Row] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Difference:
    """Recall@10 of a variant less that of the full profile, in points: the mean, its 95 % interval, and how many changed."""

    points: float
    low: float
    high: float
    changed: int

    @property
    def sure(self) -> bool:
        """Whether the interval leaves out 0."""
        return bool(self.changed) and (self.low > 0 or self.high < 0)

    def __str__(self) -> str:
        if not self.changed:
            return "0"
        text = f"{self.points:+.2f} [{self.low:+.2f}, {self.high:+.2f}]"
        return f"**{text}**" if self.sure else text


def variants(constants: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """The constants each variant changes: one is 0, or a pair is equal where 0 would not take the part out."""
    held = {one.name: getattr(Hybrid(), one.name) for one in fields(Hybrid) if one.name != "name"} | dict(constants)
    single = [name for name in held if name not in ("meaning", "meaning_alone", "assistant", "assistant_asked")]
    return {
        "only words": {"meaning": 0.0, "meaning_alone": 0.0},
        "only meaning": {"meaning": 1.0, "meaning_alone": 1.0},
        "meaning_alone = meaning": {"meaning_alone": held["meaning"]},
        "meaning = meaning_alone": {"meaning": held["meaning_alone"]},
        "near = far = 0": {"near": 0.0, "far": 0.0},
        "assistant = assistant_asked = 0": {"assistant": 0.0, "assistant_asked": 0.0},
        "assistant_asked = assistant": {"assistant_asked": held["assistant"]},
        **{f"{name} = 0": {name: 0.0} for name in single},
    }


def ablation(
    data: Path,
    embedder: Any,
    sets: Sequence[str] = SETS,
    constants: Mapping[str, float] | None = None,
    *,
    quick: bool = False,
) -> Ablation:
    """Every set with every variant of hybrid, or of hybrid with other constants. Quick: every third haystack only."""
    changes: dict[str, Mapping[str, float]] = {FULL: {}, **variants(constants or {})}
    profiles = {name: {"base": "hybrid", **(constants or {}), **change} for name, change in changes.items()}
    done = Ablation()
    for name in sets:
        try:
            rows = evaluate(data, embedder, (name,), tuple(profiles), quick=quick, settings={"profiles": profiles})
        except DataMissing as missing:
            done.left_out.append(f"{name}: {missing}")
        else:
            done.rows += by_question(rows, tuple(profiles))
    return done


def by_question(rows: Iterable[Row], profiles: Sequence[str]) -> list[Row]:
    """A row a question, with recall@10 by profile; questions that not every profile was asked are left out."""
    found: dict[tuple[str, str], Row] = {}
    for row in rows:
        held = found.setdefault((row["bench"], row["qid"]), {name: row[name] for name in _QUESTION})
        held[row["profile"]] = row["r10"]
    return [row for row in found.values() if all(name in row for name in profiles)]


def ablation_table(rows: Sequence[Row]) -> str:
    """The full profile, then each variant by what taking it out costs, most first. Bold: the interval leaves out 0."""
    if not rows:
        return ""
    names = list(dict.fromkeys(row["bench"] for row in rows))
    tested = [name for name in rows[0] if name not in (*_QUESTION, FULL)]
    full = [_recalls(rows, name, FULL) for name in names]
    means = [float(values.mean()) for values in full]
    counts = [f"{name} ({len(values)})" for name, values in zip(names, full, strict=True)]
    differences = sorted(
        ((variant, compare(rows, names, variant)) for variant in tested), key=lambda one: one[1][-1].points
    )
    body = [
        (FULL, *(f"{value:.4f}" for value in means), f"{sum(means) / len(means):.4f}", ""),
        *((variant, *map(str, found), _verdict(found)) for variant, found in differences),
    ]
    return markdown(("recall@10, then points more or less", *counts, MEAN, "does it pay?"), body)


def compare(rows: Sequence[Row], names: Sequence[str], variant: str) -> list[Difference]:
    """A variant against the full profile: on each set, and by the mean of the sets."""
    each = [100 * (_recalls(rows, name, variant) - _recalls(rows, name, FULL)) for name in names]
    drawn = [_draws(rows, name) @ moved / len(moved) for name, moved in zip(names, each, strict=True)]
    found = [_difference(moved.mean(), means, moved) for moved, means in zip(each, drawn, strict=True)]
    whole = _difference(np.mean([moved.mean() for moved in each]), np.mean(drawn, axis=0), np.concatenate(each))
    return [*found, whole]


def _difference(points: Any, drawn: Recalls, moved: Recalls) -> Difference:
    low, high = np.quantile(drawn, (0.025, 0.975))
    return Difference(float(points), float(low), float(high), int((np.abs(moved) > _NOTHING).sum()))


def _draws(rows: Sequence[Row], name: str) -> NDArray[np.int64]:
    """How often each question of a set is drawn. Two sets of the same questions draw them alike: they are not independent."""
    asked = [row["qid"] for row in rows if row["bench"] == name]
    random = np.random.default_rng(zlib.crc32("\n".join(asked).encode()))
    return random.multinomial(len(asked), np.full(len(asked), 1 / len(asked)), size=_DRAWS)


def _recalls(rows: Iterable[Row], name: str, variant: str) -> Recalls:
    return np.array([row[variant] for row in rows if row["bench"] == name], np.float64)


def _verdict(found: Sequence[Difference]) -> str:
    """Whether the part that was taken out pays by the mean of the sets, or else on which sets it does or does not."""
    whole = found[-1]
    if not whole.changed:
        return "changes nothing here"
    if whole.sure:
        return "yes" if whole.high < 0 else "no, it costs"
    return "on some sets" if any(one.sure and one.high < 0 for one in found[:-1]) else "not shown"
