"""A shown score is the sum of its own parts, whatever moved a hit to its rank."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recollect
from recollect.recall.explain import MOVED_UP
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder

PROFILES = ("hybrid", "composite", "hebbian", "cascade", "relevance", "belief")
OLD, NEW = "The office of Ana is in Porto", "The office of Ana is in Braga"


@pytest.fixture
def disputed(memory, clock):
    """A function that stores two memories that contradict each other, a day apart; returns their ids."""

    def store(old=None, new=None) -> tuple[str, str]:
        ids = []
        for text, fields in ((OLD, old), (NEW, new)):
            (made,) = memory.remember_many([{"content": text, **(fields or {})}], verbatim=True)
            ids.append(made.memory.id)
            clock.advance(timedelta(days=1))
        memory.link(ids[1], ids[0], "contradicts")
        return ids[0], ids[1]

    return store


def sum_of_parts(hit) -> float:
    return sum(signal.contribution for signal in hit.explain.signals)


judgements = st.fixed_dictionaries(
    {
        "weight": st.sampled_from([0.1, 0.2, 0.5, 1.0]),
        "importance": st.floats(0, 1),
        "confidence": st.floats(0, 1),
        "trust": st.floats(0.1, 1),
    }
)


@settings(max_examples=25, deadline=None)
@given(st.lists(judgements, min_size=6, max_size=6), st.lists(st.integers(-1, 1), min_size=6, max_size=6))
def test_in_every_profile_every_score_is_the_sum_of_its_parts(tmp_path_factory, judged, feedback) -> None:
    clock = FixedClock()
    path = tmp_path_factory.mktemp("scores") / "memory.db"
    texts = (OLD, NEW, "Ana took the office in Lisbon", "Zoltan paints boats", "Boats are blue", "The office has a cat")
    with recollect.open(path, embedder=HashingEmbedder(), clock=clock) as memory:
        ids = []
        for text, fields in zip(texts, judged, strict=True):
            (made,) = memory.remember_many([{"content": text, **fields}], verbatim=True)
            ids.append(made.memory.id)
            clock.advance(timedelta(days=3))
        memory.link(ids[1], ids[0], "contradicts")
        memory.link(ids[2], ids[5], "supersedes")
        memory.update(ids[3], triggers=["office"])
        for id, by in zip(ids, feedback, strict=True):
            if by:
                (memory.reinforce if by > 0 else memory.demote)(id)
        for profile in PROFILES:
            found = memory.recall("where is the office of Ana", profile=profile, explain=True)
            assert found
            for hit in found:
                assert hit.score == pytest.approx(sum_of_parts(hit), rel=1e-5, abs=2e-5), (profile, hit)
        for mode in ("lexical", "semantic"):
            for hit in memory.search("where is the office of Ana", mode=mode, explain=True):
                assert hit.score == pytest.approx(sum_of_parts(hit), rel=1e-5, abs=2e-5), (mode, hit)


def test_the_newer_side_of_a_contradiction_comes_first_with_its_own_score(memory, disputed) -> None:
    old, new = disputed(old={"importance": 0.9})
    found = memory.recall("where is the office of Ana", explain=True)
    assert [hit.memory.id for hit in found] == [new, old]
    assert found[0].score < found[1].score
    assert MOVED_UP in found[0].explain.notes
    assert MOVED_UP not in found[1].explain.notes


@pytest.mark.parametrize("profile", ["hybrid", "belief"])
def test_what_has_less_weight_is_not_moved_above_what_it_contradicts(memory, disputed, profile) -> None:
    old, new = disputed(new={"weight": 0.2})
    found = memory.recall("where is the office of Ana", profile=profile, explain=True)
    assert [hit.memory.id for hit in found] == [old, new]
    assert found[1].score < found[0].score
    assert not any(MOVED_UP in hit.explain.notes for hit in found)


@pytest.mark.parametrize("profile", ["hybrid", "hebbian"])
def test_what_was_reinforced_stays_above_what_is_newer(memory, disputed, profile) -> None:
    old, new = disputed()
    question = "where is the office of Ana"
    assert memory.recall(question, profile=profile)[0].memory.id == new
    memory.reinforce(old)
    found = memory.recall(question, profile=profile)
    assert [hit.memory.id for hit in found] == [old, new]
    assert found[0].score > found[1].score


def test_a_hit_that_a_trigger_brings_shows_its_own_score(memory) -> None:
    memory.remember("Never force-push to main", triggers=["git push"])
    memory.remember("The harbour office opens at nine")
    for profile in PROFILES:
        hit = memory.recall("the harbour office", working_on="git push --force", profile=profile, explain=True)[0]
        assert hit.trigger == "git push"
        assert hit.score == pytest.approx(sum_of_parts(hit), abs=2e-5), profile
