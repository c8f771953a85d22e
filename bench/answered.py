"""Answered: does recall say so when nothing it returns is about the question?

Every conversation is a store of its own. It is asked the questions it answers, questions that belong to another conversation, and
questions that nobody in it answers although they are about it. Only the first are to be answered. Besides `answered` as recall says
it, the best single threshold is looked for on what each hit shows: relevance, similarity and score.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import recollect
from bench.metrics import mean
from bench.retrieval import FOLDERS, steps, stored
from bench.sets import Corpus, Question, haystacks, load, unanswerable
from bench.tables import Figure, markdown

Row = dict[str, Any]
SETS = ("locomo", "hay48", "beam", "realmem")
OWN, ELSEWHERE, ABSTENTION = "own", "elsewhere", "abstention"
MOST_LOST = 0.05
_LIMIT, _DEFAULT_LIMIT = 10, 5
_SIGNALS = {
    "relevance": "best relevance",
    "relevance5": "best relevance of 5 hits",
    "similarity": "best similarity",
    "score": "top score",
}
# So many questions of others are asked of one haystack.
_OF_OTHERS = 3


@dataclass(frozen=True, slots=True)
class Conversation:
    """What is stored, with the questions it answers; questions of other conversations; questions nothing in it answers."""

    corpus: Corpus
    elsewhere: tuple[Question, ...]
    nowhere: tuple[Question, ...]


def answered(
    data: Path, embedder: Any, name: str, profile: str = "hybrid", settings: Mapping[str, Any] | None = None
) -> list[Row]:
    """A row a question and conversation of one set: whether it was answered, and what its hits show."""
    conversations = (
        haystacks_with_strangers(data) if name == "hay48" else conversations_with_strangers(data, FOLDERS[name])
    )
    return [{"bench": name, **row} for one in conversations for row in _asked(one, embedder, profile, settings or {})]


def conversations_with_strangers(data: Path, folder: str) -> Iterator[Conversation]:
    """Each conversation with all questions of the others."""
    whole, nowhere = load(data, folder), unanswerable(data, folder)
    for name in dict.fromkeys(turn.set for turn in whole.turns):
        own = tuple(one for one in whole.questions if one.set == name)
        # Asked of a stranger, a question does not belong to a session of his.
        others = tuple(replace(one, asked_in=None) for one in whole.questions if one.set != name)
        turns = tuple(turn for turn in whole.turns if turn.set == name)
        yield Conversation(Corpus(name, turns, own), others, tuple(one for one in nowhere if one.set == name))


def haystacks_with_strangers(data: Path) -> Iterator[Conversation]:
    """Each haystack with the next questions whose sessions it does not have; those to abstain from have haystacks as well."""
    pool, nowhere = load(data, FOLDERS["pooled"]), unanswerable(data, FOLDERS["pooled"])
    asked = pool.questions
    for place, hay in enumerate(haystacks(data, pool)):
        sessions = {turn.session for turn in hay.turns}
        following = (one for one in (*asked[place + 1 :], *asked[:place]) if not one.gold_sessions & sessions)
        others = tuple(one for one, _ in zip(following, range(_OF_OTHERS), strict=False))
        yield Conversation(replace(hay, name=asked[place].qid), others, ())
    for hay in haystacks(data, replace(pool, questions=nowhere)):
        (question,) = hay.questions
        yield Conversation(Corpus(question.qid, hay.turns, ()), (), (question,))


def _asked(one: Conversation, embedder: Any, profile: str, settings: Mapping[str, Any]) -> Iterator[Row]:
    with recollect.open(embedder=embedder, **{"db": ":memory:", "touch": False, "gaps": False, **settings}) as memory:
        for step in steps(one.corpus):
            stored(memory, step)
            for question in step.questions:
                yield _row(memory, one, question, profile, OWN)
        for question in one.elsewhere:
            yield _row(memory, one, question, profile, ELSEWHERE)
        for question in one.nowhere:
            yield _row(memory, one, question, profile, question.category)


def _row(memory: recollect.Memory, one: Conversation, question: Question, profile: str, kind: str) -> Row:
    project = next((turn.set for turn in one.corpus.turns), None)
    found = memory.recall(question.text, project=project, limit=_LIMIT, profile=profile, now=question.at)
    first = found[:_DEFAULT_LIMIT]
    return {
        "store": one.corpus.name,
        "qid": question.qid,
        "category": question.category,
        "kind": kind,
        "answered": found.answered,
        "relevance": max((hit.relevance for hit in found), default=0.0),
        "relevance5": max((hit.relevance for hit in first), default=0.0),
        "similarity": max((hit.similarity or 0.0 for hit in found), default=0.0),
        "score": max((hit.score for hit in found), default=0.0),
    }


def answered_figures(rows: Sequence[Row]) -> list[Figure]:
    """What is lost, what is rightly not answered: each set, and the mean of the sets."""
    figures = []
    for name in (*_names(rows), None):
        mine = [row for row in rows if name in (None, row["bench"])]
        label = f"answered, {name or 'mean of the sets'}"
        for kind, what, target in (
            (OWN, "answerable questions lost", MOST_LOST),
            (ELSEWHERE, "not answered by another conversation", 0.80),
            (ABSTENTION, "not answered because nothing answers it", 0.50),
            ("adversarial", "not answered because it was said of somebody else", None),
        ):
            asked = sum(row["kind"] == kind for row in mine)
            if asked:
                better = "lower" if kind == OWN else "higher"
                value = unanswered(mine, kind)
                figures.append(Figure(f"{label}: {what}", value, target, better, note=f"{asked} questions"))  # type: ignore[arg-type]
    return figures


def thresholds_table(rows: Sequence[Row]) -> str:
    """Recall's own `answered` beside the best single threshold on each signal: one threshold for all sets, chosen on these rows.

    Best: the highest threshold at which, by the mean of the sets, a twentieth of the answerable questions is lost.
    """
    names = _names(rows)
    head = (
        "answered if",
        *(f"{name}: lost, elsewhere" for name in names),
        "mean: lost",
        "elsewhere",
        "abstention",
        "AUC",
    )
    body = [_line("as recall says", rows, names, "answered", 1, "")]
    for signal, label in _SIGNALS.items():
        least = best_threshold(rows, signal)
        body.append(_line(f"{label} ≥ {least:.3f}", rows, names, signal, least, f"{auc(rows, signal):.3f}"))
    return markdown(head, body)


def _line(label: str, rows: Sequence[Row], names: Sequence[str], signal: str, least: float, area: str) -> list[str]:
    each = [[row for row in rows if row["bench"] == name] for name in names]
    cells = [
        f"{unanswered(some, OWN, signal, least):.3f}, {unanswered(some, ELSEWHERE, signal, least):.3f}" for some in each
    ]
    means = [f"{unanswered(rows, kind, signal, least):.3f}" for kind in (OWN, ELSEWHERE, ABSTENTION)]
    return [label, *cells, *means, area]


def unanswered(rows: Iterable[Row], kind: str, signal: str = "answered", least: float = 1) -> float:
    """The share of the questions of a kind whose signal is below the threshold; the mean of the sets, each counting the same."""
    each: dict[str, list[float]] = {}
    for row in rows:
        if row["kind"] == kind:
            each.setdefault(row["bench"], []).append(float(row[signal] < least))
    return mean(map(mean, each.values()))


def best_threshold(rows: Sequence[Row], signal: str) -> float:
    """The highest threshold that loses no more than a twentieth of the answerable questions, by the mean of the sets."""
    own = [_values(rows, name, OWN, signal) for name in _names(rows)]
    tried = np.unique(np.concatenate(own))
    lost = [mean(float((values < least).mean()) for values in own) for least in tried]
    return float(tried[max(place for place, share in enumerate(lost) if share <= MOST_LOST)])


def auc(rows: Sequence[Row], signal: str) -> float:
    """How often a signal is higher for a question of the conversation than for one of another; the mean of the sets."""
    areas = []
    for name in _names(rows):
        own, other = _values(rows, name, OWN, signal), np.sort(_values(rows, name, ELSEWHERE, signal))
        if len(own) and len(other):
            below, upto = np.searchsorted(other, own, "left"), np.searchsorted(other, own, "right")
            areas.append(float((below + upto).mean() / 2 / len(other)))
    return mean(areas)


def _values(rows: Iterable[Row], name: str, kind: str, signal: str) -> np.ndarray:
    return np.array([row[signal] for row in rows if (row["bench"], row["kind"]) == (name, kind)], np.float64)


def _names(rows: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(row["bench"] for row in rows))
