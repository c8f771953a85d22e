"""The query a turn makes, what is good enough without a model, and what a reply uses."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from recollect.companion.ledger import Injected, cited, telling_terms
from recollect.companion.surfacing import asks, evidence, fitting, good_enough, salient, turn_query, without_recalled
from recollect.recall.assembly import add_fence, fence_length
from recollect.values.memory import Record
from recollect.values.recalled import Hit, Recalled, Trace

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def record(text: str, **fields: Any) -> Record:
    return Record(text, text, "default", NOW, NOW, NOW, **fields)


def hit(text: str, relevance: float, score: float, trigger: str | None = None) -> Hit:
    return Hit(record(text), score, similarity=0.5, trigger=trigger, relevance=relevance)


def recalled(*hits: Hit, considered: int = 10) -> Recalled:
    return Recalled(hits, trace=Trace(considered=considered))


# The query


def test_a_short_message_is_the_query() -> None:
    assert turn_query("Which port does the gateway use?", "We spoke of cats") == "Which port does the gateway use?"


@pytest.mark.parametrize("text", ["And why?", "What about Marta?", "ok", "it fails again", "Why not that one?"])
def test_a_message_that_refers_back_takes_a_little_of_the_one_before(text: str) -> None:
    assert turn_query(text, "Which port does the gateway use?") == f"Which port does the gateway use?\n{text}"


def test_without_a_message_before_it_stands_alone() -> None:
    assert turn_query("And why?") == "And why?"


def test_a_long_message_is_cut_to_its_telling_sentences() -> None:
    filler = " ".join(
        f"This sentence says hardly anything at all, again and again, so nobody misses it {n}." for n in "abcdefghijklm"
    )
    text = f"I work on Halcyon. {filler} Which port does the Halcyon gateway use? Thanks."
    found = salient(text)
    assert len(found) <= 700
    assert "Which port does the Halcyon gateway use?" in found
    assert found.startswith("I work on Halcyon.")


def test_of_a_long_block_of_code_only_the_beginning_counts() -> None:
    found = salient("Why does this fail?\n```python\n" + "x = 1\n" * 500 + "```")
    assert found.startswith("Why does this fail?")
    assert len(found) < 400


def test_a_long_message_without_sentences_is_cut() -> None:
    assert len(salient("word " * 1000)) <= 700


@pytest.mark.parametrize(
    "text", ["Where is the key?", "who has it", "Remind me of the port", "It broke. Do we know why?"]
)
def test_a_question_asks(text: str) -> None:
    assert asks(text)


@pytest.mark.parametrize("text", ["The key is here.", "Write a poem", "Can you suggest a name?", "Thanks!"])
def test_what_is_no_question_about_something_known_does_not_ask(text: str) -> None:
    assert not asks(text)


def test_blocks_of_recalled_memories_are_cut_out() -> None:
    fenced = add_fence("- [2026-01-01] The port is 8080\n", "default")
    assert without_recalled(fenced) == ""
    assert without_recalled(f"{fenced}\n\nHello") == "Hello"
    assert without_recalled("Hello") == "Hello"


# Good enough


def test_nothing_is_surfaced_where_nothing_is_relevant() -> None:
    assert good_enough(recalled(), "x") == []
    assert good_enough(recalled(hit("a", 0.3, 0.9), hit("b", 0.2, 0.8)), "x") == []


def test_what_is_much_below_the_best_is_left_out() -> None:
    best, near, far = hit("a", 0.9, 1.0), hit("b", 0.5, 0.7), hit("c", 0.9, 0.5)
    assert good_enough(recalled(best, near, far), "x") == [best, near]


def test_a_trigger_brings_a_memory_up_whatever_its_relevance() -> None:
    warning = hit("w", 0.0, 0.01, trigger="println!")
    assert good_enough(recalled(warning, hit("a", 0.1, 0.2)), "x") == [warning]


def test_in_a_large_store_the_first_five_count_together_and_a_long_message_needs_more() -> None:
    alike = [hit(str(n), 0.5, 0.8) for n in range(5)]
    alone = [hit("0", 0.5, 0.8), *(hit(str(n), 0.02, 0.3) for n in range(1, 5))]
    assert evidence(recalled(*alike, considered=1000), "which port?" * 5) > 0
    assert evidence(recalled(*alone, considered=1000), "which port?" * 5) < 0
    few, many = (evidence(recalled(*alike, considered=1000), "x" * length) for length in (50, 700))
    assert few > many


def test_lines_fit_into_the_budget_with_the_fence() -> None:
    lines = ["x" * 39 + "\n"] * 9
    assert fitting(lines, 10_000) == 5
    assert fitting(lines, -(-(fence_length() + 80) // 4)) == 2
    assert fitting(lines, 1) == 0


# What a reply uses

USED = [
    (
        "Marta is allergic to peanuts",
        "What should I cook for Marta?",
        "A curry, but leave out the peanuts because of her allergy.",
    ),
    ("The staging gateway listens on port 8080", "Which port is it?", "Staging listens on 8080."),
    ("We deploy with make ship from the release branch", "How do we deploy?", "Run `make ship` on the release branch."),
    ("Ada's birthday is on the 14th of March", "When is Ada's birthday?", "It is March 14th."),
    (
        "The build needs Node 18 because of the old bundler",
        "Why does the build fail?",
        "The bundler needs Node 18; you run 22.",
    ),
    ("Customers in Basel pay in francs", "What currency for Basel?", "Francs, for customers there."),
    ("The parrot is called Rufus", "What is the parrot called?", "Rufus."),
    ("Standup is at nine in the blue room", "When is standup?", "At nine, in the blue room."),
]
NOT_USED = [
    ("Marta is allergic to peanuts", "What should I cook for Marta?", "How about a mushroom risotto with parmesan?"),
    ("The staging gateway listens on port 8080", "Which port is it?", "I cannot tell, let me check the port first."),
    ("We deploy with make ship from the release branch", "How do we deploy?", "I will look for a deploy script."),
    ("Ada's birthday is on the 14th of March", "When is Ada's birthday?", "I do not know when her birthday is."),
    (
        "The build needs Node 18 because of the old bundler",
        "Why does the build fail?",
        "A test fails in the parser module.",
    ),
    ("Customers in Basel pay in francs", "What currency for Basel?", "Which country is that?"),
    ("Marta prefers oat milk in her coffee", "What does Marta drink?", "Perhaps tea with milk, or water."),
    ("The parrot is called Rufus", "What is the parrot called?", "Did you name it after somebody?"),
    ("Standup is at nine in the blue room", "When is standup?", "Ask in the team channel, they have a room."),
]


def injected(text: str, asked: str) -> Injected:
    memory = record(text)
    return Injected(memory, 1, NOW, asked, frozenset(telling_terms(memory, asked)))


@pytest.mark.parametrize(("text", "asked", "reply"), USED)
def test_a_reply_uses_what_it_could_only_have_from_the_memory(text: str, asked: str, reply: str) -> None:
    one = injected(text, asked)
    assert cited([one], reply) == [one]


@pytest.mark.parametrize(("text", "asked", "reply"), NOT_USED)
def test_a_reply_that_says_something_else_does_not(text: str, asked: str, reply: str) -> None:
    assert cited([injected(text, asked)], reply) == []
