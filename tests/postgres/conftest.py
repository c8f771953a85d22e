"""A store on a real server for each test, and the roles of those who log in."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import numpy as np
import psycopg
import pytest
from numpy.typing import NDArray
from psycopg import sql

from recollect.store.postgres.options import Options
from recollect.store.postgres.store import PostgresStore, upgrade
from recollect.store.postgres.vector_index import INDEXED_FROM, wanted_indexes
from recollect.testing.contract.samples import ACCOUNT, DIMENSIONS, MODEL, NOW, record

Opening = Callable[..., PostgresStore]


@pytest.fixture
def store(empty_database: str) -> Iterator[PostgresStore]:
    """An empty store."""
    opened = PostgresStore(empty_database, Options(connections=4))
    yield opened
    opened.close()


@pytest.fixture
def superuser(empty_database: str) -> Iterator[psycopg.Connection]:
    """A connection that sees everything, to look at what a store did."""
    with psycopg.connect(empty_database, autocommit=True) as connection:
        connection.execute("SET search_path = recollect, public")
        yield connection


@pytest.fixture
def large(store: PostgresStore, empty_database: str, superuser: psycopg.Connection) -> Iterator[PostgresStore]:
    """A store whose one account is large enough for a vector index, and has it."""
    store.use_model(MODEL, DIMENSIONS)
    with store.transaction(ACCOUNT, "tester", NOW) as tx:
        for number, vector in enumerate(unit(INDEXED_FROM, 7)):
            tx.insert(record(f"n{number}"), vector[None, :])
    assert [name for name, _ in upgrade(empty_database, store.options, dry_run=False)] == ["vector index"]
    yield store
    for index in wanted_indexes(superuser):
        superuser.execute(f"DROP INDEX {index.name}")


@pytest.fixture
def little(store: PostgresStore) -> PostgresStore:
    """A store whose one account is measured row by row."""
    store.use_model(MODEL, DIMENSIONS)
    with store.transaction(ACCOUNT, "tester", NOW) as tx:
        for number, vector in enumerate(unit(60, 7)):
            tx.insert(record(f"n{number}"), vector[None, :])
    return store


@pytest.fixture
def tenant(superuser: psycopg.Connection, empty_database: str) -> Iterator[Callable[[str], str]]:
    """Makes a login role that may do no more than our own role; returns the address to log in with it."""
    made: list[sql.Identifier] = []

    def make(name: str) -> str:
        # Roles belong to the whole server, which several runs may share.
        name = f"{name}_{secrets.token_hex(4)}"
        role = sql.Identifier(name)
        superuser.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'tenant' IN ROLE recollect_app").format(role))
        made.append(role)
        return as_user(empty_database, name, "tenant")

    yield make
    for role in made:
        superuser.execute(sql.SQL("DROP ROLE {}").format(role))


def as_user(url: str, user: str, password: str) -> str:
    """The same database for another user."""
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2]
    asked = urlencode(parse_qsl(parts.query))
    return urlunsplit(parts._replace(netloc=f"{quote(user)}:{quote(password)}@{place}", query=asked))


def unit(count: int, seed: int) -> NDArray[np.float32]:
    """Unit vectors, the same ones for the same seed."""
    drawn = np.random.default_rng(seed).normal(size=(count, DIMENSIONS)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
