"""Working memory in each of its places: a module that defines `working_place` with several params runs in all of them.

The modules of `ON_SERVERS` run on a PostgreSQL with a Redis as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.config import load
from recollect.embed.store_embedder import StoreEmbedder
from recollect.engine import Memory
from recollect.store.sqlite.store import SqliteStore
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder
from recollect.testing.in_memory.working import InMemoryWorking
from recollect.values.scope import Identity
from recollect.wiring import assemble

ON_SERVERS = ("test_pool_races.py", "test_router_keys.py")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each test of such a module that uses a store, once a back end."""
    if "memory" in metafunc.fixturenames and Path(str(metafunc.module.__file__)).name in ON_SERVERS:
        metafunc.parametrize("memory", ("file", "servers"), indirect=True)


@pytest.fixture
def working_place() -> str:
    return "beside the store"


@pytest.fixture
def memory(
    request: pytest.FixtureRequest, tmp_path: Path, clock: FixedClock, embedder: HashingEmbedder, working_place: str
) -> Iterator[Memory]:
    """A fresh store in a temporary file, and working memory where the module says; or both on servers."""
    if getattr(request, "param", "file") == "servers":
        database, redis = request.getfixturevalue("empty_database"), request.getfixturevalue("fresh_redis")
        with recollect.open(database, embedder=embedder, clock=clock, working=redis) as opened:
            yield opened
        return
    path = tmp_path / "memory.db"
    if working_place == "reference":
        store = SqliteStore(path)
        attached = StoreEmbedder(embedder, store)
        with Memory(assemble(load(db=str(path)), store, attached, None, clock, InMemoryWorking()), Identity()) as made:
            yield made
        return
    url = request.getfixturevalue("fresh_redis") if working_place == "redis" else None
    with recollect.open(path, embedder=embedder, clock=clock, working=url) as opened:
        yield opened
