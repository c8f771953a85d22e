"""Beliefs: what `remember` makes of facts that change, of paraphrases and of contradictions.

Three sets: facts told in a row, sentence pairs with labels, and pairs of plain statements with what should become of the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import recollect
from bench.metrics import mean
from bench.sets import rows_of
from bench.tables import Figure

Row = dict[str, Any]
_KINDS = {"para": "paraphrase"}
_DISTINCT = ("both", "update", "negation", "conflict")
_OPPOSED = ("negation", "conflict")


def conflict(data: Path, embedder: Any, profile: str = "hybrid", settings: Mapping[str, Any] | None = None) -> Row:
    """Facts told one by one, later ones overriding; then each single-hop question: is the current fact first?"""
    facts = list(rows_of(data, "memoryagentbench_conflict", "facts.jsonl.gz"))
    asked = [q for q in rows_of(data, "memoryagentbench_conflict", "queries.jsonl.gz") if q.get("gold") is not None]
    with recollect.open(":memory:", embedder=embedder, **{"touch": False, **(settings or {})}) as memory:
        outcomes = [memory.remember(fact["text"], project=fact["set"]) for fact in facts]
        serials: dict[str, list[int]] = {}
        for fact, outcome in zip(facts, outcomes, strict=True):
            if outcome.memory is not None:
                serials.setdefault(outcome.memory.id, []).append(fact["id"])
        rows = [_asked(memory, question, profile, serials) for question in asked]
    return {
        "current_first": mean(row["first"] for row in rows),
        "stale_above": mean(row["stale_above"] for row in rows),
        "current_in_10": mean(row["found"] for row in rows),
        "outcomes": dict(Counter(outcome.kind for outcome in outcomes)),
        "needed": sum(len(question["stale"]) for question in asked),
        "rows": rows,
    }


def _asked(memory: recollect.Memory, question: Row, profile: str, serials: Mapping[str, list[int]]) -> Row:
    found = memory.recall(question["text"], project=question["set"], limit=10, profile=profile)
    ranked = [serials[hit.memory.id] for hit in found]
    current = _place(ranked, {question["gold"]})
    stale = _place(ranked, set(question["stale"]) - set(ranked[current] if current is not None else ()))
    return {
        "qid": question["qid"],
        "first": float(current == 0),
        "found": float(current is not None),
        "stale_above": float(stale is not None and (current is None or stale < current)),
    }


def _place(ranked: list[list[int]], wanted: set[int]) -> int | None:
    return next((place for place, serials in enumerate(ranked) if wanted & set(serials)), None)


def sick(data: Path, embedder: Any, *, every: int = 1, settings: Mapping[str, Any] | None = None) -> Row:
    """Each pair told in a project of its own: a second sentence that reinforces the first was merged with it."""
    pairs = list(rows_of(data, "pairs_sick", "pairs.jsonl.gz"))[::every]
    kinds: list[str] = []
    with recollect.open(":memory:", embedder=embedder, **{"touch": False, **(settings or {})}) as memory:
        for number, pair in enumerate(pairs):
            memory.remember(pair["a"], project=f"p{number}")
            kinds.append(memory.remember(pair["b"], project=f"p{number}").kind)
    return merging(pairs, kinds)


def merging(pairs: list[Row], kinds: Iterable[str]) -> Row:
    """How right the merges are: of those merged, which are paraphrases; of the contradictions, which were merged."""
    judged = [(pair, kind == "reinforced") for pair, kind in zip(pairs, kinds, strict=True)]
    merged = [pair for pair, same in judged if same]
    both_ways = [same for pair, same in judged if _both_ways(pair)]
    opposed = [same for pair, same in judged if pair["label"] == "contradiction"]
    return {
        "pairs": len(pairs),
        "merged": len(merged),
        "precision_both_ways": mean(float(_both_ways(pair)) for pair in merged),
        "precision_entailment": mean(float(pair["label"] == "entailment") for pair in merged),
        "recall_both_ways": mean(map(float, both_ways)),
        "contradictions_merged": mean(map(float, opposed)),
        # Numbers, not sentences: nothing of a set goes into the raw files.
        "wrong": [n for n, (pair, same) in enumerate(judged) if same and pair["label"] != "entailment"],
    }


def _both_ways(pair: Row) -> bool:
    """Each sentence entails the other: the same thing in other words."""
    return pair["ab"] == "A_entails_B" and pair["ba"] == "B_entails_A"


def statements(data: Path, embedder: Any, profile: str = "hybrid", settings: Mapping[str, Any] | None = None) -> Row:
    """Pairs of plain statements, each told to a store of its own: what became of the first when the second arrived."""
    pairs = rows_of(data, "beliefs", "pairs.jsonl")
    rows = []
    for number, pair in enumerate(pairs):
        with recollect.open(":memory:", embedder=embedder, **{"touch": False, **(settings or {})}) as memory:
            kind = _KINDS.get(pair["kind"], pair["kind"])
            rows.append({"pair": number, "kind": kind, **_second(memory, pair["old"], pair["new"], profile)})
    return {"rows": rows}


def _second(memory: recollect.Memory, old: str, new: str, profile: str) -> Row:
    """What became of the first statement; both are recalled by the words of the first, which is the harder way."""
    first = memory.remember(old).memory
    outcome = memory.remember(new)
    if first is None or outcome.memory is None:
        return {"outcome": "refused", "hidden": False, "merged": False, "told": False, "current_first": False}
    merged, superseded = outcome.kind == "reinforced", memory.get(first.id).status == "superseded"
    found = memory.recall(old, limit=2, profile=profile)
    return {
        "outcome": outcome.kind,
        "hidden": merged or superseded,
        "merged": merged,
        "told": any(one.memory.id == first.id for one in outcome.related),
        "current_first": not merged and bool(found) and found[0].memory.id == outcome.memory.id,
    }


def statement_figures(found: Row) -> list[Figure]:
    """A figure for each kind of pair, and how many pairs that differ were merged; kinds that the set lacks are left out."""
    rows = found["rows"]
    both, updates, same = (_of_kinds(rows, kind) for kind in ("both", "update", "paraphrase"))
    opposed, distinct = _of_kinds(rows, *_OPPOSED), _of_kinds(rows, *_DISTINCT)
    kept = [row["told"] or (row["outcome"] == "superseded" and row["current_first"]) for row in updates]
    figures = [
        Figure(
            "beliefs: first of two true statements hidden", _share(both, "hidden"), 0.02, "lower", note=_kinds(both)
        ),
        Figure("beliefs: updates told, or current one first", mean(map(float, kept)), 0.80, note=_kinds(updates)),
        Figure("beliefs: current one of an update recalled first", _share(updates, "current_first")),
        Figure("beliefs: paraphrases merged", _share(same, "merged"), 0.60, note=_kinds(same)),
        Figure(
            "beliefs: different statements merged", _share(distinct, "merged"), 0.01, "lower", note=_kinds(distinct)
        ),
        Figure("beliefs: negations and conflicts told", _share(opposed, "told"), 0.80, note=_kinds(opposed)),
        Figure("beliefs: negations and conflicts merged", _share(opposed, "merged"), 0, "lower"),
    ]
    return figures if opposed else figures[:-2]


def _of_kinds(rows: Iterable[Row], *kinds: str) -> list[Row]:
    return [row for row in rows if row["kind"] in kinds]


def _share(rows: Iterable[Row], what: str) -> float:
    return mean(float(row[what]) for row in rows)


def _kinds(rows: list[Row]) -> str:
    counts = Counter(row["outcome"] for row in rows)
    return f"{len(rows)} pairs: {', '.join(f'{count} {kind}' for kind, count in sorted(counts.items()))}"
