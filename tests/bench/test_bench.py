"""The bench measures what it says: its metrics by hand, its sets, its cache, its tables, and a small run of speed."""

import gzip
import json
import math
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from bench import quality, report, runs, speed, turns
from bench.beliefs import conflict, merging, sick, statement_figures, statements
from bench.embedding import CachedEmbedder
from bench.faults import check
from bench.metrics import distinct, mean, ndcg_at, quantile, recall_at, reciprocal_rank
from bench.retrieval import evaluate, steps, stored, summary
from bench.sets import DataMissing, load
from bench.synthetic import SyntheticEmbedder, Words
from bench.tables import Figure, figure_of, figures_table
from bench.worker import opened

import recollect
from recollect.testing.embedding import HashingEmbedder


def test_recall_is_the_share_of_the_gold_among_the_first():
    assert recall_at(["a", "b", "c", "d"], {"b", "d"}, 2) == 0.5
    assert recall_at(["a", "b", "c", "d"], {"b", "d"}, 4) == 1.0
    assert recall_at([], {"b"}, 10) == 0.0
    assert recall_at(["b", "b"], {"b", "c"}, 10) == 0.5


def test_ndcg_discounts_by_place():
    assert ndcg_at(["a"], {"a"}, 10) == 1.0
    assert ndcg_at(["x", "a"], {"a"}, 10) == pytest.approx(1 / math.log2(3))
    assert ndcg_at(["a", "x", "b"], {"a", "b"}, 10) == pytest.approx((1 + 0.5) / (1 + 1 / math.log2(3)))
    assert ndcg_at(["x", "a"], {"a"}, 1) == 0.0


def test_the_first_gold_decides_the_reciprocal_rank():
    assert reciprocal_rank(["x", "y", "a", "b"], {"a", "b"}) == pytest.approx(1 / 3)
    assert reciprocal_rank(["x"], {"a"}) == 0.0


def test_sessions_count_where_they_first_stand():
    assert distinct(["s2", None, "s1", "s2"]) == ["s2", "s1"]


def test_nothing_has_no_mean_and_no_quantile():
    assert math.isnan(mean([]))
    assert math.isnan(quantile([], 0.5))
    assert quantile([1.0, 3.0], 0.5) == 2.0


def test_a_figure_says_whether_it_meets_its_target():
    assert Figure("x", 0.8, 0.78).verdict == "ok"
    assert "below" in Figure("x", 0.7, 0.78).verdict
    assert "below" in Figure("x", 3.1, 3.0, "lower").verdict
    assert Figure("x", math.nan, 3.0, "lower").verdict == "not measured"
    assert Figure("x", 3.1).verdict == ""
    assert "| x | 3.10 ms | ≤ 3 ms | **below** |  |" in figures_table([Figure("x", 3.1, 3.0, "lower", "ms")])


def test_a_figure_survives_the_raw_file():
    figure = Figure("x", 3.1, 3.0, "lower", "ms", "a note")
    assert figure_of(json.loads(json.dumps(figure.as_row()))) == figure


def test_merging_counts_paraphrases_and_contradictions():
    same = {"a": "a", "b": "b", "label": "entailment", "ab": "A_entails_B", "ba": "B_entails_A"}
    one_way = {**same, "ba": "B_neutral_A"}
    opposed = {**same, "label": "contradiction", "ab": "A_contradicts_B", "ba": "B_contradicts_A"}
    found = merging([same, same, one_way, opposed], ["reinforced", "stored", "reinforced", "stored"])
    assert (found["merged"], found["precision_both_ways"], found["precision_entailment"]) == (2, 0.5, 1.0)
    assert (found["recall_both_ways"], found["contradictions_merged"]) == (0.5, 0.0)


@dataclass(frozen=True)
class Counting(SyntheticEmbedder):
    """A synthetic embedder that counts the texts it was given."""

    texts: list = field(default_factory=list)

    def embed_documents(self, texts, progress=None):
        self.texts.extend(texts)
        return super().embed_documents(texts)

    def embed_query(self, text):
        self.texts.append(text)
        return super().embed_query(text)


