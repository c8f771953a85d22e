"""Of several processes, one finds the clusters of an account at a time."""

import pytest

from recollect.testing.contract.samples import ACCOUNT, DIMENSIONS, MODEL, NOW, axis, put, record
from recollect.testing.in_memory import InMemoryStore
from recollect.upkeep.background import BackgroundClustering


@pytest.mark.parametrize("taken", [True, False])
def test_clusters_are_left_to_whoever_has_the_lease(clock, taken) -> None:
    store = InMemoryStore()
    store.use_model(MODEL, DIMENSIONS)
    for number in range(4):
        put(store, *(record(f"green {number} {other}") for other in range(16)), vectors=axis(number), at=NOW)
    if taken:
        assert store.leases.take(f"clusters {ACCOUNT}", "another process", 600)
    gardener = BackgroundClustering(store, clock, "gardener")
    gardener.start_if_due(ACCOUNT)
    gardener.finish()
    with store.view() as reader:
        assert (reader.note("clustered", ACCOUNT) is None) == taken
    assert store.leases.take(f"clusters {ACCOUNT}", "a third process", 600) != taken
