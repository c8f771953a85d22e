"""What users of coding agents say twice is merged; what differs in a value, a name, a role or a denial never is."""

from __future__ import annotations

import pytest

from recollect.judge.rules import compare

SAID_TWICE = [
    # letter case, punctuation, whitespace
    ("We deploy with make deploy", "we deploy with `make deploy`."),
    ("The API listens on port 8080.", "the api listens on  port 8080"),
    ("Use tabs, not spaces", "use tabs not spaces!"),
    ("Don't push to main", "Do not push to main"),
    ("It's written in Go", "It is written in Go"),
    ("Note: the build needs Node 18", "The build needs Node 18"),
    ("I'm allergic to peanuts", "I am allergic to peanuts"),
    # articles, links, plain synonyms
    ("The database is Postgres", "The DB is PostgreSQL"),
    ("Alice owns the billing service", "Alice owns billing service"),
    ("All tests must pass before merge", "Every test must pass before merge"),
    ("The config lives in the repo", "The configuration lives in the repository"),
    ("User prefers short answers", "The user prefers short answers"),
    ("I prefer dark mode", "User prefers dark mode"),
    ("We utilize Redis for caching", "We use Redis for caching"),
    ("The prod environment runs in Frankfurt", "The production env runs in Frankfurt"),
    ("A man is playing a guitar", "The man is playing the guitar"),
    # values in two spellings
    ("The timeout is 30 s", "The timeout is 30 seconds"),
    ("The timeout is 60 s", "The timeout is 1 minute"),
    ("Retention is 7 days", "Retention is 1 week"),
    ("The deadline is March 1, 2025", "The deadline is 2025-03-01"),
    ("The deadline is 1 March 2025", "The deadline is Mar 1st, 2025"),
    ("Standup is at 3pm", "Standup is at 15:00"),
    ("The limit is 1,000 requests", "The limit is 1000 requests"),
    ("We run Python v3.11", "We run Python 3.11"),
    ("Retry three times", "Retry 3 times"),
    ("The plan costs $50", "The plan costs 50 dollars"),
    ("Coverage must be 80%", "Coverage must be 80 percent"),
    # word order
    ("In production, we use Postgres", "We use Postgres in production"),
    ("The capital of France is Paris", "Paris is the capital of France"),
    ("We use Postgres and Redis", "We use Redis and Postgres"),
    ("The cache is quickly filled by the worker", "The worker quickly fills the cache"),
    ("The migration is run by the deploy script", "The deploy script runs the migration"),
    ("The report was written by Alice", "The report was written by alice"),
    ("A dog which is black is running", "A black dog is running"),
    # typing errors
    ("The original broadcaster is ABC", "The origianl broadcaster is ABC"),
    ("The staging enviroment uses docker", "The staging environment uses docker"),
    ("We keep docs in the back end folder", "We keep docs in the backend folder"),
    # cues alone change nothing
    ("We deploy with fly deploy", "We now deploy with fly deploy"),
    ("I live in Berlin", "I moved to Berlin"),
    # other scripts
    ("我喜欢爵士音乐", "我喜欢爵士音乐。"),
    ("Der Server läuft auf Port 8080", "der server läuft auf port 8080"),
]

NOT_THE_SAME = [
    ("dog bites man", "man bites dog"),
    ("The dog is bitten by the man", "The dog bites the man"),
    ("Alice reports to Bob", "Bob reports to Alice"),
    ("Copy from staging to production", "Copy from production to staging"),
    ("The service pushes to the queue", "The queue pushes to the service"),
    ("All services use TLS", "Some services use TLS"),
    ("All tests pass", "Most tests pass"),
    ("Deploy before the migration", "Deploy after the migration"),
    ("Use Python 3.1", "Use Python 3.10"),
    ("Mark owns billing", "Marc owns billing"),
    ("Call Adam", "Call Adams"),
    ("x == y", "x != y"),
    ("Write it in C", "Write it in C++"),
    ("The offset is 5", "The offset is -5"),
    ("The price is $50", "The price is €50"),
    ("The timeout is 30 s", "The timeout is 30 ms"),
    ("Alice was the lead", "Alice is the lead"),
    ("Use tabs", "Use tabs in Makefiles"),
    ("Use tabs in Makefiles", "Use tabs"),
    ("Never deploy on Friday", "Deploy on Friday"),
    ("Cache is sync", "Cache is async"),
    ("Your port is 80", "My port is 80"),
    ("At least 3 reviewers", "At most 3 reviewers"),
    ("Alice is not in Berlin but Bob is in Paris", "Alice is in Berlin but Bob is not in Paris"),
    ("私は寿司が好きです", "私は寿司が好きではない"),
    ("服务器端口是 8080", "服务器端口是 9090"),
]


