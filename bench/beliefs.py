"""Beliefs: what `remember` makes of facts that change, of paraphrases and of contradictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import recollect
from bench.metrics import mean
from bench.sets import rows_of

Row = dict[str, Any]


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
