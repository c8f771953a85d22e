"""Surfacing: what a companion shows of what recall finds, and whether it says nothing where nothing helps.

Every conversation is a store of its own, and a message is a turn. Shown to its own conversation, what is surfaced is compared with
the first five hits of a plain recall: how much of it is gold, and how much of the gold is lost. Shown to another conversation, or
asking what nobody said, nothing should come up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import recollect
from bench.answered import (
    ABSTENTION,
    ELSEWHERE,
    OWN,
    Conversation,
    Row,
    conversations_with_strangers,
    haystacks_with_strangers,
)
from bench.metrics import mean
from bench.retrieval import FOLDERS, steps, stored
from bench.sets import Question
from bench.tables import Figure, markdown
from recollect.companion.surfacing import CANDIDATES, MOST_SURFACED, good_enough, turn_query
from recollect.values.recalled import Hit

SETS = ("locomo", "hay48", "beam", "realmem")
# In this set whole sessions are gold, so that a share of single hits says nothing.
_OF_SESSIONS = ("realmem",)
# So many messages of strangers are shown to one conversation.
_MOST_STRANGERS = 100


def surfacing(data: Path, embedder: Any, name: str, settings: Mapping[str, Any] | None = None) -> list[Row]:
    """A row a message and conversation of one set."""
    found = haystacks_with_strangers(data) if name == "hay48" else conversations_with_strangers(data, FOLDERS[name])
    return [{"bench": name, **row} for one in found for row in _shown(one, embedder, settings or {})]


def _shown(one: Conversation, embedder: Any, settings: Mapping[str, Any]) -> Iterator[Row]:
    with recollect.open(embedder=embedder, **{"db": ":memory:", "touch": False, "gaps": False, **settings}) as memory:
        names: dict[str, str] = {}
        for step in steps(one.corpus):
            names |= stored(memory, step)
            for question in step.questions:
                yield _row(memory, one, question, OWN, names)
        for question in one.elsewhere[:: max(1, len(one.elsewhere) // _MOST_STRANGERS)]:
            yield _row(memory, one, question, ELSEWHERE, names)
        for question in one.nowhere:
            yield _row(memory, one, question, question.category, names)


def _row(memory: recollect.Memory, one: Conversation, question: Question, kind: str, names: Mapping[str, str]) -> Row:
    project, query = next((turn.set for turn in one.corpus.turns), None), turn_query(question.text)
    found = memory.recall(query, project=project, limit=CANDIDATES, profile="hybrid", now=question.at)
    plain, surfaced = found[:MOST_SURFACED], good_enough(found, query)[:MOST_SURFACED]
    row: Row = {
        "store": one.corpus.name,
        "qid": question.qid,
        "kind": kind,
        "shown": len(surfaced),
        "plain": len(plain),
    }
    if kind != OWN:
        return row
    return {
        **row,
        "plain_gold": _gold_hits(plain, question, names),
        "shown_gold": _gold_hits(surfaced, question, names),
        "plain_recall": _recall(plain, question, names),
        "shown_recall": _recall(surfaced, question, names),
    }


def _gold_hits(hits: Sequence[Hit], question: Question, names: Mapping[str, str]) -> int:
    if question.gold:
        return sum(names[hit.memory.id] in question.gold for hit in hits)
    return sum(hit.memory.session in question.gold_sessions for hit in hits)


def _recall(hits: Sequence[Hit], question: Question, names: Mapping[str, str]) -> float:
    if question.gold:
        return len({names[hit.memory.id] for hit in hits} & question.gold) / len(question.gold)
    return len({hit.memory.session for hit in hits} & question.gold_sessions) / len(question.gold_sessions)


def measured(rows: Sequence[Row]) -> Row:
    """The figures of the rows of one set: precision where something was shown, recall, and silence."""
    own = [row for row in rows if row["kind"] == OWN]
    plain = mean(row["plain_gold"] / row["plain"] for row in own if row["plain"])
    shown = mean(row["shown_gold"] / row["shown"] for row in own if row["shown"])
    silent = {
        kind: mean(not row["shown"] for row in rows if row["kind"] == kind)
        for kind in (ELSEWHERE, ABSTENTION, "adversarial")
    }
    return {
        "messages": len(own),
        "plain precision": plain,
        "precision": shown,
        "ratio": shown / plain,
        "kept": mean(row["shown_recall"] for row in own) / mean(row["plain_recall"] for row in own),
        "silent": silent,
        "memories": mean(row["shown"] for row in own),
    }


def of_sets(rows: Sequence[Row]) -> dict[str, Row]:
    """The figures of each set."""
    names = dict.fromkeys(row["bench"] for row in rows)
    return {name: measured([row for row in rows if row["bench"] == name]) for name in names}


def surfacing_figures(rows: Sequence[Row]) -> list[Figure]:
    """Means of the sets, each counting the same, beside their targets."""
    sets = of_sets(rows)
    turns = [found for name, found in sets.items() if name not in _OF_SESSIONS]
    absent = [row for row in rows if row["kind"] == ABSTENTION]
    return [
        Figure(
            "surfacing: precision over that of the first five of recall",
            mean(one["ratio"] for one in turns),
            1.5,
            unit="×",
            note="mean of the sets with gold turns",
        ),
        Figure("surfacing: recall kept of the first five", mean(one["kept"] for one in sets.values()), 0.9),
        Figure(
            "surfacing: silent towards another conversation",
            mean(one["silent"][ELSEWHERE] for one in sets.values()),
            0.8,
        ),
        Figure(
            "surfacing: silent where nobody said it",
            mean(not row["shown"] for row in absent),
            0.8,
            note=f"{len(absent)} questions to abstain from",
        ),
    ]


def surfacing_table(rows: Sequence[Row]) -> str:
    """The figures of each set as a table."""
    head = ("set", "messages", "precision of five", "of what is surfaced", "ratio", "recall kept", "memories", "silent")
    body = [
        [
            name,
            str(one["messages"]),
            f"{one['plain precision']:.3f}",
            f"{one['precision']:.3f}",
            f"{one['ratio']:.2f}",
            f"{one['kept']:.3f}",
            f"{one['memories']:.2f}",
            ", ".join(f"{kind} {share:.2f}" for kind, share in one["silent"].items() if share == share),
        ]
        for name, one in of_sets(rows).items()
    ]
    return markdown(head, body)
