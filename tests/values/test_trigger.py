"""A trigger fires when its pattern stands in the context, never always, and never takes long."""

from __future__ import annotations

import random
import string
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.errors import InvalidInput
from recollect.values.trigger import PatternMatcher, PatternMatches, Trigger, format_trigger, parse, windows


@pytest.mark.parametrize(
    ("text", "kind", "pattern"),
    [
        ("println!", "literal", "println!"),
        ("word:drop table", "word", "drop table"),
        ("glob:*.env", "glob", "*.env"),
        (r"re:rm\s+-rf", "re", r"rm\s+-rf"),
        ("  padded  ", "literal", "padded"),
        ("http://internal", "literal", "http://internal"),
        ("literal:word:x", "literal", "word:x"),
    ],
)
def test_one_string_spells_a_trigger(text: str, kind: str, pattern: str) -> None:
    trigger = parse(text)
    assert (trigger.kind, trigger.pattern) == (kind, pattern)
    assert parse(format_trigger(trigger)) == trigger


@given(st.sampled_from(["literal", "word"]), st.text(string.ascii_letters + ":!.*( ", min_size=2).map(str.strip))
def test_what_is_spelled_is_read_back(kind: str, pattern: str) -> None:
    if len(pattern) > 1:
        trigger = Trigger(kind, pattern)
        assert parse(format_trigger(trigger)) == trigger


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("word:", "empty"),
        ("x", "one character"),
        ("word:x", "one character"),
        ("glob:*", "nearly every word"),
        ("glob:*.*", "nearly every word"),
        ("glob:?", "nearly every word"),
        ("glob:*.{yml,yaml}", "one trigger for each"),
        ("glob:my file", "space"),
        ("re:a*", "always fire"),
        ("re:", "empty"),
        (r"re:\b", "always fire"),
        ("re:.", "always fire"),
        ("re:foo|x", "always fire"),
        ("re:foo(", "not closed"),
        ("re:foo)", "character 3"),
        ("re:[a", "character 2"),
        ("re:foo{5,2}", "character"),
        ("re:" + "(" * 400 + "ab" + ")" * 400, "too large"),
        ("re:(?:(?:ab{1000}){1000}){1000}", "too large"),
        ("re:" + "(?:" * 25 + "ab" + ")+" * 25, "too large"),
        ("re:ab(?#){1000}", "not supported"),
        ("re:(?x)a b", "not supported"),
        ("re:(?:ab)(?i){1000}", "not supported"),
        ("re:(?:[[:alpha:])]ab){9999}", "too large"),
        ("re:(a|(?:(?R)))b", "not supported"),
        ("nul\x00", "NUL"),
        ("half \ud800", "half"),
    ],
)
def test_a_trigger_that_is_malformed_or_would_always_fire_is_refused_with_the_reason(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=r"^triggers: ") as refusal:
        parse(text)
    assert said in str(refusal.value)


def test_ten_megabytes_are_refused_by_their_length_alone() -> None:
    text = "re:" + "(" * 10_000_000
    started = perf_counter()
    with pytest.raises(InvalidInput, match="10,000,003 characters"):
        parse(text)
    assert perf_counter() - started < 0.05


def test_something_that_is_not_text_is_refused() -> None:
    with pytest.raises(InvalidInput, match="int is not text"):
        parse(7)


@pytest.mark.parametrize(
    ("trigger", "context"),
    [
        ("println!", "I will add PrintLn!(x) here"),
        ("println!", "eprintln!"),
        ("drop  table", "then DROP\n\ttable users"),
        ("STRASSE", "in der Straße"),
        ("café", "cafe\u0301 au lait"),
        ("word:drop table", "please (DROP   TABLE) now"),
        ("word:force-push", "force-push it"),
        ("word:c++", "in C++ code"),
        ("word:删除", "请删除数据库"),
        ("glob:*.env", "cat .env"),
        ("glob:*.env", 'open("config/prod.env")'),
        ("glob:*.env", "it is in `.env`."),
        ("glob:*.env", "C:\\app\\.ENV, and more"),
        ("glob:*.env", "--file=.env"),
        ("glob:src/**/*.rs", "see src/auth/login.rs:12"),
        ("glob:src/**/*.rs", "see src/main.rs"),
        ("glob:config/*.yml", "/home/me/app/config/db.yml"),
        ("glob:*.[ch]", "edit main.c"),
        (r"re:rm\s+-rf", "sudo RM  -rf /"),
        (r"re:^import os$", "first\nimport os\nlast"),
    ],
)
def test_a_context_that_holds_the_pattern_fires(trigger: str, context: str) -> None:
    parse(trigger)
    assert PatternMatcher([(7, trigger)]).matches(context) == PatternMatches({7: trigger})


