"""The same play of random operations on the reference and on PostgreSQL: every answer the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from tests.conftest import empty
from tests.stateful.test_machine import TwinEngines

from recollect.config import load
from recollect.embed.store_embedder import StoreEmbedder
from recollect.engine import Memory
from recollect.ports import Store
from recollect.store.postgres.options import Options
from recollect.store.postgres.store import PostgresStore
from recollect.testing.clock import FixedClock
from recollect.testing.embedding import HashingEmbedder
from recollect.testing.in_memory import InMemoryStore
from recollect.testing.twins import Twins
from recollect.values.scope import Identity
from recollect.wiring import assemble

# A failing play is told as it was found: making it smaller takes minutes with a server.
QUICK = (Phase.explicit, Phase.reuse, Phase.generate)
FEW = settings(
    max_examples=16, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck), phases=QUICK
)


@pytest.fixture
def two(migrated_database: str, tmp_path: Path, clock: FixedClock) -> Iterator[Twins]:
    """The reference and a database."""

    def engine(store: Store) -> Memory:
        loaded = load(db=str(tmp_path / "none.db"), embedder="none")
        return Memory(assemble(loaded, store, StoreEmbedder(HashingEmbedder(), store), None, clock), Identity())

    stores = (InMemoryStore(), PostgresStore(migrated_database, Options(connections=2)))
    twins = Twins(*map(engine, stores))
    yield twins
    for engine_ in twins.engines:
        engine_.close()
    empty(migrated_database)


def test_of_several_that_replace_a_memory_the_last_one_stored_is_named(two: Twins, clock: FixedClock) -> None:
    two.load([f"Rule {number} about the {thing}" for number, thing in enumerate(("lamp", "door", "kettle", "shelf"))])
    for new in (3, 1, 2):
        clock.advance(1)
        two.same(lambda memory, ids, new=new: memory.supersede(ids[0], ids[new]))
    for changed in (2, 1):
        # A row that is written anew comes to lie behind the others in the table.
        two.same(lambda memory, ids, changed=changed: memory.tag(ids[changed], "house"))
        two.same(lambda memory, ids: memory.get(ids[0]))
        replaced = two.same(lambda memory, _: memory.list(status="superseded"))
        assert [record.superseded_by for record in replaced] == [two.ids[0][3]]


def test_a_server_answers_as_the_reference_does(migrated_database: str) -> None:
    class OnServer(TwinEngines):
        """The same rules with a database as the subject."""

        def __init__(self) -> None:
            super().__init__()
            self.twins.estimates = True

        def _opened(self) -> tuple[Memory, Memory]:
            subject = PostgresStore(migrated_database, Options(connections=4))
            return self._engine(self.reference), self._engine(subject)

        def teardown(self) -> None:
            super().teardown()
            empty(migrated_database)

    run_state_machine_as_test(OnServer, settings=FEW)
