"""Vectors: kept with the model that made them, compared only with their own, and missed when they are missing."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.ports import Store
from recollect.testing.contract.samples import (
    ACCOUNT,
    DIMENSIONS,
    MODEL,
    NOW,
    VIEWER,
    alter,
    axis,
    leaning,
    put,
    record,
)
from recollect.values.search import Filter, Search


def _cosines(store: Store) -> dict[str, float]:
    """What a search along the first axis finds: content to cosine."""
    search = Search(VIEWER, Filter(), NOW.timestamp(), axis(0).reshape(-1), ("green",))
    with store.view() as reader:
        found = reader.candidates(search)
        memories = reader.fetch(ACCOUNT, found.rows.tolist())
        return {m.content: round(float(c), 3) for m, c in zip(memories, found.cosine, strict=True)}


def _mean(store: Store) -> float:
    with store.view() as reader:
        return reader.candidates(Search(VIEWER, Filter(), NOW.timestamp(), axis(0).reshape(-1), mean=True)).mean_cosine


class ModelsContract:
    """Two models are never mixed."""

    def test_vectors_come_back_in_half_precision(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        one, several, none = record("green one"), record("green several"), record("green none")
        put(store, one, vectors=leaning(0.3))
        put(store, several, vectors=np.concatenate((axis(1), axis(0), axis(2))))
        put(store, none)
        with store.view() as reader:
            found = reader.vectors(ACCOUNT, [one.id, several.id, none.id])
            assert set(found) == {one.id, several.id}
            assert found[several.id].shape == (3, DIMENSIONS)
            np.testing.assert_allclose(found[one.id], leaning(0.3), atol=5e-4)
            assert found[one.id].dtype == np.float32
            assert reader.vectors("other", [one.id]) == {}

    def test_a_memory_is_as_near_as_its_whole_text_and_its_best_passage(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        put(store, record("one green"), vectors=leaning(0.5))
        put(store, record("many green"), vectors=np.concatenate((leaning(0.25), leaning(0.75), -axis(0))))
        put(store, record("whole green"), vectors=np.concatenate((leaning(0.5), leaning(0.25))))
        put(store, record("no green"))
        cosines = _cosines(store)
        assert np.isnan(cosines.pop("no green"))
        assert cosines == {"one green": 0.5, "many green": 0.5, "whole green": 0.5}

    def test_the_mean_cosine_is_that_of_what_the_account_holds(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        one, two = record("one green"), record("two green", status="forgotten")
        put(store, one, vectors=leaning(0.75))
        put(store, two, vectors=np.concatenate((leaning(0.25), axis(0))))
        assert _mean(store) == pytest.approx(0.5, abs=1e-3)
        for memory, left in ((one, 0.25), (two, 0.0)):
            with store.transaction(ACCOUNT, "tester", NOW) as tx:
                tx.remove(memory)
            assert _mean(store) == pytest.approx(left, abs=1e-3)

    def test_a_new_text_without_a_vector_loses_the_old_one(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        memory = record("one green")
        put(store, memory, vectors=axis(0))
        alter(store, memory, score=3)
        assert _cosines(store) == {"one green": 1.0}
        alter(store, memory, content="two green")
        assert np.isnan(_cosines(store)["two green"])
        with store.view() as reader:
            assert [m.id for m in reader.unembedded(ACCOUNT, 10)] == [memory.id]

    def test_a_changed_text_is_found_by_its_new_vector_and_words_only(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        memory = record("one green")
        put(store, memory, vectors=axis(0))
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.change(memory, memory.with_(content="one blue"), "update", vectors=leaning(0.25))
        assert _cosines(store) == {"one blue": 0.25}

    def test_vectors_of_another_model_are_never_compared(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        memory = record("one green")
        put(store, memory, vectors=axis(0))
        assert _cosines(store) == {"one green": 1.0}
        store.use_model("another", DIMENSIONS)
        assert np.isnan(_cosines(store)["one green"])
        with store.view() as reader:
            assert reader.vectors(ACCOUNT, [memory.id]) == {}
            assert reader.count(ACCOUNT, NOW)["models"] == {MODEL: 1}
        store.use_model(MODEL, DIMENSIONS)
        assert _cosines(store) == {"one green": 1.0}

    def test_a_model_of_other_dimensions_starts_with_nothing(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        put(store, record("one green"), vectors=axis(0))
        store.use_model("wide", 2 * DIMENSIONS)
        put(store, record("two green"), vectors=np.eye(1, 2 * DIMENSIONS, dtype=np.float32))
        vector = np.eye(1, 2 * DIMENSIONS, dtype=np.float32).reshape(-1)
        search = Search(VIEWER, Filter(), NOW.timestamp(), vector, ())
        with store.view() as reader:
            found = reader.candidates(search)
            assert [m.content for m in reader.fetch(ACCOUNT, found.rows.tolist())] == ["two green"]

    def test_what_lacks_a_vector_is_listed_until_it_has_one(self, store: Store) -> None:
        store.use_model(MODEL, DIMENSIONS)
        memories = [record(f"green {number}") for number in range(3)]
        put(store, *memories)
        put(store, record("green elsewhere", account="other"))
        with store.view() as reader:
            assert reader.unembedded(ACCOUNT, 2) == memories[:2]
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.set_vectors(ACCOUNT, memories[0].id, leaning(0.5))
            assert tx.unembedded(ACCOUNT, 10) == memories[1:]
        assert _cosines(store)["green 0"] == 0.5
        with store.transaction(ACCOUNT, "tester", NOW) as tx:
            tx.set_vectors(ACCOUNT, memories[0].id, None)
        assert np.isnan(_cosines(store)["green 0"])
