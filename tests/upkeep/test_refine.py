"""After a confirmed recall, the clusters it spans are centred anew, and two that lie close become one."""

import pytest

import recollect
from recollect.upkeep.clusters import refine
from recollect.values.cluster import Cluster
from recollect.values.ids import new_id


class Scale:
    """A scale on which a cosine is a similarity."""

    def similarity(self, cosine: float) -> float:
        return cosine


@pytest.fixture
def two(tmp_path, clock, embedder):
    """A store with six memories in two clusters that were centred on their first member only."""
    with recollect.open(tmp_path / "m.db", embedder=embedder, clock=clock) as memory:
        texts = [f"{what} {way}" for what in ("red kites fly", "blue whales dive") for way in ("high", "low", "far")]
        ids = [out.memory.id for out in memory.remember_many(texts, verbatim=True)]
        store = memory._runtime.store
        with store.transaction("default", "test", clock()) as tx:
            rows, vectors = tx.rows_of("default", ids), tx.vectors("default", ids)
            for first in (0, 3):
                made = Cluster(new_id(clock()), texts[first], 3, vectors[ids[first]][0], 0.1, clock())
                tx.put_cluster("default", made, rows[first : first + 3])
        yield memory, store, rows


def test_the_centres_move_to_the_middle_of_their_members(two, clock) -> None:
    memory, store, rows = two
    before = {cluster.name: cluster.centroid for cluster in memory.clusters()}
    with store.transaction("default", "test", clock()) as tx:
        refine(tx, "default", [rows[0], rows[3]], Scale(), merge=0.99)
    after = {cluster.name: cluster.centroid for cluster in memory.clusters()}
    assert before.keys() == after.keys()
    assert all(abs(float(before[name] @ after[name])) < 0.999 for name in before)


def test_two_that_lie_close_become_one_and_one_that_is_spanned_alone_stays(two, clock) -> None:
    memory, store, rows = two
    with store.transaction("default", "test", clock()) as tx:
        refine(tx, "default", [rows[0], rows[1]], Scale(), merge=0.0)
    assert len(memory.clusters()) == 2
    with store.transaction("default", "test", clock()) as tx:
        refine(tx, "default", [rows[0], rows[3]], Scale(), merge=0.0)
    (one,) = memory.clusters()
    assert one.size == 6