def test_a_cached_text_is_embedded_once_and_a_question_is_not_a_document(tmp_path):
    inner = Counting()
    with closing(CachedEmbedder(inner, tmp_path)) as cached:
        vectors = cached.embed_documents(["one", "two", "one"])
        asked = cached.embed_query("one")
        assert inner.texts == ["one", "two", "one"]
    with closing(CachedEmbedder(inner, tmp_path)) as cached:
        assert np.array_equal(cached.embed_documents(["two", "one"]), vectors[[1, 0]])
        assert np.array_equal(cached.embed_query("one"), asked)
    assert inner.texts == ["one", "two", "one"]
    assert np.array_equal(vectors[0], vectors[2])
    assert not np.array_equal(asked, vectors[0])


def test_a_set_has_its_turns_in_place_and_only_questions_with_gold(data):
    corpus = load(data, "locomo")
    assert [(turn.set, turn.position) for turn in corpus.turns] == [("c1", 0), ("c1", 1), ("c1", 2), ("c2", 0)]
    assert corpus.turns[0].at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert [question.qid for question in corpus.questions] == ["q1"]


def test_a_question_is_answered_from_its_own_set(data):
    rows = evaluate(data, SyntheticEmbedder(), ("locomo",), ("hebbian",))
    assert [row["qid"] for row in rows] == ["q1"]
    assert summary(rows)["mrr"] == 1.0


def test_a_question_of_a_session_finds_only_what_was_said_before_it(data):
    corpus = load(data, "realmem")
    assert [(len(step.turns), [one.qid for one in step.questions]) for step in steps(corpus)] == [
        (1, ["r1"]),
        (3, ["r2"]),
    ]
    with recollect.open(":memory:", embedder=SyntheticEmbedder(), touch=False) as memory:
        names, first = {}, corpus.questions[0]
        for step in steps(corpus):
            names |= stored(memory, step)
            if first in step.questions:
                found = [names[hit.memory.id] for hit in memory.recall(first.text, project=first.set, now=first.at)]
    assert found == ["a#0"]


def test_where_only_sessions_are_known_they_are_what_is_found(data):
    first, second = evaluate(data, SyntheticEmbedder(), ("realmem",), ("hybrid",))
    assert (first["qid"], first["r10"], first["mrr"], first["s5"]) == ("r1", 1.0, 1.0, 1.0)
    assert (second["qid"], second["r10"]) == ("r2", 1.0)


def test_a_question_of_a_turn_that_is_not_there_is_an_error(data):
    corpus = load(data, "realmem")
    with pytest.raises(AssertionError, match="b#0"):
        list(steps(replace(corpus, turns=corpus.turns[:1])))


def test_facts_and_pairs_are_judged(data):
    told = conflict(data, SyntheticEmbedder(), "hebbian")
    assert (told["current_first"], told["stale_above"], told["outcomes"]) == (1.0, 0.0, {"stored": 2})
    assert sick(data, SyntheticEmbedder())["recall_both_ways"] == 1.0


def test_what_becomes_of_a_first_statement_is_told_by_kind(data):
    found = statements(data, SyntheticEmbedder())
    assert [row["kind"] for row in found["rows"]] == ["both", "update", "paraphrase"]
    assert [row["outcome"] for row in found["rows"]] == ["stored", "stored", "reinforced"]
    assert [row["told"] for row in found["rows"]] == [False, True, False]
    figures = {figure.what: figure.value for figure in statement_figures(found)}
    assert figures == {
        "beliefs: first of two true statements hidden": 0.0,
        "beliefs: updates told, or current one first": 1.0,
        "beliefs: current one of an update recalled first": 1.0,
        "beliefs: paraphrases merged": 1.0,
        "beliefs: different statements merged": 0.0,
    }


def test_a_first_statement_that_is_merged_or_replaced_is_hidden():
    plain = {"outcome": "stored", "hidden": False, "merged": False, "told": False, "current_first": False}
    rows = [
        plain | {"kind": "both"},
        plain | {"kind": "both", "outcome": "reinforced", "hidden": True, "merged": True},
        plain | {"kind": "update", "told": True},
        plain | {"kind": "update", "outcome": "superseded", "hidden": True},
        plain | {"kind": "negation", "told": True},
        plain | {"kind": "conflict"},
    ]
    values = {figure.what.removeprefix("beliefs: "): figure.value for figure in statement_figures({"rows": rows})}
    assert values["first of two true statements hidden"] == 0.5
    assert values["updates told, or current one first"] == 0.5
    assert values["different statements merged"] == pytest.approx(1 / 6)
    assert (values["negations and conflicts told"], values["negations and conflicts merged"]) == (0.5, 0.0)
    assert math.isnan(values["paraphrases merged"])


