"""The cascade of seed 002 on hand-made graphs: weights, decay, depth, the best path, cycles, hubs."""

import pytest

from recollect.recall.cascade import Cascade
from recollect.recall.graph_walk import BEAM_WIDTH, walk
from recollect.values.link import EDGE_WEIGHTS, Edge, step_weight

A, B, C, D = (("memory", row) for row in (1, 2, 3, 4))
TAG, CLUSTER = ("tag", "deploy"), ("cluster", "c1")


def steps(*edges):
    """The steps of a graph given as (source, relation, target[, weight]), walked in both directions."""
    both = [edge for one, relation, two, *weight in edges for edge in (
        Edge(one, two, relation, step_weight(relation, *(weight or (1.0,)))),
        Edge(two, one, relation, step_weight(relation, *(weight or (1.0,)))),
    )]  # fmt: skip
    return lambda nodes, last: [e for e in both if e.source in nodes and (not last or e.target[0] == "memory")]


def test_each_relation_carries_what_the_design_says() -> None:
    assert EDGE_WEIGHTS == {
        "has_tag": 0.8, "in_cluster": 0.6, "supersedes": 0.9, "derived_from": 0.7, "contradicts": 0.3,
    }  # fmt: skip
    assert step_weight("relates_to", 0.42) == 0.42


@pytest.mark.parametrize(
    ("relation", "weight", "carried"),
    [("relates_to", 0.5, 0.5), ("supersedes", 1.0, 0.9), ("derived_from", 1.0, 0.7), ("contradicts", 1.0, 0.3)],
)
def test_one_step_is_parent_times_edge_times_decay(relation, weight, carried) -> None:
    reached = walk({A: 0.9}, steps((A, relation, B, weight)))
    assert reached[B].score == pytest.approx(0.9 * carried * 0.7)
    assert reached[B].path == ((relation, B),)
    assert reached[B].start == A


@pytest.mark.parametrize(("node", "relation", "carried"), [(TAG, "has_tag", 0.8), (CLUSTER, "in_cluster", 0.6)])
def test_what_shares_a_tag_or_a_cluster_is_two_steps_away(node, relation, carried) -> None:
    reached = walk({A: 1.0}, steps((A, relation, node), (B, relation, node)))
    assert reached[B].score == pytest.approx(carried * 0.7 * carried * 0.7**2)
    assert reached[B].path == ((relation, node), (relation, B))


def test_the_walk_ends_at_its_depth() -> None:
    line = steps((A, "relates_to", B), (B, "relates_to", C), (C, "relates_to", D))
    assert D not in walk({A: 1.0}, line, depth=2)
    assert walk({A: 1.0}, line, depth=3)[D].score == pytest.approx(0.7 * 0.7**2 * 0.7**3)
    assert set(walk({A: 1.0}, line, depth=0)) == {A}


def test_the_best_of_several_paths_wins_and_is_told() -> None:
    reached = walk(
        {A: 1.0, D: 0.5},
        steps((A, "contradicts", B), (D, "supersedes", B), (A, "has_tag", TAG), (B, "has_tag", TAG)),
    )
    assert reached[B].score == pytest.approx(0.5 * 0.9 * 0.7)
    assert (reached[B].start, reached[B].path) == (D, (("supersedes", B),))


def test_a_longer_path_wins_when_it_is_the_stronger_one() -> None:
    reached = walk({A: 1.0}, steps((A, "relates_to", C, 0.01), (A, "supersedes", B), (B, "supersedes", C)))
    assert reached[C].path == (("supersedes", B), ("supersedes", C))
    assert reached[C].score == pytest.approx(0.9 * 0.7 * 0.9 * 0.7**2)


def test_a_circle_never_raises_a_score() -> None:
    circle = steps((A, "relates_to", B), (B, "relates_to", C), (C, "relates_to", A))
    reached = walk({A: 0.8}, circle, depth=4)
    assert reached[A].score == 0.8
    assert reached[A].path == ()
    assert reached[B].score == reached[C].score == pytest.approx(0.8 * 0.7)


def test_a_seed_keeps_its_own_score_where_a_path_would_give_less() -> None:
    reached = walk({A: 1.0, B: 0.9}, steps((A, "relates_to", B, 0.5)))
    assert reached[B].score == 0.9


def test_a_level_is_walked_on_from_its_best_nodes_only() -> None:
    many = [("memory", row) for row in range(100, 100 + 2 * BEAM_WIDTH)]
    beyond = ("memory", 9999)
    star = [(A, "relates_to", node, 0.5 + place / 1000) for place, node in enumerate(many)]
    weakest = walk({A: 1.0}, steps(*star, (many[0], "relates_to", beyond)))
    strongest = walk({A: 1.0}, steps(*star, (many[-1], "relates_to", beyond)))
    assert beyond not in weakest
    assert beyond in strongest


def test_the_parameters_are_those_of_the_seed() -> None:
    profile = Cascade()
    assert (profile.seeds, profile.floor, profile.depth, profile.decay) == (10, 0.4, 2, 0.7)
    assert (profile.boost, profile.hours) == (0.5, 24.0)
