"""Server: what PostgreSQL costs for one large account and for many small ones, and what its nearest are worth against exact.

Times are wall time, because most of the work happens in another process; a busy machine shows in them, so the CPU time of both
sides stands beside, and no time has a target: what is judged is the ratio to bare SQL in the same run (`yardstick.py`). Without
the address of a server, one is started from the test wheel, with every commit on disk before it is acknowledged.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

import recollect
from bench.metrics import mean, quantile
from bench.speed import timed
from bench.synthetic import PROJECT, Prepared, Words, drafts
from bench.tables import Figure
from bench.yardstick import Account, yardstick_figures
from recollect.config import load
from recollect.errors import RecollectError
from recollect.wiring import migrate_store

_SHARES = (0.001, 0.01, 0.1, 1.0)
_CLIENTS = 32
# The share of a machine's time, in per cent, that its host may take while something is timed.
_TAKEN = 2.0
_MODEL = "bench"
# As docs/howto/scale.md advises; of the machine's memory the server gets `_MEMORY`.
_SERVER = {"maintenance_work_mem": "512MB", "max_wal_size": "4GB", "max_connections": "80"}
_MEMORY = 0.25


@dataclass(frozen=True, slots=True)
class Size:
    """How much is loaded: one account of so many memories, and so many accounts of so many each."""

    rows: int = 100_000
    accounts: int = 1000
    each: int = 1000
    questions: int = 150

    @property
    def shares(self) -> dict[str, int]:
        """Accounts that hold a share of the rows of the largest, by name."""
        return {f"share-{share:g}": max(round(self.rows * share), 1) for share in _SHARES[:-1]}


def run(size: Size, url: str | None = None) -> list[Figure]:
    """All figures."""
    embedder = Prepared(_MODEL)
    asked = Words(seed=3).questions(size.questions)
    embedder.prepare(asked)
    with database(url) as (where, server):
        with recollect.open(where, embedder=embedder, refresh_clusters=0) as memory:
            figures = _loaded(memory, size, embedder)
            started = time.perf_counter()
            migrate_store(load(db=where).settings, dry_run=False, progress=lambda _: None)
            figures.append(Figure("vector indexes of large accounts", time.perf_counter() - started, unit="s"))
            figures += [_vacuumed(where), _rested()]
            figures += _recalls(memory, size, asked, server)
            figures += _exactness(memory, size, asked, embedder)
            figures += _yardsticks(where, server, memory, size, asked, embedder)
            figures += [*_remembers(memory, size, len(asked), embedder), _together(memory, size, asked)]
        figures += _sizes(where, size)
    return figures


@contextmanager
def database(url: str | None) -> Iterator[tuple[str, int | None]]:
    """An empty database, and the process of its server if that is ours."""
    from recollect.testing.servers import fresh_database

    with started(url) as (server, process), fresh_database(server) as made:
        yield made, process


@contextmanager
def started(url: str | None) -> Iterator[tuple[str, int | None]]:
    """The server of this address, or one started from the test wheel: its address, and its process if it is ours."""
    from recollect.testing.servers import postgres_server

    if url is not None:
        yield url, None
        return
    with postgres_server(durable=True, settings=_settings()) as server:
        yield server.url, server.pid


def _settings() -> dict[str, str]:
    """The settings of the server that is started."""
    import psutil

    return {**_SERVER, "shared_buffers": f"{int(psutil.virtual_memory().total * _MEMORY) >> 20}MB"}


def _vacuumed(where: str) -> Figure:
    """After a load, what the server does by itself sooner or later is done before anything is timed."""
    import psycopg

    started = time.perf_counter()
    with psycopg.connect(where, autocommit=True) as connection:
        connection.execute("VACUUM (ANALYZE)")
        connection.execute("CHECKPOINT")
    return Figure("vacuum and checkpoint after the load", time.perf_counter() - started, unit="s")


def _rested(most: float = 120.0) -> Figure:
    """A shared machine takes back what a long load used up; timing waits until hardly anything is taken, but not for ever."""
    import psutil

    started = time.perf_counter()
    while getattr(psutil.cpu_times_percent(interval=2), "steal", 0.0) > _TAKEN and time.perf_counter() - started < most:
        pass
    return Figure(
        "rest before timing", time.perf_counter() - started, unit="s", note=f"until the host took at most {_TAKEN:g} %"
    )


def _cpu(server: int | None) -> float:
    """Milliseconds of CPU that this process and the server have used so far."""
    import psutil

    own = psutil.Process()
    held = [own] if server is None else [own, *psutil.Process(server).children(recursive=True)]
    return sum(sum(process.cpu_times()[:2]) for process in held) * 1e3


def _loaded(memory: recollect.Memory, size: Size, embedder: Prepared) -> list[Figure]:
    """Fill every account; the figure is that of the large one, before it has a vector index."""
    rate = size.rows / _fill(memory, size.rows, 1, embedder)
    for number, (name, rows) in enumerate(size.shares.items()):
        _fill(memory.with_identity(account=name), rows, 100 + number, embedder)
    for number in range(size.accounts):
        _fill(memory.with_identity(account=f"small-{number}"), size.each, 1000 + number, embedder)
    note = f"one account of {size.rows:,}; {size.accounts:,} accounts of {size.each:,} beside it"
    return [Figure("bulk load without embedding", rate, unit="memories/s", note=note)]


def _fill(memory: recollect.Memory, count: int, seed: int, embedder: Prepared) -> float:
    """Store many memories; returns the time it took without making their texts and vectors."""
    spent = 0.0
    for block in drafts(count, seed, block=5000):
        embedder.prepare_drafts(block)
        started = time.perf_counter()
        memory.remember_many(block, verbatim=True)
        spent += time.perf_counter() - started
    return spent


def _recalls(memory: recollect.Memory, size: Size, asked: Sequence[str], server: int | None) -> list[Figure]:
    figures = []
    small = [
        memory.with_identity(account=f"small-{number * 7 % max(size.accounts, 1)}") for number in range(len(asked))
    ]
    for label, clients in (
        (f"one account of {size.rows:,}", [memory] * len(asked)),
        (f"{size.accounts:,} accounts of {size.each:,}", small),
    ):
        calls = [lambda c=c, q=q: c.recall(q, limit=10, project=PROJECT) for c, q in zip(clients, asked, strict=True)]
        for call in calls[:20]:
            call()
        before = _cpu(server)
        times = timed(calls, time.perf_counter)
        spent = (_cpu(server) - before) / len(calls)
        whose = "this process alone" if server is None else "client and server"
        figures += [
            Figure(f"recall mean, {label}", spent, unit="ms CPU", note=whose),
            Figure(f"recall p50, {label}", quantile(times, 0.5), unit="ms wall"),
            Figure(f"recall p95, {label}", quantile(times, 0.95), unit="ms wall"),
        ]
    return figures


def _exactness(memory: recollect.Memory, size: Size, asked: Sequence[str], embedder: Any) -> list[Figure]:
    """How much of the exact ten nearest comes back, in accounts of several shares of the rows."""
    figures = []
    for share, account in zip(_SHARES, [*size.shares, "default"], strict=True):
        own = memory if account == "default" else memory.with_identity(account=account)
        with memory._runtime.store.view() as reader:
            held = reader.embedded(account)
            ids = [record.id for record in reader.fetch(account, held.rows.tolist())]
        vectors = held.vectors.astype(np.float32)
        seen = np.array([place[1] == PROJECT for place in held.places])
        shares = []
        for question in asked[:50]:
            near = np.where(seen, vectors @ embedder.embed_query(question), -2.0)
            exact = {ids[place] for place in np.argsort(-near, kind="stable")[:10] if seen[place]}
            got = {hit.memory.id for hit in own.search(question, mode="semantic", limit=10, project=PROJECT)}
            shares.append(len(got & exact) / max(len(exact), 1))
        note = f"{len(ids):,} memories"
        figures.append(Figure(f"recall@10 of the exact scan, account of {share:.1%}", mean(shares), 0.98, note=note))
    return figures


def _together(memory: recollect.Memory, size: Size, asked: Sequence[str]) -> Figure:
    """Many clients at once, half of them in the large account."""
    failed: list[str] = []
    turns = max(len(asked) // 12, 1)

    def client(number: int) -> None:
        own = memory if number % 2 else memory.with_identity(account=f"small-{number % max(size.accounts, 1)}")
        for turn in range(turns):
            try:
                own.recall(asked[(number * turns + turn) % len(asked)], limit=10, project=PROJECT)
            except RecollectError as error:
                failed.append(str(error))

    started = time.perf_counter()
    with ThreadPoolExecutor(_CLIENTS) as pool:
        list(pool.map(client, range(_CLIENTS)))
    rate = (_CLIENTS * turns - len(failed)) / (time.perf_counter() - started)
    note = f"{len(failed)} errors" + (f": {failed[0]}" if failed else "")
    return Figure(f"{_CLIENTS} clients at once", 0.0 if failed else rate, unit="recalls/s", note=note)


def _remembers(memory: recollect.Memory, size: Size, count: int, embedder: Prepared) -> list[Figure]:
    figures = []
    texts = Words(seed=5).texts(count)
    embedder.prepare_texts(texts)
    for label, own in (
        (f"one account of {size.rows:,}", memory),
        (f"an account of {size.each:,}", memory.with_identity(account="small-0")),
    ):
        calls = [
            lambda o=own, t=t, n=n: o.remember(t, project=PROJECT, session="now", position=n)
            for n, t in enumerate(texts)
        ]
        times = timed(calls, time.perf_counter)
        figures += [
            Figure(f"durable remember p50, {label}", quantile(times, 0.5), unit="ms wall"),
            Figure(f"durable remember p95, {label}", quantile(times, 0.95), unit="ms wall"),
        ]
    return figures


def _yardsticks(
    where: str, server: int | None, memory: recollect.Memory, size: Size, asked: Sequence[str], embedder: Prepared
) -> list[Figure]:
    """Recall and remember as multiples of their bare SQL, in the large account and in one of a tenth of it."""
    tenth = f"share-{_SHARES[2]:g}"
    accounts = [
        Account(where, server, "default", memory, size.rows),
        Account(where, server, tenth, memory.with_identity(account=tenth), size.shares[tenth]),
    ]
    texts = Words(seed=7).texts(len(asked))
    embedder.prepare_texts(texts)
    return [figure for account in accounts for figure in yardstick_figures(account, asked, texts, embedder)]


def _sizes(where: str, size: Size) -> list[Figure]:
    """What a memory takes on disk, in tables and in indexes."""
    import psycopg

    total = size.rows + sum(size.shares.values()) + size.accounts * size.each
    with psycopg.connect(where) as connection:
        found = connection.execute(
            "SELECT split_part(c.relname, '_p', 1), sum(pg_table_size(c.oid)), sum(pg_indexes_size(c.oid))"
            " FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
            " WHERE n.nspname = 'recollect' AND c.relkind = 'r' GROUP BY 1 ORDER BY 2 DESC"
        ).fetchall()
        near = connection.execute(
            "SELECT coalesce(sum(pg_relation_size(oid)), 0) FROM pg_class WHERE relname LIKE 'vectors\\_near\\_%%'"
        ).fetchone()
    graph = int(near[0]) if near else 0
    heap, indexes = (sum(int(row[part]) for row in found) for part in (1, 2))
    note = ", ".join(f"{name} {int(heap) / total:,.0f}+{int(index) / total:,.0f}" for name, heap, index in found[:5])
    large = size.rows + round(size.rows * 0.1)
    return [
        Figure(
            "bytes a memory, all tables and indexes but vector graphs",
            (heap + indexes - graph) / total,
            unit="bytes",
            note=note,
        ),
        Figure("bytes a memory of a vector graph", graph / large, unit="bytes", note="only accounts that have one"),
    ]
