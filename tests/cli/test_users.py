"""The user of the environment: on one store, no command shows one user what belongs to another."""

from __future__ import annotations

import pytest

WORD = "zanzibar"


@pytest.fixture
def hers(run, monkeypatch, tmp_path) -> str:
    """What is stored while Ulla is served: the id of a memory; every text of hers has one word in it."""
    monkeypatch.setenv("RECOLLECT_USER", "ulla")
    told = run("remember", f"Her boat is called {WORD}", "-t", f"{WORD}-tag", "--json").json
    for words in (
        ("session", "store", "s1", "boat", f"{WORD} is hers"),
        ("pool", "create", f"{WORD}-plans", "{}"),
        ("contexts", "create", f"{WORD}-notes", "--type", "agent_memory"),
        ("narrative", "add", f"We talked of {WORD}", "--session", "s1"),
        ("tags", "describe", f"{WORD}-tag", f"all of {WORD}"),
        ("recall", f"when was {WORD} painted?"),
    ):
        assert run(*words).code == 0, words
    id: str = told["memory"]["id"]
    return id


READS = (
    ("list", "--status", "all"),
    ("recall", "what is the boat called?"),
    ("search", "boat", "--mode", "lexical"),
    ("context", "boat"),
    ("log",),
    ("tags",),
    ("gaps",),
    ("stats",),
    ("doctor",),
    ("graph",),
    ("contradictions",),
    ("session", "list", "s1"),
    ("pool", "list"),
    ("contexts", "list"),
    ("narrative", "list"),
    ("export", "out.jsonl", "--history"),
)


@pytest.mark.parametrize("other", ["uwe", ""])
def test_no_command_shows_it_to_another_user(run, hers, monkeypatch, tmp_path, other) -> None:
    monkeypatch.setenv("RECOLLECT_USER", other)
    for words in READS:
        done = run(*words)
        assert WORD not in done.out + done.err, words
    for words in (("get", hers), ("history", hers), ("related", hers), ("forget", hers), ("purge", hers, "--yes")):
        done = run(*words)
        assert done.code != 0, words
        assert WORD not in done.out + done.err, words
    assert WORD not in (tmp_path / "shop" / "out.jsonl").read_text("utf-8")


def test_every_command_shows_it_to_its_user(run, hers, monkeypatch) -> None:
    told = {words: WORD in run(*words).out for words in READS}
    silent = {"stats", "doctor", "contradictions", "export", "gaps", "graph"}
    assert {words[0] for words, shown in told.items() if not shown} <= silent
    assert run("get", hers).code == 0
