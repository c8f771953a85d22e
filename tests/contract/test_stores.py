"""The contract of a store, on every back end there is. A back end that cannot be tested here fails; none is skipped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.ports import Store
from recollect.store.postgres.options import Options
from recollect.store.postgres.store import PostgresStore
from recollect.store.sqlite.store import SqliteStore
from recollect.testing.contract import StoreContract
from recollect.testing.in_memory import InMemoryStore


class TestInMemoryStore(StoreContract):
    @pytest.fixture
    def store(self) -> Iterator[Store]:
        store = InMemoryStore()
        yield store
        store.close()


class TestSqliteFile(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        store = SqliteStore(tmp_path / "memory.db", durable=False)
        yield store
        store.close()


class TestSqliteInMemory(StoreContract):
    @pytest.fixture
    def store(self) -> Iterator[Store]:
        store = SqliteStore(":memory:")
        yield store
        store.close()


class TestPostgres(StoreContract):
    @pytest.fixture
    def store(self, empty_database: str) -> Iterator[Store]:
        store = PostgresStore(empty_database, Options(connections=2))
        yield store
        store.close()
