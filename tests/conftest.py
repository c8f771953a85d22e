"""Every test starts from the same world: no settings of whoever runs it, a clock that stands still, a quick embedder."""

from __future__ import annotations

import ctypes
import ctypes.util
import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.config import data_folder
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder
from recollect.testing.servers import fresh_database as make_database
from recollect.testing.servers import fresh_prefix, postgres_server, redis_server

# A server of one's own to test against; read here, because no test sees the environment of whoever runs it.
OWN_POSTGRES, OWN_REDIS = os.environ.get("RECOLLECT_TEST_POSTGRES"), os.environ.get("RECOLLECT_TEST_REDIS")

pytest.register_assert_rewrite("recollect.testing.contract")

# A run that was started in the background has interrupts switched off, for itself and for what it starts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The user's own settings and memories never leak in; the model cache stays, so that it is fetched only once."""
    for name in list(os.environ):
        if name.startswith("RECOLLECT_"):
            monkeypatch.delenv(name)
    home = tmp_path_factory.getbasetemp() / "home"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(Path.home() / ".cache"))


@pytest.fixture(scope="module", autouse=True)
def memory_given_back() -> Iterator[None]:
    """What a module used goes back to the system: starting a process from one that holds gigabytes is slow."""
    yield
    gc.collect()
    trim = getattr(ctypes.CDLL(ctypes.util.find_library("c")), "malloc_trim", None)
    if trim is not None:
        trim(0)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock, embedder: HashingEmbedder) -> Iterator[recollect.Memory]:
    """A fresh store in a temporary file."""
    with recollect.open(tmp_path / "memory.db", embedder=embedder, clock=clock) as opened:
        yield opened


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL with pgvector, as its superuser. Starting takes half a second: each worker has its own."""
    if OWN_POSTGRES:
        yield OWN_POSTGRES
        return
    with postgres_server() as server:
        yield server.url


@pytest.fixture
def fresh_database(postgres: str) -> Iterator[str]:
    """The address of an empty database on that server, for one test."""
    with make_database(postgres) as url:
        yield url


@pytest.fixture(scope="session")
def migrated_database(postgres: str) -> Iterator[str]:
    """The address of a database with our schema in it, one a worker; whoever uses it leaves it empty."""
    from recollect.store.postgres.options import Options
    from recollect.store.postgres.store import PostgresStore

    with make_database(postgres) as url:
        # Few parts: tests make no use of many, and each costs time.
        PostgresStore(url, Options(partitions=2)).close()
        yield url


@pytest.fixture
def empty_database(migrated_database: str) -> Iterator[str]:
    """The address of a database with our schema and nothing in it, for one test: quicker than a new one."""
    yield migrated_database
    empty(migrated_database)


def empty(url: str) -> None:
    """Take everything out of a migrated database but what makes it one, and out of the working memory beside it."""
    import psycopg

    for left in data_folder(os.environ).glob("working/*"):
        left.unlink()

    statement = """DO $$ DECLARE held name; BEGIN
        PERFORM set_config('session_replication_role', 'replica', true);
        FOR held IN SELECT relname FROM pg_class WHERE relnamespace = 'recollect'::regnamespace AND relkind = 'p' LOOP
            EXECUTE format('DELETE FROM recollect.%I%s', held, CASE held WHEN 'notes' THEN
                ' WHERE account_id <> 0 OR name NOT IN (''store'', ''secret'', ''schema'', ''partitions'')' ELSE '' END);
        END LOOP;
        PERFORM setval(oid::regclass, 1, false) FROM pg_class
            WHERE relnamespace = 'recollect'::regnamespace AND relkind = 'S';
        END $$"""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement)


@pytest.fixture(scope="session")
def redis() -> Iterator[str]:
    """The address of a Redis, the same for all tests of a worker."""
    if OWN_REDIS:
        yield OWN_REDIS
        return
    with redis_server() as server:
        yield server.url


@pytest.fixture
def fresh_redis(redis: str) -> Iterator[str]:
    """The address of a Redis under a prefix of its own, for one test: nothing is there."""
    with fresh_prefix(redis) as url:
        yield url
