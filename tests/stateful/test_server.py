"""The same play of random operations on the reference and on PostgreSQL: every answer the same."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from tests.conftest import empty
from tests.stateful.test_machine import TwinEngines

from recollect.engine import Memory
from recollect.persist.postgres.address import Options
from recollect.persist.postgres.store import PostgresStore

# A failing play is told as it was found: making it smaller takes minutes with a server.
QUICK = (Phase.explicit, Phase.reuse, Phase.generate)
FEW = settings(
    max_examples=10, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck), phases=QUICK
)


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
