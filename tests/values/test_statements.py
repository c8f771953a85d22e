"""The statements in a text, and the form in which two texts are compared."""

from __future__ import annotations

import pytest

from recollect.values.statements import holds, label_statements, statements_in

LONG = {
    "clauses": "some words here, " * 5000,
    "sentences": "Some words stand here. " * 5000,
    "one word": "a" * 100_000,
    "one label": "late-" * 20_000,
    "brackets": "(" * 50_000 + ")" * 50_000,
    "tags": "<b" * 50_000,
    "dashes": " -" * 50_000,
}


@pytest.mark.parametrize("kind", LONG)
def test_a_long_text_has_a_bounded_number_of_statements(kind: str) -> None:
    assert len(statements_in(LONG[kind])) <= 200
    assert len(label_statements(LONG[kind])) <= 410


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("It rained, Eva left Jan, and we went home", "Eva left Jan"),
        ("It rained (Eva left Jan)", "Eva left Jan"),
        ("It rained because Eva and Kim left Jan", "Eva and Kim left Jan"),
        ("one, two, three, four, five, six: Eva left Jan", "Eva left Jan"),
        ("Eva left Jan, one, two, three, four, five, six", "Eva left Jan"),
        ("<p>Eva left Jan</p>", "Eva left Jan"),
        ("Eva (my sister) left Jan", "Eva left Jan"),
        ("see eva-left-jan-last-may", "eva left jan last may"),
    ],
)
def test_a_clause_is_a_statement(text: str, statement: str) -> None:
    assert statement in [" ".join(one.split()) for one in statements_in(text)]


@pytest.mark.parametrize(
    "label",
    ["eva-left-jan", "eva_left_jan", "notes/eva_left_jan.md", "word:eva-left-jan", "see-eva-left-jan", "evaLeftJan"],
)
def test_a_label_says_what_its_words_say(label: str) -> None:
    assert "eva left jan" in [one.casefold() for one in label_statements(label)]


@pytest.mark.parametrize(
    ("text", "part", "held"),
    [
        ("It rained; EVA left *Jan*!", "Eva left Jan.", True),
        ("Eva’s bike-shop is closed today", "evas bike shop", True),
        ("the price is 10.50 euros", "the price is 10", False),
        ("at -5 degrees", "at 5 degrees", False),
        ("Bob writes C++ daily", "Bob writes C", False),
        ("Eva left Janus", "Eva left Jan", False),
        ("因为我喜欢茶，所以", "我喜欢茶", True),
        ("something", "", False),
    ],
)
def test_a_text_holds_another_word_by_word(text: str, part: str, held: bool) -> None:
    assert holds(text, part) is held
