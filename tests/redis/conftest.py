"""A Redis of one's own for tests that hurt it, and working memory on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from recollect.store.redis.working import RedisWorking
from recollect.testing.servers import Server, redis_server


@pytest.fixture
def server() -> Iterator[Server]:
    """A Redis that a test may kill."""
    with redis_server(tcp=True) as started:
        yield started


@pytest.fixture
def opened() -> Iterator[Callable[..., RedisWorking]]:
    """Opens working memory at an address, and closes it afterwards."""
    made: list[RedisWorking] = []

    def open_(url: str, **query: object) -> RedisWorking:
        joined = "&".join(f"{name}={value}" for name, value in query.items())
        made.append(RedisWorking(f"{url}?{joined}" if joined else url))
        return made[-1]

    yield open_
    for working in made:
        working.close()
