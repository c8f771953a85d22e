"""Yardsticks on PostgreSQL: what a search and a write cost in bare SQL, by plain psycopg, and how many times that a verb costs.

A search needs two statements: the nearest vectors by the account's HNSW index, and the rows with telling words by the GIN
index. They run here on the same tables and the same account, prepared, with nothing around them: no rule of who sees what, no
score, no counter, no row security. A write needs one INSERT of the row, and its commit. Verb and yardstick take turns. Their
ratio is one of CPU time, of client and connections together, where the server is ours, and else of wall time.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from psycopg import sql

import recollect
from bench.clocks import Clock, CpuClock
from bench.synthetic import PROJECT, Prepared
from bench.tables import Figure
from recollect.store.postgres.rows import marks_of
from recollect.values.terms import query_terms

Call = Callable[[], object]
RECALL, REMEMBER = 3.0, 6.0
# As many as a recall of ten asks for, found by as wide a scan.
_NEAREST, _WIDTH = 48, 64
# So many rows with telling words are read at most, from the rarest word on, as a search of ours does it.
_WORDED = 500

_NEAR = """
SELECT row FROM vectors WHERE account_id = {account} AND model = {model} AND NOT waiting
ORDER BY vector::halfvec({dimensions}) <=> %s::halfvec({dimensions}) LIMIT {nearest}
"""
_WORDS = "SELECT row, content FROM memories WHERE account_id = %s AND words && %s"
_RAREST = "SELECT word, memories FROM terms WHERE account_id = %s AND word = ANY (%s) ORDER BY memories"
# `row` is numbered by the server, `id_tail` made from the id.
_SAMPLE = "SELECT * FROM memories WHERE account_id = %s ORDER BY row DESC LIMIT 1"
_COMPUTED = frozenset(("row", "id_tail"))


@dataclass(frozen=True)
class BareSql:
    """One account of a store, asked and written by plain psycopg."""

    connection: psycopg.Connection[Any]
    account_id: int
    near: sql.Composed

    def search(self, vector: HalfVector, words: list[int]) -> None:
        """The two statements of a search."""
        self.connection.execute(self.near, [vector], prepare=True).fetchall()
        self.connection.execute(_WORDS, [self.account_id, words], prepare=True).fetchall()

    def telling_words(self, question: str) -> list[int]:
        """The words of a question that decide which rows are scored: the rarest, as long as they bring few rows."""
        marks = marks_of(self.account_id, query_terms(question)).tolist()
        found = self.connection.execute(_RAREST, [self.account_id, marks]).fetchall()
        rows = np.cumsum([memories for _, memories in found])
        return [word for place, (word, _) in enumerate(found) if place == 0 or rows[place] <= _WORDED]

    def inserts(self, count: int) -> list[Call]:
        """As many writes of a row like the newest one, each with an id of its own."""
        cursor = self.connection.execute(_SAMPLE, [self.account_id])
        names = [column.name for column in cursor.description or ()]
        sample = dict(zip(names, cursor.fetchone() or (), strict=True))
        columns = [name for name in names if name not in _COMPUTED]
        insert = sql.SQL("INSERT INTO memories ({}) VALUES ({})").format(
            sql.SQL(", ").join(map(sql.Identifier, columns)), sql.SQL(", ").join(map(sql.Placeholder, columns))
        )
        rows = [{**sample, "id": uuid.uuid4()} for _ in range(count)]
        return [lambda row=row: self.connection.execute(insert, row, prepare=True) for row in rows]


@contextmanager
def bare_sql(where: str, account: str) -> Iterator[BareSql]:
    """A connection to the store of this address, in autocommit: every statement is a transaction, an INSERT commits."""
    with psycopg.connect(where, autocommit=True) as connection:
        register_vector(connection)
        connection.execute("SET search_path = recollect, public")
        connection.execute(sql.SQL("SET hnsw.ef_search = {}").format(sql.Literal(_WIDTH)))
        found = connection.execute("SELECT account_id FROM accounts WHERE name = %s", [account]).fetchone()
        assert found is not None, f"no account {account}"
        held = connection.execute(
            "SELECT model, vector_dims(vector) FROM vectors WHERE account_id = %s LIMIT 1", found
        ).fetchone()
        assert held is not None, f"account {account} has no vectors"
        near = sql.SQL(_NEAR).format(
            account=sql.Literal(found[0]),
            model=sql.Literal(held[0]),
            dimensions=sql.Literal(held[1]),
            nearest=sql.Literal(_NEAREST),
        )
        yield BareSql(connection, found[0], near)


@dataclass(frozen=True, slots=True)
class Account:
    """The account that is measured: the address of its database, the process of the server where that is ours, and the store."""

    where: str
    server: int | None
    name: str
    memory: recollect.Memory
    rows: int


def yardstick_figures(account: Account, asked: Sequence[str], texts: Sequence[str], embedder: Prepared) -> list[Figure]:
    """How many times their bare SQL `recall` and `remember` cost in one account."""
    memory, label = account.memory, f"one account of {account.rows:,}"
    with bare_sql(account.where, account.name) as bare:
        clock = time.perf_counter if account.server is None else CpuClock(account.where, account.server)
        questions = [(HalfVector(embedder.embed_query(question)), bare.telling_words(question)) for question in asked]
        recalls = _in_turn(
            [lambda q=q: memory.recall(q, limit=10, project=PROJECT) for q in asked],
            [lambda v=v, w=w: bare.search(v, w) for v, w in questions],
            clock,
        )
        remembers = _in_turn(
            [lambda t=t: memory.remember(t, project=PROJECT) for t in texts], bare.inserts(len(texts)), clock
        )
    return [
        _figure(f"recall / its two bare statements, {label}", recalls, RECALL),
        _figure(f"remember / its bare INSERT, {label}", remembers, REMEMBER),
    ]


def _in_turn(verbs: Sequence[Call], bare: Sequence[Call], clock: Clock) -> NDArray[np.float64]:
    """The medians of verb and yardstick by the clock and in wall time, in milliseconds; who begins changes with every pair."""
    times: tuple[list[tuple[float, float]], list[tuple[float, float]]] = ([], [])
    for number, pair in enumerate(zip(verbs, bare, strict=True)):
        for which in (0, 1) if number % 2 else (1, 0):
            spent, started = clock(), time.perf_counter()
            pair[which]()
            wall = time.perf_counter() - started
            times[which].append((clock() - spent, wall))
    return np.median(np.array(times), axis=1) * 1e3


def _figure(what: str, medians: NDArray[np.float64], most: float) -> Figure:
    (cpu, wall), (bare_cpu, bare_wall) = medians
    note = (
        f"CPU p50 {cpu:.2f} ms, bare SQL {bare_cpu:.2f} ms, in turn; wall {wall:.2f} and {bare_wall:.2f} ms,"
        f" {wall / bare_wall:.2f} ×"
    )
    return Figure(what, float(cpu / bare_cpu), most, "lower", "×", note)
