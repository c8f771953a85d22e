"""Sets: the evaluation data as turns and questions. Read first; `retrieval.py` stores the turns and asks the questions.

The data stays outside the repository: `--data`, RECOLLECT_BENCH_DATA, or `../shared/data` beside the checkout.
"""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_REPOSITORY = Path(__file__).resolve().parent.parent
_UNANSWERABLE = ("adversarial", "abstention")
# Sets that say in which sessions an answer is, but not in which turns.
_GOLD_SESSIONS = ("realmem",)
CHAT_SETS = ("locomo", "longmemeval_oracle_pool", "beam_100K")


@dataclass(frozen=True, slots=True)
class Turn:
    """One piece of a corpus; `position` is its place in its session, in file order."""

    set: str
    id: str
    session: str | None
    position: int
    speaker: str | None
    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Question:
    """One question and what a right answer must contain; `asked_in` is the turn it is asked with, if it belongs to a session."""

    set: str
    qid: str
    text: str
    category: str
    gold: frozenset[str]
    gold_sessions: frozenset[str]
    at: datetime | None
    asked_in: str | None = None


@dataclass(frozen=True, slots=True)
class Corpus:
    """A set: what is stored, and what is asked of it."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


class DataMissing(Exception):
    """A set is not where it should be; the rest of the bench runs without it."""


def data_folder(given: str | None) -> Path:
    """Where the evaluation sets are, or where they are expected."""
    named = given or os.environ.get("RECOLLECT_BENCH_DATA")
    return Path(named) if named else _REPOSITORY.parent / "shared" / "data"


def rows_of(data: Path, *parts: str) -> Iterator[dict[str, Any]]:
    """The rows of one .jsonl or .jsonl.gz file."""
    path = data.joinpath(*parts)
    if not path.exists():
        raise DataMissing(f"{path} is missing: give the folder of the sets with --data or RECOLLECT_BENCH_DATA")
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def load(data: Path, name: str) -> Corpus:
    """A set with the questions that have an answer in it: not the adversarial ones, not those to abstain from."""
    gold = "gold_sessions" if name in _GOLD_SESSIONS else "gold"
    asked = (row for row in rows_of(data, name, "queries.jsonl.gz") if row[gold])
    questions = tuple(_question(row) for row in asked if row["category"] not in _UNANSWERABLE)
    return Corpus(name, _turns(rows_of(data, name, "corpus.jsonl.gz")), questions)


def unanswerable(data: Path, name: str) -> tuple[Question, ...]:
    """The questions of a set that nothing in it answers: the adversarial ones and those to abstain from."""
    rows = rows_of(data, name, "queries.jsonl.gz")
    return tuple(_question(row) for row in rows if row["category"] in _UNANSWERABLE)


def haystacks(data: Path, pool: Corpus) -> Iterator[Corpus]:
    """One small corpus a question: its own 48 sessions of the pool."""
    path = data / "longmemeval_oracle_pool" / "hay48.json.gz"
    if not path.exists():
        raise DataMissing(f"{path} is missing")
    sessions = json.loads(gzip.decompress(path.read_bytes()))
    for question in pool.questions:
        wanted = frozenset(sessions[question.qid])
        yield Corpus("hay48", tuple(turn for turn in pool.turns if turn.session in wanted), (question,))


def chat_texts(data: Path) -> Iterator[str]:
    """Every natural chat turn of the three conversation sets."""
    for name in CHAT_SETS:
        for row in rows_of(data, name, "corpus.jsonl.gz"):
            yield row["text"]


def _turns(rows: Iterator[dict[str, Any]]) -> tuple[Turn, ...]:
    said: Counter[tuple[str, str | None]] = Counter()
    turns = []
    for row in rows:
        place = (row["set"], row["session"])
        at = _utc(row["ts"])
        if row["text"].strip():  # an empty message cannot be remembered
            turns.append(Turn(row["set"], str(row["id"]), row["session"], said[place], row["speaker"], row["text"], at))
        said[place] += 1
    return tuple(turns)


def _question(row: dict[str, Any]) -> Question:
    return Question(
        row["set"],
        row["qid"],
        row["text"],
        row["category"],
        frozenset(map(str, row["gold"])),
        frozenset(row.get("gold_sessions") or ()),
        _utc(row.get("date")),
        row.get("asked_in"),
    )


def _utc(text: str | None) -> datetime | None:
    """Times of the sets carry no zone; they are taken as UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None
