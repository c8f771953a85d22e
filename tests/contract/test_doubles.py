"""The doubles that tests stand on do what they say."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np

import recollect
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder


def test_a_fixed_clock_stands_still_until_it_is_moved() -> None:
    clock = FixedClock(datetime(2026, 5, 1, tzinfo=UTC))
    assert clock() == clock()
    assert clock.advance(90) == clock() == datetime(2026, 5, 1, 0, 1, 30, tzinfo=UTC)
    clock.advance(timedelta(days=1))
    assert clock().day == 2
    clock.set(datetime(2026, 1, 1, tzinfo=UTC))
    assert clock() == datetime(2026, 1, 1, tzinfo=UTC)


def test_hashed_texts_are_unit_vectors_and_nearer_the_more_words_they_share() -> None:
    embedder = HashingEmbedder()
    texts = ["the green door is open", "the green door is shut", "blue paint dries", "?", ""]
    vectors = embedder.embed_documents(texts)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, rtol=1e-5)
    np.testing.assert_array_equal(vectors, HashingEmbedder().embed_documents(texts))
    cosines = vectors @ embedder.embed_query("green door")
    assert cosines[0] > 0.5 > abs(cosines[2])
    assert embedder.embed_documents([]).shape == (0, embedder.dimensions)


def test_a_memory_remembered_through_the_doubles_is_recalled(memory: recollect.Memory, clock: FixedClock) -> None:
    stored = memory.remember("The staging database runs on postgres")
    memory.remember("Friday is the day for deploys")
    clock.advance(60)
    (best,) = memory.recall("which database does staging use", limit=1)
    assert stored.memory is not None
    assert best.memory.id == stored.memory.id
    assert best.memory.created_at == clock() - timedelta(seconds=60)
