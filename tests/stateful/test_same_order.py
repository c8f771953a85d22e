"""Four hundred memories of every kind on three back ends: every question is answered in the same order, for the same reasons."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, islice
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.conftest import empty
from tests.stateful.texts import drafts, questions

from recollect.config import load
from recollect.embed.store_embedder import StoreEmbedder
from recollect.engine import Memory
from recollect.ports import Store
from recollect.store.postgres.options import Options
from recollect.store.postgres.store import PostgresStore
from recollect.store.sqlite.store import SqliteStore
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder
from recollect.testing.in_memory import InMemoryStore
from recollect.testing.twins import Twins
from recollect.values.enums import LINK_RELATIONS, SEARCH_MODES
from recollect.values.recalled import Recalled
from recollect.values.scope import Identity
from recollect.wiring import assemble

PROFILES = ("hybrid", "belief", "hebbian", "composite", "relevance", "cascade")
VIEWERS: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    ({}, {}),
    ({"agent": "ada"}, {"project": "atlas"}),
    ({"agent": "ada", "teams": ["core"]}, {"project": "atlas", "session": "talk 1", "task": "t1"}),
    ({"agent": "bob"}, {"project": "zephyr", "session": "talk 2"}),
    ({"teams": ["core"]}, {}),
)
FILTERS: tuple[dict[str, Any], ...] = (
    {},
    {"tag": "infra"},
    {"type": ("decision", "preference")},
    {"status": ("active", "superseded")},
    {"status": "all", "limit": 30},
    {"since": "2025-12-20T00:00:00+00:00"},
    {"true_at": "2025-12-28T00:00:00+00:00"},
    {"source": "inferred", "min_trust": 0.2},
    {"limit": 100},
    {"scope": ("project", "agent")},
    {"season": "winter"},
)


class Textured(HashingEmbedder):
    """Texts without a word in common are not equally far: which of many that are tied a leg brings is left open."""

    def embed_query(self, text: str) -> NDArray[np.float32]:
        grain = np.random.default_rng(list(text.encode())).standard_normal(self.dimensions).astype(np.float32)
        vector = super().embed_query(text) + 0.02 * grain
        return vector / np.linalg.norm(vector)  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory, migrated_database: str) -> Iterator[tuple[Store, ...]]:
    """The reference, a file and a database, all empty."""
    path = tmp_path_factory.mktemp("same") / "memory.db"
    made = (InMemoryStore(), SqliteStore(path, durable=False), PostgresStore(migrated_database, Options(connections=2)))
    yield made
    for store in made:
        store.close()
    empty(migrated_database)


@pytest.fixture(scope="module")
def filled(stores: tuple[Store, ...], tmp_path_factory: pytest.TempPathFactory) -> Twins:
    """All of it on each of them, with links, supersessions and things forgotten."""
    clock, chance, folder = FixedClock(), Random(5), tmp_path_factory.mktemp("home")

    def engine(store: Store) -> Memory:
        loaded = load(
            {"XDG_CONFIG_HOME": str(folder)}, db=str(folder / "none.db"), embedder="none", touch=False, gaps=False
        )
        return Memory(assemble(loaded, store, StoreEmbedder(Textured(), store), None, clock), Identity())

    twins = Twins(*map(engine, stores), estimates=True)
    everybody = {"agent": "ada", "teams": ["core"]}
    plain = twins.engines
    twins.engines = tuple(memory.with_identity(**everybody) for memory in plain)
    for draft in drafts(chance, clock.now):
        twins.load([{name: value for name, value in draft.items() if value is not None}])
        clock.advance(7)
    picked = range(len(twins))
    for number in range(80):
        one, other = chance.sample(picked, 2)
        relation, weight = chance.choice(LINK_RELATIONS), chance.choice((0.2, 0.5, 1.0))
        match number % 8:
            case 0 | 1:
                twins.same(lambda memory, ids, one=one, other=other: memory.supersede(ids[one], ids[other]))
            case 2:
                twins.same(lambda memory, ids, one=one: memory.forget(ids[one]))
            case 3:
                twins.same(lambda memory, ids, one=one: memory.reinforce(ids[one]))
            case _:
                twins.same(
                    lambda memory, ids, one=one, other=other, relation=relation, weight=weight: memory.link(
                        ids[one], ids[other], relation, weight
                    )
                )
        clock.advance(60)
    clock.advance(1800)
    twins.engines = plain
    return twins


def asked(start: int) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Each question with a viewer and what it asks for, other ones from each start."""
    viewers, filters = islice(cycle(VIEWERS), start, None), islice(cycle(FILTERS), 2 * start, None)
    for query, (who, where), more in zip(questions(Random(11)), viewers, filters, strict=False):
        yield query, who, {"limit": 10, **where, **more}


@pytest.mark.parametrize("profile", PROFILES)
def test_every_question_is_answered_in_the_same_order_for_the_same_reasons(filled: Twins, profile: str) -> None:
    for query, who, more in asked(PROFILES.index(profile)):

        def ask(memory: Memory, query: str = query, who: Any = who, more: Any = more) -> Recalled:
            return memory.with_identity(**who).recall(query, profile=profile, explain=True, **more)

        filled.recall(ask)


@pytest.mark.parametrize("mode", SEARCH_MODES)
def test_a_search_finds_the_same_in_the_same_order(filled: Twins, mode: str) -> None:
    for query, who, more in islice(asked(SEARCH_MODES.index(mode)), 0, None, 3):
        wanted = {name: value for name, value in more.items() if name not in ("true_at", "season")}

        def ask(memory: Memory, query: str = query, who: Any = who, wanted: Any = wanted) -> Recalled:
            return memory.with_identity(**who).search(query, mode=mode, **wanted)

        filled.recall(ask)
