"""A filter applies before anything is selected: the nearest of what passes it are the exact nearest, however few pass."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recollect.filters import filter_from
from recollect.ports import Store
from recollect.store.postgres.options import Options
from recollect.store.postgres.store import PostgresStore, upgrade
from recollect.store.postgres.vector_index import INDEXED_FROM
from recollect.store.sqlite.store import SqliteStore
from recollect.testing.contract.samples import ACCOUNT, DIMENSIONS, IDENTITY, MODEL, NOW, VIEWER, record
from recollect.values.search import Search

# On SQLite, vectors are compared by their bits from 20,000 on; on PostgreSQL an account of this size has a vector index.
SIZES = {"sqlite": 20_500, "postgres": INDEXED_FROM + 500}
FILTERS: dict[str, dict[str, Any]] = {
    "one in a hundred": {"metadata": {"bucket": 7}},
    "one in a thousand": {"metadata": {"bucket": 7, "shelf": {"$in": [3]}}},
    "a range": {"metadata": {"score": {"$gte": 97, "$lt": 99.5}}},
    "what is not there": {"metadata": {"rare": {"$exists": True}}},
    "one of two": {"where": {"OR": [{"metadata": {"bucket": 3}}, {"metadata": {"deep.kind": "v77"}}]}},
    "half but some": {
        "metadata": {"team": "core"},
        "where": {"NOT": {"metadata": {"bucket": {"$in": [0, 2, 4, 6, 8]}}}},
    },
    "nearly all": {"metadata": {"bucket": {"$ne": 7}}},
}


def _metadata(number: int) -> dict[str, Any]:
    made = {
        "bucket": number % 100,
        "shelf": number // 100 % 10,
        "score": number * 7919 % 1000 / 10,
        "team": ("core", "web")[number % 2],
        "deep": {"kind": f"v{number % 500}"},
    }
    return made | ({"rare": None} if number % 1700 == 5 else {})


def _passes(name: str, number: int) -> bool:
    """The filters again, in Python."""
    held = _metadata(number)
    return {
        "one in a hundred": held["bucket"] == 7,
        "one in a thousand": held["bucket"] == 7 and held["shelf"] == 3,
        "a range": 97 <= held["score"] < 99.5,
        "what is not there": "rare" in held,
        "one of two": held["bucket"] == 3 or held["deep"]["kind"] == "v77",
        "half but some": held["team"] == "core" and held["bucket"] not in (0, 2, 4, 6, 8),
        "nearly all": held["bucket"] != 7,
    }[name]


def _unit(count: int, seed: int) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=(count, DIMENSIONS)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


@pytest.fixture(scope="module", params=list(SIZES))
def filled(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Store, np.ndarray]]:
    """A store of many memories, and their vectors as they are kept."""
    from recollect.testing.servers import fresh_database

    size = SIZES[request.param]
    vectors = _unit(size, 7)
    if request.param == "sqlite":
        store = SqliteStore(Path(tmp_path_factory.mktemp("nearest")) / "memory.db", durable=False)
        _fill(store, vectors)
        yield store, vectors
        store.close()
        return
    with fresh_database(request.getfixturevalue("postgres")) as url:
        server = PostgresStore(url, Options(connections=2, partitions=1))
        _fill(server, vectors)
        assert [name for name, _ in upgrade(url, server.options, dry_run=False)] == ["vector index"]
        yield server, vectors
        server.close()


def _fill(store: Store, vectors: np.ndarray) -> None:
    store.use_model(MODEL, DIMENSIONS)
    with store.transaction(ACCOUNT, "tester", NOW) as tx:
        for number, vector in enumerate(vectors):
            tx.insert(record(f"n{number}", metadata=_metadata(number)), vector[None, :])


@pytest.mark.parametrize("name", FILTERS)
def test_the_nearest_ten_that_pass_are_the_exact_ones(filled: tuple[Store, np.ndarray], name: str) -> None:
    store, vectors = filled
    passing = np.array([number for number in range(len(vectors)) if _passes(name, number)])
    wanted = filter_from(FILTERS[name])
    with store.view() as reader:
        assert reader.count_found(IDENTITY, wanted, NOW) == len(passing) > 0
        for asked in _unit(5, 99):
            found = reader.candidates(Search(VIEWER, wanted, NOW.timestamp(), asked, depth=10))
            best = found.rows[np.argsort(-found.cosine)][:10].tolist()
            told = [int(memory.content[1:]) for memory in reader.fetch(ACCOUNT, best)]
            exact = vectors[passing].astype(np.float16).astype(np.float32) @ asked
            tenth = np.sort(exact)[-min(10, len(passing))]
            assert len(told) == min(10, len(passing))
            assert all(vectors[number].astype(np.float16).astype(np.float32) @ asked >= tenth - 2e-3 for number in told)
