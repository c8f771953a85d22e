"""Searching PostgreSQL gives what searching a file gives: the same rows with the same numbers, under every filter."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from recollect.ports import Store
from recollect.store.postgres.options import Options
from recollect.store.postgres.store import PostgresStore
from recollect.store.sqlite.store import SqliteStore
from recollect.testing.contract.samples import ACCOUNT, DIMENSIONS, EVERY_STATUS, MODEL, NOW, VIEWER, record
from recollect.testing.servers import fresh_database
from recollect.values.memory import Record
from recollect.values.scope import Identity, Viewer
from recollect.values.search import DeliveryQuery, Filter, Search

_WORDS = [f"{one}{two}" for one in ("lamp", "valve", "door", "kettle", "shelf", "roof") for two in "abcdefgh"]
_SCOPES: tuple[dict[str, Any], ...] = (
    {}, {}, {"scope": "project", "project": "atlas"}, {"scope": "project", "project": "zephyr"},
    {"scope": "agent", "agent": "ada"}, {"scope": "agent", "agent": "bob", "project": "atlas"},
    {"scope": "team", "team": "core"}, {"scope": "session", "session": "s1"},
)  # fmt: skip


def _memories(count: int, seed: int = 5) -> Iterator[tuple[Record, np.ndarray[Any, Any] | None]]:
    """Memories of every kind, some replacing earlier ones, with one vector, several or none."""
    chance, numbers = random.Random(seed), np.random.default_rng(seed)
    earlier: list[str] = []
    for number in range(count):
        made = record(
            " ".join(chance.choices(_WORDS, k=chance.randint(2, 20))),
            type=chance.choice(("fact", "rule", "negative")),
            status=chance.choice(("active", "active", "active", "active", "forgotten", "archived")),
            tags=tuple(chance.sample(("red", "blue", "old"), chance.randint(0, 2))),
            importance=round(chance.random(), 3),
            trust=round(chance.random(), 2),
            created_at=NOW - timedelta(hours=number),
            expires_at=chance.choice((None, None, None, NOW, NOW + timedelta(days=1))),
            valid_from=chance.choice((None, None, NOW + timedelta(hours=1), NOW - timedelta(days=3))),
            occurred_at=chance.choice((None, NOW - timedelta(days=chance.randint(0, 9)))),
            season=chance.choice((None, None, "audit", "release")),
            supersedes=chance.choice(earlier) if earlier and number % 6 == 0 else None,
            speaker=chance.choice(("Zoë", "assistant", None)),
            position=number % 9,
            **{"session": f"s{number // 9}", **chance.choice(_SCOPES)},
        )
        earlier.append(made.id)
        vectors = numbers.normal(size=(chance.choice((1, 1, 3)), DIMENSIONS)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        yield made, None if number % 10 == 9 else vectors


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, postgres: str) -> Iterator[tuple[Store, Store]]:
    """The same memories in a file and on a server; nothing of them is changed."""
    file = SqliteStore(tmp_path_factory.mktemp("twin") / "memory.db", durable=False)
    with fresh_database(postgres) as url:
        server = PostgresStore(url, Options(connections=2, partitions=2))
        for store in (file, server):
            store.use_model(MODEL, DIMENSIONS)
            with store.transaction(ACCOUNT, "tester", NOW) as tx:
                for memory, vectors in _memories(240):
                    tx.insert(memory, vectors)
        yield file, server
        file.close()
        server.close()


_VECTOR = np.eye(DIMENSIONS, dtype=np.float32)[0]
_HOUR = 3600.0
_BASE = Search(VIEWER, Filter(), NOW.timestamp(), _VECTOR, ("lampa", "doorb", "roofc", "unheard"), depth=300, mean=True)
SEARCHES = {
    "everything": _BASE,
    "the nearest few": replace(_BASE, terms=(), depth=9),
    "words alone": replace(_BASE, vector=None),
    "neighbours": replace(_BASE, terms=("lampa",), vector=None, neighbours=2),
    "every status": replace(_BASE, filter=Filter(statuses=EVERY_STATUS)),
    "superseded": replace(_BASE, filter=Filter(statuses=("superseded",))),
    "forgotten": replace(_BASE, filter=Filter(statuses=("forgotten", "archived"))),
    "the past": replace(_BASE, now=NOW.timestamp() - 80 * _HOUR, past=True),
    "a time": replace(_BASE, terms=(), depth=2, windows=((NOW.timestamp() - 30 * _HOUR, NOW.timestamp() - 5 * _HOUR),)),
    "instructions": replace(_BASE, depth=1, vector=None, terms=(), standing=True),
    "tags": replace(_BASE, filter=Filter(tags=("red", "old"))),
    "types and trust": replace(_BASE, filter=Filter(types=("rule", "fact"), min_trust=0.3)),
    "a project": replace(_BASE, filter=Filter(project="atlas")),
    "without a project": replace(_BASE, filter=Filter(without=("atlas",))),
    "since": replace(_BASE, filter=Filter(since=NOW - timedelta(hours=90), until=NOW - timedelta(hours=3))),
    "somebody else": replace(_BASE, viewer=Viewer(Identity(ACCOUNT, "bob"), "atlas")),
    "nowhere": replace(_BASE, viewer=Viewer(Identity(ACCOUNT))),
    "seasons": replace(_BASE, seasons=frozenset(("audit",))),
    "explained": replace(_BASE, explain=True),
    "nothing there": replace(_BASE, viewer=Viewer(Identity("nobody"))),
}


def _seen(store: Store, search: Search) -> dict[str, Any]:
    """Everything a search says, by the time each memory was made, which tells them apart on both sides."""
    with store.view(NOW) as reader:
        found = reader.candidates(search)
    columns = {
        name: getattr(found.columns, name) for name in found.columns.__slots__ if name not in ("thread", "created")
    }
    rows = {
        float(found.columns.created[place]): (
            [float(np.nan_to_num(column[place], nan=-9)) for column in columns.values()],
            round(float(np.nan_to_num(found.cosine[place], nan=-9)), 3),
            round(float(found.bm25[place]), 4),
            found.matches[place].tolist(),
            bool(found.selected[place]),
        )
        for place in range(len(found))
    }
    whole = (found.considered, found.in_window, dict(found.hidden), np.round(found.idf, 5).tolist())
    return {"rows": rows, "whole": whole, "mean": round(found.mean_cosine, 3), "length": round(found.mean_length, 4)}


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_finds_the_same_rows_with_the_same_numbers(both: tuple[Store, Store], name: str) -> None:
    file, server = (_seen(store, SEARCHES[name]) for store in both)
    assert server == file
    assert name in ("nothing there",) or file["rows"]


@pytest.mark.parametrize("name", ["everything", "every status", "tags", "somebody else"])
def test_near_holding_among_and_standing_agree(both: tuple[Store, Store], name: str) -> None:
    search, answers = replace(SEARCHES[name], depth=20), []
    for store in both:
        with store.view(NOW) as reader:
            near = reader.near(search, [_VECTOR, -_VECTOR])
            held = reader.rows_with_terms(search, [("lampa",), ("lampa", "doorb"), ("unheard",)], 60)
            shown = reader.filter_visible(search, list(range(1, 300)))
            since = NOW.timestamp() - 50 * _HOUR
            lists = [
                DeliveryQuery(25),
                DeliveryQuery(9, types=("rule",), since=since),
                DeliveryQuery(9, rows=(*shown[5:9],)),
            ]
            first, latest, some = reader.list_by_delivery(search, lists)
        base = min(shown)  # row numbers differ by where each store began to count
        answers.append([
            [([int(row) - base for row in one.rows], np.round(one.cosine, 3).tolist(), one.status.tolist()) for one in near],
            [[row - base for row in part] for part in (*held, shown, first, latest, some)],
        ])  # fmt: skip
    assert answers[0] == answers[1]
