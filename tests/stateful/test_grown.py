"""A store large enough to keep a snapshot of its index answers like the reference, with the snapshot and without it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.config import load
from recollect.embed.store_embedder import StoreEmbedder
from recollect.engine import Memory
from recollect.ports import Store
from recollect.store.sqlite.store import SqliteStore
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder
from recollect.testing.in_memory import InMemoryStore
from recollect.testing.twins import Twins
from recollect.values.scope import Identity
from recollect.wiring import assemble

THINGS = ("valve", "lamp", "door", "kettle", "window", "shelf")
STATES = ("green", "broken", "open", "sold", "lost", "painted", "hidden")
Reopen = Callable[[], None]


@pytest.fixture
def grown(tmp_path: Path, clock: FixedClock) -> tuple[Twins, Reopen]:
    """Six hundred memories on both back ends, and a way to reopen the file."""
    reference = InMemoryStore()

    def engine(store: Store) -> Memory:
        loaded = load(db=str(tmp_path / "memory.db"), embedder="none")
        return Memory(assemble(loaded, store, StoreEmbedder(HashingEmbedder(), store), None, clock), Identity())

    def opened() -> tuple[Memory, Memory]:
        return engine(reference), engine(SqliteStore(tmp_path / "memory.db", durable=False))

    def reopen() -> None:
        twins.same(lambda memory, _: memory.stats())
        twins.engines[1].close()
        twins.engines = opened()

    twins = Twins(*opened())
    twins.load([f"the {THINGS[n % 6]} number {n} is {STATES[n % 7]}" for n in range(600)], tags=("house",))
    clock.advance(60)
    _compare(twins)
    reopen()
    return twins, reopen


def _compare(twins: Twins) -> None:
    for profile in ("hybrid", "relevance", "composite", "hebbian"):
        twins.recall(
            lambda memory, profile=profile: memory.recall("green valve 210", profile=profile, limit=900, explain=True)
        )


def _change_much(twins: Twins, clock: FixedClock) -> None:
    twins.same(lambda memory, ids: memory.update(ids[0], content="the valve number 0 is blue"))
    twins.same(lambda memory, ids: memory.forget(ids[210]))
    twins.same(lambda memory, ids: memory.reinforce(ids[211]))
    twins.same(lambda memory, ids: memory.untag(ids[212], "house"))
    twins.same(lambda memory, ids: memory.supersede(ids[213], ids[214]))
    twins.same(lambda memory, ids: memory.purge(ids[215]).repeats)
    clock.advance(60)


def test_a_snapshot_is_kept_and_gives_the_same_answers(
    grown: tuple[Twins, Reopen], clock: FixedClock, tmp_path: Path
) -> None:
    twins, reopen = grown
    assert list((tmp_path / "memory.db.index").glob("*.index"))
    _compare(twins)
    _change_much(twins, clock)
    _compare(twins)
    reopen()
    _compare(twins)


def test_accesses_counted_since_the_snapshot_are_not_lost(grown: tuple[Twins, Reopen], clock: FixedClock) -> None:
    twins, reopen = grown
    clock.advance(86_400 * 30)
    twins.recall(lambda memory: memory.recall("green valve 210", limit=5))
    reopen()
    _compare(twins)


def test_a_lost_or_broken_snapshot_only_costs_time(
    grown: tuple[Twins, Reopen], clock: FixedClock, tmp_path: Path
) -> None:
    twins, reopen = grown
    _change_much(twins, clock)
    shutil.rmtree(tmp_path / "memory.db.index", ignore_errors=True)
    reopen()
    _compare(twins)
    (tmp_path / "memory.db.index").mkdir(exist_ok=True)
    for path in (tmp_path / "memory.db.index").glob("*.index"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    reopen()
    _compare(twins)
