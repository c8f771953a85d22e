"""The bench is beside the package, not in it; its tests share a tiny set in the shape of the real ones."""

import gzip
import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


def _write(path: Path, rows: list[dict]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def data(tmp_path):
    """A tiny set in the shape of the real ones."""
    folder = tmp_path / "data"
    said = {"set": "c1", "session": "S1", "ts": "2023-05-08T13:56:00", "speaker": "Ana"}
    texts = ("My violin is from Cremona.", "The harbour opens at nine.", "We planted tomatoes in March.")
    turns = [{**said, "id": f"D1:{n}", "text": text} for n, text in enumerate(texts)]
    elsewhere = {**said, "set": "c2", "id": "D1:0", "text": "My violin is from Berlin."}
    _write(folder / "locomo" / "corpus.jsonl.gz", [*turns, elsewhere])
    asked = {"set": "c1", "qid": "q1", "text": "Where is the violin from?", "category": "single-hop"}
    gold = {"gold": ["D1:0"], "gold_sessions": ["S1"], "date": None}
    adversarial = {**asked, **gold, "qid": "q2", "category": "adversarial"}
    _write(folder / "locomo" / "queries.jsonl.gz", [{**asked, **gold}, adversarial, {**asked, "gold": [], "qid": "q3"}])
    facts = ("The harbour master is Ana Silva.", "The capital of Freedonia is Zoville.")
    _write(
        folder / "memoryagentbench_conflict" / "facts.jsonl.gz",
        [{"set": "6k", "id": n, "text": text} for n, text in enumerate(facts)],
    )
    question = {"set": "6k", "qid": "f1", "text": "Who is the harbour master?", "gold": 0, "stale": [1]}
    _write(
        folder / "memoryagentbench_conflict" / "queries.jsonl.gz", [question, {"set": "6k", "qid": "f2", "text": "?"}]
    )
    pair = {"a": "A man is cooking.", "b": "A man is cooking.", "label": "entailment", "score": 5}
    _write(folder / "pairs_sick" / "pairs.jsonl.gz", [{**pair, "ab": "A_entails_B", "ba": "B_entails_A"}])
    _write_sessions(folder / "realmem")
    _write_statements(folder / "beliefs" / "pairs.jsonl")
    return folder


def _write_sessions(folder: Path) -> None:
    """Two strangers; a question is a message of a session, and what comes after it may not be returned."""
    said = {"set": "bo", "ts": "2026-01-01", "speaker": "User"}
    texts = {
        "a#0": "The violin is from Cremona.",
        "a#1": " ",
        "b#0": "Where is the violin from?",
        "c#0": "The violin is from Berlin.",
    }
    turns = [{**said, "id": name, "session": name[0], "text": text} for name, text in texts.items()]
    stranger = {**said, "set": "cy", "id": "d#0", "session": "d", "text": "We planted tomatoes in March."}
    _write(folder / "corpus.jsonl.gz", [*turns, stranger])
    asked = {"set": "bo", "qid": "r1", "text": texts["b#0"], "category": "Updating", "gold": [], "date": "2026-01-02"}
    tomatoes = {**asked, "set": "cy", "qid": "r2", "text": "When were tomatoes planted?", "gold_sessions": ["d"]}
    rows = [{**asked, "gold_sessions": ["a"], "asked_in": "b#0"}, tomatoes]
    _write(folder / "queries.jsonl.gz", rows)


def _write_statements(path: Path) -> None:
    pairs = [
        {"kind": "both", "old": "The harbour opens at nine.", "new": "We planted tomatoes in March."},
        {"kind": "update", "old": "The harbour fee is 30 euros", "new": "The harbour fee is 40 euros"},
        {"kind": "para", "old": "The violin is from Cremona.", "new": "The violin is from Cremona."},
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(pair) + "\n" for pair in pairs), "utf-8")
