"""`candidates`: the columns a scorer works on are the memories' own, whatever happened to them before."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from recollect.ports import Store
from recollect.testing.contract.samples import (
    ACCOUNT,
    DIMENSIONS,
    MODEL,
    NOW,
    SEARCH,
    alter,
    axis,
    found_by,
    leaning,
    put,
    recalled,
    record,
    row_of,
)
from recollect.values.enums import MEMORY_TYPES, PROVENANCE_KINDS, SCOPES, STATUSES
from recollect.values.memory import Provenance
from recollect.values.search import ASSISTANT, UNKNOWN

LATER = NOW + timedelta(hours=1)


class CandidatesContract:
    """The right rows, with the right numbers."""

    def test_an_empty_account_has_no_candidates(self, store: Store) -> None:
        found, contents = found_by(store, replace(SEARCH, vector=axis(0).reshape(-1)))
        assert (len(found), contents, found.considered, found.visible) == (0, [], 0, 0)

    def test_the_columns_are_those_of_the_memory(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        memory = record(
            "the green door, so green", type="rule", scope="project", project="atlas", importance=0.25, weight=0.5,
            confidence=0.75, trust=0.125, score=-3, strength=4, access_count=5, updated_at=NOW + timedelta(hours=1),
            accessed_at=NOW + timedelta(hours=2), hit_at=NOW + timedelta(hours=3),
            provenance=Provenance("tool", "s1", 6, speaker="assistant", occurred_at=NOW - timedelta(days=1)),
        )  # fmt: skip
        put(store, memory, vectors=leaning(0.5))
        found, _ = found_by(store, replace(SEARCH, terms=("green", "door", "unheard"), vector=axis(0).reshape(-1)))
        cells = {name: getattr(found.columns, name)[0] for name in found.columns.__slots__}
        assert {name: float(cells[name]) for name in ("importance", "weight", "confidence", "trust", "score", "strength")} == {
            "importance": 0.25, "weight": 0.5, "confidence": 0.75, "trust": 0.125, "score": -3, "strength": 4,
        }  # fmt: skip
        hours = {
            name: (cells[name] - NOW.timestamp()) / 3600
            for name in ("created", "updated", "accessed", "hit", "occurred")
        }
        assert hours == {"created": 0, "updated": 1, "accessed": 2, "hit": 3, "occurred": -24}
        words = {"status": STATUSES, "type": MEMORY_TYPES, "scope": SCOPES, "source": PROVENANCE_KINDS}
        assert [known[cells[name]] for name, known in words.items()] == ["active", "rule", "project", "tool"]
        assert (cells["role"], cells["position"], cells["access_count"]) == (ASSISTANT, 6, 5)
        assert found.matches.tolist() == [[2, 1, 0]]
        assert found.cosine.tolist() == pytest.approx([0.5], abs=1e-3)
        assert (found.considered, found.visible, found.selected.tolist()) == (1, 1, [True])

    def test_what_a_memory_does_not_have_is_marked_as_unknown(self, store: Store) -> None:
        put(store, record("the green door"))
        found, _ = found_by(store)
        columns = found.columns
        assert np.isnan([columns.hit[0], columns.occurred[0], found.cosine[0]]).all()
        assert (columns.thread[0], columns.position[0], columns.role[0]) == (-1, -1, UNKNOWN)

    def test_one_session_in_one_place_is_one_thread(self, store: Store) -> None:
        put(store, record("green 0", session="s1"), record("green 1", session="s2"), record("green 2", session="s1"))
        put(store, record("green 3", session="s1", scope="project", project="atlas"))
        found, _ = found_by(store)
        one, two, three, four = found.columns.thread.tolist()
        assert one == three
        assert len({one, two, four}) == 3

    def test_manner_is_told_from_the_text(self, store: Store) -> None:
        put(store, record("green", type="rule"), record("is it green?", speaker="user"), record("plain green"))
        columns = found_by(store)[0].columns
        assert columns.standing.tolist() == [True, False, False]
        assert columns.asks.tolist() == [False, True, False]

    def test_the_columns_follow_a_change(self, store: Store) -> None:
        memory = record("the green door")
        put(store, memory)
        found_by(store)
        alter(store, memory, "reinforce", score=6, hit_at=NOW, importance=1.0)
        found, _ = found_by(store)
        assert (found.columns.score[0], found.columns.importance[0]) == (6, 1.0)
        assert found.columns.hit[0] == NOW.timestamp()

    def test_the_columns_follow_a_touch_and_never_back_in_time(self, store: Store) -> None:
        memory = record("the green door")
        put(store, memory)
        row = row_of(store, memory)
        for at in (LATER, NOW - timedelta(hours=1)):
            with store.transaction(ACCOUNT, "tester", LATER) as tx:
                tx.touch(ACCOUNT, {row: (2, at)})
        found, _ = found_by(store)
        assert found.columns.access_count[0] == 4
        assert found.columns.accessed[0] == LATER.timestamp()

    def test_words_are_weighed_by_bm25_over_the_whole_account(self, store: Store) -> None:
        put(
            store,
            record("green green door"),
            record("green window", status="forgotten"),
            record("blue blinds hang beside grey shelves"),
        )
        found, contents = found_by(store)
        lengths = found.columns.length.tolist()
        assert (contents, lengths) == (["green green door"], [3])
        idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
        mean = (3 + 2 + 6) / 3
        expected = idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / mean))
        assert found.idf.tolist() == pytest.approx([idf], rel=1e-5)
        assert found.bm25.tolist() == pytest.approx([expected], rel=1e-5)

    def test_a_removed_memory_no_longer_weighs_on_the_words(self, store: Store) -> None:
        kept, gone = record("green door"), record("green lamp with many many words")
        put(store, kept)
        alone, _ = found_by(store)
        put(store, gone)
        found_by(store)
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.remove(gone)
        found, contents = found_by(store)
        assert contents == ["green door"]
        assert found.bm25.tolist() == pytest.approx(alone.bm25.tolist())
        assert found.considered == 1

    def test_tags_and_named_speakers_are_words_too(self, store: Store) -> None:
        memory = record("x1", tags=("green",), speaker="Zoë")
        put(store, memory, record("x2", speaker="user"))
        for word in ("green", "zoe"):
            assert recalled(store, words=(word,)) == {"x1"}
        assert recalled(store, words=("user",)) == set()
        alter(store, memory, "untag", tags=())
        assert recalled(store) == set()

    def test_explain_says_what_each_gate_held_back(self, store: Store) -> None:
        old = record("green old")
        put(
            store,
            old,
            record("green new", supersedes=old.id),
            record("green elsewhere", scope="project", project="elsewhere"),
            # Behind a wall: not even counted.
            record("green private", scope="agent", agent="bob"),
            record("green over", expires_at=NOW),
            record("green gone", status="forgotten"),
        )
        found, _ = found_by(store, replace(SEARCH, explain=True))
        assert dict(found.hidden) == {
            "other scope": 1,
            "expired or not yet valid": 1,
            "superseded": 1,
            "forgotten or archived": 1,
            "filter": 0,
        }
        assert (found.considered, found.visible) == (5, 1)

    def test_many_vectors_at_once_find_what_each_would_find_alone(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        for place in range(6):
            put(
                store,
                record(f"memory {place}", status="forgotten" if place == 1 else "active"),
                vectors=axis(place % 3),
            )
        put(store, record("elsewhere", account="other"), vectors=axis(0))
        wanted = replace(SEARCH, depth=4, filter=replace(SEARCH.filter, statuses=("active", "forgotten")))
        vectors = [axis(0).reshape(-1), axis(1).reshape(-1)]
        with store.view(NOW) as reader:
            several = reader.near(wanted, vectors)
            alone = [reader.candidates(replace(wanted, vector=vector)) for vector in vectors]
        for near, one in zip(several, alone, strict=True):
            assert sorted(near.rows.tolist()) == sorted(one.rows.tolist())
            assert list(near.cosine) == sorted(near.cosine, reverse=True)
            known = dict(zip(one.rows.tolist(), one.columns.status.tolist(), strict=True))
            assert {row: known[row] for row in near.rows.tolist()} == dict(
                zip(near.rows.tolist(), near.status.tolist(), strict=True)
            )
