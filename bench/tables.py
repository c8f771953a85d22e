"""Tables: figures beside their targets, as markdown. A target is what the product promises, not what it happens to reach."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number and, where there is one, what it has to reach."""

    what: str
    value: float
    target: float | None = None
    better: Literal["higher", "lower"] = "higher"
    unit: str = ""
    note: str = ""

    @property
    def verdict(self) -> str:
        """ok, below (the target is missed) or nothing to compare with."""
        if self.target is None:
            return ""
        if math.isnan(self.value):
            return "not measured"
        met = self.value >= self.target if self.better == "higher" else self.value <= self.target
        return "ok" if met else "**below**"

    def cells(self) -> tuple[str, ...]:
        sign = "≥" if self.better == "higher" else "≤"
        target = "" if self.target is None else f"{sign} {_number(self.target)} {self.unit}".strip()
        return self.what, f"{_number(self.value)} {self.unit}".strip(), target, self.verdict, self.note

    def as_row(self) -> dict[str, Any]:
        """For the raw file of a run."""
        row = {name: getattr(self, name) for name in (*self.__slots__, "verdict")}
        return row | {"value": None if math.isnan(self.value) else self.value}  # JSON has no word for NaN


def figure_of(row: dict[str, Any]) -> Figure:
    """A figure read back from the raw file of a run."""
    held = {name: row[name] for name in Figure.__slots__}
    return Figure(**held | {"value": math.nan if row["value"] is None else row["value"]})


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A markdown table."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def figures_table(figures: Iterable[Figure]) -> str:
    """Figures with target and verdict."""
    return markdown(("figure", "measured", "target", "", "note"), (figure.cells() for figure in figures))


def _number(value: float) -> str:
    if math.isnan(value):
        return "–"
    if value == int(value) and abs(value) < 1e9:
        return f"{int(value):,}"
    return f"{value:.4f}" if abs(value) < 1 else f"{value:,.2f}"
