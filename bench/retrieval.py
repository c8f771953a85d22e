"""Retrieval: a corpus stored through the product's own API, its questions asked, every ranked list judged.

`judged` is the reusable core: any corpus, any embedder, any profiles and settings; one row a question and profile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import recollect
from bench.metrics import distinct, mean, ndcg_at, recall_at, reciprocal_rank
from bench.sets import Corpus, Question, Turn, haystacks, load

PROFILES = ("hybrid", "composite", "hebbian", "cascade", "relevance", "belief")
SETS = ("locomo", "hay48", "pooled", "beam", "realmem", "prefeval", "hotpotqa")
FOLDERS = {
    "locomo": "locomo",
    "pooled": "longmemeval_oracle_pool",
    "beam": "beam_100K",
    "realmem": "realmem",
    "prefeval": "prefeval",
    "hotpotqa": "hotpotqa_500",
}
_DEPTH = 50
_SKIPPED = 3

Row = dict[str, Any]


def evaluate(
    data: Path,
    embedder: Any,
    sets: Sequence[str] = SETS,
    profiles: Sequence[str] = ("hybrid",),
    *,
    quick: bool = False,
    settings: Mapping[str, Any] | None = None,
) -> list[Row]:
    """Rows of every set and profile. Quick: profiles other than the first see every third haystack only."""
    rows: list[Row] = []
    for name in sets:
        for place, corpus in enumerate(corpora(data, name)):
            asked = profiles if not (quick and name == "hay48" and place % _SKIPPED) else profiles[:1]
            rows += [{"bench": name, **row} for row in judged(corpus, embedder, asked, settings or {})]
    return rows


def judged(corpus: Corpus, embedder: Any, profiles: Sequence[str], settings: Mapping[str, Any]) -> Iterator[Row]:
    """Store a corpus, one project a set, and judge the answers to its questions.

    Accesses are not counted, so that no question changes the answer to the next.
    """
    # The doors leave touch on; here the questions of a set are independent users of the same memories.
    with recollect.open(embedder=embedder, **{"db": ":memory:", "touch": False, **settings}) as memory:
        names: dict[str, str] = {}
        for step in steps(corpus):
            names |= stored(memory, step)
            for profile in profiles:
                for question in step.questions:
                    yield {"profile": profile, **judgement(memory, question, profile, names)}


def steps(corpus: Corpus) -> Iterator[Corpus]:
    """What is stored and then asked, in this order. A question that belongs to a session is asked before its turn is stored.

    So only what was said before it can be found. All other questions are asked when everything is stored.
    """
    waiting: dict[tuple[str, str], list[Question]] = {}
    for question in corpus.questions:
        if question.asked_in is not None:
            waiting.setdefault((question.set, question.asked_in), []).append(question)
    turns: list[Turn] = []
    for turn in corpus.turns:
        if (questions := waiting.pop((turn.set, turn.id), None)) is not None:
            yield Corpus(corpus.name, tuple(turns), tuple(questions))
            turns = []
        turns.append(turn)
    assert not waiting, f"{corpus.name} has questions of turns it does not have: {sorted(waiting)[:3]}"
    yield Corpus(corpus.name, tuple(turns), tuple(one for one in corpus.questions if one.asked_in is None))


def stored(
    memory: recollect.Memory, corpus: Corpus, tags: Callable[[str], Sequence[str]] | None = None
) -> dict[str, str]:
    """Every turn kept as it is, with the tags its text is given; returns which id of the set each memory has."""
    drafts = [
        recollect.Draft(
            turn.text,
            project=turn.set,
            session=turn.session,
            position=turn.position,
            speaker=turn.speaker,
            occurred_at=turn.at,
            tags=tags(turn.text) if tags else (),
        )
        for turn in corpus.turns
    ]
    outcomes = memory.remember_many(drafts, verbatim=True)
    return {
        outcome.memory.id: turn.id
        for turn, outcome in zip(corpus.turns, outcomes, strict=True)
        if outcome.memory is not None
    }


def summary(rows: Iterable[Row]) -> dict[str, float]:
    """The means of some rows."""
    held = list(rows)
    kinds = ("r5", "r10", "ndcg10", "mrr", "s5")
    return {kind: mean(row[kind] for row in held if row[kind] is not None) for kind in kinds} | {"n": len(held)}


def corpora(data: Path, name: str) -> Iterator[Corpus]:
    """The stores of a set: one, or one a question."""
    if name == "hay48":
        yield from haystacks(data, load(data, FOLDERS["pooled"]))
    else:
        yield load(data, FOLDERS[name])


def judgement(memory: recollect.Memory, question: Question, profile: str, names: Mapping[str, str]) -> Row:
    """One question asked and its ranked list measured: its turns, or its sessions where the set knows only these."""
    found = memory.recall(question.text, project=question.set, limit=_DEPTH, profile=profile, now=question.at)
    turns = [names[hit.memory.id] for hit in found]
    sessions = distinct(hit.memory.session for hit in found)
    ranked, gold = (turns, question.gold) if question.gold else (sessions, question.gold_sessions)
    return {
        "qid": question.qid,
        "category": question.category,
        "r5": recall_at(ranked, gold, 5),
        "r10": recall_at(ranked, gold, 10),
        "ndcg10": ndcg_at(ranked, gold, 10),
        "mrr": reciprocal_rank(ranked, gold),
        "s5": recall_at(sessions, question.gold_sessions, 5) if question.gold_sessions else None,
    }
