"""The graph part of the bench: it weaves the store it says, notices a flood, and compares hybrid with and without shared names."""

import math

import numpy as np
import pytest
from bench import graph, report, runs
from bench.expansion import (
    EXPANDED,
    PROFILES,
    UNEXPANDED,
    ExpansionRun,
    expansion_figures,
    expansion_table,
    run_expansion,
)
from bench.synthetic import SyntheticEmbedder
from bench.tables import Figure

import recollect


def test_the_hub_store_has_ten_edges_a_memory_and_a_tag_on_half_of_it(tmp_path):
    with recollect.open(tmp_path / "memory.db", embedder=SyntheticEmbedder()) as memory:
        edges = graph.woven(memory, 200)
        assert 9 <= edges / 200 <= 10.5
        assert {tag.name: tag.count for tag in memory.tags()}[graph.HUB] == 100
        assert sum(cluster.size for cluster in memory.clusters()) == 200
        assert memory.related(memory.list(limit=1)[0].id, depth=1, limit=50)


def test_the_cost_of_the_walk_is_measured_on_a_small_store(tmp_path):
    cascade, flood = graph.hub_figures(tmp_path / "memory.db", 200, 5)
    assert "0.2k memories, 1.99k edges" in cascade.what
    assert math.isfinite(cascade.value)
    assert flood.value == 0


def test_a_flood_is_a_hit_over_the_hub_above_one_that_is_like_the_question():
    over_hub, over_link = ("from a", f"has_tag {graph.HUB}", "has_tag b"), ("from a", "relates_to c")
    assert graph.flood([(), over_link, (), over_hub]) == (False, 0.25)
    assert graph.flood([(), over_hub, ()]) == (True, pytest.approx(1 / 3))
    assert graph.flood([]) == (False, 0.0)


def test_planted_clusters_lie_as_close_as_they_say():
    vectors, labels = graph.planted_clusters(2000)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    inside = vectors[labels == 0]
    assert np.median(inside @ inside.T) == pytest.approx(0.9, abs=0.02)
    assert np.median(inside @ vectors[labels == 1].T) == pytest.approx(0.77, abs=0.03)
    assert 0.05 < (labels < 0).mean() < 0.15


def test_planted_clusters_are_found_and_timed():
    spent, agreement = graph.clustering_figures(600)
    assert spent.value > 0
    assert agreement.value >= 0.9
    assert agreement.verdict == "ok"


def test_clusters_found_again_are_the_same(tmp_path):
    _, changed = graph.refresh_figures(tmp_path / "memory.db", 300)
    assert changed.value == 0


def test_triggers_are_stored_and_timed(tmp_path):
    (figure,) = graph.trigger_figures(tmp_path / "memory.db", 100, 5, triggers=50)
    assert math.isfinite(figure.value)
    with recollect.open(tmp_path / "memory.db", embedder=SyntheticEmbedder()) as memory:
        armed = memory.with_identity(account="armed").list(limit=100)
        assert sum(bool(record.triggers) for record in armed) == 50
        assert not any(record.triggers for record in memory.with_identity(account="plain").list(limit=100))


def _rows(profile: str, **recalls: float) -> list[dict]:
    return [
        {"bench": name, "profile": profile, "qid": name, "category": "multi-hop", "r5": r, "r10": r}
        | {"ndcg10": r, "mrr": r, "s5": None}
        for name, r in recalls.items()
    ]


def test_the_table_says_how_far_each_setting_is_from_hybrid_as_it_is():
    rows = _rows(EXPANDED, locomo=0.6, beam=0.7) + _rows(UNEXPANDED, locomo=0.5, beam=0.7)
    found = ExpansionRun(rows, {EXPANDED: 0.9, UNEXPANDED: 0.8}, [])
    table = expansion_table(found)
    assert f"| {EXPANDED} | 0.6000 | 0.7000 |" in table
    assert f"| {UNEXPANDED} | -10.00 | +0.00 |" in table
    assert table.count("-10.00") == 2
    (gain,) = expansion_figures(found)
    assert gain.value == pytest.approx(5.0)
    assert gain.note == "1 of 2 questions better, 0 worse"


def test_every_setting_is_asked_every_question(data):
    found = run_expansion(data, SyntheticEmbedder(), ("locomo", "beam"))
    assert [row["profile"] for row in found.rows] == list(PROFILES)
    assert set(found.current_first) == set(PROFILES)
    assert [line.partition(":")[0] for line in found.left_out] == ["beam"]


def test_the_report_has_a_section_on_the_graph(tmp_path):
    content = {"figures": [Figure("cascade", 12.0, 10.0, "lower", "ms").as_row()], "tables": [["Walk?", "| a |"]]}
    runs.save("graph", content, tmp_path)
    page = report.write(tmp_path / "page.md", tmp_path).read_text("utf-8")
    assert "## Graph" in page
    assert "### Walk?\n\n| a |" in page
    assert "Graph: cascade is 12 ms, the target is ≤ 10 ms." in page
