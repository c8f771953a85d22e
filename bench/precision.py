"""Precision: what must and what must not come back. Names, scopes, replaced beliefs, budgets, other people's memories.

Beliefs become memories of one account a person. A case asks for four things: what the question names (recall), what is
always said (pinned), what is still open, and what holds everywhere (global). Each is compared with what the case expects.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import recollect
from bench.metrics import mean
from bench.sets import DataMissing
from bench.tables import Figure

Row = dict[str, Any]
_FOLDER, _ASKER = "precisionmembench", "test-user"
_OPEN = "open question"
_TYPES: dict[str, Any] = {"open_question": "task", "relation": "fact"}
_UNSURE = ("inferred", "exploratory")
_MANY = 50
# The beliefs were last changed in the week before.
_NOW = datetime(2026, 10, 8, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Given:
    """What one case gets, as ids of the set; `persona` is the text of what holds everywhere."""

    relevant: tuple[str, ...]
    pinned: tuple[str, ...]
    questions: tuple[str, ...]
    persona: str


def precision(data: Path, embedder: Any, settings: Mapping[str, Any] | None = None, *, named: bool = True) -> Row:
    """Every case judged; without `named`, recall is not told to keep to what the question names."""
    beliefs, cases = _read(data, "beliefs.seed.json"), _read(data, "retrieval.cases.json")
    with recollect.open(
        ":memory:", embedder=embedder, clock=lambda: _NOW, **{"touch": False, **(settings or {})}
    ) as memory:
        names = stored(memory, beliefs)
        rows = [_judged(memory, case, names, named=named) for case in cases]
    return {"held": mean(float(row["held"]) for row in rows), "rows": rows}


def stored(memory: recollect.Memory, beliefs: Sequence[Row]) -> dict[str, str]:
    """Every belief as a memory of its person; returns which id of the set each memory has."""
    ids: dict[str, str] = {}
    for person in dict.fromkeys(belief["user_id"] for belief in beliefs):
        own = [belief for belief in beliefs if belief["user_id"] == person]
        view = memory.with_identity(account=person)
        outcomes = view.remember_many([_draft(belief) for belief in own], verbatim=True)
        ids |= {b["_id"]: o.memory.id for b, o in zip(own, outcomes, strict=True) if o.memory is not None}
        for belief in own:
            if belief["superseded_by"]:
                view.supersede(ids[belief["_id"]], ids[belief["superseded_by"]])
            for participant in belief.get("participants", ()):
                view.link(ids[belief["_id"]], ids[participant])
    return {memory_id: name for name, memory_id in ids.items()}


def _draft(belief: Row) -> recollect.Draft:
    kind: Any = belief["type"]
    scope = belief["scope"][0]
    named = [belief["canonical_name"].replace("_", " "), *belief["aliases"]]
    return recollect.Draft(
        belief["content"],
        type=_TYPES.get(kind, kind),
        scope="global" if _project(scope) is None else "project",
        project=_project(scope),
        tags=[*named, _OPEN] if kind == "open_question" else named,
        delivery="pinned" if belief["pinned"] else "on_demand",
        confidence=belief["confidence"],
        source="inferred" if belief["epistemic_status"] in _UNSURE else "user_stated",
        occurred_at=belief["created_at"],
        valid_until=belief["resolved_at"],
    )


def _project(scope: str) -> str | None:
    kind, _, name = scope.partition(":")
    return name if kind == "domain" else None


def _judged(memory: recollect.Memory, case: Row, names: Mapping[str, str], *, named: bool) -> Row:
    view = memory.with_identity(account=case.get("userId", _ASKER))
    given = _given(view, case, names, named=named)
    trouble = [f"{part} {what}" for part, what in _troubles(given, case["expect"])]
    return {"case": case["caseId"], "category": case["category"], "held": not trouble, "trouble": trouble}


def _given(view: recollect.Memory, case: Row, names: Mapping[str, str], *, named: bool) -> Given:
    projects = [project for scope in case["scope"] if (project := _project(scope)) is not None]
    held = [record for project in projects for record in view.list(in_project=project, limit=_MANY)]
    # `list` also shows what is no longer true; a question with an answer is one of these.
    always = [r for r in held if r.delivery == "pinned" and (r.valid_until is None or r.valid_until > _NOW)]
    pinned = tuple(names[record.id] for record in always if _OPEN not in record.tags)
    room = case.get("budget", {}).get("maxBeliefs", _MANY) - len(pinned)
    found = _relevant(view, case["query"], projects, named=named)
    return Given(
        tuple(names[record.id] for record in found)[: max(room, 0)],
        pinned,
        tuple(names[record.id] for record in always if _OPEN in record.tags),
        "\n".join(record.content for record in view.list(scope="global", limit=_MANY)),
    )


def _relevant(view: recollect.Memory, query: str, projects: Sequence[str], *, named: bool) -> list[Any]:
    """What recall returns, less what is said anyway: pinned, open or valid everywhere. Nothing is asked, nothing comes."""
    if not query.strip():
        return []
    hits = [hit.memory for project in projects for hit in view.recall(query, project=project, limit=_MANY, named=named)]
    kept = {
        record.id: record
        for record in hits
        if record.scope == "project" and record.delivery != "pinned" and _OPEN not in record.tags
    }
    return list(kept.values())


_CHECKS: dict[str, Callable[[Any, Any], bool]] = {
    "shouldOnlyInclude": lambda got, wanted: set(got) == set(wanted),
    "mustInclude": lambda got, wanted: set(wanted) <= set(got),
    "mustExclude": lambda got, wanted: not set(wanted) & set(got),
    "nonEmpty": lambda got, wanted: bool(got) is wanted,
    "isNull": lambda got, wanted: (not got) is wanted,
    "contains": lambda got, wanted: all(word in got.casefold() for word in wanted),
    "mustNotContain": lambda got, wanted: not any(word.casefold() in got.casefold() for word in wanted),
}


def _troubles(given: Given, expected: Mapping[str, Row]) -> Iterator[tuple[str, str]]:
    """What of a case does not hold: which part, and what was asked of it."""
    got = {
        "relevantBeliefs": given.relevant,
        "pinnedFacts": given.pinned,
        "openQuestions": given.questions,
        "personaPrelude": given.persona,
    }
    for part, checks in expected.items():
        for check, wanted in checks.items():
            if not _CHECKS[check](got[part], wanted):
                yield part, check


def precision_figures(found: Row, plain: Row) -> list[Figure]:
    """The share of cases that hold: all, by category, and for comparison with recall as it is without `named`."""
    rows = found["rows"]
    failing = [row["case"] for row in rows if not row["held"]]
    note = f"{len(rows) - len(failing)} of {len(rows)} cases; failing: {', '.join(failing) or 'none'}"
    figures = [Figure("precision: cases that hold", found["held"], note=note)]
    for category in sorted({row["category"] for row in rows}):
        mine = [row["held"] for row in rows if row["category"] == category]
        figures.append(Figure(f"precision: {category}", mean(map(float, mine)), note=f"{sum(mine)} of {len(mine)}"))
    held = sum(row["held"] for row in plain["rows"])
    return [*figures, Figure("precision: cases that hold, plain recall", plain["held"], note=f"{held} of {len(rows)}")]


def _read(data: Path, name: str) -> list[Row]:
    path = data / _FOLDER / name
    if not path.exists():
        raise DataMissing(f"{path} is missing: give the folder of the sets with --data or RECOLLECT_BENCH_DATA")
    rows: list[Row] = json.loads(path.read_text("utf-8"))
    return rows
