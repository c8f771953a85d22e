"""One file, opened by several processes."""

import pytest

from recollect.store.sqlite.store import SqliteStore
from recollect.testing.contract.samples import DIMENSIONS, MODEL


@pytest.fixture
def opened(tmp_path):
    """Opens the same file as often as wanted, each time as another process would."""
    made: list[SqliteStore] = []

    def another() -> SqliteStore:
        made.append(SqliteStore(tmp_path / "memory.db", durable=False))
        made[-1].use_model(MODEL, DIMENSIONS)
        return made[-1]

    yield another
    for store in made:
        store.close()