@pytest.mark.parametrize(
    ("trigger", "context"),
    [
        ("println!", "println without the mark"),
        ("word:drop", "raindrops and drop_table"),
        ("word:drop table", "drop the table"),
        ("glob:*.env", "the environment .envrc"),
        ("glob:*.env", "a . env"),
        ("glob:a*b", "a and b"),
        ("glob:src/*.rs", "lib/main.rs"),
        ("glob:*.[ch]", "edit main.cpp"),
        (r"re:rm\s+-rf", "rm -f"),
        ("println!", ""),
    ],
)
def test_a_context_without_it_does_not(trigger: str, context: str) -> None:
    parse(trigger)
    assert PatternMatcher([(7, trigger)]).matches(context) == PatternMatches({})


def test_each_memory_is_named_once_with_the_pattern_that_matched() -> None:
    matcher = PatternMatcher([(1, "dbg!"), (1, "println!"), (2, "re:print.n"), (3, "absent"), (2, "word:println")])
    assert matcher.matches("println!(1)").keys == {1: "println!", 2: "word:println"}


def test_a_pattern_that_no_longer_compiles_is_reported_and_breaks_nothing() -> None:
    pairs = [(1, "re:("), (2, "x" * 2000), (3, ""), (4, "glob:*"), (5, "println!"), (6, "re:(?:(?:a{999}){999}){999}")]
    matched = PatternMatcher(pairs).matches("println!(1)")
    assert matched.keys == {5: "println!"}
    assert sorted(matched.broken) == [1, 2, 3, 4, 6]
    assert matched.slow == ()


def test_an_expression_that_runs_away_is_stopped_and_named_slow() -> None:
    matcher = PatternMatcher([(1, "re:(a+)+$"), (2, r"re:foo\d+"), (3, "println!")])
    started = perf_counter()
    matched = matcher.matches("a" * 800 + "! println! foo12")
    assert perf_counter() - started < 2
    # On a busy machine the time of all may be up before the second one is tried; it is then named slow, never lost.
    assert 1 in matched.slow
    assert {*matched.keys, *matched.slow} == {1, 2, 3}
    assert 3 in matched.keys


def test_many_that_run_away_share_one_bound() -> None:
    matcher = PatternMatcher([(key, f"re:(a+)+{'b' * (key % 7)}$") for key in range(200)])
    started = perf_counter()
    matched = matcher.matches("a" * 800 + "! b")
    assert perf_counter() - started < 3
    assert len(matched.slow) > 100
    assert not matched.keys


def test_a_wide_character_class_on_a_long_line_stays_bounded() -> None:
    wide = r"re:[" + r"\p{Greek}\p{Han}\p{Thai}\p{Arabic}\p{Lo}" * 8 + r"\p{Ll}]+\d"
    started = perf_counter()
    assert PatternMatcher([(1, wide)]).matches("é" * 100_000).slow == (1,)
    assert perf_counter() - started < 3


def test_only_the_first_hundred_thousand_characters_are_read() -> None:
    matcher = PatternMatcher([(1, "println!"), (2, "re:pr[i]ntln!")])
    assert not matcher.matches("x " * 50_000 + "println!").keys
    assert set(matcher.matches("x " * 49_000 + "println!").keys) == {1, 2}


@given(st.text("ab \n", max_size=6000))
@settings(max_examples=50)
def test_windows_lose_nothing_that_is_shorter_than_their_overlap(text: str) -> None:
    parts = windows(text)
    assert max(map(len, parts)) <= 1000
    assert all(any(text[at : at + 90] in part for part in parts) for at in range(0, len(text), 37))


def test_ten_thousand_triggers_are_asked_in_milliseconds() -> None:
    rng = random.Random(3)
    words = ["".join(rng.choices(string.ascii_lowercase, k=rng.randint(3, 9))) for _ in range(3000)]
    kinds = ("", "word:", "glob:*/")
    pairs = [
        (key, f"{kinds[key % 3]}{rng.choice(words)}{'.' if key % 3 else ' '}{rng.choice(words)}")
        for key in range(10_000)
    ]
    matcher = PatternMatcher([*pairs, (10_000, "println!")])
    context = " ".join(rng.choices(words, k=300))[:1990] + " println!"
    assert matcher.matches(context).keys[10_000] == "println!"
    best = min(_seconds(matcher, context) for _ in range(5))
    assert best < 0.025  # the promise is 5 ms


def _seconds(matcher: PatternMatcher, context: str) -> float:
    started = perf_counter()
    matcher.matches(context)
    return perf_counter() - started
