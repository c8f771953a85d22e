"""The ablation part of the bench: every constant is taken out once, and the differences come with honest intervals."""

from dataclasses import fields

import pytest
from bench import report, runs
from bench.ablation import FULL, ablation, ablation_table, by_question, compare, variants
from bench.synthetic import SyntheticEmbedder

from recollect.recall.hybrid import Hybrid


def rows(bench="s", count=40, **by_variant):
    """Questions with recall@10 by variant; a number is that of every question."""
    return [
        {"bench": bench, "qid": f"{bench}{place}", "category": "c", FULL: 0.5}
        | {name: (given[place] if isinstance(given, list) else given) for name, given in by_variant.items()}
        for place in range(count)
    ]


def test_every_constant_of_hybrid_is_taken_out():
    changed = {name for change in variants({}).values() for name in change}
    assert changed == {one.name for one in fields(Hybrid)} - {"name"}
    assert all(
        len(change) == 1 for label, change in variants({}).items() if label.endswith("= 0") and label.count("=") == 1
    )


def test_a_pair_is_made_equal_at_the_constants_it_starts_from():
    held = variants({"meaning": 0.3, "assistant": 0.6})
    assert held["meaning_alone = meaning"] == {"meaning_alone": 0.3}
    assert held["assistant_asked = assistant"] == {"assistant_asked": 0.6}


def test_every_question_is_asked_with_every_variant(data):
    found = ablation(data, SyntheticEmbedder(), ("locomo", "beam", "realmem"), {"near": 0.2})
    assert [(row["bench"], row["qid"]) for row in found.rows] == [
        ("locomo", "q1"),
        ("realmem", "r1"),
        ("realmem", "r2"),
    ]
    assert all(row.keys() == {"bench", "qid", "category", FULL, *variants({})} for row in found.rows)
    assert [line.partition(":")[0] for line in found.left_out] == ["beam"]


def test_a_question_that_one_profile_was_not_asked_is_left_out():
    asked = {"bench": "s", "category": "c", "r10": 1.0}
    long = [
        {**asked, "qid": "q1", "profile": "a"},
        {**asked, "qid": "q1", "profile": "b"},
        {**asked, "qid": "q2", "profile": "a"},
    ]
    assert by_question(long, ("a", "b")) == [{"bench": "s", "qid": "q1", "category": "c", "a": 1.0, "b": 1.0}]


def test_the_interval_holds_the_difference_and_each_set_counts_the_same():
    one = rows(worse=0.3, mixed=[0.0, 1.0] * 20, same=0.5) + rows("t", 10, worse=0.5, mixed=0.5, same=0.5)
    worse, other, mean = compare(one, ("s", "t"), "worse")
    assert (worse.points, worse.low, worse.high) == (pytest.approx(-20), pytest.approx(-20), pytest.approx(-20))
    assert (other.changed, mean.points, mean.changed, mean.sure) == (0, pytest.approx(-10), 40, True)
    mixed = compare(one, ("s", "t"), "mixed")[0]
    assert mixed.low < 0 < mixed.high
    assert not mixed.sure


def test_two_sets_of_the_same_questions_are_drawn_alike():
    first = rows(mixed=[0.0, 1.0] * 20)
    second = [{**row, "bench": "t"} for row in first]
    alone, _, both = compare(first + second, ("s", "t"), "mixed")
    assert (both.low, both.high) == (pytest.approx(alone.low), pytest.approx(alone.high))


def test_the_table_says_what_pays():
    lines = ablation_table(rows(good=0.3, bad=0.7, mixed=[0.0, 1.0] * 20, same=0.5)).splitlines()
    verdicts = {cells[1].strip(): cells[-2].strip() for line in lines[3:] if (cells := line.split("|"))}
    assert verdicts == {
        "good": "yes",
        "bad": "no, it costs",
        "mixed": "not shown",
        "same": "changes nothing here",
    }
    assert lines[2] == f"| {FULL} | 0.5000 | 0.5000 |  |"
    assert lines[3].startswith("| good | **-20.00 [-20.00, -20.00]** |")


def test_the_page_is_made_of_the_raw_rows(tmp_path):
    runs.save("ablation", {"figures": [], "rows": rows(good=0.3), "left_out": []}, tmp_path)
    page = report.write(tmp_path / "page.md", tmp_path).read_text("utf-8")
    assert "## What each part of hybrid adds" in page
    assert "| good | **-20.00 [-20.00, -20.00]** |" in page
