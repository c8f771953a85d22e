"""Expansion: do the rare names in the best hits make hybrid's answers better? The same stores asked with and without it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import recollect
from bench.beliefs import conflict
from bench.retrieval import Row, corpora, judgement, stored, summary
from bench.sets import Corpus, DataMissing
from bench.tables import Figure, markdown
from recollect.capture.infer_tags import inferred_tags

SETS = ("locomo", "pooled", "beam", "hotpotqa")
EXPANDED, UNEXPANDED = "hybrid as it is", "hybrid without shared names"
PROFILES: dict[str, dict[str, Any]] = {EXPANDED: {}, UNEXPANDED: {"shared_name": 0.0}}
_SETTINGS: dict[str, Any] = {
    "profiles": {name: {"base": "hybrid", **constants} for name, constants in PROFILES.items()}
}


@dataclass(frozen=True, slots=True)
class ExpansionRun:
    """The judged questions, the share of current facts that stand first by profile, and what was left out."""

    rows: list[Row]
    current_first: dict[str, float]
    left_out: list[str]


def run_expansion(data: Path, embedder: Any, sets: Sequence[str] = SETS) -> ExpansionRun:
    """Every set with every profile; a set that is not there is left out."""
    rows: list[Row] = []
    first: dict[str, float] = {}
    left_out = []
    for name in sets:
        try:
            rows += [{"bench": name, **row} for corpus in corpora(data, name) for row in _asked(corpus, embedder)]
        except DataMissing as missing:
            left_out.append(f"{name}: {missing}")
    try:
        first = {name: conflict(data, embedder, name, _SETTINGS)["current_first"] for name in PROFILES}
    except DataMissing as missing:
        left_out.append(f"conflict: {missing}")
    return ExpansionRun(rows, first, left_out)


def _asked(corpus: Corpus, embedder: Any) -> Iterator[Row]:
    with recollect.open(":memory:", embedder=embedder, touch=False, gaps=False, **_SETTINGS) as memory:
        names = stored(memory, corpus, tags=inferred_tags)
        for profile in PROFILES:
            for question in corpus.questions:
                yield {"profile": profile, **judgement(memory, question, profile, names)}


def expansion_table(found: ExpansionRun) -> str:
    """Recall@10 (and @5) of every profile: hybrid as it is, then how far each of the others is from it, in points."""
    columns = _columns(found)
    base = columns[EXPANDED]
    body = [(EXPANDED, *(f"{value:.4f}" for value in base.values()))]
    for profile, held in columns.items():
        if profile != EXPANDED:
            body.append((profile, *(f"{100 * (held[name] - base[name]):+.2f}" for name in base)))
    return markdown(("recall@10, then points more or less", *base), body)


def expansion_figures(found: ExpansionRun) -> list[Figure]:
    """What shared names add to hybrid by the mean over the sets, and on how many questions they change anything."""
    columns = _columns(found)
    if not columns:
        return []
    gain = 100 * (columns[EXPANDED]["mean"] - columns[UNEXPANDED]["mean"])
    without = {(row["bench"], row["qid"]): row["r10"] for row in found.rows if row["profile"] == UNEXPANDED}
    moved = [row["r10"] - without[row["bench"], row["qid"]] for row in found.rows if row["profile"] == EXPANDED]
    better, worse = sum(change > 0 for change in moved), sum(change < 0 for change in moved)
    note = f"{better} of {len(moved)} questions better, {worse} worse"
    return [Figure("shared names in hybrid: recall@10, mean of the sets", gain, unit="points", note=note)]


def _columns(found: ExpansionRun) -> dict[str, dict[str, float]]:
    """For each profile the mean of each set, of the kinds of question that need two memories, and over the sets."""
    sets = list(dict.fromkeys(row["bench"] for row in found.rows))
    columns = {}
    for profile in dict.fromkeys(row["profile"] for row in found.rows):
        mine = [row for row in found.rows if row["profile"] == profile]
        means = {name: summary(row for row in mine if row["bench"] == name) for name in sets}
        held = {name: means[name]["r10"] for name in sets}
        if any(row["category"] == "multi-hop" for row in mine):
            held["multi-hop of locomo"] = summary(row for row in mine if row["category"] == "multi-hop")["r10"]
        held["mean"] = sum(means[name]["r10"] for name in sets) / len(sets)
        held["mean @5"] = sum(means[name]["r5"] for name in sets) / len(sets)
        if profile in found.current_first:
            held["conflict, current first"] = found.current_first[profile]
        columns[profile] = held
    return columns
