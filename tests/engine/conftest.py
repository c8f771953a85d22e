"""What the engine promises whatever it stands on: these modules run on a file and on a PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder

ON_BOTH = (
    "test_counting.py", "test_disguises.py", "test_journal.py", "test_links.py", "test_purge.py", "test_purged_rooms.py",
    "test_remember.py", "test_rooms.py", "test_tombstones.py", "test_whose_undo.py", "test_updates.py",
    "test_lists.py", "test_metadata.py", "test_users.py",
)  # fmt: skip


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each test of such a module that uses a store, once a back end."""
    if "memory" in metafunc.fixturenames and Path(str(metafunc.module.__file__)).name in ON_BOTH:
        metafunc.parametrize("memory", ("file", "postgres"), indirect=True)


@pytest.fixture
def memory(
    request: pytest.FixtureRequest, tmp_path: Path, clock: FixedClock, embedder: HashingEmbedder
) -> Iterator[recollect.Memory]:
    """A fresh store."""
    on_server = getattr(request, "param", "file") == "postgres"
    place = request.getfixturevalue("empty_database") if on_server else str(tmp_path / "memory.db")
    with recollect.open(place, embedder=embedder, clock=clock, postgres_connections=2) as opened:
        yield opened
