"""Golden tests: every decay table and worked example that the seeds print, through the profiles' own code."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from recollect.recall.cascade import Cascade
from recollect.recall.features import Features
from recollect.recall.graph_walk import walk
from recollect.recall.hybrid import Hybrid
from recollect.recall.profiles import Belief, Composite, Hebbian, Relevance
from recollect.recall.query import parse_query
from recollect.values.enums import SCOPES, STATUSES
from recollect.values.link import Edge
from recollect.values.memory import Provenance, Record, confidence_now
from recollect.values.search import ASSISTANT, Candidates, Columns
from recollect.wiring import profiles_of

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def features(similarity=0.0, bm25=0.0, **columns) -> Features:
    """One candidate with these signals; times are given as days ago."""
    seconds = {"created": 0.0, "updated": 0.0, "accessed": 0.0, "hit": np.nan, "occurred": np.nan}
    given = {name: np.array([0], kind) for name, kind in _kinds().items()}
    given |= {name: np.array([NOW.timestamp() - 86_400 * columns.pop(name, ago)]) for name, ago in seconds.items()}
    defaults = {"importance": 0.5, "weight": 1.0, "confidence": 1.0, "trust": 1.0, "strength": 1.0}
    for name, value in {**defaults, **columns}.items():
        given[name] = np.array([value], given[name].dtype)
    found = Candidates(
        rows=np.array([1]),
        cosine=np.array([similarity], np.float32),
        bm25=np.array([bm25], np.float32),
        matches=np.zeros((1, 0), np.uint8),
        selected=np.array([True]),
        columns=Columns(**given),
    )
    alike = np.array([similarity], np.float32)
    return Features(parse_query("anything", NOW), found, alike, alike, embedded=True)


def _kinds():
    small = dict.fromkeys(("status", "type", "scope", "source", "role"), np.uint8)
    whole = dict.fromkeys(("thread", "position", "length"), np.int32)
    whole |= dict.fromkeys(("standing", "asks"), np.bool_) | {"season": np.int8}
    real = ("importance", "weight", "confidence", "trust", "score", "strength", "access_count")
    return small | whole | dict.fromkeys(real, np.float32)


@pytest.mark.parametrize(("days", "decay"), [(0, 1.0), (1, 0.951), (7, 0.705), (14, 0.497), (30, 0.223), (60, 0.050)])
def test_composite_recency_is_the_table_of_seed_000(days, decay) -> None:
    scores = Composite().score(features(accessed=days))
    assert scores.parts["recency"].values[0] == pytest.approx(decay, abs=0.001)


def test_composite_adds_half_similarity_three_tenths_importance_a_fifth_recency() -> None:
    scores = Composite().score(features(similarity=0.8, importance=0.6, accessed=7))
    assert scores.total[0] == pytest.approx(0.5 * 0.8 + 0.3 * 0.6 + 0.2 * 0.705, abs=0.001)


@pytest.mark.parametrize(("score", "factor"), [(3, 1.82), (0, 1.0), (-1, 0.82), (-5, 0.37)])
def test_hebbian_reinforcement_is_the_list_of_seed_001(score, factor) -> None:
    scores = Hebbian().score(features(bm25=2.0, score=score))
    assert scores.parts["reinforcement"].values[0] == pytest.approx(factor, abs=0.005)
    assert scores.total[0] == pytest.approx(2.0 * factor, abs=0.01)


def test_hebbian_recency_counts_from_the_last_hit_else_from_creation() -> None:
    assert Hebbian().score(features(bm25=1.0, created=100)).total[0] == pytest.approx(0.5)
    assert Hebbian().score(features(bm25=1.0, created=100, hit=0)).total[0] == pytest.approx(1.0)


def test_hebbian_needs_a_word_in_common() -> None:
    assert np.isnan(Hebbian().score(features(bm25=0.0, score=50)).total[0])


def test_relevance_multiplies_importance_confidence_and_decay() -> None:
    total = Relevance(decay=0.1).score(features(importance=0.8, confidence=0.5, accessed=10)).total[0]
    assert total == pytest.approx(0.8 * 0.5 * np.exp(-1))


@pytest.mark.parametrize(
    ("days", "decay"), [(1, 0.995), (7, 0.966), (30, 0.861), (90, 0.638), (180, 0.407), (365, 0.161)]
)
def test_belief_decay_is_the_table_of_seed_004(days, decay) -> None:
    scores = Belief().score(features(similarity=1.0, updated=days))
    assert scores.parts["recency"].values[0] == pytest.approx(decay, abs=0.001)


@pytest.mark.parametrize(
    ("similarity", "scope", "weight", "days", "final"),
    [(0.92, "project", 1.0, 5, 0.897), (0.95, "global", 1.0, 60, 0.563), (0.88, "global", 0.5, 2, 0.3485)],
)
def test_belief_gives_the_worked_example_of_seed_004(similarity, scope, weight, days, final) -> None:
    total = Belief().score(features(similarity, scope=SCOPES.index(scope), weight=weight, updated=days)).total[0]
    assert total == pytest.approx(final, abs=0.001)


def test_belief_shows_a_superseded_memory_only_at_the_lowest_weight() -> None:
    shown = Belief().score(features(1.0, status=STATUSES.index("superseded"), scope=SCOPES.index("project"))).total[0]
    assert shown == pytest.approx(0.1)


@pytest.mark.parametrize(("limit", "fetched"), [(1, 15), (5, 15), (10, 30)])
def test_belief_fetches_three_times_the_limit_and_at_least_fifteen(limit, fetched) -> None:
    assert Belief().fetch(limit) == fetched


@pytest.mark.parametrize("hours", [0, 6, 24, 48, 240])
def test_cascade_boosts_recent_access(hours) -> None:
    scores = Cascade().score(features(0.8, accessed=hours / 24))
    assert scores.parts["recency boost"].values[0] == pytest.approx(1 + 0.5 * np.exp(-hours / 24), abs=1e-4)


def steps(graph):
    """The steps of a hand-made graph: node -> [(target, relation, weight)]."""
    return lambda nodes, last: [Edge(node, *end) for node in nodes for end in graph.get(node, [])]


def test_cascade_walks_two_steps_with_falling_scores_and_keeps_the_best_path() -> None:
    a, b, c, tag = ("memory", 1), ("memory", 2), ("memory", 3), ("tag", "deploy")
    graph = {a: [(tag, "has_tag", 0.8)], tag: [(a, "has_tag", 0.8), (b, "has_tag", 0.8)], b: [(c, "supersedes", 0.9)]}
    reached = walk({a: 1.0}, steps(graph), depth=2)
    assert reached[tag].score == pytest.approx(0.8 * 0.7)
    assert reached[b].score == pytest.approx(0.8 * 0.7 * 0.8 * 0.7**2)
    assert reached[b].path == (("has_tag", tag), ("has_tag", b))
    assert reached[a].score == 1.0
    assert c not in reached


@pytest.mark.parametrize(
    ("signal", "column", "moved"),
    [
        ("low trust", {"trust": 0.3}, -0.1),
        ("low confidence", {"confidence": 0.5}, -0.05),
        ("weight", {"weight": 0.5}, -0.05),
        ("importance", {"importance": 0.9}, 0.04),
        ("reinforcement", {"score": 5}, 0.1),
        ("said by assistant", {"role": ASSISTANT}, -0.4),
        ("is a question", {"asks": True}, -0.05),
        ("scope match", {"scope": SCOPES.index("project")}, 0.03),
        ("stale", {"updated": 30}, -0.03 * (1 - np.exp(-1))),
    ],
)
def test_each_prior_of_hybrid_moves_the_score_in_its_own_direction(signal, column, moved) -> None:
    before = Hybrid().score(features(0.8, scope=SCOPES.index("global")))
    after = Hybrid().score(features(0.8, **{"scope": SCOPES.index("global"), **column}))
    part = after.parts[signal]
    assert part.weight * part.values[0] == pytest.approx(moved, abs=1e-6)
    assert after.total[0] - before.total[0] == pytest.approx(moved, abs=1e-5)


@pytest.mark.parametrize("age", [{"created": 30}, {"occurred": 30}, {"created": 0, "occurred": 30}])
def test_what_happened_lately_counts_more(age) -> None:
    lately, before = (Hybrid().score(features(0.8, **days)).total[0] for days in ({}, age))
    assert lately - before == pytest.approx(0.15 * (1 - np.exp(-1)), abs=1e-5)


def test_hybrid_without_its_changing_parts_does_not_age() -> None:
    days = ({}, {"updated": 300}, {"created": 300}, {"occurred": 300})
    assert len({float(Hybrid().steady().score(features(0.8, **age)).total[0]) for age in days}) == 1


def test_every_profile_that_walks_the_graph_says_so() -> None:
    assert [name for name, profile in profiles_of({}).items() if profile.needs.graph_walk] == ["cascade"]
    assert {name for name, profile in profiles_of({}).items() if not profile.needs.meaning} == {"hebbian"}


def test_ages_are_never_negative_whatever_a_clock_said() -> None:
    assert Composite().score(features(accessed=-5)).parts["recency"].values[0] == 1.0


def record(**fields) -> Record:
    base = {"id": "0" * 8, "content": "x", "account": "a", "created_at": NOW, "updated_at": NOW, "accessed_at": NOW}
    return Record(**{**base, **fields})


@pytest.mark.parametrize(("kind", "life"), [("correction", 365), ("preference", 90), ("procedure", 60), ("fact", 30)])
def test_confidence_falls_to_one_part_in_e_after_its_life(kind, life) -> None:
    old = record(type=kind, updated_at=NOW - timedelta(days=life))
    assert confidence_now(old, NOW) == pytest.approx(np.exp(-1))


def test_an_inference_wears_out_within_days() -> None:
    guess = record(updated_at=NOW - timedelta(days=7), provenance=Provenance(kind="inferred"))
    assert confidence_now(guess, NOW) == pytest.approx(np.exp(-1))


def test_confidence_grows_with_use_is_bounded_by_trust_and_stays_within_one() -> None:
    used = record(confidence=0.5, access_count=9, trust=0.5)
    assert confidence_now(used, NOW) == pytest.approx(0.5 * (1 + 0.1 * np.log(10)) * 0.5)
    assert confidence_now(record(access_count=10**9), NOW) == 1.0