@pytest.mark.parametrize(("old", "new"), SAID_TWICE)
def test_the_same_thing_said_twice_is_the_same(old: str, new: str) -> None:
    assert compare(old, new, 0.93).relation == "same"


@pytest.mark.parametrize(("old", "new"), NOT_THE_SAME)
@pytest.mark.parametrize("similarity", [0.5, 0.99])
def test_one_other_value_role_or_denial_is_never_the_same(old: str, new: str, similarity: float) -> None:
    assert compare(old, new, similarity).relation != "same"
    assert compare(new, old, similarity).relation != "same"


# The same words, and yet another statement: a digit above the line, an operator, an emoji, a unit, a question.
OTHER_SYMBOLS = [
    ("The field has 10² metres", "The field has 102 metres"),
    ("The area is x²", "The area is x2"),
    ("Water is H₂O", "Water is H2O"),
    ("Add 2½ cups of flour", "Add 21/2 cups of flour"),
    ("Add ½ cup of flour", "Add 1/2 cup of flour"),
    ("Add ½ cup of flour", "Add ¼ cup of flour"),
    ("The check is a && b", "The check is a || b"),
    ("The check is a && b", "The check is a b"),
    ("The check is a && !b", "The check is a && b"),
    ("The result is a & b", "The result is a && b"),
    ("The result is width * height", "The result is width / height"),
    ("The result is a*b", "The result is a|b"),
    ("The mask is a | b & c", "The mask is a && b | c"),
    ("The condition is a < b", "The condition is a > b"),
    ("The condition is a <= b", "The condition is a < b"),
    ("The mode is = 5", "The mode is ≠ 5"),
    ("The tolerance is 5", "The tolerance is ±5"),
    ("The tolerance is 5", "The tolerance is ~5"),
    ("Rosa rated it 👍", "Rosa rated it 👎"),
    ("Rosa rated it", "Rosa rated it 👎"),
    ("Rosa voted ✓ on the plan", "Rosa voted ✗ on the plan"),
    ("Rosa felt :)", "Rosa felt :("),
    ("The team is 🇩🇪", "The team is 🇦🇹"),
    ("The door is open?", "The door is open."),
    ("door open?", "door open."),
    ("The door is open", "Is the door open?"),
    ("La porte est ouverte ?", "La porte est ouverte."),
    ("门开着吗？", "门开着吗。"),
    ("The lens is at 5°", "The lens is at 5'"),
    ("The lens is at 5'", 'The lens is at 5"'),
    ("The lens is at 5°", "The lens is at 5"),
    ("The price is €50", "The price is ₹50"),
    ("The rate is 5%", "The rate is 5‰"),
    ("Write it in C++", "Write it in C#"),
    ("The interval is [0, 1]", "The interval is {0, 1}"),
    ("The folder is ~/notes", "The folder is /notes"),
    ("A → B", "A ← B"),
]
# What only separates, quotes, decorates or emphasises.
SAME_SYMBOLS = [
    ("Deploy with **make deploy**", "Deploy with `make deploy`"),
    ("* Deploy with make deploy", "- Deploy with make deploy"),
    ("• Deploy with make deploy", "Deploy with make deploy!"),
    ("We use Redis & Postgres", "We use Redis and Postgres"),
    ('The team is called "Kestrel"', "The team is called «Kestrel»"),
    ("The cache – a Redis – is warm", "The cache - a Redis - is warm"),
    ("Rosa rated it 👍👍", "Rosa rated it 👍"),
    ("Rosa rated it 👍🏽", "Rosa rated it 👍\ufe0f"),
    ("Our product is Kestrel™", "Our product is Kestrel"),
    ("The check is a && b, or c", "the check is  a && b or c."),
    ("Is the door open?", "is the door open??"),
    ("You said 'room 5'", 'You said "room 5"'),
]


@pytest.mark.parametrize(("old", "new"), [*OTHER_SYMBOLS, *(pair[::-1] for pair in OTHER_SYMBOLS)])
def test_texts_that_differ_in_a_symbol_are_not_the_same(old: str, new: str) -> None:
    assert compare(old, new, 1.0).relation != "same"


@pytest.mark.parametrize(("old", "new"), SAME_SYMBOLS)
def test_punctuation_that_says_nothing_makes_no_other_text(old: str, new: str) -> None:
    assert compare(old, new, 1.0).relation == "same"
