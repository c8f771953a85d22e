"""What `compare` promises for any text: it never raises, obeys its caller, and is careful with long texts."""

from __future__ import annotations

import random
from dataclasses import FrozenInstanceError

import pytest

from recollect.judge.rules import Verdict, compare

TURN = (
    "Yesterday I talked with the platform team about the ingestion service. It reads from Kafka, writes to Postgres "
    "and exposes metrics on port 9100. The main problem is the nightly batch, which takes 40 minutes and blocks the "
    "backups. "
    "We agreed to split the batch, to move the backups to 04:00, and to ask Dana for a second worker. "
) * 3


def test_a_verdict_cannot_be_changed() -> None:
    verdict = compare("a b", "a b", 1.0)
    assert verdict == Verdict("same", "the same text", 1.0)
    with pytest.raises(FrozenInstanceError):
        verdict.certainty = 0.0  # type: ignore[misc]


@pytest.mark.parametrize("text", ["", " ", "...", "|---|---|", "🙂", "a", "不", "'", "n't", "-", "v", "$", "No", ":"])
def test_poor_texts_are_the_same_only_as_themselves(text: str) -> None:
    assert compare(text, text, 1.0).relation == "same"
    assert compare(text, "We deploy with make deploy", 0.1).relation != "same"
    assert compare("We deploy with make deploy", text, 0.1).relation != "same"


def test_no_text_raises() -> None:
    source = random.Random(7)
    letters = "abz AZ09 '\"`.,:;!?-+=<>$%#/\\_@()\n\t不是ないは爵éß٣²ⅷ\u200b\U0001f642"
    words = ["is", "not", "no", "now", "switched", "from", "to", "by", "which", "of", "the", "longer", "May 3", "3pm"]
    for _ in range(3000):
        one, other = (
            " ".join(source.choice([source.choice(words), "".join(source.choices(letters, k=4))]) for _ in range(6))
            for _ in range(2)
        )
        verdict = compare(one, other, source.random())
        assert 0.0 <= verdict.certainty <= 1.0
        assert verdict.reason
        assert compare(one, one, 1.0).relation == "same"


def test_a_text_met_before_is_judged_as_one_met_for_the_first_time() -> None:
    source = random.Random(12)
    words = (
        "is not now moved to from by Berlin Bonn tea coffee over prefers we use 8080 don't it's cannot quickly".split()
    )
    for at in range(500):
        old, new = (f"{' '.join(source.choices(words, k=6))} {at}" for _ in range(2))
        first = compare(old, new, 0.9)
        compare(old, old + " again", 0.9)
        assert compare(old, new, 0.9) == first, (old, new)


def test_a_long_text_met_before_is_judged_as_one_met_for_the_first_time() -> None:
    source = random.Random(13)
    words = (
        "the is a not also at on to and by harbour lamp copper river meadow engine window violin quickly Anna".split()
    )
    more = " and the old ship carries tea and iron over the grey sea to a town near Lisbon every single winter"
    relations = set()
    for at in range(1500):
        old = f"{' '.join(source.choices(words, k=source.randint(3, 14)))}{source.choice(('', more))} of {'abcdef'[at % 6]}{at}x"
        new = source.choice((old + more, " ".join(source.choices(words, k=12)) + more, old.replace("lamp", "la mp")))
        first = compare(old, new, 0.95)
        compare(old, old + " again", 0.9)
        assert compare(old, new, 0.95) == first, (old, new)
        relations.add(first.relation)
    assert relations >= {"same", "extends", "different"}


def test_the_caller_may_know_that_a_relation_holds_one_value() -> None:
    old, new = "Alice speaks French", "Alice speaks German"
    assert compare(old, new, 0.9).relation == "related"
    assert compare(old, new, 0.9, functional=True).relation == "changed"


def test_the_caller_may_know_that_a_relation_holds_many_values() -> None:
    old, new = "My manager is Tom", "My manager is Anna"
    assert compare(old, new, 0.9).relation == "contradicts"
    assert compare(old, new, 0.9, functional=False).relation == "related"


def test_knowing_the_relation_does_not_make_two_subjects_one() -> None:
    assert compare("Alice lives in Paris", "Bob lives in Paris", 0.9, functional=True).relation != "changed"


def test_the_threshold_of_duplicates_is_a_parameter() -> None:
    typo = ("The staging enviroment is small", "The staging environment is small")
    assert compare(*typo, 0.9).relation != "same"
    assert compare(*typo, 0.9, duplicate=0.85).relation == "same"


def test_similarity_alone_never_merges() -> None:
    assert compare("The cat sleeps", "The feline rests", 1.0).relation == "different"
    assert compare("uses Postgres", "no longer uses Postgres", 1.0).relation == "changed"


def test_a_long_text_is_the_same_only_with_the_same_content() -> None:
    assert compare(TURN, TURN.upper(), 0.99).relation == "same"
    assert compare(TURN, TURN.replace(", which takes", " which takes"), 0.99).relation == "same"
    for one, other in (("9100", "9200"), ("Dana", "Dora"), ("blocks", "never blocks"), ("reads from", "writes to")):
        assert compare(TURN, TURN.replace(one, other), 0.99).relation != "same"
    assert compare(TURN, TURN + "Dana said yes.", 0.99).relation == "extends"


@pytest.mark.parametrize("denied", ["nicht", "pas", "no", "não", "non", "niet", "не", "لا"])
def test_a_denial_prevents_same_in_every_language(denied: str) -> None:
    assert compare("alpha beta gamma", f"alpha {denied} beta gamma", 0.99).relation != "same"
