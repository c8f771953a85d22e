"""The part of the bench on what is not answered: who is asked what, the shares by hand, and the best single threshold."""

import pytest
from bench import quality
from bench.answered import answered, answered_figures, auc, best_threshold, thresholds_table, unanswered
from bench.runs import packed
from bench.synthetic import SyntheticEmbedder


def row(kind, relevance, *, bench="s", says=False):
    signals = dict.fromkeys(("relevance5", "similarity", "score"), relevance)
    return {"bench": bench, "kind": kind, "answered": says, "relevance": relevance, **signals}


def test_a_conversation_is_asked_its_own_questions_and_those_of_the_others(data):
    rows = answered(data, SyntheticEmbedder(), "realmem")
    assert {(one["store"], one["qid"], one["kind"]) for one in rows} == {
        ("bo", "r1", "own"),
        ("bo", "r2", "elsewhere"),
        ("cy", "r2", "own"),
        ("cy", "r1", "elsewhere"),
    }
    assert all(0 < one["relevance5"] <= one["relevance"] <= 1 for one in rows if one["kind"] == "own")


def test_questions_that_nothing_answers_are_a_kind_of_their_own(data):
    kinds = {one["qid"]: one["kind"] for one in answered(data, SyntheticEmbedder(), "locomo") if one["store"] == "c1"}
    assert kinds == {"q1": "own", "q2": "adversarial"}


def test_no_text_is_kept(data):
    rows = answered(data, SyntheticEmbedder(), "realmem")
    assert not any("violin" in str(value) or "planted" in str(value) for one in rows for value in one.values())


def test_each_set_counts_the_same():
    rows = [row("own", 0.9), row("own", 0.9), row("own", 0.1), row("own", 0.1, bench="t")]
    assert unanswered(rows, "own", "relevance", 0.5) == pytest.approx((1 / 3 + 1) / 2)
    assert unanswered(rows, "own") == 1.0


def test_the_best_threshold_is_the_highest_that_loses_a_twentieth():
    rows = [row("own", place / 100) for place in range(1, 101)]
    assert best_threshold(rows, "relevance") == 0.06
    assert unanswered(rows, "own", "relevance", 0.06) == 0.05


def test_the_area_counts_ties_half():
    rows = [row("own", 0.5), row("own", 0.9), row("elsewhere", 0.5), row("elsewhere", 0.1)]
    assert auc(rows, "relevance") == pytest.approx((0.75 + 1) / 2)


def test_the_figures_name_each_set_and_their_mean():
    rows = [row("own", 0.9, says=True), row("elsewhere", 0.4), row("abstention", 0.8, says=True)]
    figures = {figure.what: figure for figure in answered_figures(rows)}
    lost, elsewhere, abstention = (figures[f"answered, s: {what}"] for what in (
        "answerable questions lost", "not answered by another conversation", "not answered because nothing answers it"
    ))  # fmt: skip
    assert (lost.verdict, elsewhere.verdict, abstention.verdict) == ("ok", "ok", "**below**")
    assert figures["answered, mean of the sets: answerable questions lost"].value == 0.0
    assert "| best relevance ≥ 0.900 | 0.000, 1.000 | 0.000 | 1.000 | 1.000 | 1.000 |" in thresholds_table(rows)


def test_it_runs_by_itself_and_names_the_sets_that_are_missing(data):
    done = quality.run(data, SyntheticEmbedder(), ("answered",), ("hybrid",))
    assert [line.partition(":")[0] for line in done.left_out] == ["answered hay48", "answered beam"]
    columns, *rows = done.raw["answered"]
    assert (columns[0], len(rows)) == ("bench", 3 + 4)
    assert packed([]) == []
    assert "best similarity ≥" in quality.shown(done, ("hybrid",))
