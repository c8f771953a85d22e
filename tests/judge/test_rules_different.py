"""Another subject, a second liking, an event or a related fact supersedes nothing and merges into nothing."""

from __future__ import annotations

import pytest

from recollect.judge.rules import compare

APART = [
    # another subject
    ("service 1 listens on 9001", "service 2 listens on 9002"),
    ("Service A uses Postgres", "Service B uses Postgres"),
    ("The capital of France is Paris", "The capital of Italy is Rome"),
    ("The author of Sketches by Boz is Charles Dickens.", "The author of Our Mutual Friend is Charles Dickens."),
    ("Steve Sax is associated with the sport of baseball.", "Carlos Gómez is associated with the sport of baseball."),
    ("Alice lives in Paris", "Bob lives in Berlin"),
    ("Alice lives in Paris", "Alice works in Berlin"),
    ("The staging database is on port 5432", "The production database is on port 5433"),
    ("The API listens on port 8080 in staging", "The API listens on port 8080 in production"),
    ("We deploy staging with make deploy", "We deploy production with make deploy"),
    ("The frontend timeout is 30 s", "The backend timeout is 60 s"),
    ("Project Foo uses Go", "Project Bar uses Go"),
    ("Step 1 is done", "Step 2 is done"),
    ("Alice is a citizen of France", "Bob is a citizen of France"),
    ("Fixed bug 123", "Fixed bug 124"),
    # many values at once
    ("I like tea", "I like coffee"),
    ("Alice speaks French", "Alice speaks German"),
    ("I have a dog", "I have a cat"),
    ("Bob has a dog", "Bob has a cat"),
    ("I visited Rome", "I visited Paris"),
    ("We use Postgres", "We use Redis"),
    ("Alice plays guitar", "Alice plays piano"),
    ("Alice knows Rust", "Alice knows Go"),
    ("I am allergic to peanuts", "I am allergic to shellfish"),
    ("Alice is a doctor", "Alice is a mother"),
    ("Alice is tall", "Alice is smart"),
    ("The API supports JSON", "The API supports XML"),
    ("The app depends on numpy", "The app depends on pandas"),
    ("Alice is a member of the infra team", "Alice is a member of the hiring team"),
    ("Alice is our customer", "Bob is our customer"),
    ("I now also speak German", "I now also speak French"),
    # events, not attributes
    ("We released v1.2 on May 3", "We released v1.3 on June 4"),
    ("I ran 5 km", "I ran 6 km"),
    ("We met on Monday", "We met on Tuesday"),
    # only related
    ("We use Postgres for billing", "Postgres backups run every night"),
    ("The API is written in Go", "The API is slow"),
    ("We deploy on Fridays", "Alice dislikes coffee"),
    ("Postgres needs the pgvector extension", "We switched from Jira to Linear"),
]

MORE = [
    ("We use Postgres", "We use Postgres in production"),
    ("The API listens on port 8080", "The API listens on port 8080 behind nginx"),
    ("Alice owns billing", "Alice owns billing and payments"),
    ("Use ruff", "Use ruff with line length 120"),
]


@pytest.mark.parametrize(("old", "new"), APART)
def test_another_subject_or_a_further_value_stays_apart(old: str, new: str) -> None:
    assert compare(old, new, 0.93).relation in ("different", "related")


@pytest.mark.parametrize(("old", "new"), MORE)
def test_an_added_qualifier_extends(old: str, new: str) -> None:
    assert compare(old, new, 0.93).relation == "extends"
