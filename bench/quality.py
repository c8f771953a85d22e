"""Quality: every set of the evaluation data through the product's own API, each figure beside its target.

`run` is what `python -m bench quality` calls. Sets that are missing are named and left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.answered import SETS as ANSWERED_SETS
from bench.answered import answered, answered_figures, thresholds_table
from bench.beliefs import conflict, sick, statement_figures, statements
from bench.credentials import credentials
from bench.precision import precision, precision_figures
from bench.retrieval import PROFILES, SETS, Row, evaluate, summary
from bench.runs import packed
from bench.sets import DataMissing
from bench.surfacing import SETS as SURFACING_SETS
from bench.surfacing import surfacing, surfacing_figures, surfacing_table
from bench.tables import Figure, figures_table, markdown

ALL = (*SETS, "answered", "surfacing", "beliefs", "conflict", "sick", "secrets", "precision")
_QUICK_PAIRS = 8
_TARGETS = {
    ("locomo", "r5"): ("LoCoMo turn recall@5", None),
    ("locomo", "r10"): ("LoCoMo turn recall@10", 0.81),
    ("locomo", "ndcg10"): ("LoCoMo nDCG@10", None),
    ("locomo", "mrr"): ("LoCoMo MRR", None),
    ("hay48", "r10"): ("LongMemEval 48-session haystacks turn recall@10", 0.94),
    ("hay48", "s5"): ("LongMemEval 48-session haystacks session recall@5", 0.96),
    ("pooled", "r10"): ("LongMemEval pooled turn recall@10", 0.80),
    ("beam", "r10"): ("BEAM 100K recall@10", 0.67),
    ("realmem", "r10"): ("RealMem session recall@10", 0.82),
    ("prefeval", "r10"): ("PrefEval recall@10", 0.40),
    ("hotpotqa", "r10"): ("HotpotQA recall@10", 0.88),
}


@dataclass(slots=True)
class Quality:
    """What a quality run found: figures, the raw rows behind them, tables by their titles, and what was left out."""

    figures: list[Figure] = field(default_factory=list)
    raw: dict[str, Any] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    tables: list[tuple[str, str]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def attempt(self, name: str, work: Callable[[], None]) -> None:
        """Do one part; a missing set is noted, not fatal."""
        start = time.perf_counter()
        try:
            work()
        except DataMissing as missing:
            self.left_out.append(f"{name}: {missing}")
        self.seconds[name] = round(time.perf_counter() - start, 1)


@dataclass(frozen=True, slots=True)
class Setup:
    """What a quality run measures with: the data, the embedder, the profiles (figures are those of the first), the settings."""

    data: Path
    embedder: Any
    profiles: Sequence[str]
    settings: dict[str, Any] | None
    quick: bool


def run(
    data: Path,
    embedder: Any,
    sets: Sequence[str] = ALL,
    profiles: Sequence[str] = PROFILES,
    *,
    quick: bool = False,
    settings: dict[str, Any] | None = None,
) -> Quality:
    """Measure the sets; figures are those of the first profile."""
    done, setup = Quality(), Setup(data, embedder, profiles, settings, quick)
    for name in sets:
        part = _PARTS.get(name)
        done.attempt(name, lambda name=name, part=part: part(setup, done) if part else _retrieval(setup, done, name))
    return done


def _retrieval(setup: Setup, done: Quality, name: str) -> None:
    rows = evaluate(setup.data, setup.embedder, (name,), setup.profiles, quick=setup.quick, settings=setup.settings)
    done.rows += rows
    done.figures += _retrieval_figures(name, [row for row in rows if row["profile"] == setup.profiles[0]])


def _conflict(setup: Setup, done: Quality) -> None:
    found = done.raw["conflict"] = conflict(setup.data, setup.embedder, setup.profiles[0], setup.settings)
    done.figures += _conflict_figures(found)


def _sick(setup: Setup, done: Quality) -> None:
    every = _QUICK_PAIRS if setup.quick else 1
    found = done.raw["sick"] = sick(setup.data, setup.embedder, every=every, settings=setup.settings)
    done.figures += _sick_figures(found)


def _statements(setup: Setup, done: Quality) -> None:
    found = done.raw["beliefs"] = statements(setup.data, setup.embedder, setup.profiles[0], setup.settings)
    done.figures += statement_figures(found)


def _answered(setup: Setup, done: Quality) -> None:
    rows: list[Row] = []
    for name in ANSWERED_SETS:
        done.attempt(
            f"answered {name}",
            lambda name=name: rows.extend(
                answered(setup.data, setup.embedder, name, setup.profiles[0], setup.settings)
            ),
        )
    if rows:
        done.raw["answered"] = packed(rows)
        done.figures += answered_figures(rows)
        done.tables.append(("Answered: recall beside single thresholds", thresholds_table(rows)))


def _surfacing(setup: Setup, done: Quality) -> None:
    rows: list[Row] = []
    for name in SURFACING_SETS:
        done.attempt(
            f"surfacing {name}",
            lambda name=name: rows.extend(surfacing(setup.data, setup.embedder, name, setup.settings)),
        )
    if rows:
        done.raw["surfacing"] = packed(rows)
        done.figures += surfacing_figures(rows)
        done.tables.append(("Surfacing: what a companion shows", surfacing_table(rows)))


def _secrets(setup: Setup, done: Quality) -> None:
    found = done.raw["secrets"] = credentials(setup.data)
    done.figures += _secret_figures(found)


def _precision(setup: Setup, done: Quality) -> None:
    found = done.raw["precision"] = precision(setup.data, setup.embedder, setup.settings)
    done.figures += precision_figures(found, precision(setup.data, setup.embedder, setup.settings, named=False))


_PARTS: dict[str, Callable[[Setup, Quality], None]] = {
    "answered": _answered,
    "beliefs": _statements,
    "conflict": _conflict,
    "sick": _sick,
    "secrets": _secrets,
    "precision": _precision,
    "surfacing": _surfacing,
}


def _retrieval_figures(name: str, rows: Iterable[Row]) -> list[Figure]:
    found = summary(rows)
    return [
        Figure(label, found[kind], target, note=f"{found['n']} questions")
        for (bench, kind), (label, target) in _TARGETS.items()
        if bench == name
    ]


def _conflict_figures(found: Row) -> list[Figure]:
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(found["outcomes"].items()))
    return [
        Figure("conflict: current fact first", found["current_first"], 0.90, note=f"{len(found['rows'])} questions"),
        Figure("conflict: stale above current", found["stale_above"], 0.05, "lower", note=kinds),
        Figure("conflict: current fact in the first 10", found["current_in_10"]),
    ]


def _sick_figures(found: Row) -> list[Figure]:
    many = f"{found['merged']} of {found['pairs']} pairs merged"
    return [
        Figure("SICK: merged that entail each other", found["precision_both_ways"], 0.95, note=many),
        Figure("SICK: merged that are labelled entailment", found["precision_entailment"]),
        Figure("SICK: paraphrases merged", found["recall_both_ways"]),
        Figure("SICK: contradictions merged", found["contradictions_merged"], 0.01, "lower"),
    ]


def _secret_figures(found: Row) -> list[Figure]:
    missed = ", ".join(found["missed_rules"][:6]) or "none"
    return [
        Figure("credentials caught", found["caught"], 0.95, note=f"of {found['secrets']}; missed: {missed}"),
        Figure("chat turns flagged", found["chat_flagged"], 0.002, "lower", note=f"of {found['chat_turns']:,}"),
        Figure(
            "chat turns labelled as orders", found["chat_labelled"], 0.002, "lower", note=f"of {found['chat_turns']:,}"
        ),
    ]


def profiles_table(rows: Sequence[Row]) -> str:
    """Recall@10 of every profile on every set, on the questions that all of them were asked."""
    names = list(dict.fromkeys(row["bench"] for row in rows))
    profiles = list(dict.fromkeys(row["profile"] for row in rows))
    common = {name: _common(rows, name, profiles) for name in names}
    head = ("recall@10", *(f"{name} ({len(common[name])})" for name in names))
    body = []
    for profile in profiles:
        mine = [row for row in rows if row["profile"] == profile]
        cells = [summary(r for r in mine if r["bench"] == name and r["qid"] in common[name])["r10"] for name in names]
        body.append((profile, *(f"{cell:.3f}" for cell in cells)))
    return markdown(head, body)


def _common(rows: Sequence[Row], name: str, profiles: Sequence[str]) -> set[str]:
    asked = [{row["qid"] for row in rows if row["bench"] == name and row["profile"] == p} for p in profiles]
    return set.intersection(*asked) if asked else set()


def categories_table(rows: Sequence[Row], profile: str) -> str:
    """Recall@10 by kind of question: where it gains and where it loses."""
    mine = [row for row in rows if row["profile"] == profile]
    kinds = dict.fromkeys((row["bench"], row["category"]) for row in mine)
    body = []
    for bench, category in sorted(kinds):
        found = summary(row for row in mine if (row["bench"], row["category"]) == (bench, category))
        body.append((bench, str(category), str(found["n"]), f"{found['r5']:.3f}", f"{found['r10']:.3f}"))
    return markdown(("set", "category", "questions", "recall@5", "recall@10"), body)


def shown(done: Quality, profiles: Sequence[str]) -> str:
    """The whole run as markdown."""
    parts = [figures_table(done.figures)]
    if len(profiles) > 1 and done.rows:
        parts.append("### All profiles\n\n" + profiles_table(done.rows))
    if done.rows:
        parts.append("### By kind of question\n\n" + categories_table(done.rows, profiles[0]))
    parts += [f"### {title}\n\n{table}" for title, table in done.tables]
    parts += [f"left out: {line}" for line in done.left_out]
    return "\n\n".join(parts)