def test_a_missing_set_is_named_and_the_rest_runs(data):
    done = quality.run(data, SyntheticEmbedder(), ("beam", "locomo"), ("hebbian", "hybrid"))
    assert "beam_100K" in done.left_out[0]
    assert any(figure.what == "LoCoMo turn recall@10" for figure in done.figures)
    assert "| hybrid |" in quality.profiles_table(done.rows)
    assert "left out: beam" in quality.shown(done, ("hebbian", "hybrid"))
    with pytest.raises(DataMissing):
        load(data, "beam_100K")


def test_synthetic_texts_are_seeded_and_of_about_100_characters():
    assert Words(seed=1).texts(50) == Words(seed=1).texts(50)
    assert 85 < mean(map(len, Words(seed=1).texts(200))) <= 101
    vectors = SyntheticEmbedder().embed_documents(Words(seed=1).texts(50))
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (vectors @ vectors.T).min() > 0


def test_speed_measures_a_small_store_beside_the_yardstick(tmp_path):
    data, store = tmp_path / "data", tmp_path / "store"
    store.mkdir()
    for name in turns.SETS:
        rows = [
            {"set": "s", "session": f"d{n // 9}", "speaker": ("Ana", "assistant")[n % 2], "text": _sentences(name, n)}
            for n in range(60)
        ]
        _write(data / name / "corpus.jsonl.gz", rows)
        _write(data / name / "queries.jsonl.gz", [{"text": f"Which {name} has {n}?"} for n in range(30)])
    model = HashingEmbedder(turns.DIMENSIONS)
    figures = {figure.what: figure for figure in speed.at_size(data, tmp_path / "cache", store, 600, model)}
    small = next(figure for what, figure in figures.items() if "brute force" in what)
    assert small.value == 1.0
    assert all(math.isfinite(figure.value) and figure.value > 0 for figure in figures.values())


def test_made_turns_are_seeded_distinct_and_in_the_order_of_time():
    real = [turns.RealTurn(("set", f"d{n // 9}"), "Ana", tuple(_sentences("x", n).split("! "))) for n in range(200)]
    made = list(turns.made_turns(real, 500))
    assert made == list(turns.made_turns(real, 500))
    assert len({turn.text for turn in made}) > 450
    days = [turn.at.date() for turn in made]
    assert days == sorted(days)
    assert (days[-1] - days[0]).days > 300


def _sentences(name: str, number: int) -> str:
    return " ".join(f"The {name} of drawer {number * 7 + part} holds {number * part} keys!" for part in range(1, 6))


def _write(path: Path, rows: list[dict]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))


def test_raw_rows_are_read_back_as_they_were_measured(tmp_path):
    rows = [{"bench": "locomo", "qid": f"q{n}", "r10": 0.5, "s5": None} for n in range(3)]
    path = runs.save("quality", {"figures": [], "rows": rows}, tmp_path)
    found = runs.newest("quality", tmp_path)
    assert found["rows"] == rows
    assert found["machine"]["python"]
    assert len(path.read_text("utf-8").splitlines()) > len(rows)
    assert runs.newest("speed", tmp_path) is None


def test_the_report_is_made_of_the_newest_runs(tmp_path):
    figures = [Figure("LoCoMo turn recall@10", 0.7, 0.78).as_row()]
    runs.save("quality", {"figures": figures, "rows": [], "left_out": []}, tmp_path)
    page = tmp_path / "benchmarks.md"
    page.write_text(f"# Own words\n\n{report.BEGIN}\nold\n{report.END}\n\nOwn end\n", "utf-8")
    report.write(page, tmp_path)
    text = page.read_text("utf-8")
    assert text.startswith("# Own words")
    assert text.endswith("Own end\n")
    assert "old" not in text
    assert "LoCoMo turn recall@10" in text
    assert "Where it loses" in text


def _tampered(path: Path, statement: str, *values) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        assert connection.execute(statement, values).rowcount == 1


def test_the_reliability_check_notices_a_lost_memory_and_one_nobody_made(tmp_path):
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        ids = [memory.remember(text).memory.id for text in ("The harbour opens at nine.", "We planted tomatoes.")]
    assert check(path, ids) == {"damaged": 0, "lost": 0, "uncreated": 0}
    gone = bytes.fromhex(ids[0].replace("-", ""))
    _tampered(path, "DELETE FROM memories WHERE id = ?", gone)
    found = check(path, ids)
    assert (found["lost"], found["uncreated"]) == (1, 1)
